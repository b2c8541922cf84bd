// SPDX-License-Identifier: Apache-2.0
// That kernels do the same when they are compiled again for their launches.
import {
  CL_MEM_READ_WRITE,
  clCreateBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { context, kernelsOf, newQueue } from "./rig.ts";

const SUM = `kernel void sum(global const int* x, global int* sums, local int* t, int skipped) {
  int l = get_local_id(0), n = get_local_size(0);
  t[l] = l < skipped ? 0 : x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int h = 128; h > 0; h >>= 1) {
    if (l < h && l + h < n) t[l] += t[l + h];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = t[0];
}`;

test.each([
  [256, 2 ** 18],
  [64, 2 ** 18],
  [48, 48 * 5500],
  [200, 2 ** 18 + 77],
])("sums of groups of %i are the same by the generic form and by their own", (size, count) => {
  const queue = newQueue();
  const numbers = Int32Array.from({ length: count }, (_, i) => (i * 7919) % 1000);
  const x = clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4);
  const groups = Math.ceil(count / size);
  const sums = clCreateBuffer(context, CL_MEM_READ_WRITE, groups * 4);
  clEnqueueWriteBuffer(queue, x, true, 0, count * 4, numbers);
  const [kernel] = kernelsOf(SUM, "-cl-std=CL3.0", ["sum"], x, sums, { localBytes: size * 4 }, Int32Array.of(3));
  if (kernel === undefined) throw new Error("the program has a kernel");
  const wanted = Array.from({ length: groups }, (_, group) =>
    numbers.subarray(group * size, (group + 1) * size).reduce((total, number, i) => total + (i < 3 ? 0 : number), 0),
  );
  for (let launch = 0; launch < 3; launch++) {
    const got = new Int32Array(groups);
    clEnqueueNDRangeKernel(queue, kernel, 1, null, [count], [size]);
    clEnqueueReadBuffer(queue, sums, true, 0, groups * 4, got);
    expect([...got]).toEqual(wanted);
  }
});
