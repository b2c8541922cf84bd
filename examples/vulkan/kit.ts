// SPDX-License-Identifier: Apache-2.0
// What the examples with several shaders share, in Vulkan's calls: a device, buffers, images, pipelines, descriptor
// sets, barriers, and pictures as PNG files. mandelbrot.ts has all of this written out once.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { registerTarget } from "@muxkit/mux";
import { assemble } from "@muxkit/spirv";
import * as vk from "@muxkit/vulkan";
import { encode } from "fast-png";

const root = resolve(import.meta.dirname, "..", "..");

/** A device with the one queue that the examples use. */
export interface Gpu {
  readonly instance: vk.VkInstance;
  readonly device: vk.VkDevice;
  readonly queue: vk.VkQueue;
  readonly commandPool: vk.VkCommandPool;
}

/** The element of a list that has one. */
export function only<T>([element]: readonly T[], what: string): T {
  if (element === undefined) throw new Error(`there is no ${what}`);
  return element;
}

/** Opens the processor, with validation of synchronisation. */
export function openGpu(name: string): Gpu {
  registerTarget(hostTarget());
  vk.setCompilers({ compilers });
  const instance = vk.vkCreateInstance({
    pNext: {
      sType: vk.VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      pEnabledValidationFeatures: [vk.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT],
    },
    pApplicationInfo: { pApplicationName: name, apiVersion: vk.VK_API_VERSION_1_3 },
  });
  const physicalDevice = only(vk.vkEnumeratePhysicalDevices(instance), "device");
  console.log(vk.vkGetPhysicalDeviceProperties(physicalDevice).deviceName);
  const device = vk.vkCreateDevice(physicalDevice, {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const commandPool = vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  return { instance, device, queue: vk.vkGetDeviceQueue(device, 0, 0), commandPool };
}

/** A buffer whose bytes the host sees. */
export interface MappedBuffer {
  readonly buffer: vk.VkBuffer;
  readonly bytes: Uint8Array;
}

/** Makes a buffer for shaders and copies, with memory of its own. */
export function newBuffer({ device }: Gpu, size: number): MappedBuffer {
  const usage =
    vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const buffer = vk.vkCreateBuffer(device, { size, usage });
  const needed = vk.vkGetBufferMemoryRequirements(device, buffer);
  const memory = vk.vkAllocateMemory(device, { allocationSize: needed.size, memoryTypeIndex: 0 });
  vk.vkBindBufferMemory(device, buffer, memory, 0);
  return { buffer, bytes: vk.vkMapMemory(device, memory, 0, size, 0) };
}

/** An image with its view. */
export interface ViewedImage {
  readonly image: vk.VkImage;
  readonly view: vk.VkImageView;
}

/** All of the one level and layer of an image. */
const WHOLE: vk.VkImageSubresourceRange = {
  aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
  baseMipLevel: 0,
  levelCount: 1,
  baseArrayLayer: 0,
  layerCount: 1,
};

/** Makes an image of two dimensions that shaders read and write. */
export function newImage({ device }: Gpu, width: number, height: number, format: vk.VkFormat): ViewedImage {
  const image = vk.vkCreateImage(device, {
    imageType: vk.VK_IMAGE_TYPE_2D,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    tiling: vk.VK_IMAGE_TILING_OPTIMAL,
    usage:
      vk.VK_IMAGE_USAGE_STORAGE_BIT |
      vk.VK_IMAGE_USAGE_SAMPLED_BIT |
      vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
      vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  });
  const { size } = vk.vkGetImageMemoryRequirements(device, image);
  vk.vkBindImageMemory(device, image, vk.vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 }), 0);
  const view = vk.vkCreateImageView(device, {
    image,
    viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
    format,
    subresourceRange: WHOLE,
  });
  return { image, view };
}

/** A shader with its layouts. */
export interface Pass {
  readonly pipeline: vk.VkPipeline;
  readonly layout: vk.VkPipelineLayout;
  readonly setLayout: vk.VkDescriptorSetLayout;
  readonly types: readonly vk.VkDescriptorType[];
}

function shaderWords(name: string): Uint32Array {
  const made = assemble(readFileSync(join(import.meta.dirname, `${name}.spvasm`), "utf8"));
  if (!made.ok) throw new Error(`${name}.spvasm, line ${made.error.line}: ${made.error.message}`);
  return made.value;
}

/** Makes the pipeline of a shader of this folder: the types of its bindings, and the bytes of its push constants. */
export function newPass(
  { device }: Gpu,
  name: string,
  types: readonly vk.VkDescriptorType[],
  pushBytes: number = 0,
): Pass {
  const stageFlags = vk.VK_SHADER_STAGE_COMPUTE_BIT;
  const setLayout = vk.vkCreateDescriptorSetLayout(device, {
    pBindings: types.map((descriptorType, binding) => ({ binding, descriptorType, descriptorCount: 1, stageFlags })),
  });
  const layout = vk.vkCreatePipelineLayout(device, {
    pSetLayouts: [setLayout],
    pPushConstantRanges: pushBytes === 0 ? [] : [{ stageFlags, offset: 0, size: pushBytes }],
  });
  const module = vk.vkCreateShaderModule(device, { pCode: shaderWords(name) });
  const stage = { stage: stageFlags, module, pName: "main" };
  const pipeline = only(vk.vkCreateComputePipelines(device, null, [{ stage, layout }]), "pipeline");
  vk.vkDestroyShaderModule(device, module);
  return { pipeline, layout, setLayout, types };
}

/** What is bound: a buffer, an image that is written, or one that is sampled. */
export type Bound =
  | { readonly buffer: vk.VkBuffer }
  | { readonly view: vk.VkImageView; readonly sampler?: vk.VkSampler };

/** A descriptor set of a pass. */
export function newSet({ device }: Gpu, { setLayout, types }: Pass, bound: readonly Bound[]): vk.VkDescriptorSet {
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: types.map((type) => ({ type, descriptorCount: 1 })),
  });
  const dstSet = only(vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [setLayout] }), "set");
  const writes = bound.map((one, dstBinding): vk.VkWriteDescriptorSet => {
    const place = { dstSet, dstBinding, descriptorType: types[dstBinding] ?? vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER };
    if ("buffer" in one) return { ...place, pBufferInfo: [{ ...one, offset: 0, range: vk.VK_WHOLE_SIZE }] };
    const imageLayout = vk.VK_IMAGE_LAYOUT_GENERAL;
    return { ...place, pImageInfo: [{ imageView: one.view, sampler: one.sampler ?? null, imageLayout }] };
  });
  vk.vkUpdateDescriptorSets(device, writes);
  return dstSet;
}

/** Records commands, submits them, and waits. Returns the ms from the submission on. */
export function run({ device, queue, commandPool }: Gpu, record: (commands: vk.VkCommandBuffer) => void): number {
  const level = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  const list = vk.vkAllocateCommandBuffers(device, { commandPool, level, commandBufferCount: 1 });
  const commands = only(list, "command buffer");
  vk.vkBeginCommandBuffer(commands, { flags: vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT });
  record(commands);
  vk.vkEndCommandBuffer(commands);
  const fence = vk.vkCreateFence(device, {});
  const begin = performance.now();
  vk.vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], fence);
  vk.vkWaitForFences(device, [fence], true, Infinity);
  const ms = performance.now() - begin;
  vk.vkDestroyFence(device, fence);
  vk.vkFreeCommandBuffers(device, commandPool, [commands]);
  return ms;
}

/** Binds a pass with its set. */
export function bind(commands: vk.VkCommandBuffer, { pipeline, layout }: Pass, set: vk.VkDescriptorSet): void {
  vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk.vkCmdBindDescriptorSets(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set]);
}

const COMPUTE = vk.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
const TRANSFER = vk.VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
const READS = BigInt(vk.VK_ACCESS_MEMORY_READ_BIT);
const WRITES = BigInt(vk.VK_ACCESS_MEMORY_WRITE_BIT);

/** Everything before is seen by everything behind. */
export function barrier(commands: vk.VkCommandBuffer): void {
  vk.vkCmdPipelineBarrier2(commands, {
    dependencyFlags: 0,
    pMemoryBarriers: [
      {
        srcStageMask: COMPUTE | TRANSFER,
        srcAccessMask: WRITES,
        dstStageMask: COMPUTE | TRANSFER,
        dstAccessMask: READS | WRITES,
      },
    ],
  });
}

/** Brings new images into the layout of everything; what was in them is lost. */
export function toGeneral(commands: vk.VkCommandBuffer, images: readonly ViewedImage[]): void {
  vk.vkCmdPipelineBarrier2(commands, {
    dependencyFlags: 0,
    pImageMemoryBarriers: images.map(({ image }) => ({
      srcStageMask: 0n,
      srcAccessMask: 0n,
      dstStageMask: COMPUTE | TRANSFER,
      dstAccessMask: READS | WRITES,
      oldLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
      newLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
      image,
      subresourceRange: WHOLE,
    })),
  });
}

/** A copy of all texels between a buffer and an image. */
export const wholeImage = (width: number, height: number): vk.VkBufferImageCopy => ({
  imageSubresource: { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, mipLevel: 0, baseArrayLayer: 0, layerCount: 1 },
  imageExtent: { width, height, depth: 1 },
});

/** Writes RGBA bytes as a PNG file of the folder out/vulkan. Returns its path from the root on. */
export function savePicture(name: string, width: number, height: number, data: Uint8Array): string {
  const path = join(root, "out", "vulkan", `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encode({ width, height, data, channels: 4 }));
  return relative(root, path);
}

/** Runs an example: what a call refuses is one line, and the exit code. */
export async function main(example: () => boolean | Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await example()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof vk.VulkanError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
