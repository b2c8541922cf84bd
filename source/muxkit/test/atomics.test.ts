// SPDX-License-Identifier: Apache-2.0
// Atomic functions of many work-items at once on two threads, against sums by hand.
import { openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

const device = openDeviceSync({ threads: 2 });
afterAll(() => device.close());

const TYPES = [
  { name: "int", bits: 32, isSigned: true },
  { name: "uint", bits: 32, isSigned: false },
  { name: "long", bits: 64, isSigned: true },
  { name: "ulong", bits: 64, isSigned: false },
] as const;

type Effect = (value: bigint, operand: bigint) => bigint;
/** What the cells hold at the end, by what every work-item does to each of them in turn. */
const EFFECTS: readonly Effect[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a ^ b,
  (a, b) => (a < b ? a : b),
  (a, b) => (a > b ? a : b),
  (a, b) => a + b,
];

test.each(TYPES)("many work-items on two threads lose nothing: $name", ({ name, bits, isSigned }) => {
  const count = 40_000;
  const source = `#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
  kernel void k(global long* cells) {
    global atomic_${name}* c = (global atomic_${name}*)cells;
    int step = sizeof(long) / sizeof(${name});
    ${name} v = (${name})(get_global_id(0) * 2654435761u) - (${name})1000;
    atomic_fetch_add(c, v);
    atomic_fetch_sub_explicit(c + step, v, memory_order_relaxed);
    atomic_fetch_xor(c + 2 * step, v);
    atomic_fetch_min(c + 3 * step, v);
    atomic_fetch_max_explicit(c + 4 * step, v, memory_order_acq_rel, memory_scope_device);
    ${name} old = atomic_load(c + 5 * step);
    while (!atomic_compare_exchange_weak(c + 5 * step, &old, old + v));
    if (!(get_global_id(0) & 255)) {
      atomic_fetch_or(c + 6 * step, v);
      atomic_fetch_and(c + 7 * step, v | 1);
    }
  }`;
  const cells = device.array(new BigInt64Array([0n, 0n, 0n, 0n, 0n, 0n, 0n, -1n]));
  device.program(source, { options: "-cl-std=CL3.0" }).kernel("k")(count, cells);
  const unsigned = (value: bigint): bigint => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  const expected = [0n, 0n, 0n, 0n, 0n, 0n, 0n, unsigned(-1n)];
  const apply = (at: number, of: Effect, operand: bigint): void => {
    expected[at] = unsigned(of(expected[at] ?? 0n, operand));
  };
  for (let i = 0; i < count; i++) {
    const value = unsigned(BigInt(Math.imul(i, 2_654_435_761) >>> 0) - 1000n);
    EFFECTS.forEach((effect, at) => apply(at, effect, value));
    if (i % 256 === 0) {
      apply(6, (a, b) => a | b, value);
      apply(7, (a, b) => a & b, value | 1n);
    }
  }
  expect([...cells.readSync()].map((value) => unsigned(value))).toEqual(expected);
});
