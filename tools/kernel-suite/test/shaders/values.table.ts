// SPDX-License-Identifier: Apache-2.0
// Numbers of every width and their conversions, arrays and structs as values, control flow, specialization constants.
import { type ShaderCase, buffer, bytesOf, f32, i32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const INTS = "layout(set = 0, binding = 0, std430) buffer Out { int o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 8) in;";
const I = "uint i = gl_GlobalInvocationID.x;";
const ALL_TYPES = "#extension GL_EXT_shader_explicit_arithmetic_types : require";

/** A function of ints over inputs. */
const ofInts = (name: string, body: string, inputs: readonly number[], of: (x: number) => number, lavapipe?: string): ShaderCase => ({
  name,
  ...(lavapipe === undefined ? {} : { lavapipe }),
  glsl: `${ALL_TYPES}\n${SIZE} ${INTS} void main() { ${I} int x = o[i]; o[i] = ${body}; }`,
  resources: { "0,0": buffer(i32(...inputs)) },
  expected: { "0,0": i32(...inputs.map((x) => of(x) | 0)) },
});

const MIXED = [-2147483648, -100000, -7, -1, 0, 5, 12345, 2147483647];
const long = (value: bigint): number => Number(BigInt.asIntN(32, value));

const NUMBERS: readonly ShaderCase[] = [
  ofInts("division and remainder of ints with a sign", "x / 7 * 3 + x % 10 * 5", MIXED.map((x) => Math.abs(x | 1) & 0xffffff), (x) =>
    Math.trunc(x / 7) * 3 + (x % 10) * 5),
  ofInts("division and remainder without a sign", "int(uint(x) / 7u ^ uint(x) % 1000u)", MIXED, (x) =>
    Math.floor((x >>> 0) / 7) ^ ((x >>> 0) % 1000)),
  ofInts("shifts, with and without a sign", "(x >> 3) ^ int(uint(x) >> 5) ^ (x << 7)", MIXED, (x) => (x >> 3) ^ (x >>> 5) ^ (x << 7)),
  ofInts("arithmetic of 64 bits", "int((int64_t(x) * 123456789L - 5L) / 1000L >> 3) ^ int((uint64_t(x) * 3ul) >> 32)", MIXED, (x) =>
    long(((BigInt(x) * 123456789n - 5n) / 1000n) >> 3n) ^ long(BigInt.asUintN(64, BigInt(x) * 3n) >> 32n)),
  ofInts("comparisons of 64 bits", "(int64_t(x) < -5L ? 1 : 0) + (uint64_t(x) > 4294967295ul ? 2 : 0) + (int64_t(x) * 2L == int64_t(x + x) ? 4 : 0) + int(max(int64_t(x), 9L))", MIXED, (x) =>
    Number(x < -5) + (x < 0 ? 2 : 0) + (2 * x === ((x + x) | 0) ? 4 : 0) + Math.max(x, 9), "Mesa 22.3 finds that int64_t(-7) is not less than -5"),
  ofInts("arithmetic of 16 bits", "int(int16_t(x) * int16_t(3) / int16_t(2)) + int(uint16_t(x) >> 4)", MIXED.map((x) => x & 0x1fff), (x) =>
    Math.trunc((x * 3) / 2) + (x >> 4)),
  ofInts("arithmetic of 8 bits", "int(int8_t(x) + int8_t(100)) * 256 + int(uint8_t(x) * uint8_t(7))", MIXED, (x) =>
    ((((x + 100) << 24) >> 24) * 256) + (((x & 255) * 7) & 255)),
  ofInts("bits of vectors of ints", "bitCount(ivec4(x, x >> 1, ~x, 1)).x * 100 + bitCount(uvec2(x, 7)).y + findLSB(ivec2(x, 8)).y * 10000 + bitfieldReverse(ivec3(1, x, 2)).x", MIXED, (x) =>
    (x >>> 0).toString(2).replaceAll("0", "").length * 100 + 3 + 30000 + (1 << 31)),
  ofInts("the bits of floats", "floatBitsToInt(float(x >> 8)) ^ int(floatBitsToUint(0.5)) ^ int(intBitsToFloat(0x40a00000))", MIXED, (x) =>
    (new Int32Array(f32(x >> 8).buffer)[0] ?? 0) ^ 0x3f000000 ^ 5),
  {
    name: "the parts of long ints",
    glsl: `${ALL_TYPES}\n${SIZE} ${OUT} void main() { ${I} uint64_t n = packUint2x32(uvec2(i, 7u)); uvec2 p = unpackUint2x32(n * 3ul); u16vec4 q = unpack16(n); u8vec4 r = unpack8(i * 0x01020304u); o[i] = p.x + 100u * p.y + 10000u * uint(q.z) + 1000000u * uint(pack16(i8vec2(int(i), 2))) % 7u + uint(r.y) * 10000000u; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(...list(8, (i) => i * 3 + 2100 + 70000 + ((1000000 * (512 + i)) % 7) + 30000000 * i)),
    },
  },
  {
    name: "floats become ints and ints floats",
    glsl: `${ALL_TYPES}\n${SIZE} ${FLOATS} void main() { ${I} float x = o[i]; o[i] = float(int(x)) + 100.0 * float(uint(abs(x))) + float(int64_t(x * 1000.0)) * 0.5 + float(double(x) * 0.25lf) + float(uint8_t(abs(x))) + float(int16_t(x)) + float(bool(int(x))); }`,
    resources: { "0,0": buffer(f32(-7.75, -2.5, -1, -0.25, 0.5, 1.5, 3.25, 12.5)) },
    expected: {
      "0,0": f32(
        ...[-7.75, -2.5, -1, -0.25, 0.5, 1.5, 3.25, 12.5].map((x) => {
          const [whole, size] = [Math.trunc(x), Math.trunc(Math.abs(x))];
          return whole + 100 * size + Math.trunc(x * 1000) / 2 + x / 4 + size + whole + (whole === 0 ? 0 : 1);
        }),
      ),
    },
    tolerance: 1e-6,
  },
  {
    name: "not a number and infinities",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer In { float x[]; }; void main() { ${I} float v = x[i]; o[i] = uint(isnan(v)) + 2u * uint(isinf(v)) + 4u * uint(v == v) + 8u * uint(v != v) + 16u * uint(v < 1.0) + 32u * uint(!(v < 1.0)) + 64u * uint(any(isnan(vec2(v, 0.0)))); }`,
    resources: { "0,0": zeros(32), "0,1": buffer(f32(NaN, Infinity, -Infinity, 0, -0, 1, 2, -3)) },
    expected: {
      "0,0": u32(
        ...[NaN, Infinity, -Infinity, 0, -0, 1, 2, -3].map(
          (v) =>
            (Number.isNaN(v) ? 1 + 8 + 64 : 4) +
            (Math.abs(v) === Infinity ? 2 : 0) +
            (v < 1 ? 16 : 32),
        ),
      ),
    },
  },
  {
    name: "remainders of floats",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} float x = o[i]; o[i] = mod(x, 2.0) + 10.0 * mod(x, -3.0) + 100.0 * mod(vec2(x, 1.0), 4.0).x; }`,
    resources: { "0,0": buffer(f32(-7.75, -2.5, -1, -0.25, 0.5, 1.5, 3.25, 12.5)) },
    expected: {
      "0,0": f32(
        ...[-7.75, -2.5, -1, -0.25, 0.5, 1.5, 3.25, 12.5].map((x) => {
          const mod = (y: number): number => x - y * Math.floor(x / y);
          return mod(2) + 10 * mod(-3) + 100 * mod(4);
        }),
      ),
    },
    tolerance: 1e-5,
  },
  {
    name: "vectors of doubles, and their functions",
    glsl: `${SIZE} layout(binding = 0) buffer D { double o[]; }; void main() { ${I} dvec3 v = dvec3(o[i], 2.0lf, -1.0lf); o[i] = dot(v, v) + length(v) + abs(v.z) + fract(o[i] + 0.25lf) + min(v.x, 3.0lf) + clamp(v.x, 1.0lf, 2.0lf) + double(i) + mix(v.x, v.y, 0.5lf); }`,
    resources: { "0,0": buffer(Float64Array.from(list(8, (i) => i + 0.5))) },
    expected: {
      "0,0": Float64Array.from(
        list(8, (i) => {
          const x = i + 0.5;
          const square = x * x + 5;
          return square + Math.sqrt(square) + 1 + 0.75 + Math.min(x, 3) + Math.min(Math.max(x, 1), 2) + i + (x + 2) / 2;
        }),
      ),
    },
    tolerance: 1e-14,
  },
];

const COMPOSITES: readonly ShaderCase[] = [
  {
    name: "matrices that are not square, and products of them",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} float x = float(i); mat2x4 a = mat2x4(x, 1, 2, 3, 4, 5, 6, 7); mat4x3 b = mat4x3(1, 0, 2, 0, 1, 0, 3, 0, 1, 1, 1, 1); mat2x3 c = b * a; vec4 r = vec3(1, 2, 3) * b; o[i] = c[0].x + 10.0 * c[1].y + 100.0 * c[0].z + 1000.0 * r.z + 10000.0 * transpose(a)[2].y; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(...list(8, (x) => x + 6 + 3 + 120 + 100 * (2 * x + 2 + 3) + 6000 + 60000)) },
  },
  {
    name: "matrices: compared, built of one another, changed by column and component",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} mat3 a = mat3(float(i)); mat4 b = mat4(a); b[3] += vec4(1.0); b[1][2] = 5.0; b[i & 3u][0] *= 2.0; mat2 c = mat2(b); a -= mat3(1.0); o[i] = float(a == mat3(float(i) - 1.0)) + 10.0 * b[3].w + 100.0 * b[1].z + 1000.0 * c[0].x + float(b != mat4(0.0)); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(...list(8, (i) => 1 + 20 + 500 + 1000 * i * (i % 4 === 0 ? 2 : 1) + 1)) },
  },
  {
    name: "matrices of doubles and of halves",
    glsl: `${ALL_TYPES}\n${SIZE} ${FLOATS} void main() { ${I} dmat3 a = dmat3(2.0lf); a[0][1] = double(i); f16mat2 b = f16mat2(1, 2, 3, 4) * float16_t(i); f16vec2 v = b * f16vec2(1, 0.5); o[i] = float((a * dvec3(1, 2, 3)).y) + 100.0 * float(v.x) + float(v.y); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(...list(8, (i) => i + 4 + 250 * i + 4 * i)) },
  },
  {
    name: "arrays as values: copied, compared, returned, changed in functions",
    glsl: `${SIZE} ${OUT} uint[4] make(uint x) { uint r[4]; for (uint k = 0u; k < 4u; k++) r[k] = x + k; return r; } void twist(inout uint a[4]) { uint t = a[0]; a[0] = a[3]; a[3] = t; }
      void main() { ${I} uint a[4] = make(i); uint b[4] = a; twist(b); o[i] = uint(a == b) + 10u * b[0] + 100u * b[i & 3u] + 1000u * uint(a != make(i)) + 10000u * uint(a.length()); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => 10 * (i + 3) + 100 * (i + ([3, 1, 2, 0][i & 3] ?? 0)) + 40000)) },
  },
  {
    name: "structs in arrays in structs, by dynamic indices",
    glsl: `${SIZE} ${OUT} struct A { uint x; uvec2 y[2]; }; struct B { A a[3]; uint n; }; void main() { ${I} B b; for (uint k = 0u; k < 3u; k++) { b.a[k].x = k * i; b.a[k].y[0] = uvec2(k, i); b.a[k].y[1] = uvec2(7u); } b.n = 2u; B c = b; c.a[i % 3u].y[i & 1u].x += 100u; A d = c.a[b.n]; o[i] = d.x + d.y[0].x * 1000u + d.y[1].x * 100000u + uint(b == c) + c.a[i % 3u].y[i & 1u].y; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const own = i % 3 === 2;
          const [first, second] = [2 + (own && i % 2 === 0 ? 100 : 0), 7 + (own && i % 2 === 1 ? 100 : 0)];
          return 2 * i + first * 1000 + second * 100000 + (i % 2 === 1 ? 7 : i);
        }),
      ),
    },
  },
  {
    name: "arrays of arrays",
    glsl: `${SIZE} ${OUT} const uint T[2][3] = uint[][](uint[](1u, 2u, 3u), uint[](4u, 5u, 6u)); void main() { ${I} uint a[3][2]; for (uint r = 0u; r < 3u; r++) for (uint c = 0u; c < 2u; c++) a[r][c] = T[c][r] * (i + 1u); uint row[2] = a[i % 3u]; o[i] = row[i & 1u] + 100u * T[i & 1u][i % 3u] + 1000u * uint(a.length() * 10 + a[0].length()); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const entry = 3 * (i & 1) + (i % 3) + 1;
          return entry * (i + 1) + 100 * entry + 32000;
        }),
      ),
    },
  },
];

const FLOW: readonly ShaderCase[] = [
  {
    name: "loops in loops, left early and from within a switch",
    glsl: `${SIZE} ${OUT} uint find(uint x) { for (uint a = 1u; a < 9u; a++) for (uint b = a; b < 9u; b++) { if (a * b == x) return a * 10u + b; if (a * b > 30u) break; } return 0u; }
      void main() { ${I} uint s = 0u; uint k = 0u; while (true) { k++; switch (k) { case 3u: continue; case 5u: s += 50u; break; case 9u: s += 900u; default: s += k; } if (k > i + 4u) break; } o[i] = s * 1000u + find(i * 3u + 3u); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          let s = 0;
          for (let k = 1; ; k++) {
            if (k === 3) continue;
            s += k === 5 ? 50 : k === 9 ? 909 : k;
            if (k > i + 4) break;
          }
          const x = i * 3 + 3;
          const pairs = list(8, (n) => n + 1).flatMap((a) => list(9 - a, (n) => a + n).map((b) => [a, b] as const));
          const [a = 0, b = 0] = pairs.find(([p, q]) => p * q === x) ?? [];
          return s * 1000 + a * 10 + b;
        }),
      ),
    },
  },
  {
    name: "conditions that are evaluated only as far as they must be",
    glsl: `${SIZE} ${OUT} uint calls; bool ask(bool b) { calls++; return b; } void main() { ${I} calls = 0u; bool r = ask(i > 3u) && ask((i & 1u) == 0u) || ask(i == 1u); bool x = ask(true) ^^ r; o[i] = calls * 10u + uint(r) + 100u * uint(x) + 1000u * (i > 5u ? ask(r) ? 1u : 2u : 3u); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const first = i > 3;
          const both = first && i % 2 === 0;
          const result = both || i === 1;
          const calls = 1 + Number(first) + Number(!both) + 1;
          return (i > 5 ? calls : calls) * 10 + Number(result) + (result ? 0 : 100) + 1000 * (i > 5 ? (result ? 1 : 2) : 3);
        }),
      ),
    },
  },
  {
    name: "long switches, with gaps and negative labels",
    glsl: `${SIZE} ${INTS} void main() { ${I} int x = int(i) * 3 - 9; int r; switch (x) { case -9: r = 1; break; case -3: case 3: r = 2; break; case 1000000: r = 3; break; case 12: r = 4; default: r = 5; } o[i] = r * 10 + x; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": i32(...list(8, (i) => i * 3 - 9).map((x) => (x === -9 ? 1 : Math.abs(x) === 3 ? 2 : 5) * 10 + x)),
    },
  },
  {
    name: "a barrier in a loop that all go through equally",
    glsl: `${SIZE} ${OUT} shared uint a[2][8]; void main() { ${I} a[0][i] = i; uint from = 0u; for (uint step = 1u; step < 8u; step *= 2u) { barrier(); a[1u - from][i] = a[from][i] + (i >= step ? a[from][i - step] : 0u); from = 1u - from; } o[i] = a[from][i]; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => (i * (i + 1)) / 2)) },
  },
];

const SPECIAL: readonly ShaderCase[] = [
  {
    name: "specialization constants of 64 and 16 bits, and of truth values",
    glsl: `${ALL_TYPES}\n${SIZE} ${OUT} layout(constant_id = 1) const int64_t A = 5L; layout(constant_id = 2) const double B = 0.5lf; layout(constant_id = 3) const bool C = true; layout(constant_id = 4) const uint D = 1u; const bool E = C && D > 3u; const uint F = E ? D * 2u : D + 100u;
      void main() { ${I} o[i] = uint(A >> 32) + uint(B * 8.0lf) * 10u + F * 100u + uint(C) * 100000u + i; }`,
    resources: { "0,0": zeros(32) },
    specialization: new Map([
      [1, bytesOf(BigInt64Array.of(3n << 32n))],
      [2, bytesOf(Float64Array.of(0.25))],
      [4, bytesOf(u32(9))],
    ]),
    expected: { "0,0": u32(...list(8, (i) => 3 + 20 + 1800 + 100000 + i)) },
  },
  {
    name: "operations on specialization constants, folded when they are given",
    glsl: `${SIZE} ${INTS} layout(constant_id = 0) const int N = 7; const int A = N / 2 - N % 4; const int B = (N << 3) ^ (N >> 1) | 5 & ~N; const uint C = uint(N) / 3u; const bool D = N >= 7 || N == 2; const ivec3 V = ivec3(N, A, B); const int E = V.z - V.x; const int F = D ? E : -E;
      int a[N + 2]; void main() { ${I} for (int k = 0; k < a.length(); k++) a[k] = k; o[i] = A + 100 * B + 10000 * int(C) + F * 100000 + a[N + 1]; }`,
    resources: { "0,0": zeros(32) },
    specialization: new Map([[0, bytesOf(u32(13))]]),
    expected: {
      "0,0": i32(
        ...list(8, () => {
          const n = 13;
          const a = (n >> 1) - (n % 4);
          const b = ((n << 3) ^ (n >> 1)) | (5 & ~n);
          return a + 100 * b + 40000 + (b - n) * 100000 + 14;
        }),
      ),
    },
  },
  {
    name: "work-groups whose size is specialized, and memory as large as they are",
    glsl: `layout(local_size_x_id = 1, local_size_y_id = 2) in; ${OUT} shared uint s[gl_WorkGroupSize.x * gl_WorkGroupSize.y]; void main() { uint l = gl_LocalInvocationIndex; s[l] = l * l; barrier(); uint n = uint(s.length()); o[gl_WorkGroupID.x * n + l] = s[n - 1u - l] + 1000u * gl_WorkGroupSize.y; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(48) },
    specialization: new Map([
      [1, bytesOf(u32(2))],
      [2, bytesOf(u32(3))],
    ]),
    expected: { "0,0": u32(...list(12, (i) => (5 - (i % 6)) ** 2 + 3000)) },
  },
];

const INTRINSICS = "#extension GL_EXT_spirv_intrinsics : require";
/** An execution mode of floats of 32 bits, by its number and that of its capability. */
const mode = (capability: number, own: number): string =>
  `spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [${capability}], ${own}, 32);`;

const MODES: readonly ShaderCase[] = [
  {
    name: "floats are rounded to the nearest, with denormals, signs of zero, infinities",
    glsl: `${INTRINSICS}\n${mode(4464, 4459)}\n${mode(4466, 4461)}\n${mode(4467, 4462)}\n${SIZE} ${OUT} layout(binding = 1) buffer In { float x[]; }; void main() { ${I} o[i] = floatBitsToUint(x[i] / 3.0); }`,
    resources: { "0,0": zeros(32), "0,1": buffer(f32(1, 2, 1e-38, 3e-39, -0, -0, Infinity, 5)) },
    expected: {
      "0,0": new Uint32Array(f32(1 / 3, 2 / 3, Math.fround(1e-38) / 3, Math.fround(3e-39) / 3, -0, -0, Infinity, 5 / 3).buffer),
    },
    lavapipe: "lavapipe does not promise denormals",
  },
  {
    name: "sub-groups keep together where control flow is uniform for them",
    target: "vulkan1.3",
    glsl: `#extension GL_EXT_subgroup_uniform_control_flow : require\n#extension GL_KHR_shader_subgroup_vote : require\nlayout(local_size_x = 16) in; ${OUT} void main() [[subgroup_uniform_control_flow]] { ${I} uint s = 0u; if ((i & 1u) == 0u) s = 5u; o[i] = s + uint(subgroupAny(s == 5u && i > 7u)); }`,
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => (i % 2 === 0 ? 5 : 0) + (i < 8 ? 0 : 1))) },
    lavapipe: "lavapipe does not have uniform control flow of sub-groups",
  },
  {
    name: "hints for loops and branches",
    glsl: `#extension GL_EXT_control_flow_attributes : require\n${SIZE} ${OUT} void main() { ${I} uint s = 0u; [[unroll]] for (uint k = 0u; k < 4u; k++) s += k * i; [[dont_unroll]] for (uint k = 0u; k < i; k++) s ^= k; [[flatten]] if (s > 9u) s -= 9u; [[dont_flatten]] switch (s & 1u) { case 0u: s += 100u; } o[i] = s; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const first = list(i, (k) => k).reduce((a, b) => a ^ b, 6 * i);
          const second = first > 9 ? first - 9 : first;
          return second % 2 === 0 ? second + 100 : second;
        }),
      ),
    },
  },
  {
    name: "matrices in memory of the work-group, by columns and components of a dynamic number",
    glsl: `${SIZE} ${FLOATS} shared mat4x3 m[8]; void main() { ${I} m[i] = mat4x3(float(i)); m[i][3] = vec3(i, 1, 2); barrier(); uint j = 7u - i; o[i] = m[j][i & 3u].y + 10.0 * m[j][3][i % 3u] + 100.0 * (m[j] * vec4(0, 0, 1, 1)).z; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": f32(
        ...list(8, (i) => {
          const j = 7 - i;
          const last = [j, 1, 2];
          const y = (i & 3) === 1 ? j : (i & 3) === 3 ? 1 : 0;
          return y + 10 * (last[i % 3] ?? 0) + 100 * (j + 2);
        }),
      ),
    },
  },
];

export const VALUE_CASES: readonly ShaderCase[] = [...NUMBERS, ...COMPOSITES, ...FLOW, ...SPECIAL, ...MODES];
