// SPDX-License-Identifier: Apache-2.0
// Memory: strides, alignment, null, atomics, offsets, dimensions.
import { MuxAtomicCapabilities, type MuxDeviceInfo, MuxIntegerCapabilities } from "@muxkit/mux";

import { type KernelCase, fills, ints } from "../case.ts";

const hasLongAtomics = ({ atomicCapabilities, integerCapabilities }: MuxDeviceInfo): boolean =>
  (atomicCapabilities & MuxAtomicCapabilities.bits64) !== 0 &&
  (integerCapabilities & MuxIntegerCapabilities.bits64) !== 0;

/** See the file's head. */
export const MEMORY: readonly KernelCase[] = [
  {
    name: "gathers and scatters",
    source: `
      kernel void k(global const int* in, global const int* to, global int* out) {
        int i = get_global_id(0);
        out[to[i]] = in[15 - to[i]];
      }`,
    arguments: [
      { buffer: ints(16, (i) => i * i) },
      { buffer: ints(16, (i) => (i * 5) % 16) },
      fills(ints(16, (i) => (15 - i) ** 2)),
    ],
    global: [16],
  },
  {
    name: "bytes next to each other are written alone",
    source: `
      kernel void k(global uchar* out) {
        int i = get_global_id(0);
        if (i % 3 != 1) out[i] = (uchar)(i * 9);
      }`,
    arguments: [fills(Uint8Array.from({ length: 50 }, (_, i) => (i % 3 === 1 ? 0 : i * 9)))],
    global: [50],
  },
  {
    name: "a null pointer is null",
    source: `
      kernel void k(global int* out, global int* none, local int* some) {
        out[0] = none == 0;
        out[1] = out == 0;
        out[2] = some == 0;
      }`,
    arguments: [fills(Int32Array.of(1, 0, 0)), { nothing: true }, { local: 4 }],
    global: [1],
  },
  {
    name: "vectors at addresses of elements",
    source: `
      kernel void k(global const short* in, global short* out) {
        int i = get_global_id(0);
        vstore4(vload4(0, in + 3 * i + 1) * (short)2, 0, out + 4 * i);
      }`,
    arguments: [
      { buffer: Int16Array.from({ length: 20 }, (_, i) => i - 9) },
      fills(Int16Array.from({ length: 16 }, (_, i) => 2 * (3 * Math.trunc(i / 4) + 1 + (i % 4) - 9))),
    ],
    global: [4],
  },
  {
    name: "ids in three dimensions, with offsets",
    source: `
      kernel void k(global int* out) {
        size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
        out[((z - 5) * 3 + (y - 2)) * 4 + x - 1] = x + 10 * y + 100 * z + 1000 * get_work_dim() +
            10000 * get_global_offset(1) + 100000 * get_group_id(0) + 1000000 * get_num_groups(2);
      }`,
    arguments: [
      fills(
        ints(24, (i) => {
          const [x, y, z] = [i % 4, Math.trunc(i / 4) % 3, Math.trunc(i / 12)];
          return x + 1 + 10 * (y + 2) + 100 * (z + 5) + 3000 + 20_000 + 100_000 * Math.trunc(x / 2) + 2_000_000;
        }),
      ),
    ],
    global: [4, 3, 2],
    local: [2, 1, 1],
    offset: [1, 2, 5],
  },
  {
    name: "groups that are not full",
    options: "-cl-std=CL3.0",
    source: `
      kernel void k(global int* out) {
        out[get_global_id(0)] = get_local_size(0) + 10 * get_enqueued_local_size(0) + 100 * get_local_id(0) +
            1000 * get_group_id(0) + 10000 * get_global_size(0);
      }`,
    arguments: [fills(ints(10, (i) => (i < 8 ? 4 : 2) + 40 + 100 * (i % 4) + 1000 * Math.trunc(i / 4) + 100_000))],
    global: [10],
    local: [4],
  },
  {
    name: "atomic sums, minima, exchanges",
    source: `
      kernel void k(global int* out) {
        int i = get_global_id(0);
        atomic_add(out, i);
        atomic_inc(out + 1);
        atomic_max(out + 2, i * 3 % 17);
        atomic_min(out + 3, -i);
        atomic_or(out + 4, 1 << (i % 8));
        atomic_cmpxchg(out + 5, 0, 42);
      }`,
    arguments: [fills(Int32Array.of(496, 32, 16, -31, 255, 42))],
    global: [32],
    local: [8],
  },
  {
    name: "atomics of 64 bits",
    needs: hasLongAtomics,
    source: `
      #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
      kernel void k(global long* out) {
        atom_add(out, 0x100000000L + get_global_id(0));
      }`,
    arguments: [fills(BigInt64Array.of(16n * 0x1_0000_0000n + 120n))],
    global: [16],
    local: [4],
  },
  {
    name: "the atomics of OpenCL 2",
    options: "-cl-std=CL3.0",
    source: `
      kernel void k(global atomic_int* c, global int* out) {
        int old = atomic_fetch_add_explicit(c, 2, memory_order_relaxed, memory_scope_device);
        if (old == 6) {
          global atomic_int* flag = (global atomic_int*)out;
          atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        }
      }`,
    arguments: [fills(Int32Array.of(16)), fills(Int32Array.of(1))],
    global: [8],
  },
];
