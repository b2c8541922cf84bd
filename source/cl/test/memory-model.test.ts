// SPDX-License-Identifier: Apache-2.0
// What OpenCL C 2.0 and 3.0 have for memory, through the API: variables of the program, atomics between threads,
// generic pointers.
import { type Kernel, clEnqueueNDRangeKernel, clFinish } from "@muxkit/opencl";
import { expect, test } from "vitest";

import { expectError, ints, kernelsOf, newQueue, readInts } from "./rig.ts";

const queue = newQueue();

function launch(kernel: Kernel | undefined, items: number, local: number = 1): void {
  if (kernel === undefined) throw new Error("there is no kernel");
  clEnqueueNDRangeKernel(queue, kernel, 1, null, [items], [local]);
}

const COUNTER = `
global int calls = 10;
int seen[4];
global int *last = &seen[3];
kernel void up(global int *out) { static int own; calls++; seen[1] += 2; own++; out[0] = calls * 100 + own; }
kernel void read(global int *out) { out[1] = calls; out[2] = seen[1]; *last += 7; out[3] = seen[3]; }
`;

test.each(["-cl-std=CL2.0", "-cl-std=CL3.0"])(
  "variables of a program live as long as it does, for all its kernels and launches (%s)",
  (options) => {
    const out = ints(0, 0, 0, 0);
    const [up, read] = kernelsOf(COUNTER, options, ["up", "read"], out);
    for (const kernel of [up, read, up, read]) launch(kernel, 1);
    clFinish(queue);
    expect(readInts(queue, out)).toEqual([1202, 12, 4, 14]);
    // Another program of the same source has variables of its own.
    const second = ints(0, 0, 0, 0);
    const [other] = kernelsOf(COUNTER, options, ["up"], second);
    launch(other, 1);
    launch(up, 1);
    clFinish(queue);
    expect([readInts(queue, second)[0], readInts(queue, out)[0]]).toEqual([1101, 1303]);
  },
);

test("work-groups on several threads count in one variable and one buffer", () => {
  const out = ints(0, 0, 0, 0);
  const source = `
    atomic_int total = ATOMIC_VAR_INIT(0); atomic_long wide;
    void add(volatile atomic_int *to, int by) { atomic_fetch_add_explicit(to, by, memory_order_relaxed); }
    kernel void k(global int *out) {
      local atomic_int group; if (get_local_id(0) == 0) atomic_init(&group, 0);
      work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
      add(&group, 1);
      add(&total, 2);
      add((global atomic_int *)out, 3);
      atomic_fetch_max(&wide, (long)get_global_id(0) << 32);
      work_group_barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) add((global atomic_int *)out + 1, atomic_load(&group));
    }
    kernel void read(global int *out) { out[2] = atomic_load(&total); out[3] = (int)(atomic_load(&wide) >> 32); }`;
  const [k, read] = kernelsOf(source, "-cl-std=CL3.0", ["k", "read"], out);
  launch(k, 4096, 64);
  launch(read, 1);
  clFinish(queue);
  expect(readInts(queue, out)).toEqual([3 * 4096, 4096, 2 * 4096, 4095]);
});

test("generic pointers to every memory of the device", () => {
  const out = ints(...Array.from({ length: 64 }, () => 0));
  const source = `
    int where(int *p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 3 : 0; }
    kernel void k(global int *out) {
      local int l[16]; int p[2]; int i = get_local_id(0);
      int *all[3] = { out + get_global_id(0), l + i, p + i % 2 };
      *all[1] = i; *all[2] = 100;
      barrier(CLK_LOCAL_MEM_FENCE);
      *all[0] = where(all[0]) * 1000 + where(all[1]) * 100 + where(all[2]) * 10 + (l[15 - i] == 15 - i
          && p[i % 2] == 100);
    }`;
  const [k] = kernelsOf(source, "-cl-std=CL3.0", ["k"], out);
  launch(k, 64, 16);
  clFinish(queue);
  expect(new Set(readInts(queue, out))).toEqual(new Set([1231]));
});

test("what the version or the device does not have fails the build with the reason", () => {
  expectError(
    () => kernelsOf(COUNTER, "-cl-std=CL1.2", ["up"]),
    "CL_BUILD_PROGRAM_FAILURE",
    /must be in constant memory/u,
  );
  expectError(
    () => kernelsOf(`kernel void k(global int *x) { enqueue_marker(0, 0, 0, 0); }`, "-cl-std=CL3.0", ["k"]),
    "CL_BUILD_PROGRAM_FAILURE",
    /needs __opencl_c_device_enqueue/u,
  );
  expectError(
    () => kernelsOf(`kernel void k(void) {}`, "-cl-std=CL4.0", ["k"]),
    "CL_INVALID_BUILD_OPTIONS",
    /-cl-std/u,
  );
});
