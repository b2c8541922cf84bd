// SPDX-License-Identifier: Apache-2.0
// Programs: builds, their errors and logs, binaries with and without a compiler.
import { compilers } from "@muxkit/host-compiler/native";
import {
  CL_MEM_READ_WRITE,
  clBuildProgram,
  clCreateBuffer,
  clCreateKernel,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clGetKernelInfo,
  clGetDeviceInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clReleaseKernel,
  clReleaseProgram,
  clSetKernelArg,
  setCompilers,
} from "@muxkit/opencl";
import { readExecutable, writeExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

import { SOURCE, context, device, errorOf, expectError, int, ints, newQueue, readInts } from "./rig.ts";

test("a build reports its kernels, status and log", () => {
  const program = clCreateProgramWithSource(context, [
    `kernel void a(global int* x) { *x = N; }
`,
    `kernel void b(void) {}`,
  ]);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_NONE");
  expectError(
    () => clGetProgramInfo(program, "CL_PROGRAM_KERNEL_NAMES"),
    "CL_INVALID_PROGRAM_EXECUTABLE",
    /not built/u,
  );
  clBuildProgram(program, null, "-D N=4");
  expect(clGetProgramInfo(program, "CL_PROGRAM_KERNEL_NAMES")).toBe("a;b");
  expect(clGetProgramInfo(program, "CL_PROGRAM_NUM_KERNELS")).toBe(2);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_SUCCESS");
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_OPTIONS")).toBe("-D N=4");
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BINARY_TYPE")).toBe("CL_PROGRAM_BINARY_TYPE_EXECUTABLE");
  expect(clCreateKernelsInProgram(program).map((kernel) => clGetKernelInfo(kernel, "CL_KERNEL_FUNCTION_NAME"))).toEqual(
    ["a", "b"],
  );
});

test("a syntax error is reported with line, column, the line itself and a caret; nothing else is lost", () => {
  const program = clCreateProgramWithSource(context, [
    `kernel void broken(global int* x)
{
  *x = 1 +;
}
`,
  ]);
  const error = errorOf(() => {
    clBuildProgram(program);
  });
  expect(error.name).toBe("CL_BUILD_PROGRAM_FAILURE");
  const log = clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_LOG");
  expect(log).toMatch(/:3:11: error: /u);
  expect(log).toContain("  *x = 1 +;");
  expect(log).toMatch(/^ {2,}\|? *\^/mu);
  expect(error.message).toContain(log.trimEnd());
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_STATUS")).toBe("CL_BUILD_ERROR");
  expectError(() => clCreateKernel(program, "broken"), "CL_INVALID_PROGRAM_EXECUTABLE", /not built/u);
  const queue = newQueue();
  const data = ints(1, 2);
  const good = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(good);
  const kernel = clCreateKernel(good, "add");
  clSetKernelArg(kernel, 0, data);
  clSetKernelArg(kernel, 1, int(5));
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [2], null);
  expect(readInts(queue, data)).toEqual([6, 7]);
});

test("type errors and unknown names are errors of the build", () => {
  for (const [source, message] of [
    [`kernel void k(global float* x) { *x = x; }`, /error: /u],
    [`kernel void k(global float* x) { *x = undeclared; }`, /undeclared/u],
    [`kernel void k(global float* x) { nothing(1); }`, /nothing/u],
    [`kernel int k(void) { return 1; }`, /void/u],
  ] as const) {
    const program = clCreateProgramWithSource(context, [source]);
    expectError(
      () => {
        clBuildProgram(program);
      },
      "CL_BUILD_PROGRAM_FAILURE",
      message,
    );
  }
});

test("options that do not exist are an error of their own", () => {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  expectError(
    () => {
      clBuildProgram(program, null, "-cl-be-quick");
    },
    "CL_INVALID_BUILD_OPTIONS",
    /-cl-be-quick/u,
  );
});

test("the error for a missing kernel lists the existing ones", () => {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  expectError(
    () => clCreateKernel(program, "ad"),
    "CL_INVALID_KERNEL_NAME",
    /no kernel "ad"; it has add, ids, slow, fault, sum/u,
  );
});

test("a program with kernels cannot be built again; without them it can", () => {
  const program = clCreateProgramWithSource(context, [`kernel void k(global int* x) { *x = N; }`]);
  clBuildProgram(program, null, "-DN=1");
  const kernel = clCreateKernel(program, "k");
  expectError(
    () => {
      clBuildProgram(program, null, "-DN=2");
    },
    "CL_INVALID_OPERATION",
    /1 kernels of the program still exist/u,
  );
  clReleaseKernel(kernel);
  clBuildProgram(program, null, "-DN=2");
  const queue = newQueue();
  const data = ints(0);
  const again = clCreateKernel(program, "k");
  clSetKernelArg(again, 0, data);
  clEnqueueNDRangeKernel(queue, again, 1, null, [1], null);
  expect(readInts(queue, data)).toEqual([2]);
});

test("a kernel keeps what it needs of a released program", () => {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "add");
  clReleaseProgram(program);
  expectError(() => clCreateKernel(program, "add"), "CL_INVALID_PROGRAM", /has been released/u);
  const data = ints(1);
  clSetKernelArg(kernel, 0, data);
  clSetKernelArg(kernel, 1, int(1));
  const queue = newQueue();
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
  expect(readInts(queue, data)).toEqual([2]);
});

function binaryOf(source: string): Uint8Array {
  const program = clCreateProgramWithSource(context, [source]);
  clBuildProgram(program);
  const [binary] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  if (binary === undefined) throw new Error("no binary");
  expect(clGetProgramInfo(program, "CL_PROGRAM_BINARY_SIZES")).toEqual([binary.length]);
  return binary;
}

test("a binary runs where there is no compiler", () => {
  const binary = binaryOf(SOURCE);
  setCompilers({ compilers: [] });
  try {
    const source = clCreateProgramWithSource(context, [SOURCE]);
    expectError(
      () => {
        clBuildProgram(source);
      },
      "CL_COMPILER_NOT_AVAILABLE",
      /has no compiler; create the program from a binary/u,
    );
    expect(clGetDeviceInfo(device, "CL_DEVICE_COMPILER_AVAILABLE")).toBe(false);
    const program = clCreateProgramWithBinary(context, [device], [binary]);
    expectError(() => clCreateKernel(program, "add"), "CL_INVALID_PROGRAM_EXECUTABLE", /call clBuildProgram first/u);
    clBuildProgram(program);
    const kernel = clCreateKernel(program, "add");
    const data = ints(10, 20, 30);
    clSetKernelArg(kernel, 0, data);
    clSetKernelArg(kernel, 1, int(7));
    const queue = newQueue();
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [3], null);
    expect(readInts(queue, data)).toEqual([17, 27, 37]);
  } finally {
    setCompilers({ compilers });
  }
});

test("a binary computes what its source does, bit for bit, launched for the first time and again, with a compiler and without", () => {
  const source = `kernel void k(global float* x, local float* t) {
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = x[i] * x[i] + 0.1f;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = t[get_local_size(0) - 1 - l] * 0.7f - x[i] * 0.3f + sin(x[i]) * x[i];
  }`;
  const count = 2 ** 18;
  const queue = newQueue();
  const start = Float32Array.from({ length: count }, (_, i) => Math.fround(((i * 7919) % 1000) / 999));
  const run = (program: ReturnType<typeof clCreateProgramWithSource>): readonly Float32Array[] => {
    clBuildProgram(program);
    const kernel = clCreateKernel(program, "k");
    const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4);
    clEnqueueWriteBuffer(queue, buffer, true, 0, count * 4, start);
    clSetKernelArg(kernel, 0, buffer);
    clSetKernelArg(kernel, 1, { localBytes: 256 });
    return [1, 2, 3, 4].map(() => {
      clEnqueueNDRangeKernel(queue, kernel, 1, null, [count], [64]);
      const got = new Float32Array(count);
      clEnqueueReadBuffer(queue, buffer, true, 0, count * 4, got);
      return got;
    });
  };
  const compiled = clCreateProgramWithSource(context, [source]);
  const wanted = run(compiled);
  expect(wanted[3]).not.toEqual(wanted[2]);
  const [binary = new Uint8Array()] = clGetProgramInfo(compiled, "CL_PROGRAM_BINARIES");
  expect(run(clCreateProgramWithBinary(context, [device], [binary]))).toEqual(wanted);
  setCompilers({ compilers: [] });
  try {
    expect(run(clCreateProgramWithBinary(context, [device], [binary]))).toEqual(wanted);
  } finally {
    setCompilers({ compilers });
  }
});

test("a binary for an engine that can do more is made anew of its program, and needs a compiler for that", () => {
  const image = readExecutable(binaryOf(SOURCE));
  if (!image.ok) throw new Error(image.error.message);
  const more = [...image.value.features, "far-simd"];
  const binary = writeExecutable({
    ...image.value,
    features: more,
    code: image.value.code.map((section) => ({ ...section, features: more })),
  });
  const run = (): readonly number[] => {
    const program = clCreateProgramWithBinary(context, [device], [binary]);
    clBuildProgram(program);
    // It remains the binary that was given.
    expect(clGetProgramInfo(program, "CL_PROGRAM_BINARIES")).toEqual([binary]);
    const queue = newQueue();
    const data = ints(1, 2);
    const kernel = clCreateKernel(program, "add");
    clSetKernelArg(kernel, 0, data);
    clSetKernelArg(kernel, 1, int(5));
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [2], null);
    return readInts(queue, data);
  };
  expect(run()).toEqual([6, 7]);
  setCompilers({ compilers: [] });
  try {
    expectError(run, "CL_INVALID_BINARY", /needs .*far-simd/u);
  } finally {
    setCompilers({ compilers });
  }
});

test("a binary that is damaged, cut short, or of another version is an error", () => {
  const binary = binaryOf(SOURCE);
  const damaged = binary.slice();
  damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 0x55;
  expectError(
    () => clCreateProgramWithBinary(context, [device], [damaged]),
    "CL_INVALID_BINARY",
    /clCreateProgramWithBinary/u,
  );
  // The format version is stored after the name of the note (docs/executable-format.md).
  const name = new TextEncoder().encode("muxkit\0\0");
  const other = binary.slice();
  other[binary.findIndex((_, i) => i > 7 && name.every((byte, k) => binary[i + k] === byte)) + name.length] = 9;
  expectError(
    () => clCreateProgramWithBinary(context, [device], [other]),
    "CL_INVALID_BINARY",
    /format version 9, this Muxkit reads version 3; compile it again/u,
  );
  expectError(
    () => clCreateProgramWithBinary(context, [device], [binary.slice(0, 100)]),
    "CL_INVALID_BINARY",
    /clCreateProgramWithBinary/u,
  );
  expectError(
    () => clCreateProgramWithBinary(context, [device], [Uint8Array.of(1, 2, 3)]),
    "CL_INVALID_BINARY",
    /clCreateProgramWithBinary/u,
  );
  expectError(() => clCreateProgramWithBinary(context, [device], [new Uint8Array(0)]), "CL_INVALID_VALUE", /empty/u);
  expectError(
    () => clCreateProgramWithBinary(context, [device], []),
    "CL_INVALID_VALUE",
    /0 binaries were passed for 1 devices/u,
  );
});

test("kernels of a program run whether they were compiled alone or together, before and after its binary was requested", () => {
  const queue = newQueue();
  const program = clCreateProgramWithSource(context, [
    `kernel void one(global int* x) { *x += 1; }
kernel void ten(global int* x) { *x += 10; }
kernel void hundred(global int* x) { *x += 100; }`,
  ]);
  clBuildProgram(program);
  const buffer = ints(0);
  const run = (kernel: ReturnType<typeof clCreateKernel>): number => {
    clSetKernelArg(kernel, 0, buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], null);
    return readInts(queue, buffer, 1)[0] ?? -1;
  };
  const alone = clCreateKernel(program, "ten");
  expect(run(alone)).toBe(10);
  expect(run(clCreateKernel(program, "ten"))).toBe(20);
  const [binary] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  const together = clCreateKernelsInProgram(program);
  expect(together.map((kernel) => run(kernel))).toEqual([21, 31, 131]);
  expect(run(alone)).toBe(141);
  const loaded = clCreateProgramWithBinary(context, [device], [binary ?? new Uint8Array()]);
  clBuildProgram(loaded);
  expect(clCreateKernelsInProgram(loaded).map((kernel) => run(kernel))).toEqual([142, 152, 252]);
});
