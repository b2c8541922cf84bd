// SPDX-License-Identifier: Apache-2.0
// The server without the compiler: all that a program with built kernels needs.
import {
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clReleaseContext,
  clSetKernelArg,
} from "@muxkit/opencl";
import {
  devicesFor,
  hostDeviceFor,
  programStore,
  startCompileThread,
  mostCompileThreads,
  useNativeVerifier,
  useNodeCompiler,
} from "muxkit/parts";

import type { CompileSurroundings } from "./compile-worker.ts";
import type { CompilerPart } from "./compiler-part.ts";
import { serve } from "./serve.ts";

/** See the file's head. */
export interface ServerPart {
  readonly serveLibrary: typeof serveLibrary;
  readonly practise: typeof practise;
}

/**
 * Serves the library that started this process; the compiler is loaded when a program is not in the store. `worker` is
 * the script of threads that compile, and `surroundings` what they are told. What the compiler does on this thread runs
 * by `compiling`.
 */
export function serveLibrary(
  load: () => CompilerPart,
  worker: URL,
  surroundings: CompileSurroundings,
  compiling: <T>(work: () => T) => T,
): void {
  useNodeCompiler(
    load,
    programStore(process.env),
    {
      start: () => startCompileThread(worker, surroundings),
      most: mostCompileThreads,
    },
    compiling,
  );
  useNativeVerifier(load);
  serve(devicesFor);
}

/**
 * Kernels of the kinds that programs have: what builds them has then run, and is kept as the engine has compiled it.
 */
const SOURCE = `
float4 mix4(float4 a, float4 b, float w) { return a * (1.0f - w) + b * w; }
kernel void sums(global const float *in, global float *out, local float *scratch, int count) {
  float sum = 0.0f;
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += sqrt(in[i]) * sin(in[i]);
  scratch[get_local_id(0)] = sum;
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < step) scratch[get_local_id(0)] += scratch[get_local_id(0) + step];
  }
  if (get_local_id(0) == 0) out[get_group_id(0)] = scratch[0];
}
kernel void shade(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int2 place = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, place, mix4(read_imagef(from, at, place), read_imagef(from, at, place + (int2)(1, 0)), 0.25f));
}
kernel void count(global int *bins, global const uchar *in) {
  if (in[get_global_id(0)] > 3) atomic_inc(&bins[in[get_global_id(0)] & 15]);
}
`;
const ITEMS = 1024;

/** Does once what servers do, so that what the engine compiles for it can be kept. */
export function practise(load: () => CompilerPart): void {
  useNodeCompiler(load, null, null);
  const device = hostDeviceFor({ print: () => undefined });
  const context = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device, 0);
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const [input, output] = [clCreateBuffer(context, 0, ITEMS * 4), clCreateBuffer(context, 0, ITEMS * 4)];
  const images = [0, 1].map(() =>
    clCreateImage(
      context,
      0,
      { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" },
      { type: "CL_MEM_OBJECT_IMAGE2D", width: 32, height: 32 },
    ),
  );
  const [sums, shade, count] = ["sums", "shade", "count"].map((name) => clCreateKernel(program, name));
  if (sums === undefined || shade === undefined || count === undefined) throw new Error("a kernel is missing");
  [input, output, { localBytes: 64 * 4 }, new Int32Array([ITEMS])].forEach((value, index) => {
    clSetKernelArg(sums, index, value);
  });
  images.forEach((image, index) => {
    clSetKernelArg(shade, index, image);
  });
  [output, input].forEach((buffer, index) => {
    clSetKernelArg(count, index, buffer);
  });
  clEnqueueNDRangeKernel(queue, sums, 1, null, [ITEMS], [64]);
  for (let round = 0; round < 2; round++) clEnqueueNDRangeKernel(queue, shade, 2, null, [32, 32], null);
  clEnqueueNDRangeKernel(queue, count, 1, null, [ITEMS], null);
  clEnqueueReadBuffer(queue, output, true, 0, ITEMS * 4, new Uint8Array(ITEMS * 4));
  clFinish(queue);
  clReleaseContext(context);
}
