// SPDX-License-Identifier: Apache-2.0
// A process of `native-start.ts`: opens a device, builds a kernel of 50 lines and waits for its result; then the same
// again and again, of sources that are new and of one that is kept. It prints its times in ms as JSON; the first one
// counts from the start of the process.
import { createHash } from "node:crypto";

import { openDeviceSync } from "muxkit";
import {
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clReleaseKernel,
  clReleaseProgram,
  clSetKernelArg,
} from "muxkit/opencl";

const SOURCE = `
#define STEPS 24
typedef struct { float x, y, z, w; } particle;
float4 mixed(float4 a, float4 b, float w) {
  return a * (1.0f - w) + b * w;
}
float pull(float distance, float softening) {
  float squared = distance * distance + softening;
  return 1.0f / (sqrt(squared) * squared);
}
int wrapped(int at, int size) {
  if (at < 0) return at + size;
  if (at >= size) return at - size;
  return at;
}
kernel void walk(int size, float step, global const float4 *from, global float4 *to, local float *sums) {
  int id = get_global_id(0);
  int lane = get_local_id(0);
  float4 own = from[id];
  float4 speed = (float4)(0.0f);
  float energy = 0.0f;
  for (int n = 1; n <= STEPS; n++) {
    float4 other = from[wrapped(id + n, size)];
    float4 before = from[wrapped(id - n, size)];
    float4 away = other - own;
    float distance = fabs(away.x) + fabs(away.y) + fabs(away.z);
    if (distance > 0.001f) {
      speed += away * pull(distance, 0.01f);
      energy += pull(distance, 0.5f);
    } else {
      speed -= before * 0.125f;
    }
    own = mixed(own, before, 0.0625f);
  }
  sums[lane] = energy;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lane < half_size) {
      sums[lane] += sums[lane + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float4 result = own + speed * step;
  result.w = sums[0];
  if (result.x != result.x) {
    result = (float4)(0.0f);
  }
  to[id] = result;
}
`;

/** Work-items of the launch. */
const SIZE = 4096;
const [rounds = "0"] = process.argv.slice(2);

const device = openDeviceSync();
const input = new Float32Array(4 * SIZE).map((_, i) => Math.sin(i));
const [from, to] = [device.array(input), device.array(Float32Array, 4 * SIZE)];

/** From the source to the result, in ms. */
function build(source: string): number {
  const begin = performance.now();
  const program = clCreateProgramWithSource(device.context, [source]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "walk");
  const args = [Int32Array.of(SIZE), Float32Array.of(0.25), from.buffer, to.buffer, { localBytes: 256 }];
  for (const [index, value] of args.entries()) clSetKernelArg(kernel, index, value);
  clEnqueueNDRangeKernel(device.queue, kernel, 1, null, [SIZE], [64]);
  clFinish(device.queue);
  const time = performance.now() - begin;
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return time;
}

build(SOURCE);
const first = performance.now();
const count = Number(rounds);
const fresh = Array.from({ length: count }, (_, n) => build(`${SOURCE}// ${process.pid} ${n}\n`));
const kept = Array.from({ length: count }, () => build(SOURCE));
const result = createHash("sha256").update(new Uint8Array(to.readSync().buffer)).digest("hex");
console.log(JSON.stringify({ first, fresh: fresh.slice(count >> 1), kept: kept.slice(count >> 1), result }));
device.close();
