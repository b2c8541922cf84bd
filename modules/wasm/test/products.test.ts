// SPDX-License-Identifier: Apache-2.0
// Products of vectors with constants: the ones that become shifts, and that they are exact.
import { expect, test } from "vitest";

import { INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

const FACTORS: readonly bigint[] = [
  0n,
  1n,
  3n,
  5n,
  7n,
  9n,
  12n,
  24n,
  31n,
  33n,
  96n,
  6n,
  11n,
  1000n,
  1n << 31n,
  (1n << 31n) + 1n,
];
const LARGE: readonly bigint[] = [-1n, -2n, -3n, -4n, -8n, 0x7fff_ffffn, 0xffff_ffffn];

test.each([
  ["i32", 32],
  ["i64", 64],
] as const)("products of %s", (type, bits) => {
  const factors = [...FACTORS, ...LARGE].map((factor) => BigInt.asUintN(bits, factor));
  const lanes = 128 / bits;
  const text = factors
    .flatMap((factor) =>
      ["%v, splat(F)", "splat(F), %v"].map((operands) => operands.replace("F", String(BigInt.asIntN(bits, factor)))),
    )
    .map(
      (operands, i) => `func @f${i}(%in: ptr<global>, %out: ptr<global>) {
^0:
  %v = load %in {align 16}: <${lanes} x ${type}>
  %p = mul ${operands}: <${lanes} x ${type}>
  store %p, %out {align 16}
  ret
}
`,
    )
    .join("");
  const { call, bytes } = compile(moduleOf(text));
  const view = new DataView(bytes.buffer);
  const values = Array.from({ length: lanes }, (_, i) => BigInt.asUintN(bits, 0x9e37_79b9_7f4a_7c15n * BigInt(i + 3)));
  const read = (at: number, i: number): bigint =>
    bits === 32 ? BigInt(view.getUint32(at + 4 * i, true)) : view.getBigUint64(at + 8 * i, true);
  values.forEach((value, i) => {
    if (bits === 32) view.setUint32(INPUT + 4 * i, Number(value), true);
    else view.setBigUint64(INPUT + 8 * i, value, true);
  });
  factors.forEach((factor, i) => {
    for (const side of [0, 1]) {
      call(`f${2 * i + side}`, INPUT, OUTPUT);
      values.forEach((value, lane) =>
        expect(read(OUTPUT, lane), `lane ${lane} times ${factor}`).toBe(BigInt.asUintN(bits, value * factor)),
      );
    }
  });
});
