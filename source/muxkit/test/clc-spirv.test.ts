// SPDX-License-Identifier: Apache-2.0
// SPIR-V as outputs (clc --emit spirv, spvasm, spirv-shader) and as inputs of clc, check and vectorize.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assemble, bytesOfWords, isSpirv, parseModule, validateModule } from "@muxkit/spirv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { clc, muxkit } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "clc-spirv-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, "k.cl");
writeFileSync(
  source,
  `kernel void first(global float *x, float by) { x[get_global_id(0)] *= by; }
kernel void second(global int *x) { x[0] = 7; }
`,
);

function errorsOf(bytes: Uint8Array, environment: "opencl" | "vulkan"): readonly unknown[] {
  const parsed = parseModule(bytes);
  return parsed.ok ? validateModule(parsed.value, { environment }) : [parsed.error];
}

test("a module and its assembly are the same", () => {
  expect(clc(source, "--emit", "spirv,spvasm")).toEqual({ code: 0, out: "", error: "" });
  const binary = new Uint8Array(readFileSync(`${source}.spv`));
  expect(isSpirv(binary)).toBe(true);
  expect(errorsOf(binary, "opencl")).toEqual([]);
  const assembled = assemble(readFileSync(`${source}.spvasm`, "utf8"));
  expect(assembled.ok && bytesOfWords(assembled.value).length).toBe(binary.length);
});

function assembly(...args: string[]): string {
  const path = join(folder, "lines.spvasm");
  expect(clc(source, "--emit", "spvasm", "-o", path, ...args).code).toBe(0);
  return readFileSync(path, "utf8");
}

test("with -g places of the source are written", () => {
  expect(assembly()).not.toContain("OpLine");
  expect(assembly("-g")).toMatch(/OpLine %\d+ 1 \d+/u);
});

test("shaders are two files for each kernel", () => {
  const output = join(folder, "shaders");
  expect(clc(source, "--emit", "spirv-shader", "-o", `${output}/`).code).toBe(0);
  expect(readdirSync(output).toSorted()).toEqual([
    "k.cl.first.json",
    "k.cl.first.spv",
    "k.cl.second.json",
    "k.cl.second.spv",
  ]);
  expect(errorsOf(new Uint8Array(readFileSync(join(output, "k.cl.first.spv"))), "vulkan")).toEqual([]);
  expect(JSON.parse(readFileSync(join(output, "k.cl.first.json"), "utf8"))).toEqual({
    kernel: "first",
    workGroupSize: { specialization: [0, 1, 2] },
    pushConstantBytes: 4,
    arguments: [
      { name: "x", type: "float*", kind: "storageBuffer", set: 0, binding: 0, isReadOnly: false },
      { name: "by", type: "float", kind: "pushConstant", offset: 0, size: 4 },
    ],
  });
});

test("what does not fit is told with its place", () => {
  const path = join(folder, "wide.cl");
  writeFileSync(path, "kernel void k(global float8 *x) {\n  x[0] += x[1];\n}\n");
  expect(clc(path, "--emit", "spirv-shader")).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /wide\.cl: as a shader: .*wide\.cl:2:\d+: k: vectors of shaders have at most 4 numbers/u,
    ),
  });
  expect(clc(source, "--emit", "spirv-shader", "-o", "-")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/writes two files for each kernel; use -o FOLDER\//u),
  });
});

describe("a module is an input", () => {
  const module = join(folder, "in.spv");
  const text = join(folder, "in.spvasm");
  beforeAll(() => {
    clc(source, "--emit", "spirv", "-o", module);
    clc(source, "--emit", "spvasm", "-o", text);
  });

  test.each([[() => module], [() => text]])("of clc, binary and assembly (%#)", (file) => {
    expect(clc(file(), "--emit", "ir", "-o", "-")).toMatchObject({ code: 0, out: expect.stringContaining("@second") });
    expect(clc(file(), "--emit", "binary", "-o", join(folder, "in.bin"))).toMatchObject({ code: 0, error: "" });
  });

  test("of clc, linked with an object of OpenCL C", () => {
    const other = join(folder, "other.cl");
    writeFileSync(other, "kernel void third(global int *x) { x[1] = 3; }\n");
    const linked = clc(module, other, "--emit", "binary", "-o", join(folder, "linked.bin"));
    expect(linked).toMatchObject({ code: 0, error: "" });
  });

  test("of clc as text of another name, by -x", () => {
    const unnamed = join(folder, "in.txt");
    writeFileSync(unnamed, readFileSync(text));
    expect(clc(unnamed, "-x", "spirv", "--emit", "ir", "-o", "-")).toMatchObject({ code: 0 });
    expect(clc(source, "-x", "spirv", "--emit", "ir")).toMatchObject({
      code: 1,
      error: expect.stringMatching(/k\.cl:1:\d+: .*kernel/u),
    });
  });

  test("of check, which says where in the source an instruction comes from", () => {
    const lines = join(folder, "lines.spvasm");
    writeFileSync(
      lines,
      `OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "sums.cl"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%one = OpConstant %int 1
%type = OpTypeFunction %void
%k = OpFunction %void None %type
%entry = OpLabel
OpLine %file 3 14
%sum = OpFAdd %int %one %one
OpReturn
OpFunctionEnd
`,
    );
    const error = expect.stringMatching(/sums\.cl:3:14: word \d+: .*\n +%\w+ = OpFAdd/u);
    expect(muxkit("check", lines)).toMatchObject({ code: 1, error });
  });

  test("of check, which says the word and the rule of what is wrong", () => {
    expect(muxkit("check", module)).toEqual({ code: 0, out: "", error: "" });
    expect(muxkit("check", text)).toEqual({ code: 0, out: "", error: "" });
    const wrong = join(folder, "wrong.spv");
    const bytes = new Uint8Array(readFileSync(module));
    writeFileSync(wrong, bytes.subarray(0, bytes.length - 8));
    expect(muxkit("check", wrong)).toMatchObject({ code: 1, error: expect.stringMatching(/word \d+/u) });
    const broken = join(folder, "broken.spvasm");
    writeFileSync(broken, "OpCapability Kernel\nOpFoo\n");
    expect(muxkit("check", broken)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/broken\.spvasm:2:1: .*OpFoo/u),
    });
  });
});
