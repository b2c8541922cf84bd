// SPDX-License-Identifier: Apache-2.0
// The suites of runtime and compiler through text PTX: what a GPU must do, without one.
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { cudaTargetOf } from "@muxkit/cuda";
import { ptxDriver } from "@muxkit/ptx-interpreter";
import { buildKernel, unitKernelCases } from "@muxkit/unitkernel";
import { unitMuxCases } from "@muxkit/unitmux";
import { describe, expect, test } from "vitest";

const target = cudaTargetOf(ptxDriver());
const setup = { target, compiler: CUDA_COMPILER };

const FILL = `
kernel void fill(global int* out, int value) {
  out[get_global_id(0)] = value + get_global_id(0);
}`;

describe("unitkernel", () => {
  test.each(unitKernelCases(setup))("$name", ({ run }) => {
    expect(run).not.toThrow();
  });
});

describe("unitmux", () => {
  for (const { entryPoint, name, run } of unitMuxCases({ target, executable: buildKernel(setup, FILL) }))
    test(`${entryPoint}: ${name}`, () => {
      expect(run).not.toThrow();
    });
});
