// SPDX-License-Identifier: Apache-2.0
// Pipes: made, described, passed to kernels; several threads write and read at once.
import {
  CL_MEM_HOST_READ_ONLY,
  clBuildProgram,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetDeviceInfo,
  clGetKernelArgInfo,
  clGetMemObjectInfo,
  clGetPipeInfo,
  clReleaseMemObject,
  clSetKernelArg,
  type ArgumentValue,
  type Kernel,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, device, expectError, ints, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

const SOURCE = `
kernel void fill(write_only pipe int2 out, global int* failed) {
  int2 v = (int2)(get_global_id(0), get_group_id(0));
  if (write_pipe(out, &v) != 0) atomic_inc(failed);
}
kernel void drain(read_only pipe int2 in, global int* seen, global int* none) {
  int2 v;
  if (read_pipe(in, &v) == 0) atomic_add(&seen[v.x], 1 + v.y);
  else atomic_inc(none);
}
kernel void count(read_only pipe int2 in, global int* out) {
  out[0] = get_pipe_num_packets(in);
  out[1] = get_pipe_max_packets(in);
}`;

function kernel(name: string, ...args: readonly ArgumentValue[]): Kernel {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program, [device], "-cl-std=CL3.0");
  const made = clCreateKernel(program, name);
  args.forEach((value, i) => clSetKernelArg(made, i, value));
  return made;
}

test("what goes in by many work-groups comes out once, several times over", () => {
  const pipe = clCreatePipe(context, 0, 8, 5000);
  const [failed, seen, none, counts] = [ints(0), ints(...Array.from({ length: 4096 }, () => 0)), ints(0), ints(0, 0)];
  for (let round = 0; round < 3; round++) {
    clEnqueueNDRangeKernel(queue, kernel("fill", pipe, failed), 1, null, [4096], [16]);
    clEnqueueNDRangeKernel(queue, kernel("count", pipe, counts), 1, null, [1], [1]);
    clEnqueueNDRangeKernel(queue, kernel("drain", pipe, seen, none), 1, null, [4200], [24]);
    clFinish(queue);
    expect(readInts(queue, counts)).toEqual([4096, 5000]);
  }
  expect(readInts(queue, failed)).toEqual([0]);
  expect(readInts(queue, none)).toEqual([3 * 104]);
  expect(readInts(queue, seen)).toEqual(Array.from({ length: 4096 }, (_, i) => 3 * (1 + Math.floor(i / 16))));
  clReleaseMemObject(pipe);
});

test("a pipe has packets of the size of the parameter's type, where that is no type of the program", () => {
  const sizes = {
    char: 1,
    ushort: 2,
    "unsigned int": 4,
    float: 4,
    half: 2,
    long: 8,
    double: 8,
    uchar3: 4,
    short2: 4,
    int3: 16,
    float4: 16,
    half8: 16,
    ulong8: 64,
    double16: 128,
  };
  for (const [type, size] of Object.entries(sizes)) {
    const program = clCreateProgramWithSource(context, [
      `#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void take(read_only pipe ${type} in) {}`,
    ]);
    clBuildProgram(program, [device], "-cl-std=CL3.0");
    const take = clCreateKernel(program, "take");
    for (const other of [size - 1, size + 1].filter((one) => one > 0)) {
      expectError(
        () => {
          clSetKernelArg(take, 0, clCreatePipe(context, 0, other, 4));
        },
        "CL_INVALID_ARG_VALUE",
        /packets/u,
      );
    }
    clSetKernelArg(take, 0, clCreatePipe(context, 0, size, 4));
  }
});

test("a pipe of a type that the program made is taken as it is: only the type's name is available", () => {
  const program = clCreateProgramWithSource(context, [
    `typedef struct { int a[5]; } five;
    kernel void take(read_only pipe five in) {}`,
  ]);
  clBuildProgram(program, [device], "-cl-std=CL3.0");
  for (const size of [20, 24]) {
    expect(() => {
      clSetKernelArg(clCreateKernel(program, "take"), 0, clCreatePipe(context, 0, size, 4));
    }).not.toThrow();
  }
});

test("facts of pipes and their arguments; mistakes are reported", () => {
  const pipe = clCreatePipe(context, 0, 8, 10);
  expect([
    clGetPipeInfo(pipe, "CL_PIPE_PACKET_SIZE"),
    clGetPipeInfo(pipe, "CL_PIPE_MAX_PACKETS"),
    clGetMemObjectInfo(pipe, "CL_MEM_TYPE"),
  ]).toEqual([8, 10, "CL_MEM_OBJECT_PIPE"]);
  expect([
    clGetDeviceInfo(device, "CL_DEVICE_PIPE_SUPPORT"),
    clGetDeviceInfo(device, "CL_DEVICE_MAX_PIPE_ARGS"),
    clGetDeviceInfo(device, "CL_DEVICE_PIPE_MAX_PACKET_SIZE"),
  ]).toEqual([true, 16, 4096]);
  const fill = kernel("fill");
  expect([
    clGetKernelArgInfo(fill, 0, "CL_KERNEL_ARG_TYPE_NAME"),
    clGetKernelArgInfo(fill, 0, "CL_KERNEL_ARG_TYPE_QUALIFIER"),
    clGetKernelArgInfo(fill, 0, "CL_KERNEL_ARG_ACCESS_QUALIFIER"),
  ]).toEqual(["int2", 8, "CL_KERNEL_ARG_ACCESS_WRITE_ONLY"]);
  expectError(
    () => {
      clSetKernelArg(fill, 0, ints(1));
    },
    "CL_INVALID_ARG_VALUE",
    /requires a pipe/u,
  );
  expectError(
    () => {
      clSetKernelArg(fill, 1, pipe);
    },
    "CL_INVALID_ARG_VALUE",
    /requires a buffer/u,
  );
  for (const [size, name] of [
    [4, "fill"],
    [16, "drain"],
    [7, "count"],
  ] as const) {
    expectError(
      () => {
        clSetKernelArg(kernel(name), 0, clCreatePipe(context, 0, size, 10));
      },
      "CL_INVALID_ARG_VALUE",
      new RegExp(`\\(int2 .*\\) has packets of 8 bytes, but the packets of the pipe have ${size}`, "u"),
    );
  }
  expectError(() => readInts(queue, pipe, 1), "CL_INVALID_MEM_OBJECT", /a pipe is not a buffer/u);
  expectError(() => clCreatePipe(context, CL_MEM_HOST_READ_ONLY, 8, 10), "CL_INVALID_VALUE", /CL_MEM_HOST_NO_ACCESS/u);
  for (const [size, packets] of [
    [0, 10],
    [5000, 1],
    [8, 0],
    [4096, 2 ** 40],
  ] as const)
    expectError(() => clCreatePipe(context, 0, size, packets), "CL_INVALID_PIPE_SIZE", /packet/u);
});
