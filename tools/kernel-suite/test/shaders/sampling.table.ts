// SPDX-License-Identifier: Apache-2.0
// What shaders do with images beyond OpenCL: atomic operations on texels, offsets, gathering, comparing.
import { type Comparison, type ImageFormat, samplerBits } from "@muxkit/libimg";

import { LINEAR, NEAREST, R32UI, RGBA32F, bound, flat } from "./image-case.ts";
import { type ShaderCase, f32, i32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const VECTORS = "layout(set = 0, binding = 0, std430) buffer Out { vec4 o[]; };";
const SIZE = "layout(local_size_x = 16) in;";
const I = "uint i = gl_GlobalInvocationID.x;";
/** The middle of texel i of an image of four by four. */
const MIDDLE = "vec2 p = (vec2(i & 3u, i >> 2) + 0.5) / 4.0;";

const R32I: ImageFormat = { order: "R", type: "SIGNED_INT32" };
const DEPTH: ImageFormat = { order: "DEPTH", type: "FLOAT" };
const BORDER = samplerBits({ normalized: true, addressing: "clamp", filter: "nearest" });
const MIRRORED = samplerBits({ normalized: true, addressing: "mirrored_repeat", filter: "nearest" });
const EDGE = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "linear" });
const comparing = (comparison: Comparison, filter: "nearest" | "linear"): number =>
  samplerBits({ normalized: true, addressing: "clamp_to_edge", filter, comparison });

/** An image whose texel n has n in its first channel and more in the others. */
const numbered = f32(...list(64, (i) => (i >> 2) + 100 * (i & 3)));
const depths = f32(...list(16, (i) => i / 16));
const held = (n: number): number => Math.min(Math.max(n, 0), 3);
const wrapped = (n: number): number => (n + 8) % 4;
const at = (x: number, y: number): number => 4 * y + x;

/** A comparison of i / 16 with 1/4, in words. */
const compared = (comparison: Comparison, of: (depth: number) => boolean): ShaderCase => ({
  name: `texels are compared: ${comparison}`,
  glsl: `${SIZE} ${FLOATS} layout(binding = 1) uniform sampler2DShadow t; void main() { ${I} ${MIDDLE} o[i] = textureLod(t, vec3(p, 0.25), 0.0); }`,
  resources: {
    "0,0": zeros(64),
    "0,1": bound({ type: "2d", format: DEPTH, size: [4, 4, 1, 1] }, depths, comparing(comparison, "nearest")),
  },
  expected: { "0,0": f32(...list(16, (i) => Number(of(i / 16)))) },
});

export const SAMPLING_CASES: readonly ShaderCase[] = [
  {
    name: "atomic operations on texels",
    glsl: `${SIZE} ${OUT} layout(binding = 1, r32ui) uniform uimage2D m; layout(binding = 2, r32i) uniform iimage2D n;
      void main() { ${I} imageAtomicAdd(m, ivec2(0, 0), i); imageAtomicMax(m, ivec2(1, 0), i); imageAtomicMin(m, ivec2(2, 0), i); imageAtomicAnd(m, ivec2(3, 0), ~(1u << i)); imageAtomicOr(m, ivec2(0, 1), 1u << i); imageAtomicXor(m, ivec2(1, 1), i + 1u);
        uint won = imageAtomicCompSwap(m, ivec2(2, 1), 0u, i + 1u); o[i] = won == 0u ? 1u : 0u; imageAtomicExchange(m, ivec2(3, 1), 7u); imageAtomicMin(n, ivec2(i & 3u, 3), -int(i)); imageAtomicMax(n, ivec2(i & 3u, 2), -int(i)); }`,
    resources: {
      "0,0": zeros(64),
      "0,1": bound(flat, u32(0, 0, 99, 0xffffffff, 0, 0, 1, ...list(9, () => 5))),
      "0,2": bound({ ...flat, format: R32I }, i32(...list(16, () => -5))),
    },
    expected: {
      "0,0": u32(...list(16, () => 0)),
      "0,1": u32(120, 15, 0, 0xffff0000, 0xffff, list(16, (i) => i + 1).reduce((a, b) => a ^ b), 1, 7, ...list(8, () => 5)),
      "0,2": i32(...list(8, () => -5), 0, -1, -2, -3, -12, -13, -14, -15),
    },
  },
  {
    name: "atomic operations on texels of lines, layers, volumes and buffers",
    glsl: `${SIZE} layout(binding = 1, r32ui) uniform uimage1D a; layout(binding = 2, r32ui) uniform uimage2DArray b; layout(binding = 3, r32ui) uniform uimage3D c; layout(binding = 4, r32ui) uniform uimageBuffer d;
      void main() { ${I} imageAtomicAdd(a, int(i & 3u), i); imageAtomicAdd(b, ivec3(i & 1u, (i >> 1) & 1u, i >> 2), i + 1u); imageAtomicOr(c, ivec3(i & 1u, (i >> 1) & 1u, i >> 3), 1u << i); imageAtomicExchange(d, int(i), imageAtomicAdd(d, int(i), 3u) * 2u); }`,
    resources: {
      "0,1": bound({ type: "1d", format: R32UI, size: [4, 1, 1, 1] }, u32(0, 0, 0, 0)),
      "0,2": bound({ type: "2d_array", format: R32UI, size: [2, 2, 1, 4] }, u32(...list(16, (i) => i * 100))),
      "0,3": bound({ type: "3d", format: R32UI, size: [2, 2, 2, 1] }, u32(...list(8, () => 0))),
      "0,4": bound({ type: "1d_buffer", format: R32UI, size: [16, 1, 1, 1] }, u32(...list(16, (i) => i))),
    },
    expected: {
      "0,1": u32(24, 28, 32, 36),
      "0,2": u32(...list(16, (i) => i * 101 + 1)),
      "0,3": u32(...list(8, (n) => list(16, (i) => ((i & 3) | ((i >> 3) << 2)) === n ? 1 << i : 0).reduce((a, b) => a | b))),
      "0,4": u32(...list(16, (i) => i * 2)),
    },
  },
  {
    name: "atomic operations on texels that are floats",
    glsl: `#extension GL_EXT_shader_atomic_float : require
      ${SIZE} layout(binding = 0, r32f) uniform image2D m; void main() { ${I} imageAtomicAdd(m, ivec2(i & 1u, 0), 0.5); imageAtomicExchange(m, ivec2(2, 0), 9.0); }`,
    resources: { "0,0": bound({ ...flat, format: { order: "R", type: "FLOAT" } }, f32(...list(16, (i) => i))) },
    expected: { "0,0": f32(4, 5, 9, ...list(13, (i) => i + 3)) },
  },
  {
    name: "samples with an offset, held at the edge",
    glsl: `${SIZE} ${FLOATS} layout(binding = 1) uniform sampler2D t; void main() { ${I} ${MIDDLE} o[i] = textureLodOffset(t, p, 0.0, ivec2(1, -2)).x + 1000.0 * textureLodOffset(t, p, 0.0, ivec2(-1, 3)).y; }`,
    resources: { "0,0": zeros(64), "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, numbered, NEAREST) },
    expected: {
      "0,0": f32(
        ...list(16, (i) => {
          const [x, y] = [i & 3, i >> 2];
          return at(held(x + 1), held(y - 2)) + 1000 * (at(held(x - 1), held(y + 3)) + 100);
        }),
      ),
    },
  },
  {
    name: "samples with an offset: the border, mirrors, whole numbers",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform sampler2D b; layout(binding = 2) uniform sampler2D m; layout(binding = 3) uniform usampler2D u;
      void main() { ${I} ${MIDDLE} o[i] = vec4(textureLodOffset(b, p, 0.0, ivec2(2, 0)).xw, textureLodOffset(m, p, 0.0, ivec2(-3, 2)).x, float(textureLodOffset(u, p, 0.0, ivec2(0, 1)).x)); }`,
    resources: {
      "0,0": zeros(256),
      "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, numbered, BORDER),
      "0,2": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, numbered, MIRRORED),
      "0,3": bound(flat, u32(...list(16, (i) => i * i)), NEAREST),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const [x, y] = [i & 3, i >> 2];
          const isIn = x + 2 < 4;
          const mirrored = at(x < 3 ? 2 - x : 0, y + 2 < 4 ? y + 2 : 5 - y);
          return [isIn ? at(x + 2, y) : 0, isIn ? at(x + 2, y) + 300 : 0, mirrored, at(x, held(y + 1)) ** 2];
        }),
      ),
    },
  },
  {
    name: "samples with an offset, filtered, of lines, layers and volumes",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform sampler1D a; layout(binding = 2) uniform sampler2DArray b; layout(binding = 3) uniform sampler3D c; layout(binding = 4) uniform sampler2D d;
      void main() { ${I} float x = float(i) / 16.0; o[i] = vec4(textureLodOffset(a, x, 0.0, 1).x, textureLodOffset(b, vec3(x, 0.5, 1.0), 0.0, ivec2(-1, 0)).x, textureLodOffset(c, vec3(0.25, x, 0.75), 0.0, ivec3(0, 1, -1)).x, textureLodOffset(d, vec2(x, 0.3), 0.0, ivec2(2, 1)).x); }`,
    resources: {
      "0,0": zeros(256),
      "0,1": bound({ type: "1d", format: RGBA32F, size: [4, 1, 1, 1] }, f32(...list(16, (i) => i >> 2)), EDGE),
      "0,2": bound({ type: "2d_array", format: RGBA32F, size: [4, 1, 1, 2] }, f32(...list(32, (i) => i >> 2)), EDGE),
      "0,3": bound({ type: "3d", format: RGBA32F, size: [2, 4, 2, 1] }, f32(...list(64, (i) => i >> 2)), EDGE),
      "0,4": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, numbered, LINEAR),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const u = i / 4 - 0.5;
          const [low, part] = [Math.floor(u), u - Math.floor(u)];
          const line = (offset: number): number => held(low + offset) * (1 - part) + held(low + 1 + offset) * part;
          const around = wrapped(low + 2) * (1 - part) + wrapped(low + 3) * part;
          return [line(1), 4 + line(-1), line(1) * 2, around + (1.7 % 1) * 4 + 4];
        }),
      ),
    },
    tolerance: 1e-5,
  },
  {
    name: "four texels at once, of each component",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform sampler2D t; void main() { ${I} vec2 p = vec2(i & 3u, i >> 2) / 4.0 + 0.01; o[i] = textureGather(t, p) + 1000.0 * textureGather(t, p, 2); }`,
    resources: { "0,0": zeros(256), "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, numbered, NEAREST) },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const [x, y] = [(i & 3) - 1, (i >> 2) - 1];
          return [at(held(x), held(y + 1)), at(held(x + 1), held(y + 1)), at(held(x + 1), held(y)), at(held(x), held(y))].map(
            (n) => n + 1000 * (n + 200),
          );
        }),
      ),
    },
  },
  {
    name: "four texels with offsets, of layers, of whole numbers",
    glsl: `${SIZE} layout(binding = 0, std430) buffer Out { uvec4 o[]; }; layout(binding = 1) uniform usampler2D t; layout(binding = 2) uniform isampler2DArray a;
      void main() { ${I} vec2 p = vec2(i & 3u, i >> 2) / 4.0 + 0.01; const ivec2 four[4] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, -2), ivec2(3, 1));
        o[i] = textureGatherOffset(t, p, ivec2(1, 2)) + 100u * textureGatherOffsets(t, p, four) + 10000u * uvec4(-textureGather(a, vec3(p, 1.0))); }`,
    resources: {
      "0,0": zeros(256),
      "0,1": bound(flat, u32(...list(16, (i) => i)), NEAREST),
      "0,2": bound({ type: "2d_array", format: R32I, size: [4, 4, 1, 2] }, i32(...list(32, (i) => -i)), NEAREST),
    },
    expected: {
      "0,0": u32(
        ...list(16, (i) => i).flatMap((i) => {
          const [x, y] = [(i & 3) - 1, (i >> 2) - 1];
          const corners = [[0, 1], [1, 1], [1, 0], [0, 0]] as const;
          const fours = [[0, 0], [1, 0], [0, -2], [3, 1]] as const;
          return corners.map(([dx, dy], n) => {
            const [ox = 0, oy = 0] = fours[n] ?? [];
            const moved = at(held(x + dx + 1), held(y + dy + 2));
            return moved + 100 * at(held(x + ox), held(y + oy)) + 10000 * (16 + at(held(x + dx), held(y + dy)));
          });
        }),
      ),
    },
  },
  compared("never", () => false),
  compared("less", (depth) => 0.25 < depth),
  compared("equal", (depth) => depth === 0.25),
  compared("less_or_equal", (depth) => 0.25 <= depth),
  compared("greater", (depth) => 0.25 > depth),
  compared("not_equal", (depth) => depth !== 0.25),
  compared("greater_or_equal", (depth) => 0.25 >= depth),
  compared("always", () => true),
  {
    name: "texels are compared, then filtered; with projection, in layers, four at once",
    glsl: `${SIZE} ${VECTORS} layout(binding = 1) uniform sampler2DShadow t; layout(binding = 2) uniform sampler2DArrayShadow a;
      void main() { ${I} vec2 p = vec2(i & 3u, i >> 2) / 4.0 + 0.125; o[i] = vec4(textureLod(t, vec3(p + vec2(0.0625, 0.0), 0.35), 0.0), textureProjLod(t, vec4(p * 2.0, 0.7, 2.0), 0.0), textureGrad(a, vec4(p, 1.0, 0.6), vec2(0.0), vec2(0.0)), dot(textureGather(t, p - 0.03125, 0.5), vec4(1, 10, 100, 1000))); }`,
    resources: {
      "0,0": zeros(256),
      "0,1": bound({ type: "2d", format: DEPTH, size: [4, 4, 1, 1] }, depths, comparing("less", "linear")),
      "0,2": bound(
        { type: "2d_array", format: { order: "DEPTH", type: "UNORM_INT16" }, size: [4, 4, 1, 2] },
        Uint16Array.from(list(32, (i) => (i < 16 ? 0 : (i - 16) * 4096))),
        comparing("greater", "nearest"),
      ),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const [x, y] = [i & 3, i >> 2];
          const passes = (dx: number, dy: number, reference: number): number =>
            Number(reference < at(held(x + dx), held(y + dy)) / 16);
          return [
            0.75 * passes(0, 0, 0.35) + 0.25 * passes(1, 0, 0.35),
            passes(0, 0, 0.35),
            Number(0.6 > (i * 4096) / 65535),
            passes(-1, 0, 0.5) + 10 * passes(0, 0, 0.5) + 100 * passes(0, -1, 0.5) + 1000 * passes(-1, -1, 0.5),
          ];
        }),
      ),
    },
    tolerance: 1e-6,
  },
];
