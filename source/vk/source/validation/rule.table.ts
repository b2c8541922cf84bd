// SPDX-License-Identifier: Apache-2.0
// Rules of valid usage that look at several values, by entry point. What follows from types alone is not here
// (check-value.ts), nor what the implementation has to know anyway, which it checks without validation too.
import { bytesOf } from "@muxkit/cargo";

import { Buffer } from "../buffer.ts";
import { findInChain } from "../chain.ts";
import { CommandBuffer } from "../command-buffer.ts";
import { DescriptorSetLayout, PipelineLayout } from "../descriptor-layout.ts";
import { subgroupSizes } from "../device-properties.ts";
import { PUSH_CONSTANT_BYTES, limitsOf } from "../device-limits.ts";
import {
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
} from "../generated/constants.ts";
import type { VkBuffer, VkCommandBuffer, VkDevice, VkDeviceMemory, VkPhysicalDevice } from "../generated/handles.ts";
import type { VkComputePipelineCreateInfo, VkBufferCopy, VkMemoryAllocateInfo } from "../generated/structures.ts";
import { DeviceMemory } from "../memory.ts";
import { Instance } from "../instance.ts";
import { PhysicalDevice } from "../physical-device.ts";
import { DescriptorPool } from "../descriptor-set.ts";
import { Fence } from "../synchronisation.ts";
import { VK_WHOLE_SIZE } from "../version.ts";
import { ADDRESS_RULES } from "./address-rule.table.ts";
import { DEVICE_RULES } from "./device-rule.table.ts";
import { IMAGE_RULES } from "./image-rule.table.ts";
import { IMAGE_TRANSFER_RULES } from "./image-transfer-rule.table.ts";
import { OBJECT_RULES } from "./object-rule.table.ts";
import { type Rule, type RuleTable, isAligned, lacksUsage, when } from "./rule.ts";

const physicalOf = (device: VkDevice): VkPhysicalDevice | null => device.parent as VkPhysicalDevice | null;

/** The most work-groups of each dimension. */
function groupLimits(commandBuffer: VkCommandBuffer): readonly number[] {
  const device = commandBuffer instanceof CommandBuffer ? physicalOf(commandBuffer.device) : null;
  return device instanceof PhysicalDevice ? limitsOf(device.info).maxComputeWorkGroupCount : [];
}

function tooManyGroups(commandBuffer: VkCommandBuffer, axis: number, count: number): string | null {
  const most = groupLimits(commandBuffer)[axis] ?? 0;
  return when(count > most, `there are ${count} work-groups along ${"xyz".charAt(axis)}; the device has at most ${most}`);
}

const sizeOf = (buffer: VkBuffer): number => (buffer instanceof Buffer ? buffer.size : Infinity);

const SRC = "VK_BUFFER_USAGE_TRANSFER_SRC_BIT";
const DST = "VK_BUFFER_USAGE_TRANSFER_DST_BIT";

/** A rule of copies: its names for both calls. */
interface CopyRule {
  readonly vulkan10: string;
  readonly vulkan13: string;
  readonly check: (source: VkBuffer, target: VkBuffer, regions: readonly VkBufferCopy[]) => string | null;
}

const COPY_RULES: readonly CopyRule[] = [
  {
    vulkan10: "VUID-vkCmdCopyBuffer-srcBuffer-00118",
    vulkan13: "VUID-VkCopyBufferInfo2-srcBuffer-00118",
    check: (source) => lacksUsage(source, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SRC),
  },
  {
    vulkan10: "VUID-vkCmdCopyBuffer-dstBuffer-00120",
    vulkan13: "VUID-VkCopyBufferInfo2-dstBuffer-00120",
    check: (_source, target) => lacksUsage(target, VK_BUFFER_USAGE_TRANSFER_DST_BIT, DST),
  },
  {
    vulkan10: "VUID-VkBufferCopy-size-01988",
    vulkan13: "VUID-VkBufferCopy2-size-01988",
    check: (_source, _target, regions) => when(regions.some(({ size }) => size === 0), "the size of a region is 0"),
  },
  {
    vulkan10: "VUID-vkCmdCopyBuffer-size-00115",
    vulkan13: "VUID-VkCopyBufferInfo2-size-00115",
    check: (source, _target, regions) =>
      when(
        regions.some(({ srcOffset = 0, size }) => srcOffset + size > sizeOf(source)),
        `a region reaches past the end of srcBuffer, which has ${sizeOf(source)} bytes`,
      ),
  },
  {
    vulkan10: "VUID-vkCmdCopyBuffer-size-00116",
    vulkan13: "VUID-VkCopyBufferInfo2-size-00116",
    check: (_source, target, regions) =>
      when(
        regions.some(({ dstOffset = 0, size }) => dstOffset + size > sizeOf(target)),
        `a region reaches past the end of dstBuffer, which has ${sizeOf(target)} bytes`,
      ),
  },
];

/** Where a buffer may be bound. */
function isMisaligned(buffer: VkBuffer, offset: number): string | null {
  const alignment = buffer instanceof Buffer ? buffer.requirements.alignment : 1;
  return when(!isAligned(offset, alignment), `memoryOffset is ${offset}, no multiple of ${alignment}`);
}

/** Memory that is for one buffer is bound to that one, at its beginning. */
function isForAnother(buffer: VkBuffer, memory: VkDeviceMemory, offset: number): string | null {
  const { dedicated = null } = memory instanceof DeviceMemory ? memory : {};
  return when(
    dedicated !== null && (dedicated !== buffer || offset !== 0),
    "the memory was allocated for one buffer (VkMemoryDedicatedAllocateInfo); bind it to that, at 0",
  );
}

/** Memory for one buffer has the size that the buffer needs. */
function isOtherThanNeeded(info: VkMemoryAllocateInfo): string | null {
  const buffer = findInChain(info, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO)?.buffer;
  const needed = buffer instanceof Buffer ? buffer.requirements.size : info.allocationSize;
  return when(
    needed !== info.allocationSize,
    `allocationSize is ${info.allocationSize}, and the buffer that the memory is for needs ${needed}`,
  );
}

/** The sizes of sub-groups that pipelines require. */
const requiredSizes = (infos: readonly VkComputePipelineCreateInfo[]): readonly number[] =>
  infos.flatMap(
    ({ stage }) =>
      findInChain(stage, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO)
        ?.requiredSubgroupSize ?? [],
  );

/** The sizes of sub-groups that a device has. */
function sizesOf(handle: VkDevice): { readonly least: number; readonly most: number } {
  const device = physicalOf(handle);
  return device instanceof PhysicalDevice ? subgroupSizes(device.info) : { least: 1, most: 1 };
}

const TABLE: RuleTable = {
  vkDestroyInstance: [
    {
      id: "VUID-vkDestroyInstance-instance-00629",
      check: (instance) => {
        const devices = instance instanceof Instance ? instance.openDevices : 0;
        const count = instance.children + devices;
        return when(count > 0, `${count} objects of the instance live, ${devices} of them devices; destroy them first`);
      },
    },
  ],
  vkDestroyDevice: [
    {
      id: "VUID-vkDestroyDevice-device-05137",
      check: (device) => when(device.children > 0, `${device.children} objects of the device live; destroy them first`),
    },
  ],
  vkAllocateMemory: [
    {
      id: "VUID-VkMemoryAllocateInfo-allocationSize-07897",
      check: (_device, { allocationSize }) => when(allocationSize === 0, "allocationSize is 0"),
    },
    {
      id: "VUID-vkAllocateMemory-pAllocateInfo-01714",
      check: (_device, { memoryTypeIndex }) =>
        when(memoryTypeIndex !== 0, `there is no memory type ${memoryTypeIndex}; there is one, 0`),
    },
    {
      id: "VUID-VkMemoryDedicatedAllocateInfo-buffer-02965",
      check: (_device, info) => isOtherThanNeeded(info),
    },
  ],
  vkCreateBuffer: [
    { id: "VUID-VkBufferCreateInfo-size-00912", check: (_device, { size }) => when(size === 0, "size is 0") },
    { id: "VUID-VkBufferCreateInfo-usage-requiredbitmask", check: (_device, { usage }) => when(usage === 0, "usage is 0") },
  ],
  vkBindBufferMemory: [
    {
      id: "VUID-vkBindBufferMemory-memoryOffset-10739",
      check: (_device, buffer, _memory, offset) => isMisaligned(buffer, offset),
    },
    {
      id: "VUID-vkBindBufferMemory-memory-01508",
      check: (_device, buffer, memory, offset) => isForAnother(buffer, memory, offset),
    },
  ],
  vkBindBufferMemory2: [
    {
      id: "VUID-VkBindBufferMemoryInfo-memoryOffset-10739",
      check: (_device, infos) =>
        infos.map(({ buffer, memoryOffset }) => isMisaligned(buffer, memoryOffset)).find((wrong) => wrong !== null) ??
        null,
    },
    {
      id: "VUID-VkBindBufferMemoryInfo-memory-01508",
      check: (_device, infos) =>
        infos
          .map(({ buffer, memory, memoryOffset }) => isForAnother(buffer, memory, memoryOffset))
          .find((wrong) => wrong !== null) ?? null,
    },
  ],
  vkCreateShaderModule: [
    {
      id: "VUID-VkShaderModuleCreateInfo-pCode-08738",
      check: (_device, { pCode }) => {
        const bytes = bytesOf(pCode);
        const magic = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
        return when(magic !== 0x0723_0203, "the words do not begin with SPIR-V's number 0x07230203");
      },
    },
  ],
  vkCreatePipelineLayout: [
    {
      id: "VUID-VkPipelineLayoutCreateInfo-pSetLayouts-00293",
      check: (_device, { pSetLayouts = [] }) =>
        when(
          pSetLayouts.filter((layout) => layout instanceof DescriptorSetLayout && layout.isPushed).length > 1,
          "two of the set layouts are for pushed descriptors; one may be",
        ),
    },
    {
      id: "VUID-VkPushConstantRange-size-00298",
      check: (_device, { pPushConstantRanges = [] }) => {
        const row = pPushConstantRanges.find(({ offset, size }) => size === 0 || offset + size > PUSH_CONSTANT_BYTES);
        return row === undefined
          ? null
          : `a range reaches from byte ${row.offset} over ${row.size}; there are ${PUSH_CONSTANT_BYTES} bytes`;
      },
    },
  ],
  vkCreateDescriptorPool: [
    {
      id: "VUID-VkDescriptorPoolCreateInfo-descriptorPoolOverallocation-09227",
      check: (_device, { maxSets }) => when(maxSets === 0, "maxSets is 0"),
    },
  ],
  vkAllocateDescriptorSets: [
    {
      id: "VUID-VkDescriptorSetAllocateInfo-pSetLayouts-00308",
      check: (_device, { pSetLayouts }) =>
        when(
          pSetLayouts.some((layout) => layout instanceof DescriptorSetLayout && layout.isPushed),
          "a layout is for pushed descriptors, of which there are no sets",
        ),
    },
  ],
  vkFreeDescriptorSets: [
    {
      id: "VUID-vkFreeDescriptorSets-descriptorPool-00312",
      check: (_device, pool) =>
        when(
          pool instanceof DescriptorPool && (pool.flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT) === 0,
          "the pool was made without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT; reset it",
        ),
    },
    {
      id: "VUID-vkFreeDescriptorSets-pDescriptorSets-parent",
      check: (_device, pool, sets) => when(sets.some(({ parent }) => parent !== pool), "a set is of another pool"),
    },
  ],
  vkCreateComputePipelines: [
    {
      id: "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760",
      check: (_device, _cache, infos) =>
        requiredSizes(infos)
          .map((size) => when(!Number.isInteger(Math.log2(size)), `requiredSubgroupSize is ${size}, no power of two`))
          .find((wrong) => wrong !== null) ?? null,
    },
    {
      id: "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02762",
      check: (device, _cache, infos) => {
        const { least, most } = sizesOf(device);
        const wrong = requiredSizes(infos).find((size) => size < least || size > most);
        return wrong === undefined ? null : `requiredSubgroupSize is ${wrong}; the device has ${least} to ${most}`;
      },
    },
    {
      id: "VUID-VkComputePipelineCreateInfo-stage-00701",
      check: (_device, _cache, infos) =>
        when(
          infos.some(({ stage }) => stage.stage !== VK_SHADER_STAGE_COMPUTE_BIT),
          "the stage of a compute pipeline is VK_SHADER_STAGE_COMPUTE_BIT",
        ),
    },
  ],
  vkCreateCommandPool: [
    {
      id: "VUID-vkCreateCommandPool-queueFamilyIndex-01937",
      check: (_device, { queueFamilyIndex }) =>
        when(queueFamilyIndex !== 0, `there is no queue family ${queueFamilyIndex}; there is one, 0`),
    },
  ],
  vkAllocateCommandBuffers: [
    {
      id: "VUID-vkAllocateCommandBuffers-pAllocateInfo::commandBufferCount-arraylength",
      check: (_device, { commandBufferCount }) => when(commandBufferCount === 0, "commandBufferCount is 0"),
    },
  ],
  vkFreeCommandBuffers: [
    {
      id: "VUID-vkFreeCommandBuffers-pCommandBuffers-parent",
      check: (_device, pool, list) => when(list.some(({ parent }) => parent !== pool), "a command buffer is of another pool"),
    },
  ],
  vkBeginCommandBuffer: [
    {
      id: "VUID-vkBeginCommandBuffer-commandBuffer-00051",
      check: (commandBuffer, { pInheritanceInfo }) =>
        when(
          commandBuffer instanceof CommandBuffer &&
            commandBuffer.level === VK_COMMAND_BUFFER_LEVEL_SECONDARY &&
            (pInheritanceInfo ?? null) === null,
          "a secondary command buffer needs pInheritanceInfo",
        ),
    },
  ],
  vkCmdPushConstants: [
    {
      id: "VUID-vkCmdPushConstants-offset-00368",
      check: (_commandBuffer, _layout, _stages, offset) =>
        when(!isAligned(offset, 4), `offset is ${offset}, no multiple of 4`),
    },
    {
      id: "VUID-vkCmdPushConstants-offset-01795",
      check: (_commandBuffer, layout, _stages, offset, values) =>
        when(
          layout instanceof PipelineLayout &&
            !layout.pushConstants.some(
              (range) => range.offset <= offset && offset + values.byteLength <= range.offset + range.size,
            ),
          `no range of the layout has bytes ${offset} to ${offset + values.byteLength}`,
        ),
    },
  ],
  vkCmdDispatch: [
    { id: "VUID-vkCmdDispatch-groupCountX-00386", check: (to, x) => tooManyGroups(to, 0, x) },
    { id: "VUID-vkCmdDispatch-groupCountY-00387", check: (to, _x, y) => tooManyGroups(to, 1, y) },
    { id: "VUID-vkCmdDispatch-groupCountZ-00388", check: (to, _x, _y, z) => tooManyGroups(to, 2, z) },
  ],
  vkCmdDispatchBase: [
    { id: "VUID-vkCmdDispatchBase-groupCountX-00424", check: (to, a, _b, _c, x) => tooManyGroups(to, 0, a + x) },
    { id: "VUID-vkCmdDispatchBase-groupCountY-00425", check: (to, _a, b, _c, _x, y) => tooManyGroups(to, 1, b + y) },
    { id: "VUID-vkCmdDispatchBase-groupCountZ-00426", check: (to, _a, _b, c, _x, _y, z) => tooManyGroups(to, 2, c + z) },
  ],
  vkCmdDispatchIndirect: [
    {
      id: "VUID-vkCmdDispatchIndirect-buffer-02709",
      check: (_to, buffer) =>
        lacksUsage(buffer, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT"),
    },
    {
      id: "VUID-vkCmdDispatchIndirect-offset-02710",
      check: (_to, _buffer, offset) => when(!isAligned(offset, 4), `offset is ${offset}, no multiple of 4`),
    },
  ],
  vkCmdCopyBuffer: COPY_RULES.map(({ vulkan10: id, check }) => ({
    id,
    check: (_to, source, target, regions) => check(source, target, regions),
  })),
  vkCmdCopyBuffer2: COPY_RULES.map(({ vulkan13: id, check }) => ({
    id,
    check: (_to, { srcBuffer, dstBuffer, pRegions }) => check(srcBuffer, dstBuffer, pRegions),
  })),
  vkCmdFillBuffer: [
    {
      id: "VUID-vkCmdFillBuffer-dstOffset-00024",
      check: (_to, target, offset) =>
        when(offset >= sizeOf(target), `dstOffset is ${offset}, and the buffer has ${sizeOf(target)} bytes`),
    },
    {
      id: "VUID-vkCmdFillBuffer-dstOffset-00025",
      check: (_to, _target, offset) => when(!isAligned(offset, 4), `dstOffset is ${offset}, no multiple of 4`),
    },
    {
      id: "VUID-vkCmdFillBuffer-size-00026",
      check: (_to, _target, _offset, size) => when(size === 0, "size is 0"),
    },
    {
      id: "VUID-vkCmdFillBuffer-size-00027",
      check: (_to, target, offset, size) =>
        when(
          size !== VK_WHOLE_SIZE && offset + size > sizeOf(target),
          `${size} bytes from ${offset} on reach past the end of the buffer of ${sizeOf(target)}`,
        ),
    },
    {
      id: "VUID-vkCmdFillBuffer-size-00028",
      check: (_to, _target, _offset, size) =>
        when(size !== VK_WHOLE_SIZE && !isAligned(size, 4), `size is ${size}, no multiple of 4`),
    },
    {
      id: "VUID-vkCmdFillBuffer-dstBuffer-00029",
      check: (_to, target) => lacksUsage(target, VK_BUFFER_USAGE_TRANSFER_DST_BIT, DST),
    },
  ],
  vkCmdUpdateBuffer: [
    {
      id: "VUID-vkCmdUpdateBuffer-dataSize-00033",
      check: (_to, target, offset, data) =>
        when(
          offset + data.byteLength > sizeOf(target),
          `${data.byteLength} bytes from ${offset} on reach past the end of the buffer of ${sizeOf(target)}`,
        ),
    },
    {
      id: "VUID-vkCmdUpdateBuffer-dstBuffer-00034",
      check: (_to, target) => lacksUsage(target, VK_BUFFER_USAGE_TRANSFER_DST_BIT, DST),
    },
    {
      id: "VUID-vkCmdUpdateBuffer-dstOffset-00036",
      check: (_to, _target, offset) => when(!isAligned(offset, 4), `dstOffset is ${offset}, no multiple of 4`),
    },
    {
      id: "VUID-vkCmdUpdateBuffer-dataSize-00037",
      check: (_to, _target, _offset, { byteLength }) =>
        when(byteLength > 65_536, `pData has ${byteLength} bytes; 65536 are the most`),
    },
    {
      id: "VUID-vkCmdUpdateBuffer-dataSize-00038",
      check: (_to, _target, _offset, { byteLength }) =>
        when(!isAligned(byteLength, 4), `pData has ${byteLength} bytes, no multiple of 4`),
    },
  ],
  vkCmdExecuteCommands: [
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00088",
      check: (_to, list) =>
        when(
          list.some((one) => one instanceof CommandBuffer && one.level === VK_COMMAND_BUFFER_LEVEL_PRIMARY),
          "a command buffer is primary; only secondary ones are executed by others",
        ),
    },
    {
      id: "VUID-vkCmdExecuteCommands-pCommandBuffers-00089",
      check: (_to, list) =>
        when(
          list.some((one) => one instanceof CommandBuffer && one.state !== "executable"),
          "a command buffer is not executable; end it first",
        ),
    },
  ],
  vkResetFences: [
    {
      id: "VUID-vkResetFences-pFences-01123",
      check: (_device, fences) =>
        when(
          fences.some((fence) => fence instanceof Fence && fence.batch !== null && !fence.isSignalled),
          "a fence is in use by a submission that is not known to be complete; wait for it first",
        ),
    },
  ],
  vkWaitSemaphores: [
    {
      id: "VUID-VkSemaphoreWaitInfo-pSemaphores-parameter",
      check: (_device, { pSemaphores = [], pValues = [] }) =>
        when(pSemaphores.length !== pValues.length, `there are ${pSemaphores.length} semaphores and ${pValues.length} values`),
    },
  ],
  vkCreateQueryPool: [
    {
      id: "VUID-VkQueryPoolCreateInfo-queryCount-02763",
      check: (_device, { queryCount }) => when(queryCount === 0, "queryCount is 0"),
    },
  ],
};

const TABLES: readonly Readonly<Record<string, readonly Rule[]>>[] = [
  OBJECT_RULES,
  TABLE,
  IMAGE_RULES,
  IMAGE_TRANSFER_RULES,
  ADDRESS_RULES,
  DEVICE_RULES,
];

/** By entry point. */
export const RULES: Readonly<Record<string, readonly Rule[]>> = Object.fromEntries(
  [...new Set(TABLES.flatMap((table) => Object.keys(table)))].map((name) => [
    name,
    TABLES.flatMap((table) => table[name] ?? []),
  ]),
);
