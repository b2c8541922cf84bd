// SPDX-License-Identifier: Apache-2.0
// The kernels of the soak, and what they do to what must be there.
import { type Kernel, type Program, clCreateKernel, clReleaseKernel } from "@muxkit/opencl";

import type { Shadow } from "./shadow.ts";

/** OpenCL C. */
export const SOURCE = `
kernel void add(global int* data, int value) { data[get_global_id(0)] += value; }
kernel void scale(global const int* in, global int* out, int value) {
  out[get_global_id(0)] = in[get_global_id(0)] * 3 + value;
}
kernel void sums(global const int* in, global int* out, local int* scratch) {
  int id = get_local_id(0);
  scratch[id] = in[get_global_id(0)];
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < step) scratch[id] += scratch[id + step];
  }
  if (id == 0) out[get_group_id(0)] = scratch[0];
}
kernel void texels(read_only image2d_t image, global int* out, int row) {
  out[get_global_id(0)] = read_imagei(image, (int2)(get_global_id(0), row)).x;
}
kernel void wild(global int* data) { data[0x2fffffff] = 1; }
kernel void endless(global int* data) { while (data[0] != 0x12345678) data[1] = data[0]; }
`;

/** Names of kernels that programs are asked for. */
export const KERNEL_NAMES = ["add", "scale", "sums", "texels", "wild", "endless"] as const;

/** A kernel's name. */
export type KernelName = (typeof KERNEL_NAMES)[number];

/** Work-items of a group of `sums`. */
export const GROUP = 16;

/** All kernels of a program, or none. */
export function kernelsOf(program: Program): Kernel[] {
  const made: Kernel[] = [];
  try {
    for (const name of KERNEL_NAMES) made.push(clCreateKernel(program, name));
  } catch (error) {
    for (const kernel of made) clReleaseKernel(kernel);
    throw error;
  }
  return made;
}

/** What `add` does. */
export function add(data: Shadow, base: number, first: number, items: number, value: number): void {
  for (let i = first; i < first + items; i++) {
    const before = data.int(base + i * 4);
    data.setInt(base + i * 4, before === null ? null : (before + value) | 0);
  }
}

/** What `scale` does. */
export function scale(from: Shadow, fromBase: number, to: Shadow, toBase: number, items: number, value: number): void {
  for (let i = 0; i < items; i++) {
    const before = from.int(fromBase + i * 4);
    to.setInt(toBase + i * 4, before === null ? null : (Math.imul(before, 3) + value) | 0);
  }
}

/** What `sums` does. */
export function sums(from: Shadow, fromBase: number, to: Shadow, toBase: number, items: number): void {
  for (let group = 0; group < items / GROUP; group++) {
    let sum: number | null = 0;
    for (let i = 0; i < GROUP; i++) {
      const value = from.int(fromBase + (group * GROUP + i) * 4);
      sum = sum === null || value === null ? null : (sum + value) | 0;
    }
    to.setInt(toBase + group * 4, sum);
  }
}
