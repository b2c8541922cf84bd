// SPDX-License-Identifier: Apache-2.0
// The errors that the specification lists for the calls that build programs, make kernels and set arguments: one row
// each.
import {
  CL_MEM_READ_ONLY,
  CL_MEM_WRITE_ONLY,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clCreateSampler,
  clLinkProgram,
  clReleaseMemObject,
  clReleaseSampler,
  clSetKernelArg,
} from "@muxkit/opencl";
import { test } from "vitest";

import {
  type CallErrorRow,
  other,
  program,
  binary,
  compiled,
  gone,
  image,
  all,
  takes,
  set,
  text,
} from "./call-errors-rig.ts";
import { SOURCE, context, device, expectError, int, ints } from "./rig.ts";

const ROWS: readonly CallErrorRow[] = [
  ["clCreateProgramWithSource", "CL_INVALID_VALUE", "no texts", () => clCreateProgramWithSource(context, [])],
  [
    "clCreateProgramWithSource",
    "CL_INVALID_VALUE",
    "a text that is none",
    () => clCreateProgramWithSource(context, [SOURCE, null as unknown as string]),
  ],
  ["clCreateProgramWithBinary", "CL_INVALID_VALUE", "no devices", () => clCreateProgramWithBinary(context, [], [])],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_VALUE",
    "as many binaries as there are not devices",
    () => clCreateProgramWithBinary(context, [device], [binary, binary]),
  ],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_VALUE",
    "an empty binary",
    () => clCreateProgramWithBinary(context, [device], [new Uint8Array(0)]),
  ],
  [
    "clCreateProgramWithBinary",
    "CL_INVALID_BINARY",
    "bytes that are no program",
    () => clCreateProgramWithBinary(context, [device], [new Uint8Array(64)]),
  ],
  [
    "clBuildProgram",
    "CL_INVALID_VALUE",
    "an empty list of devices",
    () => {
      clBuildProgram(program(null), []);
    },
  ],
  [
    "clBuildProgram",
    "CL_INVALID_BUILD_OPTIONS",
    "an option that there is not",
    () => {
      clBuildProgram(program(null), null, "-cl-make-it-fast");
    },
  ],
  [
    "clBuildProgram",
    "CL_BUILD_PROGRAM_FAILURE",
    "a mistake in the source",
    () => program("", `kernel void k(void) { x = 1; }`),
  ],
  [
    "clBuildProgram",
    "CL_INVALID_OPERATION",
    "a program with kernels",
    () => {
      clBuildProgram(takes.program);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_VALUE",
    "an empty list of devices",
    () => {
      clCompileProgram(program(null), []);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_VALUE",
    "a header without a name",
    () => {
      clCompileProgram(program(null), null, "", [{ name: "", program: program(null) }]);
    },
  ],
  [
    "clCompileProgram",
    "CL_INVALID_COMPILER_OPTIONS",
    "an option that there is not",
    () => {
      clCompileProgram(program(null), null, "-cl-make-it-fast");
    },
  ],
  [
    "clCompileProgram",
    "CL_COMPILE_PROGRAM_FAILURE",
    "a mistake in the source",
    () => compiled(`kernel void k(void) { x = 1; }`),
  ],
  [
    "clCompileProgram",
    "CL_INVALID_OPERATION",
    "a program of binaries",
    () => {
      clCompileProgram(clCreateProgramWithBinary(context, [device], [binary]));
    },
  ],
  ["clLinkProgram", "CL_INVALID_VALUE", "no inputs", () => clLinkProgram(context, null, "", [])],
  ["clLinkProgram", "CL_INVALID_VALUE", "an empty list of devices", () => clLinkProgram(context, [], "", [compiled()])],
  [
    "clLinkProgram",
    "CL_INVALID_LINKER_OPTIONS",
    "an option that there is not",
    () => clLinkProgram(context, null, "-cl-make-it-fast", [compiled()]),
  ],
  [
    "clLinkProgram",
    "CL_INVALID_OPERATION",
    "an input that was not compiled",
    () => clLinkProgram(context, null, "", [program(null)]),
  ],
  [
    "clLinkProgram",
    "CL_LINK_PROGRAM_FAILURE",
    "a function that is not defined anywhere",
    () =>
      clLinkProgram(context, null, "", [
        compiled(`int f(int);
    kernel void k(global int* p) { *p = f(*p); }`),
      ]),
  ],
  [
    "clCreateKernel",
    "CL_INVALID_PROGRAM_EXECUTABLE",
    "a program that is not built",
    () => clCreateKernel(program(null), "add"),
  ],
  [
    "clCreateKernel",
    "CL_INVALID_KERNEL_NAME",
    "a name that the program does not have",
    () => clCreateKernel(all, "subtract"),
  ],
  ["clCreateKernel", "CL_INVALID_VALUE", "no name", () => clCreateKernel(all, null as unknown as string)],
  [
    "clCreateKernelsInProgram",
    "CL_INVALID_PROGRAM_EXECUTABLE",
    "a program that is not built",
    () => clCreateKernelsInProgram(program(null)),
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_INDEX",
    "an argument that there is not",
    () => {
      set(6, null);
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a number for a pointer",
    () => {
      set(0, int(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for local memory",
    () => {
      set(1, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_SIZE",
    "no bytes of local memory",
    () => {
      set(1, { localBytes: 0 });
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for a number",
    () => {
      set(2, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_SIZE",
    "eight bytes for an int",
    () => {
      set(2, new Int32Array(2));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for an image",
    () => {
      set(3, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "an image that must not be read",
    () => {
      set(3, image(4, context, CL_MEM_WRITE_ONLY));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "an image that must not be written",
    () => {
      set(5, image(4, context, CL_MEM_READ_ONLY));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_SAMPLER",
    "a buffer for a sampler",
    () => {
      set(4, ints(1));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_SAMPLER",
    "a sampler that was released",
    () => {
      set(4, gone(clCreateSampler(context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"), clReleaseSampler));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "a buffer that was released",
    () => {
      set(0, gone(ints(1), clReleaseMemObject));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "a buffer of another context",
    () => {
      set(0, clCreateBuffer(other, 1, 4));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_MEM_OBJECT",
    "an image of another context",
    () => {
      set(3, image(4, other));
    },
  ],
  [
    "clSetKernelArg",
    "CL_INVALID_ARG_VALUE",
    "a buffer for a pipe",
    () => {
      clSetKernelArg(clCreateKernel(all, "piped"), 0, ints(1));
    },
  ],
];

test.each(ROWS)("%s: %s for %s", (call, error, _reason, run) => {
  expectError(run, error, new RegExp(text(`^${call}: `), "u"));
});
