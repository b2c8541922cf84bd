// SPDX-License-Identifier: Apache-2.0
// Kinds of accesses for the tables of hazards, with the stage and the access that the specification gives each of them.
import * as vk from "@muxkit/vulkan";

import { IMAGE } from "./image-rig.ts";
import { first, shader } from "./rig.ts";

const instance = vk.vkCreateInstance({
  pNext: {
    sType: vk.VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    pEnabledValidationFeatures: [vk.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT],
  },
});

/** A device with two queues that finds hazards. */
export const device: vk.VkDevice = vk.vkCreateDevice(first(vk.vkEnumeratePhysicalDevices(instance)), {
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1, 1] }],
});
export const queues = [vk.vkGetDeviceQueue(device, 0, 0), vk.vkGetDeviceQueue(device, 0, 1)] as const;

export const BYTES = 64;
const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const COMPUTE = vk.VK_PIPELINE_BIND_POINT_COMPUTE;

const bufferMemory = vk.vkAllocateMemory(device, { allocationSize: 32 << 20, memoryTypeIndex: 0 });
let placed = 0;

export function newBuffer(): vk.VkBuffer {
  const buffer = vk.vkCreateBuffer(device, { size: BYTES, usage: 0x13f });
  vk.vkBindBufferMemory(device, buffer, bufferMemory, placed);
  placed += 256;
  return buffer;
}

export function newImage(arrayLayers: number = 1): vk.VkImage {
  const image = vk.vkCreateImage(device, { ...IMAGE, arrayLayers });
  const { size, alignment } = vk.vkGetImageMemoryRequirements(device, image);
  placed = Math.ceil(placed / alignment) * alignment;
  vk.vkBindImageMemory(device, image, bufferMemory, placed);
  placed += Math.ceil(size / 256) * 256;
  return image;
}

function pipelineOf(name: string, types: readonly (readonly (readonly [vk.VkDescriptorType, number])[])[]) {
  const pSetLayouts = types.map((list) =>
    vk.vkCreateDescriptorSetLayout(device, {
      pBindings: list.map(([descriptorType, descriptorCount], binding) => ({
        binding,
        descriptorType,
        descriptorCount,
        stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
      })),
    }),
  );
  const layout = vk.vkCreatePipelineLayout(device, { pSetLayouts });
  const module = vk.vkCreateShaderModule(device, { pCode: shader(name) });
  const stage = { stage: vk.VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" };
  return { pSetLayouts, layout, pipeline: first(vk.vkCreateComputePipelines(device, null, [{ stage, layout }])) };
}

const [UNIFORM, STORAGE] = [vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] as const;
const [SAMPLED, STORE] = [vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] as const;
const copying = pipelineOf("copy", [
  [
    [UNIFORM, 1],
    [STORAGE, 2],
  ],
  [[STORAGE, 1]],
]);
const fetching = pipelineOf("fetch", [
  [
    [SAMPLED, 1],
    [STORAGE, 1],
  ],
]);
const storing = pipelineOf("store", [
  [
    [STORE, 1],
    [STORE, 1],
  ],
]);
const sampler = vk.vkCreateSampler(device, {
  magFilter: vk.VK_FILTER_NEAREST,
  minFilter: vk.VK_FILTER_NEAREST,
  mipmapMode: vk.VK_SAMPLER_MIPMAP_MODE_NEAREST,
  addressModeU: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  addressModeV: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  addressModeW: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  compareOp: vk.VK_COMPARE_OP_NEVER,
  borderColor: vk.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
});

type Bound = vk.VkBuffer | vk.VkImage;

/** Binds resources, by set, binding and element, and dispatches. */
function dispatch(
  to: vk.VkCommandBuffer,
  { pSetLayouts, layout, pipeline }: ReturnType<typeof pipelineOf>,
  list: readonly (readonly [set: number, binding: number, element: number, vk.VkDescriptorType, Bound])[],
  indirect: vk.VkBuffer | null = null,
): void {
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    maxSets: pSetLayouts.length,
    pPoolSizes: [UNIFORM, STORAGE, SAMPLED, STORE].map((type) => ({ type, descriptorCount: 4 })),
  });
  const sets = vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts });
  for (const [set, dstBinding, dstArrayElement, descriptorType, bound] of list) {
    const dstSet = sets[set] as vk.VkDescriptorSet;
    const place = { dstSet, dstBinding, dstArrayElement, descriptorType };
    if (bound instanceof vk.VkBuffer) {
      vk.vkUpdateDescriptorSets(device, [
        { ...place, pBufferInfo: [{ buffer: bound, offset: 0, range: vk.VK_WHOLE_SIZE }] },
      ]);
      continue;
    }
    const imageView = vk.vkCreateImageView(device, {
      image: bound,
      viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
      format: vk.VK_FORMAT_R32_UINT,
      subresourceRange: layers(0),
    });
    vk.vkUpdateDescriptorSets(device, [{ ...place, pImageInfo: [{ sampler, imageView, imageLayout: GENERAL }] }]);
  }
  vk.vkCmdBindPipeline(to, COMPUTE, pipeline);
  vk.vkCmdBindDescriptorSets(to, COMPUTE, layout, 0, sets);
  if (indirect === null) vk.vkCmdDispatch(to, 1, 1, 1);
  else vk.vkCmdDispatchIndirect(to, indirect, 0);
}

/** A dispatch of `copy.comp` in which one resource is the target and the others are of no interest. */
function copyingWith(to: vk.VkCommandBuffer, at: number, target: vk.VkBuffer): void {
  const own = [0, 1, 2, 3].map((i) => (i === at ? target : newBuffer()));
  const [params, source, other, out] = own as [vk.VkBuffer, vk.VkBuffer, vk.VkBuffer, vk.VkBuffer];
  dispatch(
    to,
    copying,
    [
      [0, 0, 0, UNIFORM, params],
      [0, 1, 0, STORAGE, source],
      [0, 1, 1, STORAGE, other],
      [1, 0, 0, STORAGE, out],
    ],
    at === 4 ? target : null,
  );
}

/** A dispatch of `add.comp` whose set may be updated after it was bound. */
export function addingLate(): {
  readonly record: (to: vk.VkCommandBuffer) => void;
  readonly write: (buffer: vk.VkBuffer) => void;
} {
  const set = vk.vkCreateDescriptorSetLayout(device, {
    pNext: {
      sType: vk.VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      pBindingFlags: [vk.VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT],
    },
    pBindings: [
      {
        binding: 0,
        descriptorType: STORAGE,
        descriptorCount: 1,
        stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
      },
    ],
  });
  const layout = vk.vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const stage = {
    stage: vk.VK_SHADER_STAGE_COMPUTE_BIT,
    module: vk.vkCreateShaderModule(device, { pCode: shader("add") }),
    pName: "main",
  };
  const pipeline = first(vk.vkCreateComputePipelines(device, null, [{ stage, layout }]));
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: [{ type: STORAGE, descriptorCount: 1 }],
  });
  const dstSet = first(vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [set] }));
  return {
    record: (to) => {
      vk.vkCmdBindPipeline(to, COMPUTE, pipeline);
      vk.vkCmdBindDescriptorSets(to, COMPUTE, layout, 0, [dstSet]);
      vk.vkCmdPushConstants(to, layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
      vk.vkCmdDispatch(to, 1, 1, 1);
    },
    write: (buffer) =>
      vk.vkUpdateDescriptorSets(device, [
        {
          dstSet,
          dstBinding: 0,
          descriptorType: STORAGE,
          pBufferInfo: [{ buffer, offset: 0, range: vk.VK_WHOLE_SIZE }],
        },
      ]),
  };
}

/** Layers of an image, for barriers and views. */
export const layers = (baseArrayLayer: number, layerCount: number = 1): vk.VkImageSubresourceRange => ({
  aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
  baseMipLevel: 0,
  levelCount: 1,
  baseArrayLayer,
  layerCount,
});
const subresource = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, mipLevel: 0, baseArrayLayer: 0, layerCount: 1 };
const imageExtent = { width: 4, height: 4, depth: 1 };
const region: vk.VkBufferImageCopy = { imageSubresource: subresource, imageExtent };
const imageRegion: vk.VkImageCopy = { srcSubresource: subresource, dstSubresource: subresource, extent: imageExtent };

/** A kind of access to all of a resource. */
export interface Kind<T> {
  readonly stage: bigint;
  readonly access: bigint;
  readonly isWrite: boolean;
  readonly run: (to: vk.VkCommandBuffer, target: T) => void;
}

const kind = <T>(stage: bigint, access: bigint, run: Kind<T>["run"]): Kind<T> => ({
  stage,
  access,
  isWrite: access === vk.VK_ACCESS_2_TRANSFER_WRITE_BIT || access === vk.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
  run,
});

const [CLEAR, COPY] = [vk.VK_PIPELINE_STAGE_2_CLEAR_BIT, vk.VK_PIPELINE_STAGE_2_COPY_BIT];
const [SHADER, INDIRECT] = [vk.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, vk.VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT];
const [READ, WRITE] = [vk.VK_ACCESS_2_TRANSFER_READ_BIT, vk.VK_ACCESS_2_TRANSFER_WRITE_BIT];
const [LOAD, SAVE] = [vk.VK_ACCESS_2_SHADER_STORAGE_READ_BIT, vk.VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT];

/** Of buffers (Vulkan 1.3, 7.1.2 and 7.1.3). */
export const BUFFER_KINDS: Readonly<Record<string, Kind<vk.VkBuffer>>> = {
  fill: kind(CLEAR, WRITE, (to, target) => vk.vkCmdFillBuffer(to, target, 0, BYTES, 1)),
  update: kind(CLEAR, WRITE, (to, target) => vk.vkCmdUpdateBuffer(to, target, 0, new Uint32Array(16))),
  "copy from": kind(COPY, READ, (to, target) => vk.vkCmdCopyBuffer(to, target, newBuffer(), [{ size: BYTES }])),
  "copy to": kind(COPY, WRITE, (to, target) => vk.vkCmdCopyBuffer(to, newBuffer(), target, [{ size: BYTES }])),
  "copy to an image": kind(COPY, READ, (to, target) =>
    vk.vkCmdCopyBufferToImage(to, target, newImage(), GENERAL, [region]),
  ),
  "copy from an image": kind(COPY, WRITE, (to, target) =>
    vk.vkCmdCopyImageToBuffer(to, newImage(), GENERAL, target, [region]),
  ),
  indirect: kind(INDIRECT, vk.VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, (to, target) => copyingWith(to, 4, target)),
  uniform: kind(SHADER, vk.VK_ACCESS_2_UNIFORM_READ_BIT, (to, target) => copyingWith(to, 0, target)),
  "storage read": kind(SHADER, LOAD, (to, target) => copyingWith(to, 2, target)),
  "storage write": kind(SHADER, SAVE, (to, target) => copyingWith(to, 3, target)),
};

/** Of images. */
export const IMAGE_KINDS: Readonly<Record<string, Kind<vk.VkImage>>> = {
  clear: kind(CLEAR, WRITE, (to, target) =>
    vk.vkCmdClearColorImage(to, target, GENERAL, { uint32: [1, 1, 1, 1] }, [layers(0)]),
  ),
  "copy to a buffer": kind(COPY, READ, (to, target) =>
    vk.vkCmdCopyImageToBuffer(to, target, GENERAL, newBuffer(), [region]),
  ),
  "copy from a buffer": kind(COPY, WRITE, (to, target) =>
    vk.vkCmdCopyBufferToImage(to, newBuffer(), target, GENERAL, [region]),
  ),
  "copy from": kind(COPY, READ, (to, target) =>
    vk.vkCmdCopyImage(to, target, GENERAL, newImage(), GENERAL, [imageRegion]),
  ),
  "copy to": kind(COPY, WRITE, (to, target) =>
    vk.vkCmdCopyImage(to, newImage(), GENERAL, target, GENERAL, [imageRegion]),
  ),
  sampled: kind(SHADER, vk.VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, (to, target) =>
    dispatch(to, fetching, [
      [0, 0, 0, SAMPLED, target],
      [0, 1, 0, STORAGE, newBuffer()],
    ]),
  ),
  "image read": kind(SHADER, LOAD, (to, target) =>
    dispatch(to, storing, [
      [0, 0, 0, STORE, newImage()],
      [0, 1, 0, STORE, target],
    ]),
  ),
  "image write": kind(SHADER, SAVE, (to, target) =>
    dispatch(to, storing, [
      [0, 0, 0, STORE, target],
      [0, 1, 0, STORE, newImage()],
    ]),
  ),
};

const pool = vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 });

/** A command buffer that is being recorded. */
export function recording(level: vk.VkCommandBufferLevel = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY): vk.VkCommandBuffer {
  const commands = first(vk.vkAllocateCommandBuffers(device, { commandPool: pool, level, commandBufferCount: 1 }));
  const flags = vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  const isPrimary = level === vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  vk.vkBeginCommandBuffer(commands, isPrimary ? { flags } : { flags, pInheritanceInfo: {} });
  return commands;
}

/** The hazard that a call makes, without its prefix; null: none. */
export function hazardOf(call: () => void): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof vk.VulkanError && error.rule.startsWith("SYNC-HAZARD-"))
      return error.rule.slice("SYNC-HAZARD-".length);
    throw error;
  }
}

/** Stages by short names. */
export const STAGES = {
  indirect: vk.VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
  compute: vk.VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
  copy: vk.VK_PIPELINE_STAGE_2_COPY_BIT,
  clear: vk.VK_PIPELINE_STAGE_2_CLEAR_BIT,
  transfer: vk.VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
  all: vk.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
  none: 0n,
} as const;

/** Records something. */
export type Act = (to: vk.VkCommandBuffer) => void;

/** Records a memory barrier. */
export const barrier =
  (one: vk.VkMemoryBarrier2): Act =>
  (to) =>
    vk.vkCmdPipelineBarrier2(to, { dependencyFlags: 0, pMemoryBarriers: [one] });
