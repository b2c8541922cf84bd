// SPDX-License-Identifier: Apache-2.0
// Formats of storage images, and addressing modes, filters and formats of sampled ones.
import { type ChannelOrder, type ChannelType, type Sampler, samplerBits } from "@muxkit/libimg";

import { RGBA32F, bound } from "./image-case.ts";
import { type ShaderCase, bytesOf, f32, list, zeros } from "./shader-case.ts";

const FLOATS = "layout(set = 0, binding = 0, std430) buffer Out { float o[]; };";
const I = "uint i = gl_GlobalInvocationID.x;";
const SIZE = "layout(local_size_x = 16) in;";

interface Format {
  readonly qualifier: string;
  readonly order: ChannelOrder;
  readonly type: ChannelType;
  /** What the bytes hold. */
  readonly make: (values: number[]) => ArrayBufferView;
  /** The number that is stored, of the one that is written. */
  readonly stored: (value: number) => number;
}

/** Written numbers: within and beyond what formats hold. */
const written = (n: number): number => (n - 20) / 16;
const rounded = (value: number, most: number): number => {
  const scaled = Math.fround(value) * most;
  const low = Math.floor(scaled);
  return scaled - low > 0.5 || (scaled - low === 0.5 && low % 2 !== 0) ? low + 1 : low;
};
const unorm = (most: number) => (value: number): number => rounded(Math.min(Math.max(value, 0), 1), most);
const snorm = (most: number) => (value: number): number => rounded(Math.min(Math.max(value, -1), 1), most);

const FORMATS: readonly Format[] = [
  { qualifier: "rgba8", order: "RGBA", type: "UNORM_INT8", make: (v) => Uint8Array.from(v), stored: unorm(255) },
  { qualifier: "rgba8_snorm", order: "RGBA", type: "SNORM_INT8", make: (v) => Int8Array.from(v), stored: snorm(127) },
  { qualifier: "rg8", order: "RG", type: "UNORM_INT8", make: (v) => Uint8Array.from(v), stored: unorm(255) },
  { qualifier: "r8", order: "R", type: "UNORM_INT8", make: (v) => Uint8Array.from(v), stored: unorm(255) },
  { qualifier: "rgba16", order: "RGBA", type: "UNORM_INT16", make: (v) => Uint16Array.from(v), stored: unorm(65535) },
  { qualifier: "rg16_snorm", order: "RG", type: "SNORM_INT16", make: (v) => Int16Array.from(v), stored: snorm(32767) },
  { qualifier: "r32f", order: "R", type: "FLOAT", make: (v) => Float32Array.from(v), stored: (v) => v },
  { qualifier: "rg32f", order: "RG", type: "FLOAT", make: (v) => Float32Array.from(v), stored: (v) => v },
];

const CHANNELS: Readonly<Partial<Record<ChannelOrder, number>>> = { R: 1, RG: 2, RGBA: 4 };

const stores = ({ qualifier, order, type, make, stored }: Format): ShaderCase => {
  const channels = CHANNELS[order] ?? 4;
  const contents = list(16 * channels, (n) => stored(written(4 * Math.floor(n / channels) + (n % channels))));
  return {
    name: `a storage image of ${qualifier}`,
    glsl: `${SIZE} layout(binding = 0, ${qualifier}) uniform image2D m; void main() { ${I} imageStore(m, ivec2(i & 3u, i >> 2), (vec4(0, 1, 2, 3) + float(4u * i) - 20.0) / 16.0); }`,
    resources: {
      "0,0": bound({ type: "2d", format: { order, type }, size: [4, 4, 1, 1] }, make(list(16 * channels, () => 0))),
    },
    expected: { "0,0": bytesOf(make(contents)) },
  };
};

const WHOLE = [
  ["rgba8i", "RGBA", "SIGNED_INT8", Int8Array, -128, 127],
  ["rgba16i", "RGBA", "SIGNED_INT16", Int16Array, -32768, 32767],
  ["rg16i", "RG", "SIGNED_INT16", Int16Array, -32768, 32767],
  ["rgba32i", "RGBA", "SIGNED_INT32", Int32Array, -(2 ** 31), 2 ** 31 - 1],
] as const;

/** Numbers within the format: what becomes of others is not defined. */
const wholeStores = ([qualifier, order, type, array, least, most]: (typeof WHOLE)[number]): ShaderCase => {
  const channels = CHANNELS[order] ?? 4;
  const value = (n: number): number => ((n * 7919) % (most - least)) + least;
  const before = list(16 * channels, value);
  const after = before.map((_, n) => ~(before[(15 - Math.floor(n / channels)) * channels + (n % channels)] ?? 0));
  const shape = { type: "2d", format: { order, type }, size: [4, 4, 1, 1] } as const;
  return {
    name: `storage images of ${qualifier}, read and written`,
    glsl: `${SIZE} layout(binding = 0, ${qualifier}) uniform writeonly iimage2D m; layout(binding = 1, ${qualifier}) uniform readonly iimage2D n; void main() { ${I} uint j = 15u - i; imageStore(m, ivec2(i & 3u, i >> 2), ~imageLoad(n, ivec2(j & 3u, j >> 2))); }`,
    resources: { "0,0": bound(shape, new array(16 * channels)), "0,1": bound(shape, array.from(before)) },
    expected: { "0,0": bytesOf(array.from(after)) },
  };
};

const MODES = ["repeat", "mirrored_repeat", "clamp_to_edge", "clamp"] as const;

/** The texel of a row of four that index n becomes; null: the border. */
const INDEX: Readonly<Record<(typeof MODES)[number], (n: number) => number | null>> = {
  repeat: (n) => (n + 8) % 4,
  mirrored_repeat: (n) => {
    const folded = (n + 16) % 8;
    return folded < 4 ? folded : 7 - folded;
  },
  clamp_to_edge: (n) => Math.min(Math.max(n, 0), 3),
  clamp: (n) => (n >= 0 && n < 4 ? n : null),
};

/** What is read at index n of a row of squares. */
function squareAt(addressing: (typeof MODES)[number], n: number): number {
  const at = INDEX[addressing](n);
  return at === null ? 0 : (at + 1) ** 2;
}

const samples = (addressing: (typeof MODES)[number], filter: Sampler["filter"]): ShaderCase => ({
  name: `a sampler: ${addressing}, ${filter}`,
  glsl: `${SIZE} ${FLOATS} layout(binding = 1) uniform sampler2D t; void main() { ${I} o[i] = textureLod(t, vec2(float(i) * 0.1875 - 1.03, 0.5), 0.0).x; }`,
  resources: {
    "0,0": zeros(64),
    "0,1": bound(
      { type: "2d", format: RGBA32F, size: [4, 1, 1, 1] },
      f32(...list(16, (i) => ((i >> 2) + 1) ** 2)),
      samplerBits({ normalized: true, addressing, filter }),
    ),
  },
  expected: {
    "0,0": f32(
      ...list(16, (i) => {
        const u = (i * 0.1875 - 1.03) * 4;
        if (filter === "nearest") return squareAt(addressing, Math.floor(u));
        const low = Math.floor(u - 0.5);
        const part = u - 0.5 - low;
        // The middle of the only row: those above and below it have no part.
        return squareAt(addressing, low) * (1 - part) + squareAt(addressing, low + 1) * part;
      }),
    ),
  },
  tolerance: 1e-5,
});

/** The layer of three that a coordinate says. */
const layerOf = (at: number): number => Math.min(Math.max(Math.round(at), 0), 2);

export const FORMAT_CASES: readonly ShaderCase[] = [
  ...FORMATS.map(stores),
  ...WHOLE.map(wholeStores),
  ...MODES.flatMap((mode) => [samples(mode, "nearest"), samples(mode, "linear")]),
  {
    name: "samples of lines, layers and volumes: the layer is the nearest one",
    glsl: `${SIZE} layout(binding = 0) buffer Out { vec4 o[]; }; layout(binding = 1) uniform sampler1D a; layout(binding = 2) uniform sampler1DArray b; layout(binding = 3) uniform sampler2DArray c; layout(binding = 4) uniform sampler3D d;
      void main() { ${I} float x = (float(i & 3u) + 0.5) / 4.0, y = float(i >> 2); o[i] = vec4(textureLod(a, x, 0.0).x, textureLod(b, vec2(x, y * 0.7), 0.0).x, textureLod(c, vec3(x, 0.25, y - 0.6), 0.0).x, textureLod(d, vec3(x, 0.25, (y + 0.5) / 4.0), 0.0).x); }`,
    resources: {
      "0,0": zeros(256),
      ...Object.fromEntries(
        (
          [
            ["1d", [4, 1, 1, 1]],
            ["1d_array", [4, 1, 1, 3]],
            ["2d_array", [4, 2, 1, 3]],
            ["3d", [4, 2, 4, 1]],
          ] as const
        ).map(([type, size], n) => {
          const [width, height, depth, layers] = size;
          const texels = list(width * height * depth * layers * 4, (i) => i >> 2);
          const bits = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "nearest" });
          return [`0,${n + 1}`, bound({ type, format: RGBA32F, size }, f32(...texels), bits)];
        }),
      ),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const [x, y] = [i & 3, i >> 2];
          return [x, x + 4 * layerOf(y * 0.7), x + 8 * layerOf(y - 0.6), x + 8 * y];
        }),
      ),
    },
  },
  {
    name: "samples of bytes: fractions, and sRGB",
    glsl: `${SIZE} layout(binding = 0) buffer Out { vec4 o[]; }; layout(binding = 1) uniform sampler2D a; layout(binding = 2) uniform sampler2D b; void main() { ${I} vec2 p = (vec2(i & 3u, i >> 2) + 0.5) / 4.0; o[i] = vec4(textureLod(a, p, 0.0).xw, textureLod(b, p, 0.0).yw); }`,
    resources: {
      "0,0": zeros(256),
      ...Object.fromEntries(
        (["RGBA", "sRGBA"] as const).map((order, n) => {
          const bits = samplerBits({ normalized: true, addressing: "clamp_to_edge", filter: "nearest" });
          const bytes = Uint8Array.from(list(64, (i) => i * 4 + 3));
          return [`0,${n + 1}`, bound({ type: "2d", format: { order, type: "UNORM_INT8" }, size: [4, 4, 1, 1] }, bytes, bits)];
        }),
      ),
    },
    expected: {
      "0,0": f32(
        ...list(16, (i) => i).flatMap((i) => {
          const byte = (n: number): number => (16 * i + 4 * n + 3) / 255;
          const green = byte(1);
          return [byte(0), byte(3), green <= 0.04045 ? green / 12.92 : ((green + 0.055) / 1.055) ** 2.4, byte(3)];
        }),
      ),
    },
    tolerance: 2e-6,
    lavapipe: 2e-3,
  },
];
