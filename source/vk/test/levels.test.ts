// SPDX-License-Identifier: Apache-2.0
// Levels of detail, cubes, orders of components, borders and addressing modes: what shaders read of each.
import * as vk from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { NEAREST, newImage, shapeOf, viewOf } from "./image-rig.ts";
import {
  bind,
  device,
  errorOf,
  finish,
  newPipeline,
  newRecording,
  newSet,
  run,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

const COMBINED = vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
const STORAGE = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

/** Copies tight texels of a level in. */
function fillLevel(image: vk.VkImage, mipLevel: number, texels: readonly number[]): void {
  const source = words(texels.length);
  new Float32Array(source.words.buffer, source.words.byteOffset, texels.length).set(texels);
  const { extent, arrayLayers } = shapeOf(image);
  const side = (size: number): number => Math.max(1, size >> mipLevel);
  const commands = newRecording();
  vk.vkCmdCopyBufferToImage(commands, source.buffer, image, vk.VK_IMAGE_LAYOUT_GENERAL, [
    {
      imageSubresource: {
        aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
        mipLevel,
        baseArrayLayer: 0,
        layerCount: arrayLayers,
      },
      imageExtent: { width: side(extent.width), height: side(extent.height), depth: side(extent.depth) },
    },
  ]);
  finish(commands);
}

/** The texels of a level, tight. */
function levelOf(image: vk.VkImage, mipLevel: number): readonly number[] {
  const { extent, arrayLayers } = shapeOf(image);
  const side = (size: number): number => Math.max(1, size >> mipLevel);
  const [width, height, depth] = [side(extent.width), side(extent.height), side(extent.depth)];
  const target = words(width * height * depth * arrayLayers);
  run((commands) => {
    vk.vkCmdCopyImageToBuffer(commands, image, vk.VK_IMAGE_LAYOUT_GENERAL, target.buffer, [
      {
        imageSubresource: {
          aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
          mipLevel,
          baseArrayLayer: 0,
          layerCount: arrayLayers,
        },
        imageExtent: { width, height, depth },
      },
    ]);
  });
  return [...new Float32Array(target.words.buffer, target.words.byteOffset, target.words.length)];
}

type Place = readonly [number, number, number, number];

/** What a shader of this folder writes for places: two texels for each. */
function sampled(
  name: "level" | "cube",
  textures: readonly (readonly [binding: number, view: vk.VkImageView])[],
  info: Partial<vk.VkSamplerCreateInfo>,
  places: readonly Place[],
): readonly (readonly number[])[] {
  const set = setLayout([
    [COMBINED, 1],
    [STORAGE, 1],
    [STORAGE, 1],
    ...(name === "cube" ? [[COMBINED, 1] as const] : []),
  ]);
  const layout = vk.vkCreatePipelineLayout(device, { pSetLayouts: [set] });
  const pipeline = newPipeline(name, layout);
  const [given, data] = [words(places.length * 4), words(places.length * 8)];
  new Float32Array(given.words.buffer, given.words.byteOffset, places.length * 4).set(places.flat());
  const bound = newSet(set);
  writeSet(bound, 1, [given.buffer]);
  writeSet(bound, 2, [data.buffer]);
  const sampler = vk.vkCreateSampler(device, { ...NEAREST, ...info });
  vk.vkUpdateDescriptorSets(
    device,
    textures.map(([dstBinding, imageView]) => ({
      dstSet: bound,
      dstBinding,
      descriptorType: COMBINED,
      pImageInfo: [{ sampler, imageView, imageLayout: vk.VK_IMAGE_LAYOUT_GENERAL }],
    })),
  );
  run((commands) => {
    bind(commands, pipeline, layout, [bound]);
    vk.vkCmdDispatch(commands, places.length, 1, 1);
  });
  const floats = new Float32Array(data.words.buffer, data.words.byteOffset, places.length * 8);
  return Array.from({ length: places.length * 2 }, (_, i) => [...floats.subarray(i * 4, i * 4 + 4)]);
}

const FLOATS = { format: vk.VK_FORMAT_R32_SFLOAT } as const;

/** An image of floats of 5 by 3 texels with three levels: 100 times the level, and the number of the texel. */
function pyramid(): vk.VkImage {
  const image = newImage({ ...FLOATS, extent: { width: 5, height: 3, depth: 1 }, mipLevels: 3 });
  fillLevel(
    image,
    0,
    Array.from({ length: 15 }, (_, i) => i),
  );
  fillLevel(image, 1, [100, 101]);
  fillLevel(image, 2, [200]);
  return image;
}

/** A level of one layer, for copies. */
const levelRange = (mipLevel: number): vk.VkImageSubresourceLayers => ({
  aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
  mipLevel,
  baseArrayLayer: 0,
  layerCount: 1,
});

test("levels are copied, cleared and laid out by themselves", () => {
  const image = pyramid();
  expect([0, 1, 2].map((level) => levelOf(image, level).length)).toEqual([15, 2, 1]);
  expect(levelOf(image, 1)).toEqual([100, 101]);
  run((commands) => {
    vk.vkCmdClearColorImage(commands, image, vk.VK_IMAGE_LAYOUT_GENERAL, { float32: [7, 0, 0, 0] }, [
      { ...viewOf(image).subresourceRange, baseMipLevel: 1, levelCount: vk.VK_REMAINING_MIP_LEVELS },
    ]);
  });
  expect(levelOf(image, 0)).toEqual(Array.from({ length: 15 }, (_, i) => i));
  expect([levelOf(image, 1), levelOf(image, 2)]).toEqual([[7, 7], [7]]);
  const copy = newImage({ ...FLOATS, extent: { width: 2, height: 1, depth: 1 } });
  run((commands) => {
    vk.vkCmdCopyImage(commands, image, vk.VK_IMAGE_LAYOUT_GENERAL, copy, vk.VK_IMAGE_LAYOUT_GENERAL, [
      { srcSubresource: levelRange(1), dstSubresource: levelRange(0), extent: { width: 2, height: 1, depth: 1 } },
    ]);
  });
  expect(levelOf(copy, 0)).toEqual([7, 7]);
  const { offset } = vk.vkGetImageSubresourceLayout(device, image, {
    aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
    mipLevel: 1,
    arrayLayer: 0,
  });
  expect(offset).toBeGreaterThanOrEqual(15 * 4);
});

test("layers and volumes have levels too", () => {
  const layers = newImage({ ...FLOATS, mipLevels: 3, arrayLayers: 3 });
  const volume = newImage({
    ...FLOATS,
    imageType: vk.VK_IMAGE_TYPE_3D,
    extent: { width: 4, height: 2, depth: 4 },
    mipLevels: 3,
  });
  const lines = newImage({
    ...FLOATS,
    imageType: vk.VK_IMAGE_TYPE_1D,
    extent: { width: 9, height: 1, depth: 1 },
    mipLevels: 4,
    arrayLayers: 2,
  });
  for (const [image, count] of [
    [layers, [48, 12, 3]],
    [volume, [32, 4, 1]],
    [lines, [18, 8, 4, 2]],
  ] as const) {
    count.forEach((texels, level) => {
      fillLevel(
        image,
        level,
        Array.from({ length: texels }, (_, i) => level * 1000 + i),
      );
    });
    count.forEach((texels, level) => {
      expect(levelOf(image, level)).toEqual(Array.from({ length: texels }, (_, i) => level * 1000 + i));
    });
  }
});

/** Levels of detail, filters, and what is read of the pyramid at the middle of texel 0 of each level. */
const DETAILS: readonly (readonly [
  what: string,
  sampler: Partial<vk.VkSamplerCreateInfo>,
  lods: readonly number[],
  expected: readonly number[],
])[] = [
  ["the nearest level", { maxLod: vk.VK_LOD_CLAMP_NONE }, [0, 0.4, 0.6, 1, 2, 9, -3], [0, 0, 100, 100, 200, 200, 0]],
  [
    "between levels",
    { maxLod: vk.VK_LOD_CLAMP_NONE, mipmapMode: vk.VK_SAMPLER_MIPMAP_MODE_LINEAR },
    [0, 0.25, 0.5, 1, 1.5, 2, 5],
    [0, 25, 50, 100, 150, 200, 200],
  ],
  ["the least level", { minLod: 1, maxLod: 2 }, [0, 0.4, 2], [100, 100, 200]],
  ["the greatest level", { maxLod: 1 }, [0, 1, 2, 9], [0, 100, 100, 100]],
  ["one level", { maxLod: 0 }, [0, 1, 9], [0, 0, 0]],
];

test.each(DETAILS)("levels of detail: %s", (_what, sampler, lods, expected) => {
  const view = vk.vkCreateImageView(device, viewOf(pyramid()));
  const texels = sampled(
    "level",
    [[0, view]],
    sampler,
    lods.map((lod) => [0.05, 0.1, lod, 0]),
  );
  expect(texels.filter((_, i) => i % 2 === 0).map(([r]) => r)).toEqual(expected);
});

test("fetches, sizes and the number of levels, of a view of some levels", () => {
  const image = pyramid();
  const range = viewOf(image).subresourceRange;
  const whole = vk.vkCreateImageView(device, viewOf(image));
  const last = vk.vkCreateImageView(device, viewOf(image, { subresourceRange: { ...range, baseMipLevel: 1 } }));
  const one = vk.vkCreateImageView(
    device,
    viewOf(image, { subresourceRange: { ...range, baseMipLevel: 1, levelCount: 1 } }),
  );
  const places: readonly Place[] = [
    [0, 0, 0, 1],
    [0, 0, 1, 1],
    [0, 0, 2, 0],
  ];
  const asked = (view: vk.VkImageView, list: readonly Place[]): readonly (readonly number[])[] =>
    sampled("level", [[0, view]], { maxLod: 9 }, list).filter((_, i) => i % 2 === 1);
  expect(asked(whole, places)).toEqual([
    [1, 5, 3, 3],
    [101, 2, 1, 3],
    [200, 1, 1, 3],
  ]);
  expect(asked(last, places.slice(0, 2))).toEqual([
    [101, 2, 1, 2],
    [200, 1, 1, 2],
  ]);
  expect(asked(one, places.slice(0, 1))).toEqual([[101, 2, 1, 1]]);
  expect(sampled("level", [[0, last]], { maxLod: 9 }, [[0.1, 0.5, 1, 0]])[0]?.[0]).toBe(200);
});

test("filters for texels that become larger and smaller", () => {
  const image = newImage({ ...FLOATS, extent: { width: 2, height: 1, depth: 1 }, mipLevels: 2 });
  fillLevel(image, 0, [0, 8]);
  fillLevel(image, 1, [4]);
  const view = vk.vkCreateImageView(device, viewOf(image));
  const at = (magFilter: vk.VkFilter, minFilter: vk.VkFilter): readonly (number | undefined)[] =>
    sampled("level", [[0, view]], { magFilter, minFilter, maxLod: 0.25 }, [
      [0.5, 0.5, 0, 0],
      [0.5, 0.5, 0.25, 0],
    ])
      .filter((_, i) => i % 2 === 0)
      .map(([r]) => r);
  expect(at(vk.VK_FILTER_LINEAR, vk.VK_FILTER_NEAREST)).toEqual([4, 8]);
  expect(at(vk.VK_FILTER_NEAREST, vk.VK_FILTER_LINEAR)).toEqual([8, 4]);
});

const { VK_COMPONENT_SWIZZLE_ONE: ONE, VK_COMPONENT_SWIZZLE_ZERO: ZERO, VK_COMPONENT_SWIZZLE_IDENTITY: OWN } = vk;
const {
  VK_COMPONENT_SWIZZLE_R: R,
  VK_COMPONENT_SWIZZLE_G: G,
  VK_COMPONENT_SWIZZLE_B: B,
  VK_COMPONENT_SWIZZLE_A: A,
} = vk;

/** Orders of components, and what is read of the colour 2, 3, 4, 5. */
const ORDERS: readonly (readonly [order: readonly [r: number, g: number, b: number, a: number], expected: Place])[] = [
  [
    [OWN, OWN, OWN, OWN],
    [2, 3, 4, 5],
  ],
  [
    [R, G, B, A],
    [2, 3, 4, 5],
  ],
  [
    [A, B, G, R],
    [5, 4, 3, 2],
  ],
  [
    [B, OWN, R, OWN],
    [4, 3, 2, 5],
  ],
  [
    [ONE, ZERO, ONE, R],
    [1, 0, 1, 2],
  ],
  [
    [G, G, G, ZERO],
    [3, 3, 3, 0],
  ],
];

test.each(ORDERS)("components in the order %o", ([r, g, b, a], expected) => {
  const image = newImage({ format: vk.VK_FORMAT_R32G32B32A32_SFLOAT, extent: { width: 1, height: 1, depth: 1 } });
  run((commands) => {
    vk.vkCmdClearColorImage(commands, image, vk.VK_IMAGE_LAYOUT_GENERAL, { float32: [2, 3, 4, 5] }, [
      viewOf(image).subresourceRange,
    ]);
  });
  const components = { r, g, b, a } as vk.VkComponentMapping;
  const view = vk.vkCreateImageView(device, viewOf(image, { components }));
  const [texel, fetched] = sampled("level", [[0, view]], {}, [[0.5, 0.5, 0, 0]]);
  expect(texel).toEqual(expected);
  expect(fetched?.[0]).toBe(expected[0]);
});

/** Colours of borders, formats, and what is read outside of an image. */
const BORDERS: readonly (readonly [color: vk.VkBorderColor, format: vk.VkFormat, expected: Place])[] = [
  [vk.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, vk.VK_FORMAT_R32G32B32A32_SFLOAT, [0, 0, 0, 0]],
  [vk.VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, vk.VK_FORMAT_R32G32B32A32_SFLOAT, [0, 0, 0, 1]],
  [vk.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, vk.VK_FORMAT_R32G32B32A32_SFLOAT, [1, 1, 1, 1]],
  [vk.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, vk.VK_FORMAT_R32_SFLOAT, [1, 0, 0, 1]],
  [vk.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, vk.VK_FORMAT_R32G32_SFLOAT, [1, 1, 0, 1]],
  [vk.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, vk.VK_FORMAT_R32_SFLOAT, [0, 0, 0, 1]],
];

test.each(BORDERS)("border %i of format %i", (borderColor, format, expected) => {
  const view = vk.vkCreateImageView(device, viewOf(newImage({ format })));
  const mode = vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  const sampler = { borderColor, addressModeU: mode, addressModeV: mode, addressModeW: mode };
  expect(sampled("level", [[0, view]], sampler, [[1.5, 0.5, 0, 0]])[0]).toEqual(expected);
});

/** Addressing modes of x and y, a place, and the texel of four by four that is read there. */
const { VK_SAMPLER_ADDRESS_MODE_REPEAT: REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: MIRROR } = vk;
const { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE: EDGE, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE: ONCE } = vk;
const MODES: readonly (readonly [
  u: vk.VkSamplerAddressMode,
  v: vk.VkSamplerAddressMode,
  x: number,
  y: number,
  texel: number,
])[] = [
  [REPEAT, EDGE, 1.125, 1.125, 12],
  [EDGE, REPEAT, 1.125, 1.125, 3],
  [MIRROR, REPEAT, 1.125, -0.125, 15],
  [REPEAT, MIRROR, -0.125, 1.375, 11],
  [ONCE, EDGE, -0.375, 0.125, 1],
  [EDGE, ONCE, 0.125, -0.375, 4],
  [ONCE, ONCE, -3, 5, 15],
];

test.each(MODES)("addressing modes %i and %i", (addressModeU, addressModeV, x, y, texel) => {
  const image = newImage(FLOATS);
  fillLevel(
    image,
    0,
    Array.from({ length: 16 }, (_, i) => i),
  );
  const view = vk.vkCreateImageView(device, viewOf(image));
  const sampler = { addressModeU, addressModeV, addressModeW: EDGE };
  expect(sampled("level", [[0, view]], sampler, [[x, y, 0, 0]])[0]?.[0]).toBe(texel);
});

/** Directions, and the face and texel of a cube of two by two texels: 10 times the face, and the texel. */
const DIRECTIONS: readonly (readonly [x: number, y: number, z: number, texel: number])[] = [
  [1, 0.5, 0.5, 0],
  [1, -0.5, -0.5, 3],
  [-1, 0.5, -0.5, 10],
  [-1, 0.5, 0.5, 11],
  [-0.5, 1, -0.5, 20],
  [0.5, 1, 0.5, 23],
  [-0.5, -1, 0.5, 30],
  [0.5, -1, 0.5, 31],
  [-0.5, 0.5, 1, 40],
  [0.5, -0.5, 1, 43],
  [0.5, 0.5, -1, 50],
  [-0.5, -0.5, -1, 53],
];

/** Two cubes with a level of detail. */
function cubes(): vk.VkImage {
  const image = newImage({
    ...FLOATS,
    flags: vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
    extent: { width: 2, height: 2, depth: 1 },
    arrayLayers: 12,
    mipLevels: 2,
  });
  fillLevel(
    image,
    0,
    Array.from({ length: 48 }, (_, i) => (i >> 2) * 10 + (i & 3)),
  );
  fillLevel(
    image,
    1,
    Array.from({ length: 12 }, (_, i) => 1000 + i),
  );
  return image;
}

/** Views of the first cube, and of both. */
function cubeViews(image: vk.VkImage): readonly (readonly [number, vk.VkImageView])[] {
  const range = viewOf(image).subresourceRange;
  return [
    [
      0,
      vk.vkCreateImageView(
        device,
        viewOf(image, { viewType: vk.VK_IMAGE_VIEW_TYPE_CUBE, subresourceRange: { ...range, layerCount: 6 } }),
      ),
    ],
    [3, vk.vkCreateImageView(device, viewOf(image, { viewType: vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY }))],
  ];
}

test("directions lead to texels of the faces of a cube, of an array of cubes, and of levels", () => {
  const views = cubeViews(cubes());
  const nearest = sampled(
    "cube",
    views,
    { maxLod: 1 },
    DIRECTIONS.map(([x, y, z]) => [x, y, z, 0]),
  );
  expect(nearest.filter((_, i) => i % 2 === 0).map(([r]) => r)).toEqual(DIRECTIONS.map(([, , , texel]) => texel));
  const others = nearest.filter((_, i) => i % 2 === 1);
  expect(others.map(([r]) => r)).toEqual(DIRECTIONS.map(([, , , texel]) => texel + 60));
  expect(others.map(([, cubeCount]) => cubeCount)).toEqual(DIRECTIONS.map(() => 2));
  const lower = sampled(
    "cube",
    views,
    { maxLod: 1 },
    DIRECTIONS.map(([x, y, z]) => [x, y, z, 1]),
  );
  expect(lower.filter((_, i) => i % 2 === 0).map(([r]) => r)).toEqual(
    DIRECTIONS.map(([, , , texel]) => 1000 + Math.floor(texel / 10)),
  );
});

test("a linear filter goes on over the edge of a face", () => {
  const [linear] = [vk.VK_FILTER_LINEAR];
  const texels = sampled("cube", cubeViews(cubes()), { magFilter: linear, minFilter: linear }, [
    // Between face +x (texel 0, at its left) and face +z (texel 1, at its right).
    [1, 0.5, 1, 0],
    [1, 0.5, 0, 0],
  ]);
  expect(texels[0]?.[0]).toBeCloseTo((0 + 41) / 2, 4);
  expect(texels[2]?.[0]).toBeCloseTo((0 + 1) / 2, 4);
});

/** What cannot be made: the rule, the call, and what the message says. */
const BROKEN: readonly (readonly [rule: string, call: () => unknown, message: RegExp])[] = [
  [
    "VUID-VkImageCreateInfo-mipLevels-00958",
    () => newImage({ mipLevels: 4 }),
    /mipLevels is 4; images of this kind have 1 to 3/u,
  ],
  [
    "VUID-VkImageCreateInfo-imageType-00954",
    () => newImage({ flags: vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, arrayLayers: 5 }),
    /6 square faces, and the image 5 layers/u,
  ],
  [
    "VUID-VkImageCreateInfo-flags-00949",
    () =>
      newImage({
        flags: vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
        imageType: vk.VK_IMAGE_TYPE_3D,
        extent: { width: 4, height: 4, depth: 4 },
      }),
    /two dimensions/u,
  ],
  [
    "VUID-VkImageViewCreateInfo-image-01003",
    () => vk.vkCreateImageView(device, viewOf(newImage({ arrayLayers: 6 }), { viewType: vk.VK_IMAGE_VIEW_TYPE_CUBE })),
    /VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT/u,
  ],
  [
    "VUID-VkImageViewCreateInfo-viewType-02960",
    () => vk.vkCreateImageView(device, viewOf(cubes(), { viewType: vk.VK_IMAGE_VIEW_TYPE_CUBE })),
    /6 layers, and the view 12/u,
  ],
  [
    "VUID-VkImageViewCreateInfo-viewType-02961",
    () => {
      const image = cubes();
      const subresourceRange = { ...viewOf(image).subresourceRange, layerCount: 7 };
      return vk.vkCreateImageView(
        device,
        viewOf(image, { viewType: vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, subresourceRange }),
      );
    },
    /6 layers, and the view 7/u,
  ],
  [
    "VUID-VkImageViewCreateInfo-subresourceRange-01478",
    () => {
      const image = pyramid();
      const subresourceRange = { ...viewOf(image).subresourceRange, baseMipLevel: 3 };
      return vk.vkCreateImageView(device, viewOf(image, { subresourceRange }));
    },
    /begins at level 3, and the image has 3/u,
  ],
  [
    "VUID-VkImageViewCreateInfo-subresourceRange-01718",
    () => {
      const image = pyramid();
      const subresourceRange = { ...viewOf(image).subresourceRange, baseMipLevel: 1, levelCount: 3 };
      return vk.vkCreateImageView(device, viewOf(image, { subresourceRange }));
    },
    /3 levels from 1 on, and the image has 3/u,
  ],
  [
    "VUID-vkGetImageSubresourceLayout-mipLevel-01716",
    () =>
      vk.vkGetImageSubresourceLayout(device, newImage({ tiling: vk.VK_IMAGE_TILING_LINEAR }), {
        aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
        mipLevel: 1,
        arrayLayer: 0,
      }),
    /level 1 is asked for/u,
  ],
];

test.each(BROKEN)("%s", (rule, call, message) => {
  const error = errorOf(call);
  expect([error.name, error.rule]).toEqual(["VK_ERROR_VALIDATION_FAILED_EXT", rule]);
  expect(error.message).toMatch(message);
});
