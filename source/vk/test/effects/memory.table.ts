// SPDX-License-Identifier: Apache-2.0
// What memory, buffers and copies between them do.
import {
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
  VK_SHARING_MODE_CONCURRENT,
  VK_SHARING_MODE_EXCLUSIVE,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_WHOLE_SIZE,
  type VkBuffer,
  type VkBufferCopy,
  type VkBufferCreateInfo,
  type VkCommandBuffer,
  type VkDevice,
  type VkDeviceMemory,
  vkAllocateMemory,
  vkBindBufferMemory,
  vkCmdCopyBuffer,
  vkCreateBuffer,
  vkCreateDevice,
  vkGetBufferMemoryRequirements,
  vkMapMemory,
  vkUnmapMemory,
} from "@muxkit/vulkan";

import { type Effect, effect } from "../effect.ts";
import { device, finish, newRecording, physicalDevice, words } from "../rig.ts";

const allocate = (allocationSize: number): VkDeviceMemory =>
  vkAllocateMemory(device, { allocationSize, memoryTypeIndex: 0 });

const TRANSFERS = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

const create = (size: number): VkBuffer => vkCreateBuffer(device, { size, usage: TRANSFERS });

/** Memory whose bytes are 0, 1, 2, …, mapped no more. */
function counted(size: number): VkDeviceMemory {
  const memory = allocate(size);
  vkMapMemory(device, memory, 0, VK_WHOLE_SIZE).forEach((_, i, bytes) => {
    bytes[i] = i;
  });
  vkUnmapMemory(device, memory);
  return memory;
}

const withAddresses: VkDevice = vkCreateDevice(physicalDevice, {
  pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, bufferDeviceAddress: true },
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
});

/** A buffer whose address may be asked for. */
function addressed(): VkBuffer {
  const buffer = vkCreateBuffer(withAddresses, { size: 64, usage: VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT });
  const memory = vkAllocateMemory(withAddresses, {
    pNext: { sType: VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, flags: VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT },
    allocationSize: vkGetBufferMemoryRequirements(withAddresses, buffer).size,
    memoryTypeIndex: 0,
  });
  vkBindBufferMemory(withAddresses, buffer, memory, 0);
  return buffer;
}

const SIZES = [1, 2, 3, 4, 7, 64, 255, 256, 4096, 65_537, 1_048_576] as const;

/** Parts of 64 bytes: from where, how many, and how many are mapped. */
const MAPPINGS = [
  [0, 64, 64],
  [0, VK_WHOLE_SIZE, 64],
  [0, 1, 1],
  [1, 2, 2],
  [4, VK_WHOLE_SIZE, 60],
  [63, 1, 1],
  [63, VK_WHOLE_SIZE, 1],
  [32, 32, 32],
  [8, 48, 48],
] as const;

const USAGES = [
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
] as const;

const BUFFERS: readonly (readonly [what: string, info: VkBufferCreateInfo])[] = [
  ["", { size: 64, usage: TRANSFERS }],
  ...USAGES.map((usage) => [`usage ${usage}`, { size: 16, usage }] as const),
  ["all usages", { size: 16, usage: USAGES.reduce((all, one) => all | one, 0) }],
  ...SIZES.map((size) => [`of ${size} bytes`, { size, usage: TRANSFERS }] as const),
  ["exclusive", { size: 8, usage: TRANSFERS, sharingMode: VK_SHARING_MODE_EXCLUSIVE }],
  ["concurrent", { size: 8, usage: TRANSFERS, sharingMode: VK_SHARING_MODE_CONCURRENT, pQueueFamilyIndices: [0] }],
];

/** What a buffer needs: enough for it, in whole alignments, of the one memory type. */
function isEnough(size: number, needs: ReturnType<typeof vkGetBufferMemoryRequirements>): boolean {
  return needs.size >= size && needs.size % needs.alignment === 0 && needs.memoryTypeBits === 1;
}

/** The bytes that a buffer has at an offset of memory that counts. */
function boundBytes(buffer: VkBuffer, size: number): readonly number[] {
  const target = words(Math.ceil(size / 4));
  const commands = newRecording();
  vkCmdCopyBuffer(commands, buffer, target.buffer, [{ size }]);
  finish(commands);
  return [...new Uint8Array(target.words.buffer, target.words.byteOffset, size)];
}

/** Copies of eight words 1 to 8 onto zeros: regions, and the words then. */
const COPIES: readonly (readonly [regions: readonly VkBufferCopy[], expected: readonly number[]])[] = [
  [[{ size: 32 }], [1, 2, 3, 4, 5, 6, 7, 8]],
  [[{ size: 4 }], [1, 0, 0, 0, 0, 0, 0, 0]],
  [[{ srcOffset: 4, size: 4 }], [2, 0, 0, 0, 0, 0, 0, 0]],
  [[{ dstOffset: 4, size: 4 }], [0, 1, 0, 0, 0, 0, 0, 0]],
  [[{ srcOffset: 28, dstOffset: 28, size: 4 }], [0, 0, 0, 0, 0, 0, 0, 8]],
  [[{ srcOffset: 16, dstOffset: 0, size: 16 }], [5, 6, 7, 8, 0, 0, 0, 0]],
  [[{ srcOffset: 1, dstOffset: 0, size: 1 }], [0, 0, 0, 0, 0, 0, 0, 0]],
  [[{ srcOffset: 0, dstOffset: 1, size: 1 }], [256, 0, 0, 0, 0, 0, 0, 0]],
  [[{ srcOffset: 0, dstOffset: 3, size: 5 }], [0x0100_0000, 0x0200_0000, 0, 0, 0, 0, 0, 0]],
  [
    [
      { size: 4 },
      { srcOffset: 4, dstOffset: 28, size: 4 },
    ],
    [1, 0, 0, 0, 0, 0, 0, 2],
  ],
  [
    [
      { srcOffset: 8, dstOffset: 4, size: 8 },
      { srcOffset: 24, dstOffset: 16, size: 8 },
    ],
    [0, 3, 4, 0, 7, 8, 0, 0],
  ],
  [[], [0, 0, 0, 0, 0, 0, 0, 0]],
];

/** Fills of eight zeros: from where, how many bytes, what, and the words then. */
const FILLS: readonly (readonly [offset: number, size: number, data: number, expected: readonly number[]])[] = [
  [0, VK_WHOLE_SIZE, 7, [7, 7, 7, 7, 7, 7, 7, 7]],
  [0, 32, 7, [7, 7, 7, 7, 7, 7, 7, 7]],
  [0, 4, 1, [1, 0, 0, 0, 0, 0, 0, 0]],
  [28, 4, 2, [0, 0, 0, 0, 0, 0, 0, 2]],
  [28, VK_WHOLE_SIZE, 2, [0, 0, 0, 0, 0, 0, 0, 2]],
  [4, 8, 3, [0, 3, 3, 0, 0, 0, 0, 0]],
  [16, VK_WHOLE_SIZE, 4, [0, 0, 0, 0, 4, 4, 4, 4]],
  [0, 8, 0xffff_ffff, [0xffff_ffff, 0xffff_ffff, 0, 0, 0, 0, 0, 0]],
  [0, 4, 0x8000_0000, [0x8000_0000, 0, 0, 0, 0, 0, 0, 0]],
  [0, 4, 0x1234_5678, [0x1234_5678, 0, 0, 0, 0, 0, 0, 0]],
  [12, 12, 9, [0, 0, 0, 9, 9, 9, 0, 0]],
];

/** Updates of eight zeros: from where, with what, and the words then. */
const UPDATES: readonly (readonly [offset: number, data: ArrayBufferView, expected: readonly number[]])[] = [
  [0, Uint32Array.of(1, 2), [1, 2, 0, 0, 0, 0, 0, 0]],
  [4, Uint32Array.of(3), [0, 3, 0, 0, 0, 0, 0, 0]],
  [28, Uint32Array.of(4), [0, 0, 0, 0, 0, 0, 0, 4]],
  [0, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), [1, 2, 3, 4, 5, 6, 7, 8]],
  [0, Uint8Array.of(1, 2, 3, 4), [0x0403_0201, 0, 0, 0, 0, 0, 0, 0]],
  [8, Uint16Array.of(1, 2), [0, 0, 0x0002_0001, 0, 0, 0, 0, 0]],
  [8, Float32Array.of(1), [0, 0, 0x3f80_0000, 0, 0, 0, 0, 0]],
  [8, BigUint64Array.of((2n << 32n) | 1n), [0, 0, 1, 2, 0, 0, 0, 0]],
  [16, Uint32Array.of(9, 8, 7, 6).subarray(1, 3), [0, 0, 0, 0, 8, 7, 0, 0]],
];

/** What a command does to eight zeros. */
function after(commands: VkCommandBuffer, target: VkBuffer): readonly number[] {
  finish(commands);
  return [...(zeros.get(target) ?? [])];
}

const zeros = new Map<VkBuffer, Uint32Array>();

function newZeros(): VkBuffer {
  const { buffer, words: view } = words(8);
  zeros.set(buffer, view);
  return buffer;
}

/** The way of writing is tried at the first row of a table. */
const named = (i: number, what: string): string => (i === 0 ? "" : what);

export const MEMORY_EFFECTS: readonly Effect[] = [
  ...SIZES.map((allocationSize, i) =>
    effect(
      "vkAllocateMemory",
      named(i, `${allocationSize} bytes`),
      () => [device, { allocationSize, memoryTypeIndex: 0 }],
      (memory) => vkMapMemory(device, memory, 0, VK_WHOLE_SIZE).length,
      allocationSize,
    ),
  ),
  ...[4, 64, 1000].map((size) =>
    effect(
      "vkAllocateMemory",
      `for one buffer of ${size} bytes`,
      () => {
        const buffer = create(size);
        const pNext = { sType: VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, buffer };
        const { size: allocationSize } = vkGetBufferMemoryRequirements(device, buffer);
        return [device, { pNext, allocationSize, memoryTypeIndex: 0 }];
      },
      (memory, [, { pNext }]) => {
        const { buffer = null } = pNext !== null && pNext !== undefined && "buffer" in pNext ? pNext : {};
        if (buffer === null) return null;
        vkMapMemory(device, memory, 0, VK_WHOLE_SIZE).fill(9);
        vkBindBufferMemory(device, buffer, memory, 0);
        return boundBytes(buffer, 2);
      },
      [9, 9],
    ),
  ),
  effect("vkFreeMemory", "", () => [device, allocate(64)], (_, [, memory]) => memory.isAlive, false),
  ...MAPPINGS.map(([offset, size, length], i) =>
    effect(
      "vkMapMemory",
      named(i, `${size} bytes from ${offset} on`),
      () => [device, counted(64), offset, size],
      (bytes) => [bytes.length, bytes[0], bytes.at(-1)],
      [length, offset, offset + length - 1],
    ),
  ),
  effect(
    "vkUnmapMemory",
    "",
    () => {
      const memory = counted(8);
      vkMapMemory(device, memory, 0, 8);
      return [device, memory];
    },
    (_, [, memory]) => [...vkMapMemory(device, memory, 0, 3)],
    [0, 1, 2],
  ),
  ...(["vkFlushMappedMemoryRanges", "vkInvalidateMappedMemoryRanges"] as const).flatMap((name) =>
    [VK_WHOLE_SIZE, 64, 4].map((size, i) =>
      effect(
        name,
        named(i, `${size} bytes`),
        () => {
          const memory = allocate(64);
          vkMapMemory(device, memory, 0, 64)[0] = 77;
          return [device, [{ memory, offset: 0, size }]];
        },
        (_, [, [range]]) => {
          const buffer = create(4);
          if (range === undefined) return null;
          vkBindBufferMemory(device, buffer, range.memory, 0);
          return boundBytes(buffer, 1);
        },
        [77],
      ),
    ),
  ),
  effect("vkGetDeviceMemoryCommitment", "", () => [device, allocate(100)], (size) => size, 100),
  ...BUFFERS.map(([what, info]) =>
    effect(
      "vkCreateBuffer",
      what,
      () => [device, info],
      (buffer) => isEnough(info.size, vkGetBufferMemoryRequirements(device, buffer)),
      true,
    ),
  ),
  effect("vkDestroyBuffer", "", () => [device, create(4)], (_, [, buffer]) => buffer.isAlive, false),
  ...SIZES.flatMap((size, i) => [
    effect(
      "vkGetBufferMemoryRequirements",
      named(i, `${size} bytes`),
      () => [device, create(size)],
      (needs) => isEnough(size, needs),
      true,
    ),
    effect(
      "vkGetBufferMemoryRequirements2",
      named(i, `${size} bytes`),
      () => [device, { buffer: create(size) }],
      ({ memoryRequirements }) => isEnough(size, memoryRequirements),
      true,
    ),
  ]),
  ...[0, 1, 3].flatMap((times, i) => {
    const { alignment } = vkGetBufferMemoryRequirements(device, create(4));
    const offset = times * alignment;
    const expected = [0, 1, 2, 3].map((byte) => (offset + byte) & 255);
    return [
      effect(
        "vkBindBufferMemory",
        named(i, `at ${times} alignments`),
        () => [device, create(4), counted(offset + 4), offset],
        (_, [, buffer]) => boundBytes(buffer, 4),
        expected,
      ),
      effect(
        "vkBindBufferMemory2",
        named(i, `at ${times} alignments`),
        () => [device, [{ buffer: create(4), memory: counted(offset + 4), memoryOffset: offset }]],
        (_, [, [one]]) => (one === undefined ? null : boundBytes(one.buffer, 4)),
        expected,
      ),
    ];
  }),
  effect(
    "vkBindBufferMemory2",
    "two buffers of one memory",
    () => {
      const memory = counted(64);
      return [device, [0, 0].map((memoryOffset) => ({ buffer: create(8), memory, memoryOffset }))];
    },
    (_, [, list]) => list.map(({ buffer }) => boundBytes(buffer, 2)),
    [
      [0, 1],
      [0, 1],
    ],
  ),
  effect(
    "vkGetBufferDeviceAddress",
    "",
    () => [withAddresses, { buffer: addressed() }],
    (address) => address > 0 && address % 16 === 0,
    true,
  ),
  ...COPIES.map(([regions, expected], i) =>
    effect(
      "vkCmdCopyBuffer",
      named(i, JSON.stringify(regions)),
      () => [newRecording(), words([1, 2, 3, 4, 5, 6, 7, 8]).buffer, newZeros(), regions],
      (_, [commands, , target]) => after(commands, target),
      expected,
    ),
  ),
  ...COPIES.map(([pRegions, expected], i) =>
    effect(
      "vkCmdCopyBuffer2",
      named(i, JSON.stringify(pRegions)),
      () => [newRecording(), { srcBuffer: words([1, 2, 3, 4, 5, 6, 7, 8]).buffer, dstBuffer: newZeros(), pRegions }],
      (_, [commands, { dstBuffer }]) => after(commands, dstBuffer),
      expected,
    ),
  ),
  ...FILLS.map(([offset, size, data, expected], i) =>
    effect(
      "vkCmdFillBuffer",
      named(i, `${size} bytes from ${offset} on with ${data}`),
      () => [newRecording(), newZeros(), offset, size, data],
      (_, [commands, target]) => after(commands, target),
      expected,
    ),
  ),
  ...UPDATES.map(([offset, data, expected], i) =>
    effect(
      "vkCmdUpdateBuffer",
      named(i, `${data.byteLength} bytes of ${data.constructor.name} at ${offset}`),
      () => [newRecording(), newZeros(), offset, data],
      (_, [commands, target]) => after(commands, target),
      expected,
    ),
  ),
];
