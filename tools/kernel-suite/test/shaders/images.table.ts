// SPDX-License-Identifier: Apache-2.0
// Storage images, texel buffers, fetches, samples.
import { LINEAR, NEAREST, R32UI, RGBA32F, bound, flat } from "./image-case.ts";
import { NOT_UNIFORM, type ShaderCase, f32, i32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 16) in;";
const I = "uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;";

/** What texel n of a row has that repeats. */
const texel = (n: number): number => ((n + 4) % 4) * 4;

export const IMAGE_CASES: readonly ShaderCase[] = [
  {
    name: "a storage image is read and written",
    glsl: `layout(local_size_x = 4, local_size_y = 4) in; layout(binding = 0, r32ui) uniform uimage2D m; void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); uint v = imageLoad(m, p).x; imageStore(m, p, uvec4(v * 2u + uint(p.y) + uint(imageSize(m).x) * 100u)); }`,
    resources: { "0,0": bound(flat, u32(...list(16, (i) => i))) },
    expected: { "0,0": u32(...list(16, (i) => 2 * i + (i >> 2) + 400)) },
  },
  {
    name: "images of one and three dimensions, and of layers",
    glsl: `${SIZE} ${OUT} layout(binding = 1, r32ui) uniform uimage1D a; layout(binding = 2, r32ui) uniform uimage3D b; layout(binding = 3, r32i) uniform iimage2DArray c;
      void main() { ${I} ivec3 p = ivec3(i & 1u, (i >> 1) & 1u, i >> 2); o[i] = imageLoad(a, int(i)).x + imageLoad(b, p).x * 100u + uint(-imageLoad(c, p).x) * 10000u + uint(imageSize(b).z * 10 + imageSize(c).z) * 1000000u; imageStore(b, p, uvec4(i)); }`,
    resources: {
      "0,0": zeros(64),
      "0,1": bound({ type: "1d", format: R32UI, size: [16, 1, 1, 1] }, u32(...list(16, (i) => i))),
      "0,2": bound({ type: "3d", format: R32UI, size: [2, 2, 4, 1] }, u32(...list(16, (i) => 15 - i))),
      "0,3": bound({ type: "2d_array", format: { order: "R", type: "SIGNED_INT32" }, size: [2, 2, 1, 4] }, i32(...list(16, (i) => -i))),
    },
    expected: {
      "0,0": u32(...list(16, (i) => i + (15 - i) * 100 + i * 10000 + 44000000)),
      "0,2": u32(...list(16, (i) => i)),
    },
  },
  {
    name: "texel buffers",
    glsl: `${SIZE} layout(binding = 0, rgba32f) uniform imageBuffer m; layout(binding = 1) uniform samplerBuffer t; void main() { ${I} if (i < 4u) imageStore(m, int(i), texelFetch(t, 3 - int(i)) + float(textureSize(t))); }`,
    resources: {
      "0,0": bound({ type: "1d_buffer", format: RGBA32F, size: [4, 1, 1, 1] }, new Float32Array(16)),
      "0,1": bound({ type: "1d_buffer", format: RGBA32F, size: [4, 1, 1, 1] }, f32(...list(16, (i) => i))),
    },
    expected: { "0,0": f32(...list(16, (i) => (3 - (i >> 2)) * 4 + (i & 3) + 4)) },
  },
  {
    name: "an image and a sampler in one: levels, fetches, offsets, sizes",
    glsl: `${SIZE} ${FLOATS} layout(binding = 1) uniform sampler2D t; void main() { ${I} vec2 p = (vec2(i & 3u, i >> 2) + 0.5) / 4.0;
      o[i] = textureLod(t, p, 0.0).x + 100.0 * texelFetch(t, ivec2(i & 3u, 0), 0).y + 10000.0 * texelFetchOffset(t, ivec2(0, i >> 2), 0, ivec2(1, 0)).z + float(textureSize(t, 0).y * 10 + textureQueryLevels(t)) * 100000.0; }`,
    resources: {
      "0,0": zeros(64),
      "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, f32(...list(64, (i) => (i >> 2) % 10)), NEAREST),
    },
    expected: {
      "0,0": f32(...list(16, (i) => (i % 10) + 100 * (i & 3) + 10000 * (((i & 12) + 1) % 10) + 4100000)),
    },
  },
  {
    name: "an image and a sampler apart: filtering, whole numbers, projection",
    glsl: `#extension GL_EXT_samplerless_texture_functions : require
      ${SIZE} ${FLOATS} layout(binding = 1) uniform texture2D t; layout(binding = 2) uniform sampler s; layout(binding = 3) uniform utexture2D u;
      void main() { ${I} float x = float(i) / 16.0; o[i] = textureLod(sampler2D(t, s), vec2(x, 0.125), 0.0).x + 10.0 * textureProjLod(sampler2D(t, s), vec3(x * 2.0, 0.25, 2.0), 0.0).x + 1000.0 * float(texelFetch(u, ivec2(i & 3u, i >> 2), 0).x); }`,
    resources: {
      "0,0": zeros(64),
      "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, f32(...list(64, (i) => ((i >> 2) & 3) * 4))),
      "0,2": { sampler: LINEAR },
      "0,3": bound(flat, u32(...list(16, (i) => i))),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => {
          const at = (i / 16) * 4 - 0.5;
          const [low, part] = [Math.floor(at), at - Math.floor(at)];
          return 11 * (texel(low) * (1 - part) + texel(low + 1) * part) + 1000 * i;
        }),
      ),
    },
    tolerance: 1e-5,
  },
  {
    name: "arrays of images and samplers, by a dynamic index",
    lavapipe: NOT_UNIFORM,
    glsl: `#extension GL_EXT_nonuniform_qualifier : require\n${SIZE} ${OUT} layout(binding = 1, r32ui) uniform uimage2D m[3]; layout(binding = 4) uniform usampler2D t[2]; uint get(ivec2 p, int k) { return imageLoad(m[k], p).x; }
      void main() { ${I} ivec2 p = ivec2(i & 3u, i >> 2); uint k = i % 3u; uint v = imageLoad(m[nonuniformEXT(k)], p).x; imageStore(m[nonuniformEXT(k)], p, uvec4(v + 1u));
        o[i] = v + textureLod(t[nonuniformEXT(i & 1u)], (vec2(p) + 0.5) / 4.0, 0.0).x * 1000u + get(p, 1) * 100000u; }`,
    resources: {
      "0,0": zeros(64),
      "0,1": list(3, (n) => n).map((n) => bound(flat, u32(...list(16, (i) => i + 100 * n)))),
      "0,4": list(2, (n) => n).map((n) => bound(flat, u32(...list(16, (i) => i + 20 * n)), NEAREST)),
    },
    expected: {
      "0,0": u32(
        ...list(16, (i) => i + 100 * (i % 3) + (i + 20 * (i & 1)) * 1000 + (100 + i + (i % 3 === 1 ? 1 : 0)) * 100000),
      ),
    },
  },
  {
    name: "images in functions, without a format",
    glsl: `#extension GL_EXT_shader_image_load_formatted : require\n${SIZE} layout(binding = 0) uniform image2D a; layout(binding = 1) readonly uniform image2D b;
      vec4 get(readonly image2D m, ivec2 p) { return imageLoad(m, p); } void put(image2D m, ivec2 p, vec4 v) { imageStore(m, p, v); }
      void main() { ${I} ivec2 p = ivec2(i & 3u, i >> 2); put(a, p, get(b, p.yx) * 0.5); }`,
    resources: {
      "0,0": bound({ type: "2d", format: { order: "RGBA", type: "UNORM_INT8" }, size: [4, 4, 1, 1] }, new Uint8Array(64)),
      "0,1": bound({ type: "2d", format: RGBA32F, size: [4, 4, 1, 1] }, f32(...list(64, (i) => (i * 2) / 255))),
    },
    expected: { "0,0": Uint8Array.from(list(64, (i) => ((i >> 2) & 3) * 16 + (i >> 4) * 4 + (i & 3))) },
  },
];
