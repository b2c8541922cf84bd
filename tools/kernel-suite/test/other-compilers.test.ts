// SPDX-License-Identifier: Apache-2.0
// What kernels of others use beyond the language: built-ins of compilers, GNU's extensions, old C. Values are those
// that clang gives them.
import { expect, test } from "vitest";

import { firstDifference, runEveryWay } from "@muxkit/kernel-suite";

/** Ints that the kernel writes, from `in[0] = 0x12345678` and `in[1] = -5`; all ways of running it agree. */
function run(source: string, count: number): number[] {
  const input = new Uint8Array(new Int32Array([0x12345678, -5, 0, 8]).buffer);
  const [interpreted, ...others] = runEveryWay({
    source,
    kernel: "k",
    options: "",
    global: [1],
    local: [1],
    arguments: [{ contents: new Uint8Array(count * 4) }, { contents: input }],
  });
  if (interpreted === undefined) throw new Error("nothing ran");
  for (const other of others) expect(firstDifference(interpreted, other, ["bits", "bits"])).toBeNull();
  return [...new Int32Array(interpreted.buffers[0]?.slice().buffer ?? new ArrayBuffer(0))];
}

const HEAD = `
  typedef int v4 __attribute__((ext_vector_type(4)));
  union either { int i; float f; };
  struct counted { int n; int items[0]; };
  enum later;
  enum later { FIRST = 7 };
  #define ABS(x) _Generic((x), int: abs, float: fabs)(x)
`;

const rows: readonly (readonly [expression: string, value: number])[] = [
  ["__builtin_bswap32(in[0])", 0x78563412],
  ["__builtin_bswap16(0x1234)", 0x3412],
  ["(int)(__builtin_bswap64(in[0]) >> 32)", 0x78563412],
  ["__builtin_popcount(in[0])", 13],
  ["__builtin_popcountll(0xf0000000f0L)", 8],
  ["__builtin_clz(in[0])", 3],
  ["__builtin_clzll(1L << in[3])", 55],
  ["__builtin_ctz(in[3])", 3],
  ["__builtin_ctzll(1L << 40)", 40],
  ["__builtin_ffs(in[2])", 0],
  ["__builtin_ffs(in[3])", 4],
  ["__builtin_ffsll(1L << 40)", 41],
  ["__builtin_parity(in[0])", 1],
  ["__builtin_abs(in[1])", 5],
  ["(int)__builtin_labs((long)in[1])", 5],
  ["__builtin_rotateleft32(in[0], 8)", 0x34567812],
  ["__builtin_rotateright32(in[0], 8)", 0x78123456],
  ["__builtin_astype(1.0f, int)", 0x3f800000],
  ["__builtin_shufflevector((int4)(1, 2, 3, 4), (int4)(5, 6, 7, 8), 6, 0).x", 7],
  ["__builtin_shufflevector((int2)(1, 2), (int2)(5, 6), 3, 0, 2, 1).w", 2],
  ["__builtin_convertvector((float2)(1.9f, -1.9f), int2).y", -1],
  ["__builtin_types_compatible_p(int, signed) * 2 + __builtin_types_compatible_p(int, float)", 2],
  ["(int)__builtin_sqrtf(16.0f) + (int)__builtin_fmaf(2.0f, 3.0f, 4.0f) + (int)__builtin_powf(2.0f, 3.0f)", 22],
  ['__builtin_isnan(__builtin_nanf("")) + 2 * __builtin_isinf(__builtin_inff())', 3],
  ["__builtin_expect(in[3], 1)", 8],
  ["((v4)(1, 2, 3, 4)).z + ((v4)(9)).x", 12],
  ["((union either)1.0f).i", 0x3f800000],
  ["(int)sizeof(struct counted)", 4],
  ["FIRST", 7],
  ["ABS(in[1]) + (int)ABS(-2.5f)", 7],
  ["'abcde'", 0x62636465],
  ["L'a' + L'\\xff'", 352],
  ["in == (global int *)1 ? 1 : in > 0 ? 2 : 3", 2],
  ["({ int t = in[3]; t * 2; })", 16],
  ["({ int t[2] = {[1] 3}; t[1]; })", 3],
  ["({ struct { int a, b; } s = {b : 4, a : 5}; s.a * 10 + s.b; })", 54],
  ["({ int a[2] = {1, 2}, b[2]; __builtin_memcpy(b, a, sizeof(a)); b[1]; })", 2],
  ["({ int a[2]; __builtin_memset(a, in[3], sizeof(a)); a[1]; })", 0x08080808],
  ['({ __asm__ volatile("" ::: "memory"); in[3]; })', 8],
  ["({ int größe = 3; größe; })", 3],
];

test("each expression has the value that clang gives it", () => {
  const lines = rows.map(([expression], i) => `out[${i}] = ${expression};`);
  const values = run(
    `${HEAD}\nkernel void k(global int *out, global int *in) {\n${lines.join("\n")}\n}\n`,
    rows.length,
  );
  expect(rows.map(([expression], i) => [expression, values[i]])).toEqual(rows);
});
