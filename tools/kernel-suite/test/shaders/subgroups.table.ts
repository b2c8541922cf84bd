// SPDX-License-Identifier: Apache-2.0
// Operations of sub-groups, each kind by itself: reductions, scans and clusters of every operation, of every type,
// masks, and the older extensions of ballots and votes.
import { type ShaderCase, f32, list, u32, zeros } from "./shader-case.ts";

const SIZE = "layout(local_size_x = 16) in;";
const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const I = "uint i = gl_GlobalInvocationID.x;";
const ARITHMETIC = "#extension GL_KHR_shader_subgroup_arithmetic : require";
const CLUSTERED = "#extension GL_KHR_shader_subgroup_clustered : require";
const NO_CLUSTERS = "lavapipe has no clusters of sub-groups";

type Operation = readonly [name: string, of: (a: number, b: number) => number, identity: number];

const OPERATIONS: readonly Operation[] = [
  ["Add", (a, b) => a + b, 0],
  ["Mul", (a, b) => Math.imul(a, b), 1],
  ["Min", (a, b) => Math.min(a, b), 0xffffffff],
  ["Max", (a, b) => Math.max(a, b), 0],
  ["And", (a, b) => a & b, 0xffffffff],
  ["Or", (a, b) => a | b, 0],
  ["Xor", (a, b) => a ^ b, 0],
];

/** What work-item i brings: odd, so that products do not become zero. */
const given = (i: number): number => ((i * 37) % 29) | 1;
const GIVEN = "uint v = ((i * 37u) % 29u) | 1u;";
/** Work-items of i's group of `size`, those before it alone where `until` is set. */
const near = (i: number, size: number, until = Infinity): number[] =>
  list(size, (n) => i - (i % size) + n).filter((n) => n < until);

const reduced = ([, of, identity]: Operation, items: readonly number[]): number =>
  items.map((n) => given(n)).reduce(of, identity) >>> 0;

const scans = (operation: Operation): ShaderCase => ({
  name: `sub-groups: subgroup${operation[0]}, inclusive and exclusive`,
  glsl: `${ARITHMETIC}\n${SIZE} ${OUT} void main() { ${I} ${GIVEN} o[i] = subgroup${operation[0]}(v); o[16u + i] = subgroupInclusive${operation[0]}(v); o[32u + i] = subgroupExclusive${operation[0]}(v); }`,
  resources: { "0,0": zeros(192) },
  expected: {
    "0,0": u32(
      ...list(16, (i) => reduced(operation, near(i, 8))),
      ...list(16, (i) => reduced(operation, near(i, 8, i + 1))),
      ...list(16, (i) => reduced(operation, near(i, 8, i))),
    ),
  },
});

const clusters = (operation: Operation): ShaderCase => ({
  name: `sub-groups: subgroupClustered${operation[0]} of two, four and eight`,
  lavapipe: NO_CLUSTERS,
  glsl: `${CLUSTERED}\n${SIZE} ${OUT} void main() { ${I} ${GIVEN} o[i] = subgroupClustered${operation[0]}(v, 2u); o[16u + i] = subgroupClustered${operation[0]}(v, 4u); o[32u + i] = subgroupClustered${operation[0]}(v, 8u); }`,
  resources: { "0,0": zeros(192) },
  expected: { "0,0": u32(...[2, 4, 8].flatMap((size) => list(16, (i) => reduced(operation, near(i, size))))) },
});

const mates = (i: number): number[] => near(i, 8);
/** The four numbers that a work-item brings. */
const quad = (n: number): number[] => [n, 1, n & 1, -n];
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Sums and shuffles of numbers of a type, as floats. */
const ofType = (type: string, lavapipe?: string): ShaderCase => ({
  name: `sub-groups: ${type}`,
  ...(lavapipe === undefined ? {} : { lavapipe }),
  glsl: `${ARITHMETIC}
    #extension GL_KHR_shader_subgroup_shuffle : require
    #extension GL_KHR_shader_subgroup_ballot : require
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    #extension GL_EXT_shader_subgroup_extended_types_int8 : require
    #extension GL_EXT_shader_subgroup_extended_types_int16 : require
    #extension GL_EXT_shader_subgroup_extended_types_int64 : require
    #extension GL_EXT_shader_subgroup_extended_types_float16 : require
    ${SIZE} ${FLOATS} void main() { ${I} ${type} v = ${type}(i & 7u); o[i] = float(subgroupAdd(v)) + 100.0 * float(subgroupMax(v)) + 1000.0 * float(subgroupShuffleXor(v, 3u)) + 10000.0 * float(subgroupBroadcast(v, 5u)) + 100000.0 * float(subgroupExclusiveAdd(v)); }`,
  resources: { "0,0": zeros(64) },
  expected: {
    "0,0": f32(
      ...list(16, (i) => {
        const n = i & 7;
        return 28 + 700 + 1000 * (n ^ 3) + 50000 + 100000 * ((n * (n - 1)) / 2);
      }),
    ),
  },
});

export const SUBGROUP_CASES: readonly ShaderCase[] = [
  ...OPERATIONS.map(scans),
  ...OPERATIONS.map(clusters),
  ...["int8_t", "uint8_t", "int16_t", "int64_t", "uint64_t", "float16_t", "double"].map((type) => ofType(type)),
  {
    name: "sub-groups: signed and float minimum and maximum",
    glsl: `${ARITHMETIC}\n${SIZE} ${FLOATS} void main() { ${I} int s = int(i) - 11; float f = float(s) * 0.5; o[i] = float(subgroupMin(s)) + 100.0 * float(subgroupMax(s)) + 10000.0 * subgroupMin(f) + 1000000.0 * subgroupInclusiveMax(f); }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": f32(
        ...list(16, (i) => {
          const own = mates(i).map((n) => n - 11);
          const [least, most] = [Math.min(...own), Math.max(...own)];
          return least + 100 * most + 5000 * least + 500000 * (i - 11);
        }),
      ),
    },
  },
  {
    name: "sub-groups: masks of the others",
    glsl: `#extension GL_KHR_shader_subgroup_ballot : require\n${SIZE} ${OUT} void main() { ${I} o[i] = gl_SubgroupEqMask.x; o[16u + i] = gl_SubgroupGeMask.x & 0xffu; o[32u + i] = gl_SubgroupGtMask.x & 0xffu; o[48u + i] = gl_SubgroupLeMask.x; o[64u + i] = gl_SubgroupLtMask.x + gl_SubgroupLtMask.y; }`,
    resources: { "0,0": zeros(320) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => 1 << (i & 7)),
        ...list(16, (i) => (0xff << (i & 7)) & 0xff),
        ...list(16, (i) => (0xfe << (i & 7)) & 0xff),
        ...list(16, (i) => (2 << (i & 7)) - 1),
        ...list(16, (i) => (1 << (i & 7)) - 1),
      ),
    },
  },
  {
    name: "sub-groups: ballots and votes of the older extensions",
    glsl: `#extension GL_ARB_shader_ballot : require
      #extension GL_ARB_shader_group_vote : require
      #extension GL_ARB_gpu_shader_int64 : require
      ${SIZE} ${OUT} void main() { ${I} o[i] = uint(ballotARB((i & 3u) == 1u)) + 1000u * readFirstInvocationARB(i) + 100000u * readInvocationARB(i * 2u, 3u) + 10000000u * uint(anyInvocationARB(i > 13u)) + 20000000u * uint(allInvocationsARB(i < 8u)); }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(...list(16, (i) => 0x22 + 1000 * (i & ~7) + 100000 * ((i & ~7) + 3) * 2 + (i < 8 ? 20000000 : 10000000))),
    },
  },
  {
    name: "sub-groups: the result of a loop that ends at another time for each",
    glsl: `${ARITHMETIC}\n${SIZE} ${OUT} void main() { ${I} uint s = 0u; for (uint k = 0u; k <= (i & 3u); k++) s += subgroupAdd(1u); o[i] = s; }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => sum(list((i & 3) + 1, (k) => 8 - 2 * k)))) },
  },
  {
    name: "sub-groups: one of each elects, and says how many are in it",
    glsl: `#extension GL_KHR_shader_subgroup_ballot : require\n${SIZE} ${OUT} void main() { ${I} if ((i & 7u) >= 3u) { uint n = subgroupBallotBitCount(subgroupBallot(true)); if (subgroupElect()) o[i] = n; else o[i] = subgroupBallotInclusiveBitCount(subgroupBallot(true)); } }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => ((i & 7) < 3 ? 0 : (i & 7) === 3 ? 5 : (i & 7) - 3))) },
  },
  {
    name: "sub-groups: vectors, and values through a branch on the sub-group",
    glsl: `${ARITHMETIC}\n#extension GL_KHR_shader_subgroup_shuffle : require\n${SIZE} layout(binding = 0) buffer Out { vec4 o[]; }; void main() { ${I} vec4 v = vec4(i, 1.0, float(i & 1u), -float(i)); vec4 w = gl_SubgroupID == 0u ? subgroupAdd(v) : subgroupMin(v); o[i] = w + subgroupShuffle(v, gl_SubgroupInvocationID ^ 1u); }`,
    resources: { "0,0": zeros(256) },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const all = mates(i).map((n) => quad(n));
          const other = quad(i ^ 1);
          return list(4, (lane) => {
            const own = all.map((values) => values[lane] ?? 0);
            return (i < 8 ? sum(own) : Math.min(...own)) + (other[lane] ?? 0);
          });
        }),
      ),
    },
  },
];

