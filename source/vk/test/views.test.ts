// SPDX-License-Identifier: Apache-2.0
// What shaders see by views: one layer of several, another format, another order of components, samplers of the set and
// of the layout, and what is not there.
import * as vk from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { NEAREST, fill, newImage, viewOf } from "./image-rig.ts";
import { bind, device, expectError, newPipeline, newSet, record, run, words, writeSet } from "./rig.ts";

const TYPE = vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const MUTABLE = vk.VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;

function layoutWith(pImmutableSamplers: readonly vk.VkSampler[]): vk.VkDescriptorSetLayout {
  const stageFlags = vk.VK_SHADER_STAGE_COMPUTE_BIT;
  return vk.vkCreateDescriptorSetLayout(device, {
    pBindings: [
      { binding: 0, descriptorType: TYPE, descriptorCount: 1, stageFlags, pImmutableSamplers },
      { binding: 1, descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1, stageFlags },
    ],
  });
}

const sampler = vk.vkCreateSampler(device, NEAREST);
const own = layoutWith([]);
const layout = vk.vkCreatePipelineLayout(device, { pSetLayouts: [own] });
const pipeline = newPipeline("fetch", layout);

/** What `fetch.comp` reads through a view: sixteen texels of four floats, and a filtered one. */
function fetched(info: vk.VkImageViewCreateInfo): Float32Array {
  const data = words(68);
  const set = newSet(own);
  const imageView = vk.vkCreateImageView(device, info);
  vk.vkUpdateDescriptorSets(device, [
    { dstSet: set, dstBinding: 0, descriptorType: TYPE, pImageInfo: [{ sampler, imageView, imageLayout: GENERAL }] },
  ]);
  writeSet(set, 1, [data.buffer]);
  run((commands) => {
    bind(commands, pipeline, layout, [set]);
    vk.vkCmdDispatch(commands, 1, 1, 1);
  });
  return new Float32Array(data.words.buffer, data.words.byteOffset, 68);
}

const texel = (all: Float32Array, n: number): number[] => [...all.subarray(n * 4, n * 4 + 4)];

/** Bytes 0, 17, 34, … as texels of four. */
const BYTES = Uint8Array.from({ length: 64 }, (_, i) => (i * 17) % 256);
const fraction = (i: number): number => Math.fround((BYTES[i] ?? 0) / 255);

const { VK_COMPONENT_SWIZZLE_R: R, VK_COMPONENT_SWIZZLE_G: G, VK_COMPONENT_SWIZZLE_B: B } = vk;
const { VK_COMPONENT_SWIZZLE_A: A, VK_COMPONENT_SWIZZLE_IDENTITY: OWN, VK_COMPONENT_SWIZZLE_ONE: ONE } = vk;

test.each([
  ["its own", OWN, OWN, OWN, OWN, [4, 5, 6, 7]],
  ["its own by name", R, G, B, A, [4, 5, 6, 7]],
  ["red and blue exchanged", B, G, R, A, [6, 5, 4, 7]],
  ["reversed", A, B, G, R, [7, 6, 5, 4]],
  ["moved by one", G, B, A, R, [5, 6, 7, 4]],
])("an order of components: %s", (_, r, g, b, a, expected) => {
  const image = newImage({ format: vk.VK_FORMAT_R8G8B8A8_UNORM });
  fill(image, BYTES);
  const all = fetched(viewOf(image, { components: { r, g, b, a } }));
  expect(texel(all, 1)).toEqual(expected.map(fraction));
});

test.each([
  ["grey", R, R, R, ONE, [0.5, 0.5, 0.5, 1]],
  ["everywhere", R, R, R, R, [0.5, 0.5, 0.5, 0.5]],
])("one channel as %s", (_, r, g, b, a, expected) => {
  const image = newImage({ format: vk.VK_FORMAT_R32_SFLOAT });
  fill(image, new Uint8Array(Float32Array.from({ length: 16 }, () => 0.5).buffer));
  expect(texel(fetched(viewOf(image, { components: { r, g, b, a } })), 5)).toEqual(expected);
});

test("one layer of several, whose rows are not as long as the runtime's alignment", () => {
  const image = newImage({ format: vk.VK_FORMAT_R8_UNORM, arrayLayers: 3 });
  fill(image, BYTES);
  const whole = viewOf(image);
  const subresourceRange = { ...whole.subresourceRange, baseArrayLayer: 2, layerCount: 1 };
  const all = fetched({ ...whole, viewType: vk.VK_IMAGE_VIEW_TYPE_2D, subresourceRange });
  expect(Array.from({ length: 16 }, (_, n) => all[n * 4])).toEqual(
    Array.from({ length: 16 }, (_, n) => fraction(32 + n)),
  );
});

test("another format, and a sampler of the layout", () => {
  const image = newImage({ format: vk.VK_FORMAT_R32_UINT, flags: MUTABLE });
  fill(image, BYTES);
  const all = fetched(viewOf(image, { format: vk.VK_FORMAT_B8G8R8A8_UNORM }));
  expect(texel(all, 0)).toEqual([2, 1, 0, 3].map(fraction));
  const fixed = layoutWith([sampler]);
  const of = vk.vkCreatePipelineLayout(device, { pSetLayouts: [fixed] });
  const [set, data] = [newSet(fixed), words(68)];
  const imageView = vk.vkCreateImageView(device, viewOf(image, { format: vk.VK_FORMAT_R8G8B8A8_UNORM }));
  vk.vkUpdateDescriptorSets(device, [
    { dstSet: set, dstBinding: 0, descriptorType: TYPE, pImageInfo: [{ imageView, imageLayout: GENERAL }] },
  ]);
  writeSet(set, 1, [data.buffer]);
  run((commands) => {
    bind(commands, newPipeline("fetch", of), of, [set]);
    vk.vkCmdDispatch(commands, 1, 1, 1);
  });
  // A quarter to the right and half down, without filters, is the texel 1, 2.
  const read = new Float32Array(data.words.buffer, data.words.byteOffset, 68);
  expect(texel(read, 16)).toEqual([36, 37, 38, 39].map(fraction));
});

/** Records a dispatch with a set. */
const end = (set: vk.VkDescriptorSet) => () =>
  record((commands) => {
    bind(commands, pipeline, layout, [set]);
    vk.vkCmdDispatch(commands, 1, 1, 1);
  });

test("what is not bound, or is gone, is told when the commands end", () => {
  const image = newImage({ format: vk.VK_FORMAT_R8G8B8A8_UNORM });
  const set = newSet(own);
  writeSet(set, 1, [words(68).buffer]);
  expectError(end(set), "VK_ERROR_VALIDATION_FAILED_EXT", /binding 0 of set 0, which has no image/u);
  const imageView = vk.vkCreateImageView(device, viewOf(image));
  const write = (info: vk.VkDescriptorImageInfo): void => {
    vk.vkUpdateDescriptorSets(device, [{ dstSet: set, dstBinding: 0, descriptorType: TYPE, pImageInfo: [info] }]);
  };
  write({ imageView, imageLayout: GENERAL });
  expectError(end(set), "VK_ERROR_VALIDATION_FAILED_EXT", /which has no sampler/u);
  write({ imageView, imageLayout: GENERAL, sampler });
  vk.vkDestroyImageView(device, imageView);
  expectError(end(set), "VK_ERROR_VALIDATION_FAILED_EXT", /the view at binding 0 of set 0 has been destroyed/u);
});
