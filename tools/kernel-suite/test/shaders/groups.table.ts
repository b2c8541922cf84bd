// SPDX-License-Identifier: Apache-2.0
// Memory of work-groups, barriers, atomic operations, sub-groups.

import { type ShaderCase, buffer, f32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 16) in;";
const I = "uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;";

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
/** The sub-group of a work-item of a work-group of 16: sub-groups have 8. */
const mates = (i: number): number[] => list(8, (n) => (i & ~7) + n);

const isOn = (n: number): boolean => n % 2 === 1 || n === 2;

const GROUPS: readonly ShaderCase[] = [
  {
    name: "a reduction in memory of the work-group",
    glsl: `${SIZE} ${OUT} shared uint s[16]; void main() { ${I} s[l] = i * i; barrier();
      for (uint k = 8u; k > 0u; k /= 2u) { if (l < k) s[l] += s[l + k]; barrier(); } o[i] = s[0]; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(128) },
    expected: { "0,0": u32(...list(32, (i) => sum(list(16, (n) => ((i & 16) + n) ** 2)))) },
  },
  {
    name: "structs, matrices and truth values in memory of the work-group, in functions",
    glsl: `${SIZE} ${FLOATS} struct S { mat2 m; bvec3 b; vec3 v[2]; }; shared S s[16]; float get(uint n) { return s[n].m[1].x + (s[n].b.y ? 100.0 : 0.0) + s[n].v[n & 1u].z; }
      void main() { ${I} s[l].m = mat2(i, 1, 2u * i, 3); s[l].b = bvec3(false, i > 5u, true); s[l].v[0] = vec3(0.0); s[l].v[1] = vec3(0, 0, 1000); memoryBarrierShared(); barrier(); o[i] = get(15u - l); }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": f32(...list(16, (i) => 15 - i).map((n) => 2 * n + (n > 5 ? 100 : 0) + (n % 2 === 1 ? 1000 : 0))),
    },
  },
  {
    name: "memory of the work-group as two blocks at one place",
    lavapipe: "lavapipe has no explicit layouts of memory of work-groups",
    glsl: `#extension GL_EXT_shared_memory_block : require\n${SIZE} ${OUT} shared A { uint a[16]; }; shared B { layout(offset = 4) uint b[15]; };
      void main() { ${I} a[l] = i; barrier(); o[i] = l < 15u ? b[l] : 99u; }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => (i < 15 ? i + 1 : 99))) },
  },
  {
    name: "memory of the work-group that begins as zero",
    glsl: `#extension GL_EXT_null_initializer : require\n${SIZE} ${OUT} shared uint s[37] = {}; shared uint n = {}; void main() { ${I} atomicAdd(n, s[36] + 1u); barrier(); o[i] = n + s[l * 2u]; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(128) },
    expected: { "0,0": u32(...list(32, () => 16)) },
  },
  {
    name: "atomic operations on a buffer",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer A { uint add; int least; uint most; uint both; uint any; uint odd; uint last; uint once; };
      void main() { ${I} atomicAdd(add, i); atomicMin(least, -int(i)); atomicMax(most, i); atomicAnd(both, ~(1u << i)); atomicOr(any, 1u << i); atomicXor(odd, i);
        uint before = atomicExchange(last, i); uint won = atomicCompSwap(once, 0u, 5u); o[i] = won == 0u ? 1u : won; }`,
    resources: { "0,0": zeros(64), "0,1": buffer(u32(0, 0, 0, 0xffffffff, 0, 0, 0, 1)) },
    expected: { "0,0": u32(...list(16, () => 1)) },
  },
  {
    name: "results of atomic operations",
    glsl: `${SIZE} layout(binding = 0) buffer A { uint add; int least; uint most; uint both; uint any; uint odd; };
      void main() { ${I} atomicAdd(add, i); atomicMin(least, -int(i)); atomicMax(most, i); atomicAnd(both, ~(1u << i)); atomicOr(any, 1u << i); atomicXor(odd, i + 1u); }`,
    groups: [2, 1, 1],
    resources: { "0,0": buffer(u32(4, 0, 0, 0xffffffff, 0, 0)) },
    expected: { "0,0": u32(4 + 496, -31 >>> 0, 31, 0, 0xffffffff, list(32, (i) => i + 1).reduce((a, b) => a ^ b)) },
  },
  {
    name: "atomic operations on floats, on ints of 64 bits, on memory of the work-group",
    glsl: `#extension GL_EXT_shader_atomic_float : require
      #extension GL_EXT_shader_atomic_int64 : require
      #extension GL_EXT_shader_explicit_arithmetic_types : require
      ${SIZE} layout(binding = 0) buffer A { float f; }; layout(binding = 1) buffer B { uint64_t n; uint t; }; shared uint s; shared float g;
      void main() { ${I} if (l == 0u) { s = 0u; g = 0.0; } barrier(); atomicAdd(f, 0.5); atomicAdd(n, 4000000000ul); atomicAdd(s, 2u); atomicAdd(g, 1.0); barrier(); if (l == 0u) t = s + uint(g); }`,
    resources: { "0,0": zeros(4), "0,1": zeros(16) },
    expected: { "0,0": f32(8), "0,1": u32(64e9 % 2 ** 32, Math.floor(64e9 / 2 ** 32), 48, 0) },
  },
  {
    name: "the Vulkan memory model: scopes and semantics",
    glsl: `#pragma use_vulkan_memory_model
      #extension GL_KHR_memory_scope_semantics : require
      ${SIZE} layout(binding = 0) workgroupcoherent buffer Out { uint o[]; }; shared uint s[16];
      void main() { ${I} s[l] = i + 1u; controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
        atomicStore(o[i], s[15u - l], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease); atomicAdd(o[i], 100u, gl_ScopeWorkgroup, 0, 0); }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => 116 - i)) },
  },
  {
    name: "variable pointers by selection in spirv-opt's hands: a function of a buffer's element",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { uvec2 b[16]; uint c[]; }; void swap(inout uvec2 x) { x = x.yx; }
      void main() { ${I} swap(b[i]); c[i] += uint(c.length()); o[i] = b[i].x * 10u + b[i].y; }`,
    resources: { "0,0": zeros(64), "0,1": buffer(u32(...list(48, (i) => i))) },
    expected: { "0,0": u32(...list(16, (i) => (2 * i + 1) * 10 + 2 * i)) },
  },
  {
    name: "sub-groups: ids and votes",
    glsl: `#extension GL_KHR_shader_subgroup_vote : require\n#extension GL_KHR_shader_subgroup_basic : require\n${SIZE} ${OUT} void main() { ${I} subgroupBarrier();
      o[i] = gl_SubgroupInvocationID + 10u * gl_SubgroupID + 100u * gl_NumSubgroups + 1000u * gl_SubgroupSize + 10000u * uint(subgroupElect()) + 20000u * uint(subgroupAll(i < 8u)) + 40000u * uint(subgroupAny(i == 9u)) + 80000u * uint(subgroupAllEqual(i / 8u)) + 160000u * uint(subgroupAllEqual(vec2(1.0, i))); }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => (i & 7) + 10 * (i >> 3) + 8200 + (i % 8 === 0 ? 10000 : 0) + (i < 8 ? 20000 : 40000) + 80000),
      ),
    },
  },
  {
    name: "sub-groups: reductions and scans, of vectors too",
    lavapipe: "lavapipe has no clusters of sub-groups",
    glsl: `#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_clustered : require\n${SIZE} ${OUT} void main() { ${I} uvec2 v = subgroupAdd(uvec2(i, 1u)); ivec3 w = subgroupMax(ivec3(i, -int(i), 5));
      o[i] = v.x + v.y * 1000u + subgroupInclusiveAdd(i) * 10000u + subgroupExclusiveMul(2u) * 1000000u + uint(w.y + 20) + subgroupClusteredMin(i, 4u) * 100000000u + uint(subgroupOr(i == 3u)) * 7u; }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => {
          const own = mates(i);
          const before = own.filter((n) => n <= i);
          return (
            sum(own) + 8000 + sum(before) * 10000 + 2 ** (i & 7) * 1000000 + 20 - (i & ~7) + (i & ~3) * 100000000 + (i < 8 ? 7 : 0)
          );
        }),
      ),
    },
  },
  {
    name: "sub-groups: ballots",
    glsl: `#extension GL_KHR_shader_subgroup_ballot : require\n${SIZE} ${OUT} void main() { ${I} uvec4 b = subgroupBallot((i & 1u) == 1u || i == 2u);
      o[i] = b.x + 1000u * subgroupBallotBitCount(b) + 10000u * subgroupBallotFindLSB(b) + 100000u * subgroupBallotFindMSB(b) + 1000000u * uint(subgroupBallotBitExtract(b, 2u)) + 2000000u * uint(subgroupInverseBallot(b)) + 10000000u * subgroupBallotExclusiveBitCount(b)
        + subgroupBroadcast(i, 3u) * 100000000u + subgroupBroadcastFirst(uvec2(i, 1u)).x + gl_SubgroupLtMask.x; }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => {
          const own = mates(i);
          const bits = sum(own.map((n) => (isOn(n) ? 1 << (n & 7) : 0)));
          const count = own.filter((n) => isOn(n)).length;
          const before = own.filter((n) => n < i && isOn(n)).length;
          const base = i & ~7;
          return (
            bits + 1000 * count + 10000 + 700000 + ((bits >> 2) & 1) * 1000000 + (isOn(i) ? 2000000 : 0) + before * 10000000 +
            (base + 3) * 100000000 + base + (2 ** (i & 7) - 1)
          );
        }),
      ),
    },
  },
  {
    name: "sub-groups: shuffles and quads, of vectors and truth values",
    glsl: `#extension GL_KHR_shader_subgroup_shuffle : require\n#extension GL_KHR_shader_subgroup_shuffle_relative : require\n#extension GL_KHR_shader_subgroup_quad : require\n${SIZE} ${OUT} void main() { ${I} vec2 v = subgroupShuffle(vec2(i, 2u * i), 7u - (i & 7u));
      bool b = subgroupShuffleXor(i == 3u, 1u); uint n = i & 7u; uint up = subgroupShuffleUp(i, 1u), down = subgroupShuffleDown(i, 2u);
      o[i] = uint(v.x + v.y) + (b ? 1000u : 0u) + (n > 0u ? up * 10000u : 0u) + (n < 6u ? down * 1000000u : 0u) + subgroupQuadSwapHorizontal(i) * 10000000u + subgroupQuadSwapVertical(i) + subgroupQuadSwapDiagonal(i) + subgroupQuadBroadcast(i, 1u); }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => {
          const n = i & 7;
          const other = (i & ~7) + 7 - n;
          return (
            3 * other + (i === 2 ? 1000 : 0) + (n > 0 ? (i - 1) * 10000 : 0) + (n < 6 ? (i + 2) * 1000000 : 0) +
            (i ^ 1) * 10000000 + (i ^ 2) + (i ^ 3) + (i & ~3) + 1
          );
        }),
      ),
    },
  },
  {
    name: "sub-groups in conditions",
    glsl: `#extension GL_KHR_shader_subgroup_arithmetic : require\n${SIZE} ${OUT} void main() { ${I} uint v = 0u; if ((i & 1u) == 0u) v = subgroupAdd(i); else v = subgroupMin(i); o[i] = v; }`,
    resources: { "0,0": zeros(64) },
    expected: {
      "0,0": u32(
        ...list(16, (i) => (i % 2 === 0 ? sum(mates(i).filter((n) => n % 2 === 0)) : (i & ~7) + 1)),
      ),
    },
  },
];

export const GROUP_CASES: readonly ShaderCase[] = GROUPS;
