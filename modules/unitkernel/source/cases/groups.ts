// SPDX-License-Identifier: Apache-2.0
// Work-groups: local memory, barriers, copies, collective functions, sub-groups.
import type { MuxDeviceInfo } from "@muxkit/mux";

import { type KernelCase, fills, ints } from "../case.ts";

const hasCollectives = ({ supportsWorkGroupCollectives }: MuxDeviceInfo): boolean => supportsWorkGroupCollectives;
const hasSubGroups = ({ maxSubGroupCount }: MuxDeviceInfo): boolean => maxSubGroupCount > 0;

const SQUARES = ints(32, (i) => i * i);
const sum = (from: number, count: number): number => SQUARES.subarray(from, from + count).reduce((a, b) => a + b, 0);

/** See the file's head. */
export const GROUPS: readonly KernelCase[] = [
  {
    name: "a group turns its elements around",
    source: `
      kernel void k(global const int* in, global int* out, local int* shared) {
        int i = get_local_id(0), n = get_local_size(0);
        shared[i] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[n - 1 - i];
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(32, (i) => (i - (i % 8) + 7 - (i % 8)) ** 2)), { local: 32 }],
    global: [32],
    local: [8],
  },
  {
    name: "barriers in loops and in functions",
    source: `
      int total(local int* v) {
        int n = get_local_size(0), i = get_local_id(0);
        for (int step = n / 2; step > 0; step /= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (i < step) v[i] += v[i + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        return v[0];
      }

      kernel void k(global const int* in, global int* out) {
        local int v[16];
        v[get_local_id(0)] = in[get_global_id(0)];
        out[get_global_id(0)] = total(v) + get_local_id(0);
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(32, (i) => sum(i - (i % 16), 16) + (i % 16)))],
    global: [32],
    local: [16],
  },
  {
    name: "private values live across barriers",
    source: `
      kernel void k(global int* out) {
        local int shared[8];
        int i = get_local_id(0), own[4];
        for (int j = 0; j < 4; j++) own[j] = i * 10 + j;
        for (int j = 0; j < 4; j++) {
          shared[i] = own[j];
          barrier(CLK_LOCAL_MEM_FENCE);
          own[j] += shared[(i + 1) % 8];
          barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = own[0] + own[1] + own[2] + own[3];
      }`,
    arguments: [fills(ints(16, (i) => 40 * (i % 8) + 40 * ((i + 1) % 8) + 12))],
    global: [16],
    local: [8],
  },
  {
    name: "local memory in two dimensions",
    source: `
      kernel void k(global const int* in, global int* out) {
        local int tile[4][5];
        int x = get_local_id(0), y = get_local_id(1);
        int column = get_group_id(0) * 4;
        tile[y][x] = in[y * 8 + column + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[(column + y) * 4 + x] = tile[x][y];
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(32, (i) => ((i % 4) * 8 + Math.trunc(i / 4)) ** 2))],
    global: [8, 4],
    local: [4, 4],
  },
  {
    name: "a group copies together",
    source: `
      kernel void k(global const int* in, global int* out) {
        local int v[8];
        event_t e = async_work_group_copy(v, in + get_group_id(0) * 8, 8, 0);
        wait_group_events(1, &e);
        v[get_local_id(0)] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_strided_copy(out + get_group_id(0), v, 8, 4, 0);
        wait_group_events(1, &e);
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(32, (i) => ((i % 4) * 8 + Math.trunc(i / 4)) ** 2 + 1))],
    global: [32],
    local: [8],
  },
  {
    name: "atomics in local memory",
    source: `
      kernel void k(global const int* in, global int* out) {
        local int bins[4];
        int i = get_local_id(0);
        if (i < 4) bins[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(bins + in[get_global_id(0)] % 4);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < 4) out[get_group_id(0) * 4 + i] = bins[i];
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(8, (i) => [8, 8, 0, 0][i % 4] ?? 0))],
    global: [32],
    local: [16],
  },
  {
    name: "work-groups reduce, scan, broadcast and vote",
    needs: hasCollectives,
    options: "-cl-std=CL3.0",
    source: `
      kernel void k(global const int* in, global int* out) {
        int i = get_global_id(0), v = in[i];
        out[4 * i] = work_group_reduce_add(v);
        out[4 * i + 1] = work_group_scan_exclusive_add(v);
        out[4 * i + 2] = work_group_broadcast(v, 3);
        out[4 * i + 3] = work_group_any(v == 9) + 2 * work_group_all(v < 64);
      }`,
    arguments: [
      { buffer: SQUARES },
      fills(
        Int32Array.from(
          [...SQUARES].flatMap((_, i) => {
            const first = i - (i % 8);
            return [sum(first, 8), sum(first, i % 8), (first + 3) ** 2, Number(first === 0) + 2 * Number(first === 0)];
          }),
        ),
      ),
    ],
    global: [32],
    local: [8],
  },
  {
    name: "sub-groups cover their group and add up",
    needs: hasSubGroups,
    options: "-cl-std=CL3.0",
    source: `
      kernel void k(global const int* in, global int* out) {
        local int total;
        if (get_local_id(0) == 0) total = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int part = sub_group_reduce_add(in[get_global_id(0)]);
        if (get_sub_group_local_id() == 0) atomic_add(&total, part);
        barrier(CLK_LOCAL_MEM_FENCE);
        int isNumbered = get_sub_group_id() < get_num_sub_groups();
        int isWithin = get_sub_group_local_id() < get_sub_group_size();
        int isOne = sub_group_broadcast((int)get_sub_group_id(), 0) == get_sub_group_id();
        out[get_global_id(0)] = total + isNumbered + isWithin + isOne;
      }`,
    arguments: [{ buffer: SQUARES }, fills(ints(32, (i) => sum(i - (i % 16), 16) + 3))],
    global: [32],
    local: [16],
  },
  {
    name: "required work-group sizes",
    source: `
      kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int* out) {
        out[get_global_id(1) * 8 + get_global_id(0)] = get_local_linear_id();
      }`,
    options: "-cl-std=CL3.0",
    arguments: [fills(ints(16, (i) => (i % 4) + 4 * Math.trunc(i / 8)))],
    global: [8, 2],
    local: [4, 2],
  },
];
