// SPDX-License-Identifier: Apache-2.0
// Division of vectors by constants: every byte by every byte, shorts and ints where rounding is closest, and that it
// takes few instructions.
import { expect, test } from "vitest";

import { opcodesOf, simd } from "./instructions.ts";
import { INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

const OPS = ["udiv", "urem", "sdiv", "srem"] as const;

function textOf(op: string, bits: number, divisor: bigint, name: string): string {
  const type = `<${128 / bits} x i${bits}>`;
  return `func @${name}(%in: ptr<global>, %out: ptr<global>) {
^0:
  %x = load %in {align 1}: ${type}
  %r = ${op} %x, splat(${divisor}): ${type}
  store %r, %out {align 1}
  ret
}
`;
}

/** The result for one lane, without sign. Division by zero gives 0, and the least number by -1 itself. */
function wanted(op: string, bits: number, x: bigint, divisor: bigint): bigint {
  if (divisor === 0n) return op.endsWith("rem") ? BigInt.asUintN(bits, x) : 0n;
  const [a, b] = op.startsWith("s")
    ? [BigInt.asIntN(bits, x), BigInt.asIntN(bits, divisor)]
    : [BigInt.asUintN(bits, x), BigInt.asUintN(bits, divisor)];
  return BigInt.asUintN(bits, op.endsWith("div") ? a / b : a % b);
}

/** Divides all numbers by all divisors; the first few results that are wrong. */
function wrongOf(op: string, bits: number, numbers: readonly bigint[], divisors: readonly bigint[]): readonly string[] {
  const { call, bytes } = compile(moduleOf(divisors.map((divisor, i) => textOf(op, bits, divisor, `f${i}`)).join("")));
  const view = new DataView(bytes.buffer);
  const size = bits / 8;
  const lanes = 16 / size;
  const wrong: string[] = [];
  divisors.forEach((divisor, i) => {
    for (let at = 0; at < numbers.length; at += lanes) {
      for (let lane = 0; lane < lanes; lane++)
        for (let k = 0; k < size; k++)
          view.setUint8(INPUT + lane * size + k, Number(((numbers[at + lane] ?? 0n) >> BigInt(8 * k)) & 0xffn));
      call(`f${i}`, INPUT, OUTPUT);
      for (let lane = 0; lane < lanes; lane++) {
        const x = numbers[at + lane] ?? 0n;
        let got = 0n;
        for (let k = 0; k < size; k++) got |= BigInt(view.getUint8(OUTPUT + lane * size + k)) << BigInt(8 * k);
        if (got !== wanted(op, bits, x, divisor)) wrong.push(`${op} ${x}, ${divisor} is not ${got}`);
      }
    }
  });
  return wrong.slice(0, 5);
}

/** Numbers around the multiples of divisors, and around the bounds of a type. */
function closeOnes(bits: number, divisors: readonly bigint[]): readonly bigint[] {
  const greatest = (1n << BigInt(bits)) - 1n;
  const middle = 1n << BigInt(bits - 1);
  return divisors.flatMap((divisor) => {
    const magnitude = divisor < 0n ? -divisor : divisor;
    return [greatest, middle, middle - 1n, greatest / 3n, 5n * magnitude, magnitude].flatMap((near) => {
      const multiple = near - (near % magnitude);
      return [near, multiple, multiple - 1n, multiple + 1n, -multiple, 1n - multiple].map((x) =>
        BigInt.asUintN(bits, x),
      );
    });
  });
}

const DIVISORS = [2n, 3n, 5n, 6n, 7n, 9n, 10n, 11n, 12n, 13n, 25n, 28n, 48n, 60n, 100n, 125n, 127n];
const LARGER = [128n, 255n, 256n, 360n, 641n, 1000n, 10_000n, 32_767n];
const LARGEST = [65_521n, 65_537n, 1_000_000n, 6_700_417n, 1_000_000_007n, 0x7fff_ffffn];

function bothSigns(divisors: readonly bigint[]): readonly bigint[] {
  return divisors.flatMap((divisor) => [divisor, -divisor]);
}

test.each(OPS)("bytes: %s", (op) => {
  const all = Array.from({ length: 256 }, (_, i) => BigInt(i));
  expect(
    wrongOf(
      op,
      8,
      all,
      all.map((x) => BigInt.asIntN(8, x)),
    ),
  ).toEqual([]);
});

test.each(OPS)("shorts: %s", (op) => {
  const divisors = bothSigns([...DIVISORS, ...LARGER]).concat([-32_768n, 0n, 1n, -1n]);
  expect(
    wrongOf(
      op,
      16,
      closeOnes(
        16,
        divisors.filter((x) => x !== 0n),
      ),
      divisors,
    ),
  ).toEqual([]);
});

test.each(OPS)("ints: %s", (op) => {
  const divisors = bothSigns([...DIVISORS, ...LARGER, ...LARGEST]).concat([-2_147_483_648n, 0n, 1n, -1n]);
  expect(
    wrongOf(
      op,
      32,
      closeOnes(
        32,
        divisors.filter((x) => x !== 0n),
      ),
      divisors,
    ),
  ).toEqual([]);
});

test("pixels are divided by 255 without a division", () => {
  const [list = []] = opcodesOf(moduleOf(textOf("udiv", 32, 255n, "f")));
  // Two extending products, the upper halves of both, a shift.
  const computing = list.filter((op) => op > simd(0x0c) && op !== simd(0x0b));
  expect(computing).toEqual([simd(0xde), simd(0xdf), simd(0x0d), simd(0xad)]);
});
