// SPDX-License-Identifier: Apache-2.0
// Kernels in TypeScript: components by number, atomics of floats, ids. Debug JavaScript, the interpreter, scalar and
// vector code have the same bits.
import { expect, test } from "vitest";

import { compare } from "./typescript-rig.ts";

const sequence = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i + 0.5);

test.each([2, 3, 4, 8, 16])("components by number of vectors with %i lanes", (lanes) => {
  const { numbers, others } = compare({
    text: `export const k = kernel((item: Item<1>, v: Accessor<int${lanes}>, n: Accessor<int>) => {
  const i = item.getId(0);
  let a = v[i];
  for (let j = 0; j < ${lanes}; j++) a[j] = a[${lanes - 1} - j] * 3 + j;
  a[i % ${lanes}] += a.mul(2)[(i + 1) % ${lanes}];
  a[1]--;
  n[i] = v[i][n[i]]++ + a[0];
  v[i] = a;
  v[i][n[i] & 1] -= 5;
});`,
    kernel: "k",
    range: [4],
    arguments: [
      Int32Array.from({ length: 4 * (lanes === 3 ? 4 : lanes) }, (_, i) => i * 77_777_777),
      Int32Array.of(0, 1, 1, 0),
    ],
  });
  expect(others).toEqual([]);
  expect(numbers[0]?.[0]).not.toBe("0");
});

test("components by number of elements, fields and longs", () => {
  const { others } = compare({
    text: `const Pair = record({ tag: int, both: long2 });
type Pair = RecordOf<typeof Pair>;
export const k = kernel((item: Item<1>, pairs: Accessor<Pair>, x: Accessor<float4>) => {
  const i = item.getId(0);
  const last = pairs[i];
  pairs[i].both[i & 1] += long(i) * 5n;
  pairs[i].both[1]++;
  x[i][i & 3] = x[i].wzyx[i & 1] + float(last.both[0]);
  last.both[1 - (i & 1)] = 9n;
  pairs[i].tag = int(last.both[1]) + int(x[i].hi[1]);
});`,
    kernel: "k",
    range: [4],
    arguments: [BigInt64Array.from({ length: 16 }, (_, i) => BigInt(i) * 3n), sequence(16)],
  });
  expect(others).toEqual([]);
});

test.each(["float", "double"])("atomics of %s", (name) => {
  const made = (values: readonly number[]): Float32Array | Float64Array =>
    name === "float" ? Float32Array.from(values) : Float64Array.from(values);
  const { numbers, others } = compare({
    text: `export const k = kernel((item: NdItem<1>, x: Accessor<${name}, "read">, s: Accessor<${name}>, l: LocalArray<${name}>) => {
  const i = item.getGlobalId();
  if (item.getLocalId() === 0) l[0] = 0;
  item.barrier("local");
  atomicRef(l, 0).fetchAdd(x[i]);
  atomicRef(s, 0).fetchAdd(x[i]);
  atomicRef(s, 1, "acq_rel").fetchSub(x[i]);
  atomicRef(s, 2, "relaxed", "work_group").fetchMin(x[i]);
  atomicRef(s, 3, "seq_cst").fetchMax(x[i]);
  // One item alone changes these.
  if (i === 3) {
    s[4] = atomicRef(s, 5).exchange(x[i]) + atomicRef(s, 6).compareExchange(7, 8);
    atomicRef(s, 7).store(atomicRef(s, 6).load() + atomicRef(s, 8).compareExchange(0, 8));
  }
  item.barrier("local");
  if (item.getLocalId() === 0) s[9 + item.getGroup()] = l[0];
});`,
    kernel: "k",
    range: [8],
    localRange: [4],
    arguments: [made([-4.5, -3, -1.5, 0, 1.5, 3, 4.5, 6]), made([1, 2, 3, 4, 5, 6, 7, 8, -0, 0, 0]), { local: 1 }],
  });
  expect(others).toEqual([]);
  expect(numbers[1]).toEqual(["7", "-4", "-4.5", "6", "13", "0", "8", "8", "-0", "-9", "15"]);
});

test("linear ids of groups in three dimensions", () => {
  const { numbers, others } = compare({
    text: `export const k = kernel((item: NdItem<3>, n: Accessor<int>) => {
  n[item.getGlobalLinearId()] = item.getGroupLinearId() * 100 + item.getLocalLinearId();
});`,
    kernel: "k",
    range: [2, 4, 6],
    localRange: [1, 2, 3],
    arguments: [new Int32Array(48)],
  });
  expect(others).toEqual([]);
  expect(numbers[0]?.at(-1)).toBe("705");
});

/** Bits of halves: of all exponents, denormals, zeros and infinities. */
const halves = (count: number, seed: number): Uint16Array =>
  Uint16Array.from({ length: count }, (_, i) => (Math.imul(i + seed, 40_503) >>> 4) & 0xffff).map((bits) =>
    (bits & 0x7c00) === 0x7c00 ? bits & 0xfc00 : bits,
  );

test("every operator of half, and conversions to every type and back", () => {
  const expressions = ["a + b", "a - b", "a * b", "a / b", "-a", "a < b ? a : b", "half(float(a) + float(b) / 3)"];
  const narrow = ["char", "uchar", "short", "ushort", "int", "uint", "float", "double"];
  const { others } = compare({
    text: `type Halves = Accessor<half, "read">;
export const k = kernel((item: Item<1>, x: Halves, y: Halves, d: Accessor<double>,
    z: Accessor<half, "read_write", 2>) => {
  const i = item.getId(0);
  const a = x[i], b = y[i];
  let c = a;
${expressions.map((one, j) => `  z[${j}][i] = ${one};`).join("\n")}
  c *= b; c -= 0.1; c++; c /= 3;
  z[7][i] = c;
  // What is beyond a type is open.
  const small = clamp(a, 0, 100);
${narrow.map((name, j) => `  z[${j + 8}][i] = half(${name}(small));`).join("\n")}
  z[16][i] = half(i * 7777);
  z[17][i] = half(d[i]);
  z[18][i] = half(long(small));
  d[i] = double(a) * 3;
});`,
    kernel: "k",
    range: [96],
    arguments: [
      halves(96, 1),
      halves(96, 77),
      Float64Array.from({ length: 96 }, (_, i) => (i + 1) * 1.000_488_281_250_001),
      { data: new Uint16Array(19 * 96), range: [19, 96] },
    ],
    isUnfused: true,
  });
  expect(others).toEqual([]);
});

test("vectors and records of halves, bits of halves, tables and constants", () => {
  const { numbers, others } = compare({
    text: `const WEIGHTS: readonly half[] = [0.5, 0.1, 3];
const Pixel = record({ color: half3, weight: half });
type Pixel = RecordOf<typeof Pixel>;
const GAIN: half = 1.1;
const mixed = (a: half4, b: half4): half4 => max(a.mul(0.25), b);
export const k = kernel((item: Item<1>, v: Accessor<half4>, pixels: Accessor<Pixel>, n: Accessor<ushort>) => {
  const i = item.getId(0);
  let a = v[i];
  a.xy = a.yx.mul(GAIN).add(WEIGHTS[i % 3]);
  a[3] = a[i & 3] - 1;
  v[i] = select(mixed(a, half4(float4(0.1, 1, 2, 3))), a, a.lt(0.5));
  pixels[i] = Pixel({ color: a.zyx, weight: as_half(n[i]) });
  n[i] = as_ushort(pixels[i].weight * 2) + ushort(a.gt(1).x & 1);
  const most = privateArray(half, [1, 2, 3]);
  most[i % 3] += 0.5;
  pixels[i].weight += most[0];
});`,
    kernel: "k",
    range: [8],
    arguments: [halves(32, 5), new Uint16Array(8 * 8), Uint16Array.from({ length: 8 }, (_, i) => 0x3c00 + i * 100)],
    isUnfused: true,
  });
  expect(others).toEqual([]);
  expect(numbers[0]?.some((one) => one !== "0")).toBe(true);
});
