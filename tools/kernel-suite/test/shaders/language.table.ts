// SPDX-License-Identifier: Apache-2.0
// Values, matrices, control flow, functions, specialization, and the functions of GLSL.
import { type ShaderCase, buffer, bytesOf, f32, i32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const INTS = "layout(set = 0, binding = 0, std430) buffer Out { int o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 8) in;";
const I = "uint i = gl_GlobalInvocationID.x;";
const ALL_TYPES = "#extension GL_EXT_shader_explicit_arithmetic_types : require";

/** The number of the highest bit. */
const msb = (value: number): number => 31 - Math.clz32(value);
/** The upper half of 64 bits, exclusive or the lower one. */
const half = (value: bigint): number => Number((value >> 32n) ^ BigInt.asUintN(32, value));

const swap = (array: number[], a: number, b: number): void => {
  [array[a], array[b]] = [array[b] ?? 0, array[a] ?? 0];
};

/** What one work-item of "arrays passed inout" computes. */
function exchanged(i: number): number {
  const s = list(8, (j) => j * 3 + i);
  const m = list(8, (j) => 1 - (j & 1));
  let r = 0;
  for (let j = 0; j < 3; j++) {
    const a = (i + j) & 7;
    const k = [...s];
    swap(s, a, 7 - a);
    k[a] = (k[a] ?? 0) + 100;
    swap(k, 0, a);
    r += (k[0] ?? 0) * 1000 + (k[a] ?? 0);
    const at = (s[j] ?? 0) & 7;
    m[at] = 1 - (m[at] ?? 0);
  }
  return (r * 256 + (s[i] ?? 0) * 2 + (m[i] ?? 0)) >>> 0;
}

/** What one work-item of "tables of constants" computes. */
function looked(i: number): number {
  const [table, t] = [[9, 4, 7, 1, 8], [5, 6, 7, 8]];
  let x = 0;
  for (let j = 0; j < 6; j++) {
    x = x * 3 + (table[(i + j) % 5] ?? 0) + (t[j & 3] ?? 0);
    if (j === 3) t[(i + 1) & 3] = 50 + i;
  }
  return (x + (t[i & 3] ?? 0) * 100_000) >>> 0;
}

/** A function of a float over inputs, with a tolerance. */
const ofFloats = (name: string, body: string, inputs: readonly number[], of: (x: number) => number, lavapipe?: number): ShaderCase => ({
  name,
  glsl: `${SIZE} ${FLOATS} void main() { ${I} float x = o[i]; o[i] = ${body}; }`,
  resources: { "0,0": buffer(f32(...inputs)) },
  expected: { "0,0": f32(...inputs.map((x) => of(Math.fround(x)))) },
  tolerance: 4e-6,
  ...(lavapipe === undefined ? {} : { lavapipe }),
});

const SMALL = [-0.9, -0.5, -0.25, 0, 0.125, 0.5, 0.75, 0.95];
const POSITIVE = [0.25, 0.5, 1, 1.5, 2, 3.75, 10, 100];
const ANY = [-7.75, -2.5, -1, -0.25, 0.5, 1.5, 3.25, 12.5];

const roundEven = (x: number): number => {
  const low = Math.floor(x);
  const rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
};

const FUNCTIONS: readonly ShaderCase[] = [
  ofFloats("rounding", "round(x) + 10.0 * roundEven(x) + 100.0 * trunc(x) + 1000.0 * floor(x) + 1e4 * ceil(x)", ANY, (x) =>
    roundEven(x) * 11 + 100 * Math.trunc(x) + 1000 * Math.floor(x) + 10000 * Math.ceil(x)),
  ofFloats("sign, magnitude and fraction", "abs(x) + 10.0 * sign(x) + 100.0 * fract(x)", ANY, (x) =>
    Math.abs(x) + 10 * Math.sign(x) + 100 * (x - Math.floor(x))),
  ofFloats("angles", "sin(x) + 2.0 * cos(x) + 3.0 * tan(x) + radians(x) + degrees(x)", SMALL, (x) =>
    Math.sin(x) + 2 * Math.cos(x) + 3 * Math.tan(x) + (x * Math.PI) / 180 + (x * 180) / Math.PI),
  ofFloats("inverse angles", "asin(x) + 2.0 * acos(x) + 3.0 * atan(x) + atan(x, 2.0)", SMALL, (x) =>
    Math.asin(x) + 2 * Math.acos(x) + 3 * Math.atan(x) + Math.atan2(x, 2), 1e-3),
  ofFloats("hyperbolic functions", "sinh(x) + cosh(x) + tanh(x) + asinh(x) + atanh(x)", SMALL, (x) =>
    Math.sinh(x) + Math.cosh(x) + Math.tanh(x) + Math.asinh(x) + Math.atanh(x)),
  ofFloats("powers and logarithms", "pow(x, 1.5) + log(x) + log2(x) + sqrt(x) + inversesqrt(x) + acosh(x + 1.0)", POSITIVE, (x) =>
    x ** 1.5 + Math.log(x) + Math.log2(x) + Math.sqrt(x) + 1 / Math.sqrt(x) + Math.acosh(x + 1)),
  ofFloats("exponentials", "exp(x) + exp2(x)", SMALL, (x) => Math.exp(x) + 2 ** x),
  ofFloats("minimum, maximum, clamp, mix, step", "min(x, 1.0) + 10.0 * max(x, 0.5) + 100.0 * clamp(x, -1.0, 2.0) + mix(x, 4.0, 0.25) + 1000.0 * step(0.75, x)", ANY, (x) =>
    Math.min(x, 1) + 10 * Math.max(x, 0.5) + 100 * Math.min(Math.max(x, -1), 2) + x * 0.75 + 1 + (x < 0.75 ? 0 : 1000)),
  ofFloats("smoothstep, fma, ldexp", "smoothstep(-1.0, 1.0, x) + fma(x, 2.0, 3.0) + ldexp(x, 3)", ANY, (x) => {
    const t = Math.min(Math.max((x + 1) / 2, 0), 1);
    return t * t * (3 - 2 * t) + x * 2 + 3 + x * 8;
  }),
  {
    name: "modf and frexp, as functions and through memory",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} float x = o[i]; float whole; float part = modf(x, whole);
      int e; float f = frexp(x, e); o[i] = part + 10.0 * whole + 1000.0 * f + 100000.0 * float(e); }`,
    resources: { "0,0": buffer(f32(...ANY)) },
    expected: {
      "0,0": f32(
        ...ANY.map((x) => {
          const e = Math.floor(Math.log2(Math.abs(x))) + 1;
          return x - Math.trunc(x) + 10 * Math.trunc(x) + 1000 * (x / 2 ** e) + 100000 * e;
        }),
      ),
    },
    tolerance: 1e-6,
  },
  {
    name: "functions of vectors",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} vec3 a = vec3(1.0, 2.0, 2.0), b = vec3(0.0, 1.0, 0.0);
      float all[8] = float[](length(a), distance(a, b), dot(a, b), cross(a, b).z, normalize(a).y,
        faceforward(a, b, -b).x, reflect(a, b).y, refract(normalize(a), -b, 0.5).x); o[i] = all[i]; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(3, Math.sqrt(6), 2, 1, 2 / 3, 1, -2, 1 / 6) },
    tolerance: 1e-6,
  },
  {
    name: "bits of ints",
    glsl: `${SIZE} ${INTS} void main() { ${I} int x = o[i]; uint u = uint(x);
      o[i] = findLSB(x) + 100 * findMSB(x) + 10000 * findMSB(u) + 1000000 * bitCount(u);
      o[i + 8] = bitfieldExtract(x, 4, 8) ^ int(bitfieldExtract(u, 4, 8)) ^ bitfieldInsert(x, 5, 8, 4) ^ bitfieldReverse(x); }`,
    resources: { "0,0": buffer(i32(1, 0x50, -1, -256, 0x7fff0000, 0x12345678, -2, 3, ...list(8, () => 0))) },
    expected: {
      "0,0": i32(
        ...[1, 0x50, -1, -256, 0x7fff0000, 0x12345678, -2, 3].map((x) => {
          const lsb = 31 - Math.clz32(x & -x);
          const count = (x >>> 0).toString(2).replaceAll("0", "").length;
          return lsb + 100 * msb(x < 0 ? ~x : x) + 10000 * msb(x) + 1000000 * count;
        }),
        ...[1, 0x50, -1, -256, 0x7fff0000, 0x12345678, -2, 3].map((x) => {
          const field = (x >>> 4) & 255;
          const reversed = Number.parseInt((x >>> 0).toString(2).padStart(32, "0").split("").toReversed().join(""), 2) | 0;
          return ((field << 24) >> 24) ^ field ^ ((x & ~0xf00) | 0x500) ^ reversed;
        }),
      ),
    },
  },
  {
    name: "signs, minimum and maximum of ints",
    glsl: `${SIZE} ${INTS} void main() { ${I} int x = o[i]; uint u = uint(x);
      o[i] = abs(x) + 100 * sign(x) + 1000 * min(x, 2) + 10000 * max(x, -2) + 100000 * clamp(x, -1, 1) + int(min(u, 9u) * 1000000u) + int(max(u, 3u) & 1u); }`,
    resources: { "0,0": buffer(i32(-4, -3, -1, 0, 1, 3, 4, 7)) },
    expected: {
      "0,0": i32(
        ...[-4, -3, -1, 0, 1, 3, 4, 7].map(
          (x) =>
            Math.abs(x) +
            100 * Math.sign(x) +
            1000 * Math.min(x, 2) +
            10000 * Math.max(x, -2) +
            100000 * Math.min(Math.max(x, -1), 1) +
            1000000 * Math.min(x >>> 0, 9) +
            (Math.max(x >>> 0, 3) & 1),
        ),
      ),
    },
  },
  {
    name: "numbers in parts of an int",
    lavapipe: "Mesa 22.3 extends the sign in packSnorm4x8 and loses the upper half of a packed pair that was unpacked",
    glsl: `${SIZE} ${OUT} void main() { ${I} vec4 v = vec4(-1.0, 0.25, 0.75, 2.0); uint all[8] = uint[](packSnorm4x8(v), packUnorm4x8(v),
      packSnorm2x16(v.xy), packUnorm2x16(v.yz), packHalf2x16(v.yw),
      packUnorm4x8(unpackUnorm4x8(0x01fe8040u)), packSnorm2x16(unpackSnorm2x16(0x81237fffu)),
      packHalf2x16(unpackHalf2x16(0x3c00c100u))); o[i] = all[i]; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(0x7f5f2081, 0xffbf4000, 0x2000_8001, 0xbfff_4000, 0x4000_3400, 0x01fe8040, 0x81237fff, 0x3c00c100),
    },
  },
  {
    name: "carries, borrows and long products",
    glsl: `${SIZE} ${OUT} void main() { ${I} uint x = o[i], c, b, h, l; int sh, sl; uint s = uaddCarry(x, 0x90000000u, c); uint d = usubBorrow(x, 5u, b);
      umulExtended(x, x, h, l); imulExtended(int(x), -3, sh, sl); o[i] = s ^ c ^ d ^ (b << 8) ^ h ^ l ^ uint(sh) ^ uint(sl); }`,
    resources: { "0,0": buffer(u32(0, 1, 4, 5, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff)) },
    expected: {
      "0,0": u32(
        ...[0, 1, 4, 5, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff].map((x) => {
          const square = BigInt(x) * BigInt(x);
          const product = BigInt.asUintN(64, BigInt(x | 0) * -3n);
          const carry = Number(x + 0x90000000 > 0xffffffff);
          return (x + 0x90000000) ^ carry ^ (x - 5) ^ (Number(x < 5) << 8) ^ half(square) ^ half(product);
        }),
      ),
    },
  },
];

const LANGUAGE: readonly ShaderCase[] = [
  {
    name: "products of matrices and vectors",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} mat3x2 a = mat3x2(1, 2, 3, 4, 5, 6); mat2x3 b = mat2x3(1, 0, 2, 0, 1, 3);
      mat2 p = a * b; vec2 v = a * vec3(1, 2, 3); vec3 w = vec2(1, 2) * a; mat2x3 t = transpose(a); mat3x2 q = outerProduct(vec2(1, 2), vec3(3, 4, 5)) * 2.0;
      mat2 m = matrixCompMult(p, p) - p / 2.0;
      float all[16] = float[](p[0].x, p[0].y, p[1].x, p[1].y, v.x, v.y, w.x, w.y, w.z, t[0].z, t[1].y, q[2].x, q[0].y, m[0].x, m[1].y, (-a)[1].x); o[i] = all[i]; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(64) },
    expected: { "0,0": f32(11, 14, 18, 22, 22, 28, 5, 11, 17, 5, 4, 10, 12, 115.5, 473, -3) },
  },
  {
    name: "determinants and inverses",
    glsl: `${SIZE} ${FLOATS} void main() { ${I} mat2 a = mat2(2, 1, 4, 3); mat3 b = mat3(2, 0, 1, 1, 3, 0, 0, 1, 1); mat4 c = mat4(1, 0, 0, 2, 0, 2, 0, 0, 0, 0, 4, 0, 1, 0, 0, 1);
      mat4 d = inverse(c) * c; mat3 e = inverse(b) * b; mat2 f = inverse(a);
      float all[8] = float[](determinant(a), determinant(b), determinant(c), d[0].x + d[1].y + d[2].z + d[3].w, d[0].w + d[3].x, e[0].x + e[1].y + e[2].z, e[2].x + e[0].y, f[1].x); o[i] = all[i]; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(2, 7, -8, 4, 0, 3, 0, -2) },
    tolerance: 1e-5,
  },
  {
    name: "swizzles, constructors and dynamic components",
    glsl: `${SIZE} ${OUT} void main() { ${I} uvec4 v = uvec4(i, i + 1u, i + 2u, i + 3u); v.yx = v.xw; v[i & 3u] += 100u; uvec2 w = v.zz + uvec2(v[(i + 1u) & 3u], 1u); o[i] = w.x * 1000u + w.y; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const v = [i + 3, i, i + 2, i + 3];
          v[i & 3] = (v[i & 3] ?? 0) + 100;
          return ((v[2] ?? 0) + (v[(i + 1) & 3] ?? 0)) * 1000 + (v[2] ?? 0) + 1;
        }),
      ),
    },
  },
  {
    name: "loops, continue, break, switch",
    glsl: `${SIZE} ${OUT} void main() { ${I} uint s = 0u; for (uint k = 0u; k < 20u; k++) { if (k == i) continue; if (k > i + 8u) break;
      switch (k % 4u) { case 0u: s += 1u; break; case 1u: s += 10u; case 2u: s += 100u; break; default: s += 1000u; } }
      uint n = i; do { n /= 2u; s += 10000u; } while (n > 0u); o[i] = s; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          let s = 0;
          for (let k = 0; k <= i + 8; k++) if (k !== i) s += [1, 110, 100, 1000][k % 4] ?? 0;
          let n = i;
          do {
            n >>= 1;
            s += 10000;
          } while (n > 0);
          return s;
        }),
      ),
    },
  },
  {
    name: "early returns in functions, structs as results, inout",
    glsl: `${SIZE} ${OUT} struct P { uint a; uvec2 b; }; P make(uint x) { if (x > 3u) return P(x, uvec2(1u, 2u)); P p; p.a = x * 2u; p.b = uvec2(x); return p; }
      void add(inout P p, out uint t, const in uint k) { p.b.y += k; t = p.a + p.b.x; }
      void main() { ${I} P p = make(i); uint t; add(p, t, 7u); if (i == 6u) return; o[i] = t * 100u + p.b.y; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => (i === 6 ? 0 : i > 3 ? (i + 1) * 100 + 9 : i * 3 * 100 + i + 7))) },
  },
  {
    name: "arrays passed inout, and changed at variable places",
    glsl: `${SIZE} ${OUT}
      void swap(inout uint s[8], uint a, uint b) { uint t = s[a]; s[a] = s[b]; s[b] = t; }
      void flip(inout bool m[8], uint a) { m[a] = !m[a]; }
      uint twice(inout uint s[8], uint a) { uint k[8] = s; swap(s, a, 7u - a); k[a] += 100u; swap(k, 0u, a); return k[0] * 1000u + k[a]; }
      void main() { ${I} uint s[8]; bool m[8]; for (uint j = 0u; j < 8u; j++) { s[j] = j * 3u + i; m[j] = (j & 1u) == 0u; } uint r = 0u; for (uint j = 0u; j < 3u; j++) { r += twice(s, (i + j) & 7u); flip(m, s[j] & 7u); } o[i] = r * 256u + s[i] * 2u + (m[i] ? 1u : 0u); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, exchanged)) },
  },
  {
    name: "tables of constants, one of which is changed",
    glsl: `${SIZE} ${OUT} const uint T[5] = uint[](9u, 4u, 7u, 1u, 8u);
      uint at(uint k) { return T[k % 5u]; }
      void main() { ${I} uint t[4] = uint[](5u, 6u, 7u, 8u); uint x = 0u; for (uint j = 0u; j < 6u; j++) { x = x * 3u + at(i + j) + t[j & 3u]; if (j == 3u) t[(i + 1u) & 3u] = 50u + i; } o[i] = x + t[i & 3u] * 100000u; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, looked)) },
  },
  {
    name: "private variables with initial values, shared by functions",
    glsl: `${SIZE} ${OUT} uint count = 3u; uint table[4] = uint[](1u, 10u, 100u, 1000u); const uint K[3] = uint[](7u, 8u, 9u);
      uint next() { count += table[count & 3u]; return count; } void main() { ${I} table[i & 3u] = i; next(); o[i] = next() + K[i % 3u]; }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const table = [1, 10, 100, 1000];
          table[i & 3] = i;
          let count = 3;
          for (let n = 0; n < 2; n++) count += table[count & 3] ?? 0;
          return count + 7 + (i % 3);
        }),
      ),
    },
  },
  {
    name: "specialization constants, and what follows from them",
    glsl: `layout(local_size_x_id = 3) in; ${OUT} layout(constant_id = 0) const uint N = 2u; layout(constant_id = 1) const bool B = false; layout(constant_id = 2) const float F = 1.5;
      const uint M = N * 3u + 1u; uint values[M]; const uvec2 V = uvec2(N, 5u);
      void main() { ${I} for (uint k = 0u; k < M; k++) values[k] = k * i; o[i] = values[M - 1u] + (B ? 1000u : 0u) + uint(F * 2.0) * 10000u + V.x * 100000u + gl_WorkGroupSize.x * 10000000u; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(32) },
    specialization: new Map([
      [0, bytesOf(u32(3))],
      [1, bytesOf(u32(1))],
      [2, bytesOf(f32(4))],
      [3, bytesOf(u32(4))],
    ]),
    expected: { "0,0": u32(...list(8, (i) => 9 * i + 1000 + 80000 + 300000 + 40000000)) },
  },
  {
    name: "specialization constants by default",
    glsl: `${SIZE} ${OUT} layout(constant_id = 7) const int A = -3; void main() { ${I} o[i] = uint(A + 10) + i; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => 7 + i)) },
  },
  {
    name: "ids and sizes",
    glsl: `layout(local_size_x = 2, local_size_y = 3) in; layout(binding = 0) buffer Out { uvec4 o[]; };
      void main() { uvec3 g = gl_GlobalInvocationID; uint at = (g.z * 6u + g.y) * 4u + g.x;
        o[at] = uvec4(gl_WorkGroupID.x + 10u * gl_WorkGroupID.y + 100u * gl_WorkGroupID.z, gl_LocalInvocationIndex, gl_NumWorkGroups.x + 10u * gl_NumWorkGroups.y + 100u * gl_NumWorkGroups.z, gl_LocalInvocationID.x + 10u * gl_LocalInvocationID.y + 100u * gl_WorkGroupSize.y); }`,
    groups: [2, 2, 2],
    resources: { "0,0": zeros(48 * 16) },
    expected: {
      "0,0": u32(
        ...list(48, (n) => n).flatMap((n) => {
          const [x, y, z] = [n % 4, Math.floor(n / 4) % 6, Math.floor(n / 24)];
          const [lx, ly] = [x % 2, y % 3];
          return [(x >> 1) + 10 * Math.floor(y / 3) + 100 * z, ly * 2 + lx, 222, lx + 10 * ly + 300];
        }),
      ),
    },
  },
  {
    name: "ints of 8, 16 and 64 bits",
    glsl: `${ALL_TYPES}\n${SIZE} ${OUT} void main() { ${I} uint8_t a = uint8_t(i * 40u); int16_t b = int16_t(-int(i) * 9000); int64_t c = int64_t(b) * 5000000000L; u8vec4 v = u8vec4(a, 1, 2, 3) * uint8_t(100);
      o[i] = uint(a) + uint(int(b)) + uint(c >> 16) + uint(v.x) + uint(v.w); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          const a = (i * 40) & 255;
          const b = ((i * -9000) << 16) >> 16;
          const c = BigInt(b) * 5000000000n;
          return Number(BigInt.asUintN(32, BigInt(a + b + ((a * 100) & 255) + 44) + (c >> 16n)));
        }),
      ),
    },
  },
  {
    name: "dot products of ints",
    glsl: `${ALL_TYPES}\n${SIZE} ${INTS} void main() { ${I} i8vec4 a = i8vec4(int8_t(i), int8_t(-2), int8_t(3), int8_t(-4)); o[i] = int(a.x) * int(a.y) + int(dot(vec2(a.xy), vec2(a.zw))); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": i32(...list(8, (i) => -2 * i + 3 * i + 8)) },
  },
  {
    name: "comparisons of vectors, selections, any and all",
    glsl: `${SIZE} ${OUT} void main() { ${I} vec3 a = vec3(i, 3.0, 5.0), b = vec3(3.0, i, 5.0); bvec3 l = lessThan(a, b); bvec3 e = equal(a, b);
      vec3 m = mix(a, b, l); o[i] = uint(m.x) + 10u * uint(m.y) + 100u * uint(any(l)) + 1000u * uint(all(e)) + 10000u * uint(all(not(l))) + (i != 3u ? 0u : 100000u); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => Math.max(i, 3) + 10 * Math.max(i, 3) + (i === 3 ? 0 : 100) + (i === 3 ? 111000 : 0)),
      ),
    },
  },
  {
    name: "halves as numbers",
    glsl: `${ALL_TYPES}\n${SIZE} ${FLOATS} void main() { ${I} float16_t h = float16_t(i) / float16_t(3.0); f16vec2 v = f16vec2(h, sqrt(h)); o[i] = float(v.x + v.x) + float(max(v.x, v.y)); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": f32(...list(8, (i) => (2 * i) / 3 + Math.max(i / 3, Math.sqrt(i / 3)))) },
    tolerance: 2e-3,
  },
  {
    name: "doubles: functions, matrices, packing",
    glsl: `${SIZE} layout(binding = 0) buffer D { double o[]; }; void main() { ${I} double x = o[i]; dmat2 m = dmat2(x, 1.0, 2.0, 3.0); dvec2 v = m * dvec2(1.0, x);
      o[i] = sqrt(x) + floor(v.x) + v.y + determinant(m) + packDouble2x32(unpackDouble2x32(x)); }`,
    resources: { "0,0": buffer(Float64Array.from(list(8, (i) => i + 0.25))) },
    expected: {
      "0,0": Float64Array.from(
        list(8, (i) => i + 0.25).map((x) => Math.sqrt(x) + Math.floor(3 * x) + 1 + 3 * x + 3 * x - 2 + x),
      ),
    },
    tolerance: 1e-14,
  },
  {
    name: "values that depend on the path: phis and undefined variables",
    glsl: `${SIZE} ${OUT} uint f(uint i) { uint a, b = 1u; if (i < 2u) a = 5u; else if (i < 5u) { a = 6u; b = 2u; } else a = i; for (uint k = 0u; k < i; k++) { uint t = a; a = b; b = t + b; } return a * 1000u + b; } void main() { ${I} o[i] = f(i); }`,
    resources: { "0,0": zeros(32) },
    expected: {
      "0,0": u32(
        ...list(8, (i) => {
          let [a, b] = i < 2 ? [5, 1] : i < 5 ? [6, 2] : [i, 1];
          for (let k = 0; k < i; k++) [a, b] = [b, a + b];
          return a * 1000 + b;
        }),
      ),
    },
  },
  {
    name: "printing",
    glsl: `#extension GL_EXT_debug_printf : require\n${SIZE} ${OUT} void main() { ${I} o[i] = i; if (i == 2u) debugPrintfEXT("at %u: %d %1.2f, %1.1v3f\\n", i, -3, 1.5, vec3(1, 2, 3)); }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => i)) },
    printed: "at 2: -3 1.50, 1.0,2.0,3.0\n",
  },
];

export const LANGUAGE_CASES: readonly ShaderCase[] = [...LANGUAGE, ...FUNCTIONS];
