// SPDX-License-Identifier: Apache-2.0
// Every build option through clBuildProgram: it has its effect on what kernels compute, on the log or on what queries
// return of them, or it is taken and changes nothing.
import {
  OpenCLError,
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clGetKernelArgInfo,
  clGetProgramBuildInfo,
  clSetKernelArg,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, ints, newQueue, readInts } from "./rig.ts";

/** Builds a program; returns what its kernel `k` puts into one int that is 3 at first. */
function result(source: string, options: string): number {
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program, null, options);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_OPTIONS")).toBe(options);
  const kernel = clCreateKernel(program, "k");
  const data = ints(3);
  clSetKernelArg(kernel, 0, data);
  const queue = newQueue();
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  return readInts(queue, data)[0] ?? Number.NaN;
}

/** The result without options; "refused" where something is not declared then. */
function resultOrRefusal(source: string): number | "refused" {
  try {
    return result(source, "");
  } catch (error) {
    if (
      error instanceof OpenCLError &&
      error.name === "CL_BUILD_PROGRAM_FAILURE" &&
      error.message.includes("not declared")
    )
      return "refused";
    throw error;
  }
}

const kernelOfValue = (value: string): string => `kernel void k(global int* o) { *o = ${value}; }\n`;
/** 1 where a macro is defined. */
const ifDefined = (macro: string): string =>
  `#ifdef ${macro}\n${kernelOfValue("1")}#else\n${kernelOfValue("0")}#endif\n`;

/** What a kernel computes with an option, and what without it. */
const COMPUTED: readonly (readonly [
  options: string,
  source: string,
  withOption: number,
  without: number | "refused",
])[] = [
  ["-D N=41 -DM", kernelOfValue("N + M"), 42, "refused"],
  ["-D 'F(a)=((a) * 2)'", kernelOfValue("F(4)"), 8, "refused"],
  ["-D __FAST_RELAXED_MATH__ -U __FAST_RELAXED_MATH__", ifDefined("__FAST_RELAXED_MATH__"), 0, 0],
  ["-cl-std=CL1.1", kernelOfValue("__OPENCL_C_VERSION__"), 110, 120],
  ["-cl-std=CL1.2", kernelOfValue("__OPENCL_C_VERSION__"), 120, 120],
  ["-cl-std=CL3.0", kernelOfValue("__OPENCL_C_VERSION__"), 300, 120],
  ["-cl-fast-relaxed-math", ifDefined("__FAST_RELAXED_MATH__"), 1, 0],
  ["-cl-single-precision-constant", kernelOfValue("sizeof(1.5)"), 4, 8],
  ["-Werror", kernelOfValue("1"), 1, 1],
];

test.each(COMPUTED)("%s: what is computed", (options, source, withOption, without) => {
  expect(result(source, options)).toBe(withOption);
  expect(resultOrRefusal(source)).toBe(without);
});

/** Options that may change how, never what, here. */
const HARMLESS = [
  "-g",
  "-w",
  "-Wall",
  "-Wextra",
  "-x clc",
  "-I .",
  "-S name.cl",
  "-cl-opt-disable",
  "-cl-opt-disable -cl-opt-enable",
  "-cl-mad-enable",
  "-cl-no-signed-zeros",
  "-cl-unsafe-math-optimizations",
  "-cl-finite-math-only",
  "-cl-denorms-are-zero",
  "-cl-fp32-correctly-rounded-divide-sqrt",
  "-cl-kernel-arg-info",
  "-cl-strict-aliasing",
  "-cl-uniform-work-group-size",
  "-cl-no-subgroup-ifp",
  "-codeplay-soft-math",
  "-cl-llvm-stats",
  "-cl-vec=none",
  "-cl-vec=loop",
  "-cl-vec=slp",
  "-cl-vec=all",
  "-cl-wfv=never",
  "-cl-wfv=always",
  "-cl-wfv=auto",
  "-cl-precache-local-sizes=1,1,1:8",
];

test.each(HARMLESS)("%s: the same results", (options) => {
  expect(
    result(
      `kernel void k(global int* o) { float f = *o; *o = (int)(f * 2.5f + f / 3.0f + sqrt(f * f)) + *o; }
`,
      options,
    ),
  ).toBe(14);
});

/** The log of a build, whether it fails or not. */
function logOf(source: string, options: string): string {
  const program = clCreateProgramWithSource(context, [source]);
  try {
    clBuildProgram(program, null, options);
  } catch {
    // The log explains why.
  }
  return (
    `${clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")} ` +
    clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG")
  );
}

const WARNS = `kernel void k(global int* o, int n) { int m; *o = 1; }
`;

test.each([
  ["", /^CL_BUILD_SUCCESS program\.cl:1:43: warning: "m" is never used/u, /"n" is never used/u],
  ["-w", /^CL_BUILD_SUCCESS $/u, /warning/u],
  ["-Werror", /^CL_BUILD_ERROR program\.cl:1:43: .*"m" is never used/u, /"n"/u],
  ["-Wextra", /the parameter "n" is never used/u, /error/u],
  ["-S kernels/sum.cl", /^CL_BUILD_SUCCESS kernels\/sum\.cl:1:43: /u, /program\.cl/u],
])("%s: what the log says", (options, says, saysNot) => {
  expect(logOf(WARNS, options)).toMatch(says);
  expect(logOf(WARNS, options)).not.toMatch(saysNot);
});

const PARTED = `kernel void k(global int* o, int n) {
  int x = get_global_id(0);
  o[x] = o[x * n];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (n == 7)
    for (;;) o[x]++;
}
`;

test.each([
  [
    "-cl-wfv=always",
    /^CL_BUILD_SUCCESS note: kernel k, region 0 of 2 between barriers: \d+ work-items along x at once: [^\n]*; gathered: line 3; what costs most: gathered loads of global memory \d+ % \(line 3\)\nprogram\.cl:6:\d+: note: kernel k, region 1 of 2 between barriers: one work-item at a time\. Some path through the kernel never ends/u,
  ],
  [
    "-cl-wfv=auto -S a.cl",
    /^CL_BUILD_SUCCESS note: kernel k, region 0 [^\n]*\na\.cl:6:\d+: note: kernel k, region 1 /u,
  ],
  ["-cl-wfv=never", /^CL_BUILD_SUCCESS note: kernel k, region 0 [^\n]*: one work-item at a time: vectors are off/u],
  ["", /^CL_BUILD_SUCCESS $/u],
])("%s: what the log says of vectors", (options, says) => {
  expect(logOf(PARTED, options)).toMatch(says);
});

test("-cl-kernel-arg-info: names of arguments are available", () => {
  const program = clCreateProgramWithSource(context, [WARNS]);
  clBuildProgram(program, null, "-cl-kernel-arg-info");
  expect(clGetKernelArgInfo(clCreateKernel(program, "k"), 1, "CL_KERNEL_ARG_NAME")).toBe("n");
});

test.each([
  ["-cl-be-quick", /unknown build option/u],
  ["-D", /needs a value/u],
  ["-cl-std=CL9.0", /not one of/u],
  ["-create-library", /is no build option/u],
  ["-enable-link-options", /is no build option/u],
  ["-X tune=3", /has no option "tune"/u],
  ["-x fortran", /is no language/u],
  ["-cl-vec=some", /not one of/u],
  ["-cl-precache-local-sizes=0", /is no local size/u],
  ["-D 'A=1", /not closed/u],
])("%s is CL_INVALID_BUILD_OPTIONS", (options, message) => {
  expectError(() => result(kernelOfValue("1"), options), "CL_INVALID_BUILD_OPTIONS", message);
});
