// SPDX-License-Identifier: Apache-2.0
// Integers: every width, conversions, and the corners that have one written result.
import { type MuxDeviceInfo, MuxIntegerCapabilities } from "@muxkit/mux";

import { type KernelCase, fills, ints } from "../case.ts";

const hasLong = ({ integerCapabilities }: MuxDeviceInfo): boolean =>
  (integerCapabilities & MuxIntegerCapabilities.bits64) !== 0;

const CORNERS = Int32Array.of(0, 1, -1, 2, 7, -7, 2_147_483_647, -2_147_483_648);
const N = CORNERS.length;

function pairs(make: (a: number, b: number) => number): Int32Array {
  return ints(N * N, (i) => make(CORNERS[Math.trunc(i / N)] ?? 0, CORNERS[i % N] ?? 0));
}

/** A binary operation on all pairs of corners. */
function onPairs(name: string, expression: string, make: (a: number, b: number) => number): KernelCase {
  return {
    name: `ints: ${name}`,
    source: `
      kernel void k(global const int* c, global int* out) {
        int i = get_global_id(0);
        int a = c[i / ${N}], b = c[i % ${N}];
        out[i] = ${expression};
      }`,
    arguments: [{ buffer: CORNERS }, fills(pairs(make))],
    global: [N * N],
  };
}

const clampTo = (bits: number, value: number): number =>
  Math.min(2 ** (bits - 1) - 1, Math.max(-(2 ** (bits - 1)), value));

/** See the file's head. */
export const ARITHMETIC: readonly KernelCase[] = [
  onPairs("sums", "a + b", (a, b) => (a + b) | 0),
  onPairs("products", "a * b", Math.imul),
  onPairs("quotients", "b == 0 || (a == INT_MIN && b == -1) ? 0 : a / b", (a, b) =>
    b === 0 ? 0 : a === -2_147_483_648 && b === -1 ? 0 : Math.trunc(a / b),
  ),
  onPairs("remainders", "b == 0 || b == -1 ? 0 : a % b", (a, b) => (b === 0 || b === -1 ? 0 : (a % b) | 0)),
  onPairs(
    "shifts take the lowest bits of the count",
    "(a << b) ^ (int)((uint)a >> b) ^ (a >> b)",
    (a, b) => (a << b) ^ (a >>> b) ^ (a >> b),
  ),
  onPairs(
    "comparisons",
    "(a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * ((uint)a < (uint)b)",
    (a, b) => Number(a < b) + 2 * Number(a <= b) + 4 * Number(a === b) + 8 * Number(a >>> 0 < b >>> 0),
  ),
  onPairs("saturating sums", "add_sat(a, b)", (a, b) => clampTo(32, a + b)),
  onPairs("high halves of products", "mul_hi(a, b)", (a, b) => Number((BigInt(a) * BigInt(b)) >> 32n)),
  onPairs("bits counted, rotated, leading", "popcount(a) + 64 * clz(b) + (int)rotate((uint)a, (uint)b)", (a, b) => {
    const ones = (a >>> 0).toString(2).replaceAll("0", "").length;
    return (
      (ones + 64 * Math.clz32(b) + ((a << (b & 31)) | ((a >>> ((32 - (b & 31)) & 31)) * Number((b & 31) !== 0)))) | 0
    );
  }),
  {
    name: "bytes and shorts wrap around and saturate",
    source: `
      kernel void k(global const int* c, global short* out) {
        int i = get_global_id(0);
        char a = (char)c[i];
        uchar b = (uchar)c[i];
        out[3 * i] = (char)(a + 100);
        out[3 * i + 1] = (uchar)(b - 1);
        out[3 * i + 2] = convert_short_sat(c[i]);
      }`,
    arguments: [
      { buffer: CORNERS },
      fills(
        Int16Array.from([...CORNERS].flatMap((c) => [((c + 100) << 24) >> 24, ((c & 255) - 1) & 255, clampTo(16, c)])),
      ),
    ],
    global: [N],
  },
  {
    name: "longs: products, quotients, shifts",
    needs: hasLong,
    source: `
      kernel void k(global const int* c, global long* out) {
        int i = get_global_id(0);
        long a = (long)c[i] * 4294967299L + i;
        out[3 * i] = a * a;
        out[3 * i + 1] = a / 1000003L;
        out[3 * i + 2] = (long)((ulong)a >> (i + 30));
      }`,
    arguments: [
      { buffer: CORNERS },
      fills(
        BigInt64Array.from(
          [...CORNERS].flatMap((c, i) => {
            const a = BigInt.asIntN(64, BigInt(c) * 4_294_967_299n + BigInt(i));
            return [
              BigInt.asIntN(64, a * a),
              a / 1_000_003n,
              BigInt.asIntN(64, BigInt.asUintN(64, a) >> BigInt(i + 30)),
            ];
          }),
        ),
      ),
    ],
    global: [N],
  },
  {
    name: "vectors of ints: swizzles, scalars spread, comparisons as masks",
    source: `
      kernel void k(global const int4* in, global int4* out) {
        int i = get_global_id(0);
        int4 v = in[i];
        int4 w = v.wzyx * 3 - (int4)(i);
        w.odd = w.even;
        out[2 * i] = w;
        out[2 * i + 1] = select(v, -v, v > w) + (v == w);
      }`,
    arguments: [
      { buffer: CORNERS },
      fills(
        Int32Array.from(
          [0, 1].flatMap((i) => {
            const v = [0, 1, 2, 3].map((lane) => CORNERS[4 * i + lane] ?? 0);
            const w = v.toReversed().map((lane) => (Math.imul(lane, 3) - i) | 0);
            [w[1], w[3]] = [w[0] ?? 0, w[2] ?? 0];
            return [...w, ...v.map((lane, j) => ((lane > (w[j] ?? 0) ? -lane : lane) | 0) - Number(lane === w[j]))];
          }),
        ),
      ),
    ],
    global: [2],
  },
];
