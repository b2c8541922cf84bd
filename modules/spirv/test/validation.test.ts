// SPDX-License-Identifier: Apache-2.0
// The validator: each rule by a module that breaks it and one that does not, and what spirv-val says of both.
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
import { NAMES, NOTHING, VALIDATION_CASES, editedText, textOf } from "./validation-texts.ts";
import type { Edit, ValidationBase, ValidationCase } from "./validation.table.ts";

function edited(base: ValidationBase, edit: Edit, also: Edit = NOTHING): Uint32Array {
  const result = assemble(editedText(base, edit, also));
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

/** What spirv-val calls the environments of the versions that bases have. */
const TARGETS: Readonly<Record<string, string>> = {
  "vulkan 3": "vulkan1.1",
  "vulkan 4": "vulkan1.1spv1.4",
  "vulkan 5": "vulkan1.2",
  "opencl 2": "opencl2.2",
};

function verdict(
  { base, environment, also }: Pick<ValidationCase, "base" | "environment" | "also">,
  edit: Edit,
): boolean {
  const words = edited(base, edit, also);
  const minor = ((words[1] ?? 0) >>> 8) & 0xff;
  const target = environment === undefined ? `spv1.${minor}` : (TARGETS[`${environment} ${minor}`] ?? "");
  return runTool("spirv-val", ["--target-env", target], bytesOfWords(words)).status === 0;
}

const CASES = VALIDATION_CASES.map((row) => [`${row.rule}: ${row.invalid[1].split("\n")[0] ?? ""}`, row] as const);

describe("rules", () => {
  test.each(NAMES)("the module that cases edit is valid: %s", (name) => {
    const environment = name === "kernel" ? "opencl" : "vulkan";
    expect(errorsOf(edited(name, NOTHING)).map(describeSpirvError)).toEqual([]);
    expect(errorsOf(edited(name, NOTHING), environment).map(describeSpirvError)).toEqual([]);
  });

  test("modules of clang and glslang are valid", () => {
    for (const name of ["kernel", "shader"]) {
      const result = assemble(textOf(name));
      expect(result.ok && errorsOf(result.value).map(describeSpirvError)).toEqual([]);
    }
  });

  test.each(CASES)("%s", (_, { rule, base, invalid, valid = NOTHING, also, environment }) => {
    const [error] = errorsOf(edited(base, invalid, also), environment);
    expect(error === undefined ? "it is valid" : `${error.rule}: ${error.message}`).toMatch(`${rule}: `);
    expect(error?.message).toMatch(/^\S.*[^.]$/u);
    expect(errorsOf(edited(base, valid, also), environment).map(describeSpirvError)).toEqual([]);
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
      "limit-locals",
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
      "word 234: %22 is not of as many bits as the result [arithmetic-operand]
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
  test.each(NAMES)("the module that cases edit: %s", (base) => {
    expect(verdict({ base }, NOTHING)).toBe(true);
    expect(verdict({ base, environment: base === "kernel" ? "opencl" : "vulkan" }, NOTHING)).toBe(true);
  });

  test.each(ASKED)("%s", (_, row) => {
    const { invalid, valid, difference } = row;
    const isSame = !verdict(row, invalid) && (valid === undefined || verdict(row, valid));
    expect(isSame ? "the same verdict" : (difference ?? "no reason is given")).toBe(difference ?? "the same verdict");
  });
});
