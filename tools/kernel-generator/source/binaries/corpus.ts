// SPDX-License-Identifier: Apache-2.0
// Valid binaries to change: each has something in it that others have not.
import { buildProgram, openclC } from "@muxkit/compiler";
import { compilers } from "@muxkit/host-compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { stripBinaryHeader } from "@muxkit/metadata";

/** A source, its options, and the kind of its binary. */
interface Row {
  readonly source: string;
  readonly options?: string;
  /** Without the program itself. */
  readonly isBare?: boolean;
  /** Without prefix and kernel header. */
  readonly isStripped?: boolean;
}

const ROWS: readonly Row[] = [
  {
    source: `kernel void saxpy(global float* y, global const float* restrict x, float a) {
        size_t i = get_global_id(0);
        y[i] += a * x[i];
      }`,
  },
  {
    source: "kernel void count(global int* x) { x[get_global_id(0)] = get_local_id(0); }",
    isBare: true,
    isStripped: true,
  },
  {
    source: `global int calls = 3; constant int t[4] = { 4, 5, 6, 7 };
kernel void one(global int* x, int n) { x[0] = t[n & 3] + calls++; }
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void two(global int* x) { x[get_global_id(0)] = calls; }`,
    options: "-cl-std=CL3.0",
  },
  {
    source: `kernel void say(int n, global int* x) {
        if (get_global_id(0) == 1) printf("%d and %s, %v4f\\n", n, "text", (float4)(1.0f));
        x[0] = n;
      }`,
    isBare: true,
  },
  {
    source: `kernel void sum(global int* x, local int* t) {
        local int own[8];
        int l = get_local_id(0);
        t[l] = x[l];
        own[l & 7] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[l] = t[get_local_size(0) - 1 - l] + own[0];
      }`,
  },
  {
    source: `kernel void pick(read_only image2d_t from, sampler_t s, global int* x) {
        x[get_global_id(0)] = get_image_width(from) + get_image_height(from);
      }`,
    isBare: true,
  },
];

/** Their bytes. The same on every machine. */
export function readBinaries(): readonly Uint8Array[] {
  const target = compilers[0]?.createContext().createTarget(hostDeviceInfo({}, 1), null);
  if (target?.ok !== true) throw new Error("the host has no compiler");
  return ROWS.map(({ source, options = "", isBare = false, isStripped = false }) => {
    const module = target.value.createModule();
    const built = buildProgram(module, openclC(source), options);
    if (!built.ok) throw new Error(`${built.error.message}\n${module.log}`);
    const binary = module.createPortableBinary(!isBare);
    if (!binary.ok) throw new Error(binary.error.message);
    const bare = isStripped ? stripBinaryHeader(binary.value) : binary;
    if (!bare.ok) throw new Error(bare.error.message);
    return bare.value;
  });
}
