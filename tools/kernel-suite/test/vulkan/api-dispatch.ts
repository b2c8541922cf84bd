// SPDX-License-Identifier: Apache-2.0
// A dispatch by the calls of @muxkit/vulkan: descriptors of every kind, as a program would write them.
import {
  type ShaderDispatch,
  type ShaderResource,
  vulkanFormat,
  vulkanSampler,
  vulkanView,
} from "@muxkit/kernel-suite";
import type { Image, ImageType } from "@muxkit/libimg";
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { registerTarget } from "@muxkit/mux";
import { type BindingReflection, describeSpirvError, reflectShader } from "@muxkit/spirv";
import * as vk from "@muxkit/vulkan";

/** A device for dispatches. */
export interface VulkanDevice {
  readonly device: vk.VkDevice;
  readonly queue: vk.VkQueue;
  readonly pool: vk.VkCommandPool;
}

/** Opens the host by Vulkan's calls. */
export function openVulkan(): VulkanDevice {
  registerTarget(hostTarget({ threads: 2 }));
  vk.setCompilers({ compilers });
  const instance = vk.vkCreateInstance({});
  const [physicalDevice] = vk.vkEnumeratePhysicalDevices(instance);
  if (physicalDevice === undefined) throw new Error("there is no device");
  const device = vk.vkCreateDevice(physicalDevice, {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const pool = vk.vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  return { device, queue: vk.vkGetDeviceQueue(device, 0, 0), pool };
}

const TYPES: Readonly<Record<BindingReflection["kind"], vk.VkDescriptorType>> = {
  "storage-buffer": vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  "uniform-buffer": vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  "sampled-image": vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  "storage-image": vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  "uniform-texel-buffer": vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  "storage-texel-buffer": vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
  sampler: vk.VK_DESCRIPTOR_TYPE_SAMPLER,
  "combined-image-sampler": vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
};

const SHAPES: Readonly<Record<Exclude<ImageType, "1d_buffer">, readonly [vk.VkImageType, vk.VkImageViewType]>> = {
  "1d": [vk.VK_IMAGE_TYPE_1D, vk.VK_IMAGE_VIEW_TYPE_1D],
  "1d_array": [vk.VK_IMAGE_TYPE_1D, vk.VK_IMAGE_VIEW_TYPE_1D_ARRAY],
  "2d": [vk.VK_IMAGE_TYPE_2D, vk.VK_IMAGE_VIEW_TYPE_2D],
  "2d_array": [vk.VK_IMAGE_TYPE_2D, vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY],
  "3d": [vk.VK_IMAGE_TYPE_3D, vk.VK_IMAGE_VIEW_TYPE_3D],
};

function samplerOf(device: vk.VkDevice, bits: number): vk.VkSampler {
  const { modes, compareOp, isUnnormalized, ...own } = vulkanSampler(bits);
  const [addressModeU, addressModeV, addressModeW] = modes as readonly vk.VkSamplerAddressMode[];
  if (addressModeU === undefined || addressModeV === undefined || addressModeW === undefined)
    throw new Error("a sampler has three modes");
  return vk.vkCreateSampler(device, {
    ...(own as Pick<vk.VkSamplerCreateInfo, "magFilter" | "minFilter" | "mipmapMode" | "borderColor">),
    minLod: own.minLod,
    maxLod: own.maxLod,
    addressModeU,
    addressModeV,
    addressModeW,
    compareEnable: compareOp !== null,
    compareOp: (compareOp ?? 0) as vk.VkCompareOp,
    unnormalizedCoordinates: isUnnormalized,
  });
}

const ALL_BUFFERS =
  vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
  vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
  vk.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
  vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
  vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
  vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/** A buffer with these bytes, and the bytes while they are mapped. */
function bufferOf(device: vk.VkDevice, contents: Uint8Array): { buffer: vk.VkBuffer; mapped: Uint8Array } {
  const buffer = vk.vkCreateBuffer(device, { size: Math.max(4, contents.length), usage: ALL_BUFFERS });
  const { size } = vk.vkGetBufferMemoryRequirements(device, buffer);
  const memory = vk.vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 });
  vk.vkBindBufferMemory(device, buffer, memory, 0);
  const mapped = vk.vkMapMemory(device, memory, 0, vk.VK_WHOLE_SIZE, 0).subarray(0, contents.length);
  mapped.set(contents);
  return { buffer, mapped };
}

/** What a resource is by Vulkan, and how its bytes are seen after the dispatch. */
interface Made {
  readonly write: Pick<vk.VkWriteDescriptorSet, "pBufferInfo" | "pImageInfo" | "pTexelBufferView">;
  /** Commands before and after the dispatch. */
  readonly before?: (commands: vk.VkCommandBuffer) => void;
  readonly after?: (commands: vk.VkCommandBuffer) => void;
  readonly bytes: (() => Uint8Array) | null;
}

/** The image of a resource. */
type BoundImage = Extract<ShaderResource, { readonly image: Image }>;

function imageOf(device: vk.VkDevice, bound: BoundImage, usage: number): { image: vk.VkImage; view: vk.VkImageView } {
  const { image, isCube = false } = bound;
  if (image.type === "1d_buffer") throw new Error("texels of a buffer are no image");
  const format = vulkanFormat(image) as vk.VkFormat;
  const { levels, components } = vulkanView(image);
  const [imageType, flat] = SHAPES[image.type];
  const cube = image.layers === 6 ? vk.VK_IMAGE_VIEW_TYPE_CUBE : vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  const made = vk.vkCreateImage(device, {
    flags: isCube ? vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
    imageType,
    format,
    extent: { width: image.width, height: image.height, depth: image.depth },
    mipLevels: levels,
    arrayLayers: image.layers,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    tiling: vk.VK_IMAGE_TILING_OPTIMAL,
    usage: usage | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  });
  const { size } = vk.vkGetImageMemoryRequirements(device, made);
  vk.vkBindImageMemory(device, made, vk.vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 }), 0);
  const [r, g, b, a] = components as readonly vk.VkComponentSwizzle[];
  if (r === undefined || g === undefined || b === undefined || a === undefined) throw new Error("four components");
  const view = vk.vkCreateImageView(device, {
    image: made,
    viewType: isCube ? cube : flat,
    format,
    components: { r, g, b, a },
    subresourceRange: {
      aspectMask: aspectOf(image),
      baseMipLevel: 0,
      levelCount: levels,
      baseArrayLayer: 0,
      layerCount: image.layers,
    },
  });
  return { image: made, view };
}

const aspectOf = ({ format }: Image): number =>
  format.order === "DEPTH" ? vk.VK_IMAGE_ASPECT_DEPTH_BIT : vk.VK_IMAGE_ASPECT_COLOR_BIT;

/** The size of a side at a level. */
const side = (size: number, level: number): number => Math.max(1, size >> level);

/** What is copied for each level: in the pixels of a resource levels lie below each other in each slice or layer. */
function regionsOf(image: Image): vk.VkBufferImageCopy[] {
  const { width, height, depth, layers, rowPitch, slicePitch, pixelBytes } = image;
  let above = 0;
  return Array.from({ length: vulkanView(image).levels }, (_, mipLevel) => {
    const bufferOffset = above * rowPitch;
    above += side(height, mipLevel);
    return {
      bufferOffset,
      bufferRowLength: rowPitch / pixelBytes,
      bufferImageHeight: slicePitch / rowPitch,
      imageSubresource: { aspectMask: aspectOf(image), mipLevel, baseArrayLayer: 0, layerCount: layers },
      imageExtent: { width: side(width, mipLevel), height: side(height, mipLevel), depth: side(depth, mipLevel) },
    };
  });
}

function madeImage(device: vk.VkDevice, bound: BoundImage, kind: BindingReflection["kind"]): Made {
  const { image, pixels, sampler } = bound;
  const { buffer, mapped } = bufferOf(device, pixels);
  const bytes = (): Uint8Array => mapped.slice();
  if (image.type === "1d_buffer") {
    const format = vulkanFormat(image) as vk.VkFormat;
    const view = vk.vkCreateBufferView(device, { buffer, format, offset: 0, range: pixels.length });
    return { write: { pTexelBufferView: [view] }, bytes };
  }
  const usage = kind === "storage-image" ? vk.VK_IMAGE_USAGE_STORAGE_BIT : vk.VK_IMAGE_USAGE_SAMPLED_BIT;
  const made = imageOf(device, bound, usage);
  const regions = regionsOf(image);
  const imageLayout = vk.VK_IMAGE_LAYOUT_GENERAL;
  const info = { imageView: made.view, imageLayout };
  return {
    write: { pImageInfo: [sampler === undefined ? info : { ...info, sampler: samplerOf(device, sampler) }] },
    before: (commands) => vk.vkCmdCopyBufferToImage(commands, buffer, made.image, imageLayout, regions),
    after: (commands) => vk.vkCmdCopyImageToBuffer(commands, made.image, imageLayout, buffer, regions),
    bytes,
  };
}

function resourceOf(device: vk.VkDevice, resource: ShaderResource, kind: BindingReflection["kind"]): Made {
  if ("image" in resource) return madeImage(device, resource, kind);
  if (!("buffer" in resource))
    return { write: { pImageInfo: [{ sampler: samplerOf(device, resource.sampler) }] }, bytes: null };
  const { buffer, mapped } = bufferOf(device, resource.buffer);
  const range = Math.max(4, resource.buffer.length);
  return { write: { pBufferInfo: [{ buffer, offset: 0, range }] }, bytes: () => mapped.slice() };
}

/** Layouts of the sets up to the last one that is used. */
function setLayouts(device: vk.VkDevice, bindings: readonly BindingReflection[]): vk.VkDescriptorSetLayout[] {
  const count = Math.max(0, ...bindings.map(({ set }) => set + 1));
  return Array.from({ length: count }, (_, set) =>
    vk.vkCreateDescriptorSetLayout(device, {
      pBindings: bindings
        .filter((row) => row.set === set)
        .map(({ binding, kind, count: descriptorCount }) => ({
          binding,
          descriptorType: TYPES[kind],
          descriptorCount,
          stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
        })),
    }),
  );
}

function constantsOf(values: ReadonlyMap<number, Uint8Array>): vk.VkSpecializationInfo {
  const pMapEntries: vk.VkSpecializationMapEntry[] = [];
  const bytes: number[] = [];
  for (const [constantID, value] of values) {
    pMapEntries.push({ constantID, offset: bytes.length, size: value.length });
    bytes.push(...value);
  }
  return { pMapEntries, pData: Uint8Array.from(bytes) };
}

/** A barrier between everything before it and everything after it. */
function orderAll(commands: vk.VkCommandBuffer): void {
  const all = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const srcAccessMask = vk.VK_ACCESS_MEMORY_WRITE_BIT;
  const dstAccessMask = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT;
  vk.vkCmdPipelineBarrier(commands, all, all, 0, [{ srcAccessMask, dstAccessMask }], [], []);
}

/** Runs a dispatch; what is in its buffers and images afterwards, by `set,binding`. Throws what a call throws. */
export function dispatchByVulkan(
  { device, queue, pool }: VulkanDevice,
  dispatch: ShaderDispatch,
): Map<string, Uint8Array[]> {
  const { module, entry = "main", groups, resources, push = new Uint8Array(0), specialization } = dispatch;
  const reflected = reflectShader(module, dispatch);
  if (!reflected.ok) throw new Error(describeSpirvError(reflected.error));
  const found = reflected.value.entryPoints.find(({ name }) => name === entry);
  if (found === undefined) throw new Error(`there is no entry point ${entry}`);
  const pSetLayouts = setLayouts(device, found.bindings);
  const descriptors = found.bindings.reduce((sum, { count }) => sum + count, 1);
  const descriptorPool = vk.vkCreateDescriptorPool(device, {
    maxSets: Math.max(1, pSetLayouts.length),
    pPoolSizes: Object.values(TYPES).map((type) => ({ type, descriptorCount: descriptors })),
  });
  const sets = vk.vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts });
  const all = found.bindings.flatMap(({ set, binding, kind, count }) =>
    Array.from({ length: count }, (_, element) => {
      const resource = [resources[`${set},${binding}`] ?? []].flat()[element];
      if (resource === undefined) throw new Error(`nothing is bound at ${set},${binding}, element ${element}`);
      return { set, binding, kind, element, made: resourceOf(device, resource, kind) };
    }),
  );
  for (const { set, binding, kind, element, made: own } of all) {
    const dstSet = sets[set];
    if (dstSet === undefined) throw new Error(`there is no set ${set}`);
    const place = { dstSet, dstBinding: binding, dstArrayElement: element, descriptorType: TYPES[kind] };
    vk.vkUpdateDescriptorSets(device, [{ ...place, ...own.write }]);
  }
  const pushBytes = found.pushConstants === null ? 0 : found.pushConstants.offset + found.pushConstants.bytes;
  const size = Math.ceil(pushBytes / 4) * 4;
  const layout = vk.vkCreatePipelineLayout(device, {
    pSetLayouts,
    pPushConstantRanges: size === 0 ? [] : [{ stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size }],
  });
  const stage = {
    stage: vk.VK_SHADER_STAGE_COMPUTE_BIT,
    module: vk.vkCreateShaderModule(device, { pCode: module }),
    pName: entry,
    ...(specialization === undefined ? {} : { pSpecializationInfo: constantsOf(specialization) }),
  };
  const [pipeline] = vk.vkCreateComputePipelines(device, null, [{ stage, layout }]);
  const [commands] = vk.vkAllocateCommandBuffers(device, {
    commandPool: pool,
    level: vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    commandBufferCount: 1,
  });
  if (pipeline === undefined || commands === undefined) throw new Error("a call gave nothing");
  vk.vkBeginCommandBuffer(commands, { flags: vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT });
  for (const one of all) one.made.before?.(commands);
  orderAll(commands);
  vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk.vkCmdBindDescriptorSets(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets);
  if (size > 0) {
    const values = new Uint8Array(size);
    values.set(push.subarray(0, size));
    vk.vkCmdPushConstants(commands, layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, values);
  }
  vk.vkCmdDispatch(commands, ...groups);
  orderAll(commands);
  for (const one of all) one.made.after?.(commands);
  vk.vkEndCommandBuffer(commands);
  vk.vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
  vk.vkQueueWaitIdle(queue);
  const after = new Map<string, Uint8Array[]>();
  for (const { set, binding, made: own } of all)
    if (own.bytes !== null) after.set(`${set},${binding}`, [...(after.get(`${set},${binding}`) ?? []), own.bytes()]);
  return after;
}
