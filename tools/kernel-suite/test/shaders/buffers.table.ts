// SPDX-License-Identifier: Apache-2.0
// Storage buffers, uniform blocks, push constants, and the layouts of what is in them.
import { NOT_UNIFORM, type ShaderCase, buffer, bytesOf, f32, list, u32, zeros } from "./shader-case.ts";

const OUT = "layout(set = 0, binding = 0, std430) buffer Out { uint o[]; };";
const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const SIZE = "layout(local_size_x = 8) in;";
const I = "uint i = gl_GlobalInvocationID.x;";

export const BUFFER_CASES: readonly ShaderCase[] = [
  {
    name: "a storage buffer is written",
    glsl: `${SIZE} ${OUT} void main() { ${I} o[i] = i * 3u + 1u; }`,
    groups: [2, 1, 1],
    resources: { "0,0": zeros(64) },
    expected: { "0,0": u32(...list(16, (i) => i * 3 + 1)) },
  },
  {
    name: "buffers of several sets, in the order of set and binding",
    glsl: `${SIZE} layout(set = 1, binding = 0) readonly buffer A { uint a[]; };
      layout(set = 0, binding = 3) readonly buffer B { uint b[]; };
      layout(set = 0, binding = 1) writeonly buffer C { uint c[]; };
      void main() { ${I} c[i] = a[i] - b[i]; }`,
    resources: {
      "1,0": buffer(u32(...list(8, (i) => i * 10))),
      "0,3": buffer(u32(...list(8, (i) => i))),
      "0,1": zeros(32),
    },
    expected: { "0,1": u32(...list(8, (i) => i * 9)) },
  },
  {
    name: "the length of an array without a length",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer In { uint head[3]; float rest[]; };
      void main() { ${I} o[i] = uint(rest.length()) * 100u + uint(o.length()); }`,
    resources: { "0,0": zeros(32), "0,1": zeros(4 * 13) },
    expected: { "0,0": u32(...list(8, () => 1008)) },
  },
  {
    name: "a uniform block of std140",
    glsl: `${SIZE} ${FLOATS} layout(binding = 1, std140) uniform U { float a; vec3 b; float c[2]; mat2 m; vec2 d; };
      void main() { ${I} float all[12] = float[](a, b.x, b.y, b.z, c[0], c[1], m[0].x, m[0].y, m[1].x, m[1].y, d.x, d.y);
        if (i < 12u) o[i] = all[i]; }`,
    groups: [2, 1, 1],
    resources: {
      "0,0": zeros(64),
      "0,1": buffer(
        f32(1, 0, 0, 0, 2, 3, 4, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 8, 0, 0, 9, 10, 0, 0, 11, 12, 0, 0),
      ),
    },
    expected: { "0,0": f32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0) },
  },
  {
    name: "std430: a number behind a vector of three",
    glsl: `${SIZE} struct S { vec3 p; float w; vec3 q; }; layout(binding = 0) buffer B { S s[]; };
      void main() { ${I} s[i].q = s[i].p * s[i].w; s[i].p = vec3(i); }`,
    resources: { "0,0": buffer(f32(...list(64, (i) => i % 8))) },
    expected: {
      "0,0": f32(
        ...list(64, (i) => {
          const [element, at] = [i >> 3, i & 7];
          return at < 3 ? element : at < 4 ? 3 : at < 7 ? (at - 4) * 3 : 7;
        }),
      ),
    },
  },
  {
    name: "a row-major matrix: columns, components, the whole",
    glsl: `${SIZE} ${FLOATS} layout(binding = 1, row_major) buffer M { mat2x3 m; mat2x3 copy; };
      void main() { ${I} if (i != 0u) return;
        copy = m; o[0] = m[1][2]; vec3 c = m[0]; o[1] = c.x; o[2] = c.y; o[3] = c.z;
        m[1] = vec3(70.0, 80.0, 90.0); m[0].y = 60.0; }`,
    resources: { "0,0": zeros(32), "0,1": buffer(f32(...list(12, (i) => i + 1))) },
    expected: {
      "0,0": f32(6, 1, 3, 5, 0, 0, 0, 0),
      "0,1": f32(1, 70, 60, 80, 5, 90, 1, 2, 3, 4, 5, 6),
    },
  },
  {
    name: "a column-major matrix of std140, by a column of a dynamic number",
    glsl: `${SIZE} ${FLOATS} layout(binding = 1, std140) uniform M { mat4x2 m; };
      void main() { ${I} vec2 c = m[i & 3u]; o[i] = c.x * 10.0 + c.y + m[i & 3u][i >> 2]; }`,
    resources: {
      "0,0": zeros(32),
      "0,1": buffer(f32(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 0, 0)),
    },
    expected: { "0,0": f32(13, 37, 61, 85, 14, 38, 62, 86) },
  },
  {
    name: "arrays of matrices in a struct in an array",
    glsl: `${SIZE} struct S { mat2 m[2]; int k; }; layout(binding = 0, row_major) buffer B { S s[]; };
      void main() { ${I} if (i < 2u) s[i].m[1][0] = vec2(s[i].m[0][1].x, float(s[i].k)); }`,
    resources: { "0,0": buffer(f32(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 11, 12, 13, 14, 15, 16, 17, 18, 0, 0)) },
    expected: { "0,0": f32(1, 2, 3, 4, 2, 6, 0, 8, 0, 0, 11, 12, 13, 14, 12, 16, 0, 18, 0, 0) },
  },
  {
    name: "scalar layout: vectors of three side by side",
    glsl: `#extension GL_EXT_scalar_block_layout : require
      ${SIZE} layout(binding = 0, scalar) buffer B { vec3 v[]; };
      void main() { ${I} v[i] = v[i].zyx + 1.0; }`,
    resources: { "0,0": buffer(f32(...list(24, (i) => i))) },
    expected: { "0,0": f32(...list(24, (i) => Math.floor(i / 3) * 3 + (2 - (i % 3)) + 1)) },
  },
  {
    name: "explicit offsets",
    glsl: `${SIZE} layout(binding = 0) buffer B { layout(offset = 16) uint a; layout(offset = 4) uint b; };
      void main() { ${I} if (i == 0u) { a = b + 1u; } }`,
    resources: { "0,0": buffer(u32(1, 2, 3, 4, 5)) },
    expected: { "0,0": u32(1, 2, 3, 4, 3) },
  },
  {
    name: "truth values in a block",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { bool b[]; };
      void main() { ${I} b[i] = !b[i]; bvec2 two = bvec2(b[i], i > 3u); o[i] = uint(any(two)) + 2u * uint(all(two)); }`,
    resources: { "0,0": zeros(32), "0,1": buffer(u32(1, 0, 1, 0, 1, 0, 1, 0)) },
    expected: { "0,0": u32(0, 1, 0, 1, 1, 3, 1, 3), "0,1": u32(0, 1, 0, 1, 0, 1, 0, 1) },
  },
  {
    name: "push constants",
    glsl: `${SIZE} ${FLOATS} layout(push_constant) uniform P { float a; vec2 b; mat2 m; uint n[2]; };
      void main() { ${I} o[i] = a + b.x * float(i) + m[1].y + float(n[i & 1u]); }`,
    resources: { "0,0": zeros(32) },
    push: bytesOf(f32(1, 0, 2, 0, 0, 0, 0, 5, 0, 0)).map((byte, i) => (i === 32 ? 100 : i === 36 ? 200 : byte)),
    expected: { "0,0": f32(...list(8, (i) => 6 + 2 * i + (i % 2 === 0 ? 100 : 200))) },
  },
  {
    name: "a buffer, a part of it and push constants in functions",
    glsl: `${SIZE} ${OUT} layout(push_constant) uniform P { uint p; }; layout(binding = 1) buffer In { uint d[]; } data;
      uint at(uint i) { return data.d[i] + p; }
      uint twice(uint i) { return at(i) * 2u; }
      void put(uint i, uint v) { o[i] = v; }
      void main() { ${I} put(i, twice(i)); }`,
    resources: { "0,0": zeros(32), "0,1": buffer(u32(...list(8, (i) => i * i))) },
    push: bytesOf(u32(7)),
    expected: { "0,0": u32(...list(8, (i) => (i * i + 7) * 2)) },
  },
  {
    name: "structs are copied between layouts",
    glsl: `${SIZE} struct S { vec3 a; uint b[2]; }; layout(binding = 0, std430) buffer B { S s[]; };
      layout(binding = 1, std140) uniform U { S t; };
      void main() { ${I} S own = t; own.b[1] += i; if (i < 2u) s[i] = own; }`,
    resources: {
      "0,0": zeros(64),
      "0,1": buffer(u32(1, 2, 3, 0, 4, 0, 0, 0, 5, 0, 0, 0)),
    },
    expected: { "0,0": u32(1, 2, 3, 4, 5, 0, 0, 0, 1, 2, 3, 4, 6, 0, 0, 0) },
  },
  {
    name: "bytes and shorts in buffers",
    glsl: `#extension GL_EXT_shader_8bit_storage : require
      #extension GL_EXT_shader_16bit_storage : require
      #extension GL_EXT_shader_explicit_arithmetic_types : require
      ${SIZE} layout(binding = 0) buffer B { uint8_t b[]; }; layout(binding = 1) buffer S { int16_t s[]; };
      void main() { ${I} b[i] = uint8_t(uint(b[i]) * 3u); s[i] = s[i] - int16_t(b[i]); }`,
    resources: { "0,0": { buffer: Uint8Array.from(list(8, (i) => i * 20)) }, "0,1": buffer(Int16Array.from(list(8, (i) => -i))) },
    expected: {
      "0,0": Uint8Array.from(list(8, (i) => (i * 60) & 255)),
      "0,1": bytesOf(Int16Array.from(list(8, (i) => -i - ((i * 60) & 255)))),
    },
  },
  {
    name: "numbers of 64 bits",
    glsl: `#extension GL_EXT_shader_explicit_arithmetic_types : require
      ${SIZE} layout(binding = 0) buffer B { int64_t a[]; }; layout(binding = 1) buffer D { double d[]; };
      void main() { ${I} a[i] = a[i] * 3000000000L; d[i] = d[i] / 4.0lf; }`,
    resources: {
      "0,0": buffer(BigInt64Array.from(list(8, (i) => i - 3), BigInt)),
      "0,1": buffer(Float64Array.from(list(8, (i) => i))),
    },
    expected: {
      "0,0": bytesOf(BigInt64Array.from(list(8, (i) => (i - 3) * 3000000000), BigInt)),
      "0,1": Float64Array.from(list(8, (i) => i / 4)),
    },
  },
  {
    name: "halves: arithmetic and storage",
    glsl: `#extension GL_EXT_shader_16bit_storage : require
      #extension GL_EXT_shader_explicit_arithmetic_types : require
      ${SIZE} ${FLOATS} layout(binding = 1) buffer H { f16vec4 h[]; };
      void main() { ${I} f16vec4 v = h[i & 1u] * float16_t(0.5); o[i] = float(v[i >> 1]); h[2] = f16vec4(1.5, 2.0, -4.0, 0.25); }`,
    resources: {
      "0,0": zeros(32),
      "0,1": buffer(Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0, 0, 0, 0)),
    },
    expected: {
      "0,0": f32(0.5, 2.5, 1, 3, 1.5, 3.5, 2, 4),
      "0,1": bytesOf(
        Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x3e00, 0x4000, 0xc400, 0x3400),
      ),
    },
  },
  {
    name: "an old buffer: Uniform with BufferBlock",
    target: "vulkan1.0",
    glsl: `${SIZE} layout(binding = 0, std430) buffer B { uint a; uint o[]; }; layout(binding = 1) uniform U { uint u; };
      void main() { ${I} o[i] = a + i + u; }`,
    resources: { "0,0": buffer(u32(5, ...list(8, () => 0))), "0,1": buffer(u32(10)) },
    expected: { "0,0": u32(5, ...list(8, (i) => 15 + i)) },
  },
  {
    name: "an array of buffers, with constant and dynamic index",
    lavapipe: NOT_UNIFORM,
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { uint b[]; } all[3];
      void main() { ${I} o[i] = all[1].b[i] + all[i % 3u].b[0] * 1000u + uint(all[i % 3u].b.length()) * 100000u; if (i > 2u) all[i % 3u].b[i] = i; }`,
    resources: {
      "0,0": zeros(32),
      "0,1": [8, 9, 10].map((count, n) => buffer(u32(...list(count, (i) => (n + 1) * 10 + i)))),
    },
    expected: {
      "0,0": u32(...list(8, (i) => 20 + i + ((i % 3) + 1) * 10000 + (8 + (i % 3)) * 100000)),
    },
  },
  {
    name: "an array of buffers without a count",
    lavapipe: NOT_UNIFORM,
    glsl: `#extension GL_EXT_nonuniform_qualifier : require
      ${SIZE} ${OUT} layout(set = 1, binding = 2) readonly buffer B { uint b; } all[];
      void main() { ${I} o[i] = all[nonuniformEXT(i & 3u)].b; }`,
    resources: { "0,0": zeros(32), "1,2": [5, 6, 7, 8].map((value) => buffer(u32(value))) },
    descriptorCounts: new Map([["1,2", 4]]),
    expected: { "0,0": u32(5, 6, 7, 8, 5, 6, 7, 8) },
  },
  {
    name: "one buffer as two bindings' names",
    glsl: `${SIZE} layout(binding = 0) buffer A { uint a[]; }; layout(binding = 0) buffer B { float b[]; };
      void main() { ${I} if ((i & 1u) == 0u) a[i] = i; else b[i] = 0.5; }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => (i % 2 === 0 ? i : 0x3f000000))) },
  },
  {
    name: "addresses of buffers",
    glsl: `#extension GL_EXT_buffer_reference : require
      #extension GL_EXT_shader_explicit_arithmetic_types : require
      ${SIZE} layout(buffer_reference) buffer Node; layout(buffer_reference, std430) buffer Node { uint value; Node next; };
      layout(binding = 0) buffer B { uint o[]; };
      void main() { ${I} o[i] = i; if (i > 100u) { Node n = Node(uint64_t(o[0])); n = n.next; o[0] = n.value; } }`,
    resources: { "0,0": zeros(32) },
    expected: { "0,0": u32(...list(8, (i) => i)) },
  },
  {
    name: "with robust access a load outside gives zero and a store does nothing",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { uvec3 v[]; };
      void main() { ${I} o[i] = v[i].x + o[i + 4u] * 10u + atomicAdd(o[i + 100u], 1u); o[i + 1000000u] = 1u; }`,
    options: "-muxkit-robust-buffer-access=zero",
    resources: { "0,0": zeros(32), "0,1": buffer(u32(...list(16, (i) => i + 1))) },
    expected: { "0,0": u32(1, 5, 9, 13, 0, 0, 0, 0) },
  },
  {
    name: "with robust access the nearest place in the buffer is taken",
    lavapipe: "Vulkan gives zero where this option takes the nearest place",
    glsl: `${SIZE} ${OUT} layout(binding = 1) buffer B { uint v[]; };
      void main() { ${I} o[i] = v[i * 2u] + v[i + 4000000000u] * 100u; }`,
    options: "-muxkit-robust-buffer-access=clamp",
    resources: { "0,0": zeros(32), "0,1": buffer(u32(1, 2, 3, 4)) },
    expected: { "0,0": u32(401, 403, ...list(6, () => 404)) },
  },
];

