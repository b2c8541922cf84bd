// SPDX-License-Identifier: Apache-2.0
// Programs in LLVM bitcode of SPIR 1.2, by clCreateProgramWithBinary.
import { readFileSync } from "node:fs";

import {
  clBuildProgram,
  clCompileProgram,
  clCreateKernel,
  clCreateProgramWithBinary,
  clEnqueueNDRangeKernel,
  clGetProgramBuildInfo,
  clLinkProgram,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, int, ints, newQueue, readInts } from "./rig.ts";

/** `sums` of modules/spirv/test/bitcode/kernels.cl, made by clang 14 for 32-bit addresses. */
const FILE = new Uint8Array(readFileSync(new URL("../../../modules/spirv/test/bitcode/kernels.bc", import.meta.url)));
const COUNT = 5;

/** What the kernel computes, for four work-items. */
function wanted(): number[] {
  const sums = [0, 1, 2, 3].map((i) => {
    let sum = 7;
    for (let k = 0; k < COUNT; k++)
      if ((k & 3) === 0) sum += i * 2;
      else sum = ((k & 3) === 1 ? sum - 2 : sum) ^ k;
    return sum;
  });
  let total = 0;
  const out = sums.map((sum, i) => {
    const more = i > 1 ? 3 : 4;
    const [x, y, z, w] = [(sums[i ^ 1] ?? 0) + more, sum + more, 9 + more, (i < 2 ? 1 : 0) + more];
    total += x;
    return x + y * 10 + z * 100 + w;
  });
  return [...out, total];
}

function run(program: ReturnType<typeof clCreateProgramWithBinary>): number[] {
  const kernel = clCreateKernel(program, "sums");
  const value = new Uint8Array(16);
  const view = new DataView(value.buffer);
  view.setInt32(0, 7, true);
  view.setFloat32(8, 9.5, true);
  const out = ints(0, 0, 0, 0, 0);
  clSetKernelArg(kernel, 0, out);
  clSetKernelArg(kernel, 1, value);
  clSetKernelArg(kernel, 2, { localBytes: 16 });
  clSetKernelArg(kernel, 3, int(COUNT));
  const queue = newQueue();
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [4], [4]);
  return readInts(queue, out, 5);
}

test("a build compiles bitcode, with the options that SPIR 1.2 names", () => {
  const program = clCreateProgramWithBinary(context, [device], [FILE]);
  clBuildProgram(program, null, "-x spir -spir-std=1.2");
  expect(run(program)).toEqual(wanted());
});

test("a compilation makes an object of it, which is linked", () => {
  const program = clCreateProgramWithBinary(context, [device], [FILE]);
  clCompileProgram(program, null, "-x spir");
  expect(run(clLinkProgram(context, null, "", [program]))).toEqual(wanted());
});

test("bitcode that ends too early fails to build, with the bit in the log", () => {
  const program = clCreateProgramWithBinary(context, [device], [FILE.slice(0, 400)]);
  expectError(() => clBuildProgram(program), "CL_BUILD_PROGRAM_FAILURE", /bit \d+: a block has \d+ words/u);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")).toMatch(/bit \d+: a block has/u);
});
