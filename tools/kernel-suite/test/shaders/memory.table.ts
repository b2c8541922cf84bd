// SPDX-License-Identifier: Apache-2.0
// Memory: atomic operations of every width, small numbers in blocks, layouts, arrays of descriptors, robust access.
import { type ShaderCase, buffer, bytesOf, f32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 8) in;";
const I = "uint i = gl_GlobalInvocationID.x;";
const ALL_TYPES = "#extension GL_EXT_shader_explicit_arithmetic_types : require";
const SMALL = `#extension GL_EXT_shader_8bit_storage : require
  #extension GL_EXT_shader_16bit_storage : require
  ${ALL_TYPES}`;
const LONG_ATOMICS = `${ALL_TYPES}\n#extension GL_EXT_shader_atomic_int64 : require`;

const longs = (...values: bigint[]): Uint8Array => bytesOf(BigUint64Array.from(values));

const ATOMICS: readonly ShaderCase[] = [
  {
    name: "atomic operations of 64 bits on a buffer",
    glsl: `${LONG_ATOMICS}\n${SIZE} layout(binding = 0) buffer A { uint64_t add; uint64_t least; uint64_t most; uint64_t both; uint64_t any; uint64_t odd; uint64_t last; uint64_t once; int64_t low; };
      void main() { ${I} uint64_t n = uint64_t(i) << 33; atomicAdd(add, n); atomicMin(least, n + 5ul); atomicMax(most, n); atomicAnd(both, ~(1ul << (i + 40u))); atomicOr(any, 1ul << (i + 30u)); atomicXor(odd, n); if (i == 0u) atomicExchange(last, 77ul << 32); atomicCompSwap(once, 9ul << 32, 3ul << 40); atomicMin(low, -int64_t(n)); }`,
    resources: { "0,0": { buffer: longs(1n, 1n << 60n, 0n, (1n << 64n) - 1n, 0n, 0n, 0n, 9n << 32n, 0n) } },
    expected: {
      "0,0": longs(
        (28n << 33n) + 1n,
        5n,
        7n << 33n,
        (1n << 64n) - 1n - (255n << 40n),
        255n << 30n,
        0n,
        77n << 32n,
        3n << 40n,
        (1n << 64n) - (7n << 33n),
      ),
    },
  },
  {
    name: "atomic operations of 64 bits on memory of the work-group",
    glsl: `${LONG_ATOMICS}\n${SIZE} layout(binding = 0) buffer O { uint64_t o[]; }; shared uint64_t s; shared int64_t t; void main() { ${I} if (i == 0u) { s = 1ul << 50; t = 0L; } barrier(); atomicAdd(s, uint64_t(i)); atomicMax(t, int64_t(i) << 35); barrier(); o[i] = s + uint64_t(t); }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": longs(...list(8, () => 0).map(() => (1n << 50n) + 28n + (7n << 35n))) },
  },
  {
    name: "atomic operations on memory of the work-group",
    glsl: `${SIZE} ${OUT} shared uint a, b, c, d, e; shared int f; void main() { ${I} if (i == 0u) { a = 99u; b = 0u; c = ~0u; d = 0u; e = 0u; f = 0; } barrier(); atomicMin(a, i + 2u); atomicMax(b, i); atomicAnd(c, ~(1u << i)); atomicOr(d, 1u << i); atomicXor(e, i); atomicMin(f, -int(i)); barrier(); uint all[8] = uint[](a, b, c, d, e, uint(f), 1u, 2u); o[i] = all[i]; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(2, 7, 0xffffff00, 0xff, 0, -7 >>> 0, 1, 2) },
  },
  {
    name: "atomic operations on floats: exchange, least and most",
    glsl: `#extension GL_EXT_shader_atomic_float : require
      #extension GL_EXT_shader_atomic_float2 : require
      ${SIZE} layout(binding = 0) buffer A { float least; float most; float last; float read; }; shared float s; void main() { ${I} if (i == 0u) s = 0.0; barrier(); float x = float(i) * 0.5 - 2.0; atomicMin(least, x); atomicMax(most, x); atomicMax(s, x); if (i == 3u) atomicExchange(last, 7.5); barrier(); if (i == 0u) read = s; }`,
    resources: { "0,0": zeros(16) },
    expected: { "0,0": f32(-2, 1.5, 7.5, 1.5) },
  },
  {
    name: "atomic operations on doubles",
    glsl: `#extension GL_EXT_shader_atomic_float : require\n${SIZE} layout(binding = 0) buffer A { double sum; double last; }; void main() { ${I} atomicAdd(sum, double(i) * 0.25lf); if (i == 5u) atomicExchange(last, 0.125lf); }`,
    resources: { "0,0": buffer(Float64Array.of(1, 2)) },
    expected: { "0,0": Float64Array.of(8, 0.125) },
    lavapipe: "lavapipe has no atomic operations on doubles",
  },
  {
    name: "a lock of compare and exchange, and a counter of work-groups",
    glsl: `layout(local_size_x = 1) in; layout(binding = 0) coherent buffer A { uint lock; uint sum; uint done; uint o[]; }; void main() { uint g = gl_WorkGroupID.x; bool isDone = false; for (uint t = 0u; t < 100000u && !isDone; t++) if (atomicCompSwap(lock, 0u, 1u) == 0u) { sum += g; memoryBarrierBuffer(); atomicExchange(lock, 0u); isDone = true; } o[atomicAdd(done, 1u)] = 1u; }`,
    groups: [5, 1, 1],
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(0, 10, 5, 1, 1, 1, 1, 1) },
  },
];

const BLOCKS: readonly ShaderCase[] = [
  {
    name: "bytes and shorts in uniform blocks and push constants",
    glsl: `${SMALL}\n${SIZE} ${OUT} layout(binding = 1, std430) readonly buffer U { u8vec4 a; int16_t b; u16vec2 c[2]; }; layout(push_constant) uniform P { uint8_t d; int8_t e; uint16_t f; } p; void main() { ${I} o[i] = uint(a[i & 3u]) + uint(int(b)) + uint(c[i & 1u].y) * 100u + uint(p.d) * 10000u + uint(int(p.e) + 2) * 1000000u + uint(p.f) * 10000000u; }`,
    resources: { "0,0": zeros(32), "0,1": { buffer: Uint8Array.of(1, 2, 3, 4, 10, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0) } },
    push: Uint8Array.of(9, 0xff, 3, 0),
    expected: { "0,0": u32(...list(8, (i) => (i & 3) + 1 + 10 + (i % 2 === 0 ? 600 : 800) + 90000 + 1000000 + 30000000)) },
  },
  {
    name: "vectors and structs of small numbers",
    glsl: `${SMALL}\n#extension GL_EXT_scalar_block_layout : require\n${SIZE} struct S { u8vec3 a; int16_t b; i8vec2 c; }; layout(binding = 0, scalar) buffer B { S s[]; }; void main() { ${I} s[i].a = s[i].a.zxy + uint8_t(1); s[i].b = int16_t(s[i].b * int16_t(2)) - int16_t(s[i].c.y); s[i].c = -s[i].c; }`,
    resources: { "0,0": { buffer: Uint8Array.from(list(64, (i) => (i % 8 === 3 ? 0 : i % 8 === 5 ? 0 : i + 1))) } },
    expected: {
      "0,0": Uint8Array.from(
        list(8, (n) => 8 * n).flatMap((n) => {
          const b = 2 * (n + 5) - (n + 8);
          return [n + 4, n + 2, n + 3, 0, b & 255, (b >> 8) & 255, -(n + 7) & 255, -(n + 8) & 255];
        }),
      ),
    },
  },
  {
    name: "halves in structs, matrices and arrays of buffers",
    glsl: `${SMALL}\n${SIZE} ${FLOATS} layout(binding = 1) readonly buffer H { float16_t a; f16vec3 b[2]; f16mat2 m; }; void main() { ${I} o[i] = float(a) + 10.0 * float(b[i & 1u].z) + 100.0 * float(m[1].x) + 1000.0 * float(b[1][i % 3u]); }`,
    resources: {
      "0,0": zeros(32),
      "0,1": buffer(
        Uint16Array.of(0x3c00, 0, 0, 0, 0x4000, 0x4200, 0x4400, 0, 0x4500, 0x4600, 0x4700, 0, 0x3800, 0x3400, 0x4800, 0x4880),
      ),
    },
    expected: { "0,0": f32(...list(8, (i) => 1 + (i % 2 === 0 ? 40 : 70) + 800 + 1000 * (5 + (i % 3)))) },
  },
  {
    name: "arrays of arrays of structs in std140 and std430",
    glsl: `${SIZE} ${FLOATS} struct S { float a; vec2 b; }; layout(binding = 1, std140) uniform U { S s[2][2]; float e; }; layout(binding = 2, std430) readonly buffer B { S t[2][2]; float f; }; void main() { ${I} uint x = i & 1u, y = (i >> 1) & 1u; o[i] = s[x][y].a + 10.0 * s[y][x].b.y + 100.0 * t[x][y].b.x + 1000.0 * t[y][x].a + 10000.0 * (e + f); }`,
    resources: {
      "0,0": zeros(32),
      "0,1": buffer(f32(...list(4, (n) => n).flatMap((n) => [n, 0, n + 4, n + 5]), 3, 0, 0, 0)),
      "0,2": buffer(f32(...list(4, (n) => n).flatMap((n) => [n, 0, n + 2, n + 3]), 4, 0)),
    },
    expected: {
      "0,0": f32(
        ...list(8, (i) => {
          const [x, y] = [i & 1, (i >> 1) & 1];
          const [xy, yx] = [2 * x + y, 2 * y + x];
          return xy + 10 * (yx + 5) + 100 * (xy + 2) + 1000 * yx + 70000;
        }),
      ),
    },
  },
  {
    name: "push constants of 128 bytes, by a dynamic index, with matrices",
    glsl: `${SIZE} ${FLOATS} layout(push_constant, std430) uniform P { mat3 m; vec4 v[4]; float last[4]; } p; void main() { ${I} o[i] = p.m[i % 3u].y + 10.0 * p.v[i & 3u].w + 100.0 * p.last[i & 3u]; }`,
    resources: { "0,0": zeros(32) },
    push: bytesOf(f32(...list(32, (i) => i))),
    expected: { "0,0": f32(...list(8, (i) => 4 * (i % 3) + 1 + 10 * (12 + 4 * (i & 3) + 3) + 100 * (28 + (i & 3)))) },
  },
  {
    name: "an array without a length of structs with arrays in them",
    glsl: `${SIZE} struct S { uvec3 a; uint b[3]; mat2 m; }; layout(binding = 0) buffer B { uint n; S s[]; }; void main() { ${I} if (i < uint(s.length())) { s[i].b[i] = s[i].a.z + uint(s[i].m[1].x); n = uint(s.length()); s[i].m[0] = vec2(i, 9); } }`,
    resources: { "0,0": { buffer: bytesOf(u32(...list(4 + 3 * 12, (i) => (i < 4 ? 0 : (i - 4) % 12 === 8 ? 0x40000000 : i)))) } },
    expected: {
      "0,0": u32(
        ...list(40, (i) => {
          if (i < 4) return i === 0 ? 3 : 0;
          const [element, at] = [Math.floor((i - 4) / 12), (i - 4) % 12];
          if (at === 3 + element) return 4 + 12 * element + 2 + 2;
          if (at === 6) return new Uint32Array(f32(element).buffer)[0] ?? 0;
          return at === 7 ? 0x41100000 : at === 8 ? 0x40000000 : i;
        }),
      ),
    },
  },
  {
    name: "an array of uniform blocks, by a uniform index",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform U { uvec4 v; } u[3]; layout(push_constant) uniform P { uint k; } p; void main() { ${I} o[i] = u[p.k].v[i & 3u] + 100u * u[0].v.x + 1000u * u[gl_WorkGroupID.x].v.y; }`,
    resources: { "0,0": zeros(32), "0,1": list(3, (n) => n).map((n) => buffer(u32(...list(4, (i) => 10 * n + i)))) },
    push: bytesOf(u32(2)),
    expected: { "0,0": u32(...list(8, (i) => 20 + (i & 3) + 1000)) },
  },
];

const ROBUST: readonly ShaderCase[] = [
  {
    name: "robust access: atomic operations and stores outside do nothing, in every element",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { uint n; uint v[]; }; void main() { ${I} atomicMax(v[i * 2u], 50u + i); v[i + 4000u] = 3u; uint old = atomicExchange(v[i + 400u], 8u); o[i] = old + uint(v.length()); }`,
    options: "-muxkit-robust-buffer-access=zero",
    resources: { "0,0": zeros(32), "0,1": buffer(u32(...list(8, (i) => i))) },
    expected: { "0,0": u32(...list(8, () => 7)), "0,1": u32(0, 50, 2, 51, 4, 52, 6, 53) },
  },
  {
    name: "robust access: matrices and structs at the end of a buffer, uniform blocks",
    glsl: `${SIZE} ${FLOATS} struct S { mat2 m; float f; }; layout(binding = 1) readonly buffer B { S s[]; }; layout(binding = 2) uniform U { vec4 u[8]; }; void main() { ${I} S own = s[i]; o[i] = own.m[0].x + 10.0 * own.m[1].y + 100.0 * own.f + 1000.0 * u[i].w; }`,
    options: "-muxkit-robust-buffer-access=zero",
    resources: {
      "0,0": zeros(32),
      "0,1": buffer(f32(...list(18, (i) => i + 1))),
      "0,2": buffer(f32(...list(32, (i) => i))),
    },
    expected: {
      "0,0": f32(
        ...list(8, (i) => {
          const read = (at: number): number => (6 * i + at < 18 ? 6 * i + at + 1 : 0);
          return read(0) + 10 * read(3) + 100 * read(4) + 1000 * (4 * i + 3);
        }),
      ),
    },
  },
  {
    name: "printing of every kind of number",
    glsl: `${ALL_TYPES}\n#extension GL_EXT_debug_printf : require\n${SIZE} ${OUT} void main() { ${I} o[i] = i; if (i == 1u) { debugPrintfEXT("%u %x %i|", 7u, 255u, -4); debugPrintfEXT("%f %e %g|", 0.5, 1024.0, 0.25); debugPrintfEXT("%lu|", 1ul << 40); debugPrintfEXT("%v2u %% %d\\n", uvec2(3, 4), 5); } }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => i)) },
    printed: "7 ff -4|0.500000 1.024000e+03 0.25|1099511627776|3,4 % 5\n",
  },
  {
    name: "the Vulkan memory model: messages between work-groups, and access that is not private",
    glsl: `#pragma use_vulkan_memory_model
      #extension GL_KHR_memory_scope_semantics : require
      ${SIZE} layout(binding = 0) devicecoherent buffer Out { uint o[8]; uint flag; uint seen; }; void main() { ${I} o[i] = i * 5u; memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable); barrier(); if (i == 0u) { atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease); seen = atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) + atomicCompSwap(flag, 1u, 2u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease, gl_StorageSemanticsBuffer, gl_SemanticsAcquire); } }`,
    resources: { "0,0": zeros(40) },
    expected: { "0,0": u32(...list(8, (i) => i * 5), 2, 2) },
  },
];

export const MEMORY_CASES: readonly ShaderCase[] = [...ATOMICS, ...BLOCKS, ...ROBUST];
