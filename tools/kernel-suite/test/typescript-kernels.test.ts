// SPDX-License-Identifier: Apache-2.0
// Kernels in TypeScript: debug JavaScript, the interpreter, scalar and vector code have the same bits, for every
// operator of every type, for memory of all kinds, for what waits at barriers, and for random programs.
// `MUXKIT_TYPESCRIPT_SEEDS=1000-2000 npm test -- kernel-suite typescript-kernels` runs other programs.
import { bigInt, double, float, integer, oneof, sample } from "fast-check";
import { expect, test } from "vitest";

import { randomProgram } from "./typescript-programs.ts";
import { type Data, compare } from "./typescript-rig.ts";

const ARRAYS = {
  char: Int8Array,
  uchar: Uint8Array,
  short: Int16Array,
  ushort: Uint16Array,
  int: Int32Array,
  uint: Uint32Array,
  long: BigInt64Array,
  ulong: BigUint64Array,
  float: Float32Array,
  double: Float64Array,
} as const;
type Name = keyof typeof ARRAYS;
const NAMES = Object.keys(ARRAYS) as Name[];
const isFloat = (name: Name): boolean => name === "float" || name === "double";
const isLong = (name: Name): boolean => name === "long" || name === "ulong";

function valuesFrom(name: Name, values: readonly (number | bigint)[]): Data {
  const Type = ARRAYS[name];
  const from = Type.from.bind(Type) as (list: readonly (number | bigint)[]) => unknown;
  return from(values) as Data;
}

/** Random values of a type; limits come often. */
function valuesOf(name: Name, count: number, seed: number): Data {
  const arbitrary = isFloat(name)
    ? name === "float"
      ? float({ noNaN: true })
      : double({ noNaN: true })
    : isLong(name)
      ? bigInt(-(2n ** 63n), 2n ** 63n - 1n)
      : oneof(integer(), integer({ min: -130, max: 300 }));
  return valuesFrom(name, sample<number | bigint>(arbitrary, { numRuns: count, seed }));
}

const COUNT = 64;

test.each(NAMES)("every operator of %s", (name) => {
  const one = isLong(name) ? "1n" : "1";
  const odd = isFloat(name) ? "b" : `(b | ${one})`;
  const expressions = [
    "a + b",
    "a - b",
    "a * b",
    "-a",
    isFloat(name) ? "a / b" : `${name}(a / ${odd})`,
    ...(isFloat(name)
      ? []
      : [
          `a % ${odd}`,
          "a & b",
          "a | b",
          "a ^ b",
          "~a",
          `a << (b & ${isLong(name) ? "63n" : "7"})`,
          `a >> (b & ${isLong(name) ? "63n" : "7"})`,
        ]),
    ...(name === "int" || name === "uint" ? [`${name}(a >>> (b & 31))`] : []),
    `a < b ? a : b`,
    `a >= b ? a : b`,
    `a === b || a > ${one} ? b : a`,
  ];
  const outputs = expressions.map((_, i) => `o${i}: Accessor<${name}>`).join(", ");
  const body = expressions.map((expression, i) => `  o${i}[i] = ${expression};`).join("\n");
  const text = `export const k = kernel((item: Item<1>, x: Accessor<${name}, "read">, y: Accessor<${name}, "read">, ${outputs}) => {
  const i = item.getId(0);
  const a = x[i], b = y[i];
${body}
  let c = a;
  c += b; c *= 3${isLong(name) ? "n" : ""}; c -= a; c++; --c;
  o0[i] = c;
});`;
  const Type = ARRAYS[name];
  const { others } = compare({
    text,
    kernel: "k",
    range: [COUNT],
    arguments: [
      valuesOf(name, COUNT, 1),
      valuesOf(name, COUNT, 2),
      ...expressions.map(() => new Type(COUNT) as unknown as Data),
    ],
    isUnfused: true,
  });
  expect(others).toEqual([]);
});

test.each(NAMES)("conversions of %s to every type", (name) => {
  const outputs = NAMES.map((to) => `o${to}: Accessor<${to}>`).join(", ");
  const body = NAMES.map((to) => `  o${to}[i] = ${to}(x[i]);`).join("\n");
  // What is beyond an integer's range is open in C.
  const small = valuesFrom(name, isLong(name) ? [0n, 1n, 100n] : [0, 1, 100, ...(isFloat(name) ? [0.5, 99.75] : [])]);
  const data = isFloat(name) ? small : valuesOf(name, COUNT, 3);
  const count = (data as unknown as { readonly length: number }).length;
  const { others } = compare({
    text: `export const k = kernel((item: Item<1>, x: Accessor<${name}, "read">, ${outputs}) => {\n  const i = item.getId(0);\n${body}\n});`,
    kernel: "k",
    range: [count],
    arguments: [data, ...NAMES.map((to) => new ARRAYS[to](count) as unknown as Data)],
  });
  expect(others).toEqual([]);
});

const sequence = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i + 0.5);

test("a reduction in local memory, with barriers in a loop", () => {
  const { numbers, others } = compare({
    text: `export const sums = kernel((item: NdItem<1>, x: Accessor<float, "read">, y: Accessor<float,
    "write">, s: LocalArray<float>) => {
  const l = item.getLocalId();
  s[l] = x[item.getGlobalId()];
  for (let h = item.getLocalRange() >> 1; h > 0; h >>= 1) {
    item.barrier("local");
    if (l < h) s[l] += s[l + h];
  }
  if (l === 0) y[item.getGroup()] = s[0];
});`,
    kernel: "sums",
    range: [32],
    localRange: [8],
    arguments: [sequence(32), new Float32Array(4), { local: 8 }],
  });
  expect(others).toEqual([]);
  expect(numbers[1]).toEqual(["32", "96", "160", "224"]);
});

test("a tile that is transposed, in two dimensions", () => {
  const { numbers, others } = compare({
    text: `const TILE = 4;
export const transposed = kernel((item: NdItem<2>, from: Accessor<float, "read", 2>, to: Accessor<float,
    "write", 2>) => {
  const tile = localArray(float, TILE, TILE + 1);
  tile[item.getLocalId(0)][item.getLocalId(1)] = from[item.getGlobalId(0)][item.getGlobalId(1)];
  item.barrier();


        to[item.getGroup(1) * TILE + item.getLocalId(0)][item.getGroup(0) * TILE + item.getLocalId(1)] =
    tile[item.getLocalId(1)][item.getLocalId(0)];
});`,
    kernel: "transposed",
    range: [8, 12],
    localRange: [4, 4],
    arguments: [
      { data: sequence(96), range: [8, 12] },
      { data: new Float32Array(96), range: [12, 8] },
    ],
  });
  expect(others).toEqual([]);
  expect(numbers[1]?.slice(0, 3)).toEqual(["0.5", "12.5", "24.5"]);
});

test("records with vectors, changed in memory and in variables that are copies", () => {
  const { others } = compare({
    text: `const Inner = record({ tag: uchar, pair: float2 });
const Body = record({ position: float4, mass: float, inner: Inner });
type Body = RecordOf<typeof Body>;
const moved = (body: Body, by: float): Body => {
  let made = body;
  made.position.xy = made.position.yx.mul(by);
  return made;
};
export const k = kernel((item: Item<1>, bodies: Accessor<Body>) => {
  const i = item.getId(0);
  const before = bodies[i];
  bodies[i] = moved(before, 2);
  bodies[i].mass += before.position.x;
  bodies[i].inner.pair.y = before.mass;
  bodies[i].inner.tag = uchar(i + 250);
  let copy = bodies[i].position;
  copy.w = 9;
  bodies[i].position.z = copy.w + bodies[i].position.w;
});`,
    kernel: "k",
    range: [8],
    arguments: [sequence(8 * 12)],
    isUnfused: true,
  });
  expect(others).toEqual([]);
});

test("vectors: components, methods, comparisons, conversions", () => {
  const { others } = compare({
    text: `export const k = kernel((item: Item<1>, x: Accessor<float4>, n: Accessor<int4>) => {
  const i = item.getId(0);
  let a = x[i];
  const b = a;
  a.x = 7;
  a.zw = b.xy;
  x[i] = select(a.add(b), float4(b.lo, b.odd), a.lt(b.mul(2)));
  n[i] = int4(a).shl(2).xor(n[i]).not().mul(int4(1, 2, 3, 4)).shr(1);
  n[i].w = int(dot(b, float4(1))) + b.hi.lt(100).x;
});`,
    kernel: "k",
    range: [4],
    arguments: [sequence(16), Int32Array.from({ length: 16 }, (_, i) => i * 1_000_003)],
    isUnfused: true,
  });
  expect(others).toEqual([]);
});

test("atomics, private arrays, tables and labels", () => {
  const { others } = compare({
    text: `const WEIGHTS: readonly uint[] = [3, 1, 4, 1];
export const k = kernel((item: NdItem<1>, bins: Accessor<uint>, x: Accessor<uint, "read">) => {
  const counts = privateArray(uint, 4);
  const squares = privateArray(int, [0, 1, 4, 9]);
  outer: for (let i = 0; i < 8; i++) {
    for (let j = 0; j < 3; j++) {
      if (j === 2) continue outer;
      if (i === 6) break outer;
      counts[(i + j) & 3] += WEIGHTS[j] + uint(squares[j]);
    }
  }
  outer: while (true) {
    do { break outer; } while (true);
  }
  for (let b = 0; b < 4; b++) {
    atomicRef(bins, b).fetchAdd(counts[b] * x[item.getGlobalId()]);
    atomicRef(bins, 4, "acq_rel").fetchMax(x[item.getGlobalId()]);
    atomicRef(bins, 5, "seq_cst", "device").fetchXor(counts[b]);
  }
});`,
    kernel: "k",
    range: [16],
    localRange: [4],
    arguments: [new Uint32Array(6), Uint32Array.from({ length: 16 }, (_, i) => i * 7 + 1)],
  });
  expect(others).toEqual([]);
});

test("functions of work-groups", () => {
  const { numbers, others } = compare({
    text: `export const k = kernel((item: NdItem<1>, n: Accessor<int>, o: Accessor<int>) => {
  const i = item.getGlobalId();


        o[i] = work_group_reduce_add(n[i]) * 1000 + work_group_scan_inclusive_max(n[i]) * 10 +
    work_group_scan_exclusive_add(1);
});`,
    kernel: "k",
    range: [8],
    localRange: [4],
    arguments: [Int32Array.of(3, 1, 4, 1, 5, 9, 2, 6), new Int32Array(8)],
  });
  expect(others).toEqual([]);
  expect(numbers[1]).toEqual(["9030", "9031", "9042", "9043", "22050", "22091", "22092", "22093"]);
});

const [first = 0, last = 30] = (process.env["MUXKIT_TYPESCRIPT_SEEDS"] ?? "0-30").split("-").map(Number);

test.each(Array.from({ length: last - first }, (_, i) => first + i))("the random program of seed %i", (seed) => {
  const { others } = compare({
    text: randomProgram(seed),
    kernel: "program",
    range: [16],
    arguments: [
      Int32Array.from({ length: 16 }, (_, i) => i * 77_777 - 400_000),
      Float32Array.from({ length: 16 }, (_, i) => (i - 8) * 1.375),
    ],
    isUnfused: true,
  });
  expect(others).toEqual([]);
});
