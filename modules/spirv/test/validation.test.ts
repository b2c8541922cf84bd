// SPDX-License-Identifier: Apache-2.0
// The validator: each rule by a module that breaks it and one that does not, and what spirv-val says of both.
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import {
  type SpirvError,
  VALIDATION_RULES,
  assemble,
  bytesOfWords,
  describeSpirvError,
  parseModule,
  validateModule,
} from "@muxkit/spirv";

import { hasTool, runTool } from "./debian.ts";
import { type Edit, VALIDATION_CASES } from "./validation.table.ts";

const BASES = { kernel: textOf("base-kernel"), shader: textOf("base-shader") };

function textOf(name: string): string {
  return readFileSync(new URL(`modules/${name}.spvasm`, import.meta.url), "utf8");
}

function edited(base: "kernel" | "shader", [find, replace]: Edit): Uint32Array {
  const parts = BASES[base].split(find);
  if (parts.length !== 2) throw new Error(`"${find}" is ${parts.length - 1} times in the module`);
  const result = assemble(parts.join(replace));
  if (!result.ok) throw new Error(`${result.error.line}:${result.error.column}: ${result.error.message}`);
  return result.value;
}

function errorsOf(
  words: Uint32Array,
  environment: "universal" | "opencl" | "vulkan" = "universal",
): readonly SpirvError[] {
  const parsed = parseModule(words);
  return parsed.ok ? validateModule(parsed.value, { environment }) : [parsed.error];
}

function verdict(base: "kernel" | "shader", edit: Edit): boolean {
  const words = edited(base, edit);
  const minor = ((words[1] ?? 0) >>> 8) & 0xff;
  return runTool("spirv-val", ["--target-env", `spv1.${minor}`], bytesOfWords(words)).status === 0;
}

const NOTHING: Edit = ["; Version", "; Version"];
const CASES = VALIDATION_CASES.map((row) => [`${row.rule}: ${row.invalid[1].split("\n")[0] ?? ""}`, row] as const);

describe("rules", () => {
  test("the modules that cases edit are valid", () => {
    expect(errorsOf(edited("kernel", NOTHING), "opencl")).toEqual([]);
    expect(errorsOf(edited("shader", NOTHING), "vulkan")).toEqual([]);
    for (const name of ["kernel", "shader"]) {
      const result = assemble(textOf(name));
      expect(result.ok && errorsOf(result.value).map(describeSpirvError)).toEqual([]);
    }
  });

  test.each(CASES)("%s", (_, { rule, base, invalid, valid = NOTHING }) => {
    const [error] = errorsOf(edited(base, invalid));
    expect(error === undefined ? "it is valid" : `${error.rule}: ${error.message}`).toMatch(`${rule}: `);
    expect(error?.message).toMatch(/^\S.*[^.]$/u);
    expect(errorsOf(edited(base, valid)).map(describeSpirvError)).toEqual([]);
  });

  test("every rule has a case, or belongs to what is not assembled", () => {
    const elsewhere = [
      "module-size",
      "header",
      "magic-number",
      "version",
      "schema",
      "string",
      "decoration-group",
      "environment",
    ];
    const covered = new Set<string>([...elsewhere, ...VALIDATION_CASES.map(({ rule }) => rule)]);
    expect(Object.keys(VALIDATION_RULES).filter((rule) => !covered.has(rule))).toEqual([]);
  });

  test("an error has its word, its instruction and its rule", () => {
    const [error] = errorsOf(
      edited("kernel", ["%twice = OpIMul %uint %x %uint_2", "%twice = OpIMul %uint %x %ulong_8"]),
    );
    expect(error === undefined ? "" : describeSpirvError(error)).toMatchInlineSnapshot(`
      "word 234: %22 is not of as many bits as the result [operand-type]
          %44 = OpIMul %10 %42 %22"
    `);
  });
});

describe("environments", () => {
  test.each([
    ["opencl", "kernel", "OpMemoryModel Physical64 OpenCL", "OpMemoryModel Logical OpenCL"],
    ["vulkan", "shader", "OpExecutionMode %main LocalSize 8 1 1\n", ""],
  ] as const)("%s", (environment, base, find, replace) => {
    expect(errorsOf(edited(base, [find, replace]), environment)[0]?.rule).toBe("environment");
  });
});

// Every fourth case; MUXKIT_SPIRV=whole for all of them: a process takes longer than everything else here.
const ASKED = CASES.filter((_, index) => index % 4 === 0 || process.env["MUXKIT_SPIRV"] === "whole");

describe.skipIf(!hasTool("spirv-val"))("spirv-val", () => {
  test("the modules that cases edit", () => {
    expect([verdict("kernel", NOTHING), verdict("shader", NOTHING)]).toEqual([true, true]);
  });

  test.each(ASKED)("%s", (_, { base, invalid, valid, difference }) => {
    const isSame = !verdict(base, invalid) && (valid === undefined || verdict(base, valid));
    expect(isSame ? "the same verdict" : (difference ?? "no reason is given")).toBe(difference ?? "the same verdict");
  });
});
