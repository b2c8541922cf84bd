// SPDX-License-Identifier: Apache-2.0
// What views and samplers of shaders have beyond OpenCL: levels of detail, cubes, orders of components, borders, a mode
// for each axis. And atomic functions of floating-point numbers.
import { type ImageType, samplerBits } from "@muxkit/libimg";

import { R32UI, RGBA32F, leveled } from "./image-case.ts";
import { type ShaderCase, buffer, f32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const WORDS = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const VECTORS = "layout(set = 0, binding = 0, std430) buffer Out { vec4 o[]; };";
const SIZE = "layout(local_size_x = 4) in;";
const I = "uint i = gl_GlobalInvocationID.x;";

/** Bits of a sampler above those of OpenCL. */
const OTHER_FILTER = 1 << 20;
const BETWEEN = 1 << 21;
const quarters = (greatest: number): number => ((63 - greatest) << 26) >>> 0;
const NEAREST = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "nearest" });
const LINEAR = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "linear" });
const BORDER = samplerBits({ normalized: true, addressing: "clamp", filter: "nearest" });
const joined = (bits: number, ...more: readonly number[]): number => more.reduce((all, one) => all | one, bits) >>> 0;

const R32F = { order: "R", type: "FLOAT" } as const;

/** The number of texels of a level of four by four by four or less, and of the layers. */
function texels(type: ImageType, layers: number, level: number): number {
  const side = 4 >> level;
  const axes = type === "3d" ? 3 : type.startsWith("2d") ? 2 : 1;
  return side ** axes * layers;
}

/** Shapes, how GLSL names their samplers, coordinates of the middle of texel 0, and whole ones of it. */
const SHAPES: readonly (readonly [glsl: string, type: ImageType, layers: number, at: string, whole: string, size: string])[] = [
  ["1D", "1d", 1, "0.1", "0", "float(textureSize(t, l))"],
  ["1DArray", "1d_array", 2, "vec2(0.1, 1.0)", "ivec2(0, 1)", "float(textureSize(t, l).x + 10 * textureSize(t, l).y)"],
  ["2D", "2d", 1, "vec2(0.1)", "ivec2(0)", "float(textureSize(t, l).x + 10 * textureSize(t, l).y)"],
  ["2DArray", "2d_array", 2, "vec3(0.1, 0.1, 1.0)", "ivec3(0, 0, 1)", "float(textureSize(t, l).x + 10 * textureSize(t, l).z)"],
  ["3D", "3d", 1, "vec3(0.1)", "ivec3(0)", "float(textureSize(t, l).x + 10 * textureSize(t, l).z)"],
];

/** An image of four texels each side: 100 times the level, and 10 times the layer. */
function pyramid(type: ImageType, layers: number, sampler: number): ReturnType<typeof leveled> {
  const isArray = type.endsWith("array");
  const size = [4, type.startsWith("1d") ? 1 : 4, type === "3d" ? 4 : 1, layers] as const;
  const levels = [0, 1, 2].map((level) => {
    const count = texels(type, layers, level);
    return f32(...list(count, (i) => 100 * level + (isArray ? 10 * Math.floor((i * layers) / count) : 0)));
  });
  return leveled({ type, format: R32F, size }, levels, sampler);
}

/** The second of a pyramid's second number, for arrays. */
const layerOf = (type: ImageType): number => (type.endsWith("array") ? 10 : 0);

/** What a size expression gives at level l. */
const sizeAt = (type: ImageType, level: number): number => {
  const side = 4 >> level;
  if (type === "1d") return side;
  return type.endsWith("array") ? side + 20 : side * 11;
};

const SHAPED: readonly ShaderCase[] = SHAPES.flatMap(([glsl, type, layers, at, whole, size]): readonly ShaderCase[] => [
  {
    name: `levels of ${glsl}: the nearest`,
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler${glsl} t; void main() { ${I} o[i] = textureLod(t, ${at}, float(i) * 0.9).x; }`,
    resources: { "0,0": zeros(16), "0,1": pyramid(type, layers, NEAREST) },
    expected: { "0,0": f32(...[0, 1, 2, 2].map((level) => 100 * level + layerOf(type))) },
  },
  {
    name: `levels of ${glsl}: between them`,
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler${glsl} t; void main() { ${I} o[i] = textureLod(t, ${at}, float(i) * 0.5).x; }`,
    resources: { "0,0": zeros(16), "0,1": pyramid(type, layers, joined(NEAREST, BETWEEN)) },
    expected: { "0,0": f32(...[0, 50, 100, 150].map((value) => value + layerOf(type))) },
  },
  {
    name: `levels of ${glsl}: fetches, sizes and their number`,
    // lavapipe takes one level of all work-items of a work-group for sizes.
    groups: [4, 1, 1],
    glsl: `layout(local_size_x = 1) in; ${VECTORS} layout(binding = 1) uniform sampler${glsl} t; void main() { ${I} int l = int(min(i, 2u)); o[i] = vec4(texelFetch(t, ${whole}, l).x, ${size}, textureQueryLevels(t), 1.0); }`,
    resources: { "0,0": zeros(64), "0,1": pyramid(type, layers, NEAREST) },
    expected: {
      "0,0": f32(...[0, 1, 2, 2].flatMap((level) => [100 * level + layerOf(type), sizeAt(type, level), 3, 1])),
    },
  },
]);

/** Six faces of two by two texels with a level: 10 times the face and the texel, 1000 and the face. */
const cube = (count: number, sampler: number): ReturnType<typeof leveled> =>
  leveled(
    { type: "2d_array", format: R32F, size: [2, 2, 1, 6 * count], isCube: true },
    [
      f32(...list(24 * count, (i) => 10 * Math.floor(i / 4) + (i % 4))),
      f32(...list(6 * count, (i) => 1000 + i)),
    ],
    sampler,
  );

const DIRECTIONS =
  "const vec3 d[8] = vec3[](vec3(1.0, 0.5, 0.5), vec3(1.0, -0.5, -0.5), vec3(-1.0, 0.5, -0.5), vec3(-0.5, 1.0, -0.5), vec3(0.5, -1.0, 0.5), vec3(-0.5, 0.5, 1.0), vec3(0.5, -0.5, 1.0), vec3(-0.5, -0.5, -1.0));";
const THROUGH = [0, 3, 10, 20, 31, 40, 43, 53];
const EIGHT = "layout(local_size_x = 8) in;";

const CUBES: readonly ShaderCase[] = [
  {
    name: "directions through the faces of a cube",
    glsl: `${EIGHT} ${OUT} layout(binding = 1) uniform samplerCube t; ${DIRECTIONS} void main() { ${I} o[i] = textureLod(t, d[i], 0.0).x; }`,
    resources: { "0,0": zeros(32), "0,1": cube(1, NEAREST) },
    expected: { "0,0": f32(...THROUGH) },
  },
  {
    name: "levels of a cube",
    glsl: `${EIGHT} ${OUT} layout(binding = 1) uniform samplerCube t; ${DIRECTIONS} void main() { ${I} o[i] = textureLod(t, d[i] * 3.0, 1.0).x; }`,
    resources: { "0,0": zeros(32), "0,1": cube(1, NEAREST) },
    expected: { "0,0": f32(...THROUGH.map((texel) => 1000 + Math.floor(texel / 10))) },
  },
  {
    name: "a cube of an array, and how many there are",
    glsl: `${EIGHT} ${OUT} layout(binding = 1) uniform samplerCubeArray t; ${DIRECTIONS} void main() { ${I} o[i] = textureLod(t, vec4(d[i], float(i & 1u)), 0.0).x + 1000.0 * float(textureSize(t, 0).z); }`,
    resources: { "0,0": zeros(32), "0,1": cube(2, NEAREST) },
    expected: { "0,0": f32(...THROUGH.map((texel, i) => texel + 60 * (i & 1) + 2000)) },
  },
  {
    name: "a linear filter over the edge of a face",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform samplerCube t; void main() { ${I} vec3 d = i == 0u ? vec3(1.0, 0.5, 1.0) : i == 1u ? vec3(1.0, 0.5, 0.0) : i == 2u ? vec3(0.5, 1.0, 1.0) : vec3(0.0, -0.5, -1.0); o[i] = textureLod(t, d, 0.0).x; }`,
    resources: { "0,0": zeros(16), "0,1": cube(1, LINEAR) },
    expected: { "0,0": f32(20.5, 0.5, 32, 52.5) },
    tolerance: 1e-4,
  },
  {
    name: "four texels of a cube",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform samplerCube t; void main() { ${I} o[i] = textureGather(t, i == 0u ? vec3(1.0, 0.0, 0.0) : i == 1u ? vec3(0.0, 1.0, 0.0) : i == 2u ? vec3(0.0, 0.0, 1.0) : vec3(0.0, 0.0, -1.0)); }`,
    resources: { "0,0": zeros(64), "0,1": cube(1, NEAREST) },
    expected: { "0,0": f32(...[0, 20, 40, 50].flatMap((face) => [face + 2, face + 3, face + 1, face])) },
  },
];

/** One texel with the components 2, 3, 4, 5. */
const colour = (order: readonly [number, number, number, number], sampler = NEAREST): ReturnType<typeof leveled> =>
  leveled({ type: "2d", format: RGBA32F, size: [1, 1, 1, 1] }, [f32(2, 3, 4, 5)], sampler, order);

/** Orders of components as codes, and what is read then. */
const ORDERS: readonly (readonly [order: readonly [number, number, number, number], read: readonly number[]])[] = [
  [[6, 5, 4, 3], [5, 4, 3, 2]],
  [[5, 0, 3, 0], [4, 3, 2, 5]],
  [[2, 1, 2, 3], [1, 0, 1, 2]],
  [[4, 4, 4, 1], [3, 3, 3, 0]],
];

const COMPONENTS: readonly ShaderCase[] = [
  ...ORDERS.map(
    ([order, read]): ShaderCase => ({
      name: `components in the order ${order.join("")}: samples and fetches`,
      glsl: `layout(local_size_x = 2) in; ${VECTORS} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = i == 0u ? textureLod(t, vec2(0.5), 0.0) : texelFetch(t, ivec2(0), 0); }`,
      resources: { "0,0": zeros(32), "0,1": colour(order) },
      expected: { "0,0": f32(...read, ...read) },
    }),
  ),
  {
    name: "components in another order are gathered",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform sampler2D t; void main() { ${I} vec2 p = vec2(0.5); o[i] = i == 0u ? textureGather(t, p, 0) : i == 1u ? textureGather(t, p, 1) : i == 2u ? textureGather(t, p, 2) : textureGather(t, p, 3); }`,
    resources: { "0,0": zeros(64), "0,1": colour([6, 1, 2, 4]) },
    expected: { "0,0": f32(...[5, 0, 1, 3].flatMap((value) => [value, value, value, value])) },
  },
  {
    name: "whole numbers in another order of components",
    glsl: `${SIZE} layout(binding = 0, std430) buffer Out { uvec4 o[]; }; layout(binding = 1) uniform usampler2D t; void main() { ${I} o[i] = texelFetch(t, ivec2(i & 1u, i >> 1), 0); }`,
    resources: {
      "0,0": zeros(64),
      "0,1": leveled({ type: "2d", format: R32UI, size: [2, 2, 1, 1] }, [u32(7, 8, 9, 10)], NEAREST, [2, 3, 1, 3]),
    },
    expected: { "0,0": u32(...[7, 8, 9, 10].flatMap((value) => [1, value, 0, value])) },
  },
];

/** An image of four by four texels with their numbers. */
const numbered = (sampler: number): ReturnType<typeof leveled> =>
  leveled({ type: "2d", format: R32F, size: [4, 4, 1, 1] }, [f32(...list(16, (i) => i))], sampler);

/** Modes of x and y as the kernel ABI's bits, places, and the texels that are read there. */
const MODES: readonly (readonly [what: string, bits: number, places: string, read: readonly number[]])[] = [
  ["repeated and held", joined(6, 1, 0x10, ((6 ^ 2) >> 1) << 12), "vec2(1.125, 1.125), vec2(-0.125, -1.0), vec2(0.125, 0.375), vec2(2.625, 3.0)", [12, 3, 4, 14]],
  ["held and repeated", joined(2, 1, 0x10, ((2 ^ 6) >> 1) << 12), "vec2(1.125, 1.125), vec2(-1.0, -0.125), vec2(0.375, 0.125), vec2(3.0, 2.625)", [3, 12, 1, 11]],
  ["mirrored and repeated", joined(8, 1, 0x10, ((8 ^ 6) >> 1) << 12), "vec2(1.125, 1.125), vec2(-0.125, -0.125), vec2(1.375, 0.375), vec2(0.375, 1.375)", [3, 12, 6, 5]],
  ["mirrored once and held", joined(10, 1, 0x10, ((10 ^ 2) >> 1) << 12), "vec2(-0.375, 0.125), vec2(-3.0, 0.125), vec2(3.0, 0.125), vec2(0.625, 2.0)", [1, 3, 3, 14]],
];

const SAMPLERS: readonly ShaderCase[] = [
  ...MODES.map(
    ([what, bits, places, read]): ShaderCase => ({
      name: `coordinates outside of an image: ${what}`,
      glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler2D t; void main() { ${I} const vec2 p[4] = vec2[](${places}); o[i] = textureLod(t, p[i], 0.0).x; }`,
      resources: { "0,0": zeros(16), "0,1": numbered(bits) },
      expected: { "0,0": f32(...read) },
    }),
  ),
  ...([[0, [0, 0, 0, 0]], [1, [0, 0, 0, 1]], [2, [1, 1, 1, 1]]] as const).map(
    ([border, read]): ShaderCase => ({
      name: `the border ${border} of four components`,
      glsl: `layout(local_size_x = 2) in; ${VECTORS} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLod(t, i == 0u ? vec2(-0.5, 0.5) : vec2(0.5), 0.0); }`,
      resources: { "0,0": zeros(32), "0,1": colour([0, 0, 0, 0], joined(BORDER, border << 18)) },
      expected: { "0,0": f32(...read, 2, 3, 4, 5) },
    }),
  ),
  {
    name: "a white border where a format has one component",
    glsl: `layout(local_size_x = 2) in; ${VECTORS} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLod(t, i == 0u ? vec2(0.5, 1.5) : vec2(0.125), 0.0); }`,
    resources: { "0,0": zeros(32), "0,1": numbered(joined(BORDER, 2 << 18)) },
    expected: { "0,0": f32(1, 0, 0, 1, 0, 0, 0, 1) },
  },
  {
    name: "the greatest and the least level of detail",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLod(t, vec2(0.1), float(i)).x; }`,
    resources: { "0,0": zeros(16), "0,1": pyramid("2d", 1, joined(NEAREST, 1 << 22, quarters(4))) },
    expected: { "0,0": f32(100, 100, 100, 100) },
  },
  {
    name: "one filter for larger texels and another for smaller ones",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLod(t, vec2(0.3125, 0.125), i < 2u ? 0.0 : 0.25).x; }`,
    resources: { "0,0": zeros(16), "0,1": numbered(joined(LINEAR, OTHER_FILTER)) },
    expected: { "0,0": f32(0.75, 0.75, 1, 1) },
  },
  {
    name: "gradients say the level of detail",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureGrad(t, vec2(0.1), vec2(0.25 * float(1u << i), 0.0), vec2(0.0, 0.125)).x; }`,
    resources: { "0,0": zeros(16), "0,1": pyramid("2d", 1, NEAREST) },
    expected: { "0,0": f32(0, 100, 200, 200) },
  },
  {
    name: "an offset at a level",
    glsl: `${SIZE} ${OUT} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLodOffset(t, vec2(0.125), 0.0, ivec2(1, 2)).x + texelFetchOffset(t, ivec2(i, 0), 0, ivec2(0, 1)).x * 100.0; }`,
    resources: { "0,0": zeros(16), "0,1": numbered(NEAREST) },
    expected: { "0,0": f32(...list(4, (i) => 9 + 100 * (4 + i))) },
  },
];

const FLOAT_ATOMICS = "#extension GL_EXT_shader_atomic_float : require\n";

const ATOMICS: readonly ShaderCase[] = [
  {
    name: "sums of floats in a buffer by all work-items",
    glsl: `${FLOAT_ATOMICS}layout(local_size_x = 16) in; ${OUT} void main() { ${I} atomicAdd(o[0], float(i) * 0.5); atomicAdd(o[1u + (i & 1u)], 1.0); }`,
    resources: { "0,0": zeros(12) },
    expected: { "0,0": f32(60, 8, 8) },
  },
  {
    name: "sums and exchanges of floats in shared memory",
    glsl: `${FLOAT_ATOMICS}layout(local_size_x = 16) in; ${OUT} shared float s; shared float last; void main() { ${I} if (i == 0u) { s = 0.0; last = -1.0; } barrier(); atomicAdd(s, 0.25); if (i == 9u) o[1] = atomicExchange(last, 5.0); barrier(); if (i == 0u) { o[0] = s; o[2] = last; } }`,
    resources: { "0,0": zeros(12) },
    expected: { "0,0": f32(4, -1, 5) },
  },
  {
    name: "loads, stores and exchanges of floats in a buffer",
    glsl: `${FLOAT_ATOMICS}#extension GL_KHR_memory_scope_semantics : require\n${SIZE} ${OUT} void main() { ${I} float before = atomicExchange(o[i], float(i) + 0.5); atomicStore(o[4u + i], before * 2.0, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease); o[8u + i] = atomicLoad(o[i], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire); }`,
    resources: { "0,0": buffer(f32(1, 2, 3, 4, ...list(8, () => 0))) },
    expected: { "0,0": f32(0.5, 1.5, 2.5, 3.5, 2, 4, 6, 8, 0.5, 1.5, 2.5, 3.5) },
  },
];

/** Whole numbers of levels. */
const WHOLE: readonly ShaderCase[] = [
  {
    name: "levels of whole numbers",
    glsl: `${SIZE} ${WORDS} layout(binding = 1) uniform usampler2D t; void main() { ${I} o[i] = textureLod(t, vec2(0.9), float(i & 1u)).x + texelFetch(t, ivec2(0), 1).x * 100u; }`,
    resources: {
      "0,0": zeros(16),
      "0,1": leveled({ type: "2d", format: R32UI, size: [2, 2, 1, 1] }, [u32(1, 2, 3, 4), u32(9)], NEAREST),
    },
    expected: { "0,0": u32(904, 909, 904, 909) },
  },
];

export const LEVEL_CASES: readonly ShaderCase[] = [
  ...SHAPED,
  ...CUBES,
  ...COMPONENTS,
  ...SAMPLERS,
  ...ATOMICS,
  ...WHOLE,
];
