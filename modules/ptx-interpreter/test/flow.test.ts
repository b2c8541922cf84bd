// SPDX-License-Identifier: Apache-2.0
// Warps: ways that part and meet, work-items that return, barriers, calls, what warps exchange.
import { expect, test } from "vitest";

import { kernelOf, run } from "./rig.ts";

const zeros = (count: number): readonly bigint[] => Array<bigint>(count).fill(0n);

/** How many lanes execute what follows an `if` whose ways are different for each lane. */
const MEETS = `
  and.b32 %r1, %r31, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $even;
  add.s32 %r2, %r31, 100;
  bra $end;
$even:
  mov.u32 %r3, 0;
$again:
  .pragma "nounroll";
  setp.ge.u32 %p2, %r3, %r31;
  @%p2 bra $out;
  add.s32 %r3, %r3, 1;
  bra $again;
$out:
  mov.u32 %r2, %r3;
$end:
  activemask.b32 %r4;
  popc.b32 %r5, %r4;
  mov.b64 %rd1, {%r2, %r5};
  st.global.b64 [%rd29], %rd1;
  ret;`;

test("ways that part meet again, with loops of other lengths in each lane", () => {
  const left = run(kernelOf(MEETS), zeros(40), { items: 40 });
  expect(left).toEqual(
    Array.from({ length: 40 }, (_, i) => BigInt(i % 2 === 0 ? i : i + 100) | (BigInt(i < 32 ? 32 : 8) << 32n)),
  );
});

test("lanes that have left a loop wait for the others behind it", () => {
  const body = `
  mov.u32 %r1, 0;
$loop:
  setp.gt.u32 %p1, %r1, %r31;
  @%p1 bra $behind;
  add.s32 %r1, %r1, 1;
  bra $loop;
$behind:
  activemask.b32 %r2;
  cvt.u64.u32 %rd1, %r2;
  st.global.b64 [%rd29], %rd1;
  ret;`;
  expect(run(kernelOf(body), zeros(32), { items: 32 })).toEqual(Array<bigint>(32).fill(0xffffffffn));
});

test("a barrier is reached by several ways, and work-items that have returned take no part in it", () => {
  const body = `
  setp.ge.u32 %p1, %r31, 48;
  @%p1 ret;
  mov.u64 %rd1, shared;
  mad.wide.u32 %rd2, %r31, 4, %rd1;
  st.shared.u32 [%rd2], %r31;
  and.b32 %r1, %r31, 1;
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra $even;
  barrier.sync 0;
  bra $end;
$even:
  barrier.sync 0;
$end:
  sub.s32 %r2, 47, %r31;
  mad.wide.u32 %rd3, %r2, 4, %rd1;
  ld.shared.u32 %rd4, [%rd3];
  st.global.b64 [%rd29], %rd4;
  ret;`;
  const left = run(kernelOf(body, ".shared .align 8 .b8 shared[192];"), zeros(64), { items: 64 });
  expect(left).toEqual(Array.from({ length: 64 }, (_, i) => BigInt(i < 48 ? 47 - i : 0)));
});

test("a work-item that leaves a loop of barriers returns while the others wait at them", () => {
  const body = `
  mov.u32 %r1, 0;
$loop:
  setp.eq.u32 %p1, %r31, 5;
  setp.eq.u32 %p2, %r1, 2;
  and.pred %p3, %p1, %p2;
  @%p3 bra $out;
  barrier.sync 0;
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p4, %r1, 4;
  @%p4 bra $loop;
$out:
  st.global.u32 [%rd29], %r1;
  ret;`;
  const left = run(kernelOf(body), zeros(40), { items: 40 });
  expect(left).toEqual(Array.from({ length: 40 }, (_, i) => (i === 5 ? 2n : 4n)));
});

test("a barrier votes for all", () => {
  const body = `
  setp.ne.u32 %p1, %r31, 40;
  barrier.red.and.pred %p2, 0, %p1;
  barrier.red.or.pred %p3, 0, %p1;
  selp.u32 %r1, 1, 0, %p2;
  selp.u32 %r2, 2, 0, %p3;
  or.b32 %r3, %r1, %r2;
  st.global.u32 [%rd29], %r3;
  ret;`;
  expect(run(kernelOf(body), zeros(64), { items: 64 })).toEqual(Array<bigint>(64).fill(2n));
  expect(run(kernelOf(body), zeros(33), { items: 33 })).toEqual(Array<bigint>(33).fill(3n));
});

test("functions return from several places, and lanes go on together", () => {
  const callee = `
.func (.param .b32 result) double_or_zero(.param .b32 argument_0)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [argument_0];
  setp.lt.u32 %p1, %r1, 10;
  @%p1 bra $small;
  st.param.b32 [result], 0;
  ret;
$small:
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}`;
  const body = `
  {
  .param .b32 out;
  .param .b32 in;
  st.param.b32 [in], %r31;
  call (out), double_or_zero, (in);
  ld.param.b32 %r1, [out];
  }
  vote.sync.ballot.b32 %r2, %p0, 0xffffffff;
  activemask.b32 %r3;
  mov.b64 %rd1, {%r1, %r3};
  st.global.b64 [%rd29], %rd1;
  ret;`;
  expect(run(kernelOf(body, callee), zeros(32), { items: 32 })).toEqual(
    Array.from({ length: 32 }, (_, i) => BigInt(i < 10 ? 2 * i : 0) | (0xffffffffn << 32n)),
  );
});

test("shuffles", () => {
  const body = `
  shfl.sync.idx.b32 %r1, %r31, 3, 0x1f, 0xffffffff;
  shfl.sync.up.b32 %r2|%p1, %r31, 2, 0, 0xffffffff;
  shfl.sync.down.b32 %r3, %r31, 1, 0x1f, 0xffffffff;
  shfl.sync.bfly.b32 %r4, %r31, 1, 0x181f, 0xffffffff;
  selp.u32 %r5, 64, 0, %p1;
  or.b32 %r2, %r2, %r5;
  shl.b32 %r2, %r2, 8;
  shl.b32 %r3, %r3, 16;
  shl.b32 %r4, %r4, 24;
  or.b32 %r1, %r1, %r2;
  or.b32 %r3, %r3, %r4;
  or.b32 %r1, %r1, %r3;
  st.global.u32 [%rd29], %r1;
  ret;`;
  const left = run(kernelOf(body), zeros(32), { items: 32 });
  expect(left).toEqual(
    Array.from({ length: 32 }, (_, i) => {
      const up = i < 2 ? i : (i - 2) | 64;
      return BigInt((3 | (up << 8) | (Math.min(31, i + 1) << 16) | ((i ^ 1) << 24)) >>> 0);
    }),
  );
});

test("atomic operations of all work-items of all groups add up", () => {
  const body = `
  atom.relaxed.gpu.global.add.u32 %r1, [%rd31], 1;
  red.relaxed.gpu.global.max.s32 [%rd31+8], %r31;
  atom.global.add.f32 %f1, [%rd31+16], 0f3f800000;
  atom.global.cas.b64 %rd1, [%rd31+24], 0, 7;
  ret;`;
  expect(run(kernelOf(body), zeros(4), { items: 50, groups: 3 })).toEqual([150n, 49n, BigInt(0x43160000), 7n]);
});

test("a sum of floats in global memory takes and gives no subnormal numbers, one in shared memory does", () => {
  const body = `
  mov.u64 %rd1, shared;
  st.shared.u32 [%rd1], 0;
  atom.shared.add.f32 %f1, [%rd1], 0f00000001;
  atom.global.add.f32 %f1, [%rd31], 0f00000001;
  ld.shared.u32 %r1, [%rd1];
  st.global.u32 [%rd31+8], %r1;
  ret;`;
  expect(run(kernelOf(body, ".shared .align 8 .b8 shared[8];"), zeros(2))).toEqual([0n, 1n]);
});

test("generic addresses lead to every memory", () => {
  const body = `
  .local .align 8 .b8 variable[16];
  mov.u64 %rd1, variable;
  st.local.u32 [%rd1+4], %r31;
  cvta.local.u64 %rd2, %rd1;
  ld.u32 %r1, [%rd2+4];
  mov.u64 %rd3, shared;
  cvta.shared.u64 %rd4, %rd3;
  isspacep.shared %p1, %rd4;
  isspacep.local %p2, %rd4;
  setp.eq.u32 %p3, %r31, 0;
  @%p3 st.u32 [%rd4], 5;
  barrier.sync 0;
  ld.shared.u32 %r2, [%rd3];
  cvta.to.shared.u64 %rd5, %rd4;
  ld.shared.u32 %r3, [%rd5];
  selp.u32 %r4, 100, 0, %p1;
  selp.u32 %r5, 1000, %r4, %p2;
  add.s32 %r1, %r1, %r2;
  add.s32 %r1, %r1, %r3;
  add.s32 %r1, %r1, %r5;
  st.u32 [%rd29], %r1;
  ret;`;
  expect(run(kernelOf(body, ".shared .align 8 .b8 shared[8];"), zeros(40), { items: 40 })).toEqual(
    Array.from({ length: 40 }, (_, i) => BigInt(i + 110)),
  );
});

test("work-items that wait for one another by memory alone come to an end", () => {
  const body = `
  setp.ne.u32 %p1, %r31, 40;
  @%p1 bra $wait;
  st.volatile.global.u32 [%rd31+8], 1;
  bra $end;
$wait:
  ld.volatile.global.u32 %r1, [%rd31+8];
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra $wait;
$end:
  red.global.add.u32 [%rd31], 1;
  ret;`;
  expect(run(kernelOf(body), zeros(2), { items: 64 })).toEqual([64n, 1n]);
});
