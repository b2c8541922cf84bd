// SPDX-License-Identifier: Apache-2.0
// What kernels of others use beyond the language: built-ins of compilers, GNU's extensions, old C. Values are written
// by hand, after what the documents of GNU C and clang say of each.
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
  ["({ int a[2] = {1, 2}, b[2] = {7, 7}; __builtin_memcpy(b, a, in[3] / 2); b[0] * 10 + b[1]; })", 17],
  ["({ int r; __builtin_add_overflow(in[0], 0x70000000, &r) * 2 + (r < 0); })", 3],
  ["({ int r; __builtin_add_overflow(in[0], in[1], &r) * 2 + (r == 0x12345673); })", 1],
  ["({ uchar r; __builtin_mul_overflow(in[3], 40, &r) * 1000 + r; })", 1064],
  ["({ uint r; __builtin_mul_overflow(in[1], in[1], &r) * 1000 + r; })", 25],
  ["({ uint r; __builtin_mul_overflow(in[1], in[3], &r); })", 1],
  ["({ long r; __builtin_mul_overflow(1L << 40, (long)in[3] << 20, &r) + (r == 1L << 63); })", 2],
  ["({ ulong r; __builtin_mul_overflow(1L << 40, (long)in[3] << 20, &r) * 2 + (r == 1UL << 63); })", 1],
  ["({ long r; __builtin_mul_overflow((long)in[1] << 60, (long)in[3], &r); })", 1],
  ["({ long r; __builtin_mul_overflow((long)in[1] << 58, (long)in[3], &r) * 2 + (r < 0); })", 2],
  ["({ long r; __builtin_mul_overflow((long)in[1] << 57, (long)in[3], &r) * 2 + (r < 0); })", 1],
  ["({ long r; __builtin_mul_overflow((ulong)(long)in[1], (ulong)(long)in[1], &r); })", 1],
  ["({ ulong r; __builtin_sub_overflow(in[2], in[3], &r) + (r == 0xfffffffffffffff8UL); })", 2],
  ["({ ulong r; __builtin_add_overflow(0xffffffffffffffffUL, in[1], &r) * 2 + (r == 0xfffffffffffffffaUL); })", 1],
  ["({ long r; __builtin_sub_overflow((ulong)in[3], 0x8000000000000000UL, &r) * 2 + (r < 0); })", 1],
  ["({ uint r; __builtin_usub_overflow(3, in[3], &r) * 2 + (r == 0xfffffffbu); })", 3],
  ["({ int r; __builtin_ssub_overflow(in[1], 3, &r) * 100 + r; })", -8],
  ["__builtin_reduce_add((int4)(1, 2, 3, in[3]))", 14],
  ["__builtin_reduce_mul((int3)(2, 3, in[3]))", 48],
  ["__builtin_reduce_and((int2)(12, in[3]))", 8],
  ["__builtin_reduce_or((int2)(3, in[3])) + __builtin_reduce_xor((int2)(9, in[3]))", 12],
  ["__builtin_reduce_max((int3)(1, in[1], 7)) * 10 + __builtin_reduce_min((int3)(1, in[1], 7))", 65],
  ["(__builtin_reduce_max((uint2)(1, in[1])) == 0xfffffffbu) + (int)__builtin_reduce_min((float2)(1.5f, -2.5f))", -1],
  ["__builtin_elementwise_abs((int2)(in[1], 3)).x + (int)__builtin_elementwise_abs(-2.5f)", 7],
  ["__builtin_elementwise_max((int2)(in[1], 3), (int2)(2)).x + __builtin_elementwise_min(in[1], 2)", -3],
  ["__builtin_elementwise_add_sat((char2)(100), (char2)(100)).y", 127],
  ["(int)__builtin_elementwise_roundeven((float2)(2.5f, 0)).x + (int)__builtin_elementwise_fma(2.0f, 3.0f, 4.0f)", 12],
  ["__builtin_LINE() - __LINE__", 0],
  ["__builtin_FUNCTION()[0] + __builtin_FUNCTION()[1]", 107],
  ['({ __asm__ volatile("" ::: "memory"); in[3]; })', 8],
  ["({ int größe = 3; größe; })", 3],
];

test("each expression has the value that the documents of these compilers give it", () => {
  const lines = rows.map(([expression], i) => `out[${i}] = ${expression};`);
  const values = run(
    `${HEAD}\nkernel void k(global int *out, global int *in) {\n${lines.join("\n")}\n}\n`,
    rows.length,
  );
  expect(rows.map(([expression], i) => [expression, values[i]])).toEqual(rows);
});

const trapIf = (condition: string): string =>
  `kernel void k(global int *out, global int *in) { if (${condition}) __builtin_trap(); out[0] = 1; }`;

test("a trap ends the kernel that comes to it, and no other", () => {
  expect(run(trapIf("in[3] == 9"), 1)).toEqual([1]);
  expect(() => run(trapIf("in[3] == 8"), 1)).toThrow("unreachable");
});
