// SPDX-License-Identifier: Apache-2.0
// A slice of the fuzzer, and modules that are made to be slow or large for those that read them.
import { describe, expect, test } from "vitest";

import { LAYOUT_32 } from "@muxkit/ir";
import { assemble, bytesOfWords, disassemble, parseModule, readSpirv, validateModule } from "@muxkit/spirv";

import { READER, fuzz } from "./fuzz.ts";

test("400 changed modules: nothing throws or hangs, valid ones come back from their text", () => {
  const { byRule, failures } = fuzz(400, 1);
  expect(failures).toEqual([]);
  expect(byRule["valid"] ?? 0).toBeGreaterThan(20);
  expect(Object.keys(byRule).length).toBeGreaterThan(20);
});

test("300 changed kernels: the reader reads or refuses each", () => {
  const { byRule, failures } = fuzz(300, 1, READER);
  expect(failures).toEqual([]);
  // Kernels have no interface of shaders.
  expect((byRule["read"] ?? 0) + (byRule["read, without reflection"] ?? 0)).toBeGreaterThan(20);
  expect(Object.keys(byRule).length).toBeGreaterThan(30);
});

test("a built-in variable that is a vector of one lane is loaded as the lane", () => {
  const assembled = assemble(`OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical32 OpenCL
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%int = OpTypeInt 32 0
%one = OpTypeVector %int 1
%ptr = OpTypePointer Input %one
%id = OpVariable %ptr Input
%type = OpTypeFunction %void
%f = OpFunction %void None %type
%entry = OpLabel
%x = OpLoad %one %id
OpReturn
OpFunctionEnd`);
  if (!assembled.ok) throw new Error(assembled.error.message);
  const options = { name: "m", layout: LAYOUT_32, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
  const read = readSpirv(bytesOfWords(assembled.value), options);
  expect(read.ok || read.error.message).toBe(true);
});

const HEAD = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n";
const FUNCTION = `${HEAD}%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%type = OpTypeFunction %void\n`;

/** Lines by their number. */
function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

/** Modules whose parts hang together in a way that costs a careless reader the square, or its stack. */
const FAMILIES: Readonly<Record<string, (size: number) => string>> = {
  "pointers to pointers": (size) =>
    `${HEAD}%p0 = OpTypePointer Private %void\n${lines(size, (at) => `%p${at + 1} = OpTypePointer Private %p${at}`)}`,
  "structures in structures": (size) =>
    `${HEAD}%f = OpTypeFloat 32\n%s0 = OpTypeStruct %f\n${lines(size, (at) => `%s${at + 1} = OpTypeStruct %s${at}`)}`,
  "one name for all": (size) =>
    `OpCapability Shader\nOpMemoryModel Logical GLSL450\n${lines(size, (at) => `OpName %a${at} "name"`)}`,
  "a ladder of blocks": (size) =>
    `${FUNCTION}%f = OpFunction %void None %type\n%e = OpLabel\nOpBranch %b0\n` +
    `${lines(size, (at) => `%b${at} = OpLabel\nOpBranchConditional %true %b${at + 1} %b${Math.max(at - 1, 0)}`)}\n` +
    `%b${size} = OpLabel\nOpReturn\nOpFunctionEnd`,
  "phis of many blocks": (size) =>
    `${FUNCTION}%int = OpTypeInt 32 0\n%c = OpConstant %int 0\n%f = OpFunction %void None %type\n%e = OpLabel\n` +
    `OpSwitch %c %m ${lines(Math.min(size, 10000), (at) => `${at} %b${at}`)}\n` +
    `${lines(Math.min(size, 10000), (at) => `%b${at} = OpLabel\nOpBranch %m`)}\n%m = OpLabel\n` +
    `${lines(size, (at) => `%p${at} = OpPhi %int %c %e`)}\nOpReturn\nOpFunctionEnd`,
  "one entry point by many names": (size) =>
    `OpCapability Shader\nOpMemoryModel Logical GLSL450\n` +
    `${lines(size, (at) => `OpEntryPoint GLCompute %f "${at}"`)}\n` +
    `${lines(size, () => "OpExecutionMode %f LocalSize 1 1 1")}\n%void = OpTypeVoid\n` +
    `%type = OpTypeFunction %void\n%f = OpFunction %void None %type\n%e = OpLabel\nOpReturn\nOpFunctionEnd`,
};

/** Milliseconds of this process to decode, validate and print a module: the least of three. */
function cost(words: Uint32Array): number {
  const times = Array.from({ length: 3 }, () => {
    const begin = process.cpuUsage();
    const parsed = parseModule(words);
    if (!parsed.ok) throw new Error(parsed.error.message);
    void validateModule(parsed.value, { mostErrors: 10 });
    void disassemble(parsed.value);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe("modules that are made to be slow", () => {
  test.each(Object.entries(FAMILIES))("%s: four times the size takes no sixteen times as long", (_, family) => {
    const [small, large] = [1000, 4000].map((size) => {
      const result = assemble(family(size));
      if (!result.ok) throw new Error(result.error.message);
      return cost(result.value);
    });
    // Linear is 4, the square 16; the constant is for collections of garbage.
    expect(large).toBeLessThan((small ?? 0) * 9 + 30);
  });

  test("a bound of 2^32 takes no memory", () => {
    const result = assemble(`${HEAD}%4294967294 = OpTypeFloat 32\n%v = OpTypeVector %4294967294 4`);
    expect(result.ok && result.value[3]).toBe(0xffffffff);
    const before = process.memoryUsage().arrayBuffers;
    const parsed = parseModule(result.ok ? result.value : new Uint32Array());
    expect(parsed.ok && validateModule(parsed.value)).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });
});
