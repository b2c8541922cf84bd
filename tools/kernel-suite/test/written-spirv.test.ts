// SPDX-License-Identifier: Apache-2.0
// Our SPIR-V: spirv-val accepts it, and what is read of it computes what the program computes.
// `MUXKIT_SUITE_SPIRV=own npx vitest run --project kernel-suite` sends all that the suite builds this way.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { firstDifference, hasSpirvVal, readCase, runBySpirv, spirvVerdict, writtenSpirv } from "@muxkit/kernel-suite";
import { initializePipe, pipeBytes } from "@muxkit/metadata";
import { disassemble, parseModule } from "@muxkit/spirv";
import { afterAll, expect, test } from "vitest";

const CASES = join(import.meta.dirname, "cases");
const SUITE = join(import.meta.dirname, "../../../benchmarks/suite");

const folder = mkdtempSync(join(tmpdir(), "muxkit-written-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hasValidator = hasSpirvVal();
if (!hasValidator)
  console.warn("!! spirv-val is not here (Debian package spirv-tools): what compares with it is skipped");

const hasTranslator = spawnSync("llvm-spirv-14", ["--version"]).status === 0;
if (!hasTranslator) console.warn("!! llvm-spirv-14 is not here (Debian package): it does not read what we write");

const programs = readdirSync(SUITE)
  .filter((name) => name.endsWith(".cl"))
  .map((name) => [name, readFileSync(join(SUITE, name), "utf8")] as const);
const cases = readdirSync(CASES).map(
  (name) => [name, readCase(readFileSync(join(CASES, name), "utf8")).launch] as const,
);

/** What no other program of these has. */
const REST = `
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { char c; long l[2]; float3 v; } __attribute__((packed)) Packed;
typedef struct { int n; } __attribute__((aligned(64))) Aligned;
global int x = 7;
int y[4] = { 1, 2, 3, 4 };
global int *at = y + 2;
int *generic_one = &y[3];
uintptr_t number = (uintptr_t)&x;
constant Packed packed = { 1, { 2, 3 }, (float3)(4, 5, 6) };
global Aligned many[3] = { { 1 }, { 2 }, { 3 } };
void inner(image2d_t image, write_only image2d_t out, sampler_t s) {
  write_imagef(out, (int2)(0, 1), read_imagef(image, s, (float2)(0.5f)));
}
kernel __attribute__((work_group_size_hint(4, 2, 1), vec_type_hint(float4)))
void images(read_only image2d_t a, write_only image2d_t b, read_only image3d_t c, read_only image2d_array_t d,
            read_only image1d_buffer_t e, read_only image2d_depth_t f, sampler_t s, global int *out) {
  inner(a, b, s);
  const sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
  int4 dim = get_image_dim(c);
  out[0] = dim.z + get_image_array_size(d) + get_image_width(e) + get_image_channel_order(a);
  out[1] = read_imagei(c, own, (float4)(0.5f)).x + (int)read_imagef(f, own, (float2)(0.5f)) + read_imageui(e, 3).y;
}
kernel void called(global int *p, Aligned by_value, local float *l, half h) { p[0] = by_value.n + (int)h; }
kernel void rest(global int *p, const global float *restrict q, volatile global uint *r, double d, local float *l,
                 Aligned by_value) {
  called(p, by_value, l, (half)1);
  *at = number == (uintptr_t)&x;
  p[1] = packed.l[1] + many[2].n + *generic_one + convert_uchar_sat(q[0]) + convert_int_rtp(d);
  float whole;
  p[2] = (int)(fract(q[1], &whole) * 10) + (int)whole + (int)vload_half(3, (global half *)q);
  p[3] = atomic_fetch_add_explicit((volatile global atomic_int *)p, 1, memory_order_acq_rel, memory_scope_device);
  p[4] = atomic_cmpxchg(r, 1, 2) + (int)atomic_xchg((volatile global float *)q, 1.0f);
  l[get_local_id(0)] = q[get_global_id(get_work_dim() - 1)];
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  p[5] = work_group_broadcast(p[6], 1) + work_group_scan_exclusive_add(p[7]) + sub_group_reduce_max(p[8]);
  p[9] = sub_group_all(p[9]) + get_sub_group_id();
  event_t done = async_work_group_copy(l, q, 16, 0);
  wait_group_events(1, &done);
  printf("%d %v4hlf %s %hhx\\n", p[0], (float4)(1), "text", (uchar)200);
  printf("%p %p\\n", p, (local int *)0);
  int *back = p[10] ? (int *)p : (int *)l;
  p[11] = to_local(back) != 0;
  p[12] = get_fence(back) == CLK_GLOBAL_MEM_FENCE;
  #pragma unroll 4
  for (int i = 0; i < p[13]; i++) p[i & 15] += rotate(i, 3) ^ clz(i) ^ mul_hi(i, p[0]);
  switch ((long)p[14]) { case 1: p[15] = 1; break; case -2: p[15] = 2; break; default: p[15] = 3; }
  char16 wide = vload16(0, (global char *)p);
  wide.s5 = wide.sA;
  vstore16(shuffle(wide, (uchar16)(3)), 1, (global char *)p);
  vstore16(shuffle2(wide, wide.s0123456789abcdef, as_uchar16(wide)), 2, (global char *)p);
}
`;

/** Pipes and reservations in variables, arrays, choices, arguments and results. */
const PIPES = `
int take(read_only pipe int in, reserve_id_t r, int i) {
  int v;
  return read_pipe(in, r, i, &v) == 0 ? v : -1;
}
reserve_id_t mine(write_only pipe float4 out) { return reserve_write_pipe(out, 2); }
kernel void k(read_only pipe int in, write_only pipe float4 out, global int *got) {
  reserve_id_t ids[2];
  ids[0] = reserve_read_pipe(in, 2);
  ids[1] = CLK_NULL_RESERVE_ID;
  for (int n = 0; n < 2; n++) {
    reserve_id_t chosen = n & 1 ? ids[1] : ids[0];
    got[n * 3] = is_valid_reserve_id(chosen);
    got[n * 3 + 1] = take(in, chosen, 0);
    got[n * 3 + 2] = take(in, chosen, 1);
  }
  commit_read_pipe(in, ids[0]);
  float4 packet = (float4)(1, 2, 3, 4);
  write_pipe(out, &packet);
  reserve_id_t own = mine(out);
  packet.x = 9;
  got[6] = write_pipe(out, own, 1, &packet) + write_pipe(out, own, 0, &packet);
  commit_write_pipe(out, own);
  got[7] = get_pipe_num_packets(out) * 100 + get_pipe_max_packets(out);
  work_group_commit_read_pipe(in, work_group_reserve_read_pipe(in, 1));
  got[8] = get_pipe_num_packets(in);
}`;

function pipeOf(packetSize: number, packets: number, filled: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(pipeBytes(packetSize, packets));
  initializePipe(bytes, packetSize, packets);
  const view = new DataView(bytes.buffer);
  // What is written, the state of each cell, the packets (docs/kernel-abi.md).
  view.setBigUint64(8, BigInt(filled.length), true);
  filled.forEach((value, n) => {
    view.setUint32(64 + n * 8, 1, true);
    view.setInt32(Math.ceil((64 + packets * 8) / 128) * 128 + n * packetSize, value, true);
  });
  return bytes;
}

test("pipes compute the same", () => {
  const launch = {
    source: PIPES,
    kernel: "k",
    options: "-cl-std=CL3.0",
    global: [1],
    local: [1],
    arguments: [
      { contents: pipeOf(4, 8, [11, 12, 13, 14]) },
      { contents: pipeOf(16, 8, []) },
      { contents: new Uint8Array(36) },
    ],
  };
  const [direct, ...others] = runBySpirv(launch);
  if (direct === undefined) throw new Error("nothing ran");
  expect([...new Int32Array(direct.buffers[2]?.slice().buffer ?? new ArrayBuffer(0))]).toEqual([
    1, 11, 12, 0, -1, -1, 0, 308, 1,
  ]);
  for (const other of others) expect(firstDifference(direct, other, ["bits", "bits", "bits"])).toBeNull();
});

test
  .skipIf(!hasValidator)
  .each([
    ...programs,
    ...cases.map(([name, { source }]) => [name, source] as const),
    ["the rest", REST] as const,
    ["pipes", PIPES] as const,
  ])("spirv-val accepts %s", (_, source) => {
  expect(spirvVerdict(writtenSpirv(source, "-w -cl-std=CL3.0"))).toBe("");
});

/** What llvm-spirv says of a module that it is to translate to LLVM; empty: it does. */
function translation(binary: Uint8Array): string {
  const file = join(folder, "translated.spv");
  writeFileSync(file, binary);
  const { status, stdout, stderr } = spawnSync("llvm-spirv-14", ["-r", file, "-o", join(folder, "translated.bc")], {
    encoding: "utf8",
  });
  return status === 0 ? "" : `${String(status)} ${stdout}${stderr}`;
}

test.skipIf(!hasTranslator).each(programs)("llvm-spirv translates %s", (_, source) => {
  expect(translation(writtenSpirv(source, "-w -cl-std=CL3.0"))).toBe("");
});

test.each(cases)("%s computes the same", (_, launch) => {
  const [direct, ...others] = runBySpirv(launch);
  if (direct === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(direct, other, [])).toBeNull();
});

function assembly(source: string): string {
  const parsed = parseModule(writtenSpirv(source, "-w -cl-std=CL3.0"));
  const text = parsed.ok ? disassemble(parsed.value) : parsed;
  if (!text.ok) throw new Error(text.error.message);
  return text.value;
}

test("a small kernel in full", () => {
  expect(
    assembly(`kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scale(global float *out, float by) {
      out[get_global_id(0)] *= by;
    }`),
  ).toMatchSnapshot();
});

test.each([
  [
    "a circle of initial values",
    "struct S { global struct S *next; }; global struct S a; global struct S a = { &a }; kernel void k() {}",
    "a: the initial values of variables point to one another in a circle, and SPIR-V declares each before its use",
  ],
])("%s cannot be written", (_, source, message) => {
  expect(() => writtenSpirv(source, "-w -cl-std=CL3.0")).toThrow(message);
});
