// SPDX-License-Identifier: Apache-2.0
// Dependencies for parts of resources, changes of layout, and stages that stand for others. Each row is read against
// the chapter on synchronisation of the specification.
import * as vk from "@muxkit/vulkan";
import { describe, expect, test } from "vitest";

import {
  BUFFER_KINDS,
  BYTES,
  STAGES as S,
  barrier,
  device,
  hazardOf,
  layers,
  newBuffer,
  newImage,
  recording,
} from "./hazard-kinds.ts";

const [READ, WRITE] = [vk.VK_ACCESS_2_TRANSFER_READ_BIT, vk.VK_ACCESS_2_TRANSFER_WRITE_BIT];
/** An execution dependency. */
const execution = (srcStageMask: bigint, dstStageMask: bigint, dstAccessMask: bigint = 0n): vk.VkMemoryBarrier2 => ({
  srcStageMask,
  srcAccessMask: 0n,
  dstStageMask,
  dstAccessMask,
});

const toCopy = (target: vk.VkBuffer, offset: number, size: number): vk.VkDependencyInfo => ({
  dependencyFlags: 0,
  pBufferMemoryBarriers: [
    {
      srcStageMask: S.clear,
      srcAccessMask: WRITE,
      dstStageMask: S.copy,
      dstAccessMask: READ,
      buffer: target,
      offset,
      size,
    },
  ],
});

describe("a barrier for a part of a buffer that was filled", () => {
  test.each<[barriers: readonly (readonly [number, number])[], read: readonly [number, number], string | null]>([
    [[[0, 16]], [0, 16], null],
    [[[0, 16]], [4, 8], null],
    [[[0, 16]], [16, 16], "READ-AFTER-WRITE"],
    [[[0, 16]], [12, 8], "READ-AFTER-WRITE"],
    [[[16, 16]], [16, 16], null],
    [[[16, 16]], [0, 16], "READ-AFTER-WRITE"],
    [[[16, 16]], [32, 4], "READ-AFTER-WRITE"],
    [[[16, 16]], [0, BYTES], "READ-AFTER-WRITE"],
    [[[48, vk.VK_WHOLE_SIZE]], [48, 16], null],
    [[[48, vk.VK_WHOLE_SIZE]], [44, 4], "READ-AFTER-WRITE"],
    [[[0, vk.VK_WHOLE_SIZE]], [0, BYTES], null],
    [
      [
        [0, 32],
        [32, 32],
      ],
      [0, BYTES],
      null,
    ],
    [
      [
        [0, 32],
        [32, 32],
      ],
      [24, 16],
      null,
    ],
    [
      [
        [0, 32],
        [36, 28],
      ],
      [24, 16],
      "READ-AFTER-WRITE",
    ],
    [
      [
        [0, 24],
        [16, 24],
      ],
      [0, 40],
      null,
    ],
    [
      [
        [0, 8],
        [16, 8],
        [32, 8],
      ],
      [16, 8],
      null,
    ],
    [
      [
        [0, 8],
        [16, 8],
        [32, 8],
      ],
      [8, 8],
      "READ-AFTER-WRITE",
    ],
  ])("%j, then a copy from %j", (barriers, [srcOffset, size], hazard) => {
    const [commands, target] = [recording(), newBuffer()];
    vk.vkCmdFillBuffer(commands, target, 0, BYTES, 1);
    for (const [offset, length] of barriers) vk.vkCmdPipelineBarrier2(commands, toCopy(target, offset, length));
    expect(hazardOf(() => vk.vkCmdCopyBuffer(commands, target, newBuffer(), [{ srcOffset, size }]))).toBe(hazard);
  });

  test("a part that is visible, and a chain for the rest", () => {
    const [commands, target] = [recording(), newBuffer()];
    vk.vkCmdFillBuffer(commands, target, 0, BYTES, 1);
    vk.vkCmdPipelineBarrier2(commands, toCopy(target, 0, 32));
    vk.vkCmdPipelineBarrier2(commands, toCopy(target, 32, 32));
    // A write over both parts has both behind it.
    barrier(execution(S.copy, S.clear, WRITE))(commands);
    expect(hazardOf(() => vk.vkCmdFillBuffer(commands, target, 8, 48, 2))).toBeNull();
    expect(hazardOf(() => vk.vkCmdFillBuffer(commands, target, 56, 8, 2))).toBeNull();
    expect(hazardOf(() => vk.vkCmdFillBuffer(commands, target, 48, 16, 2))).toBe("WRITE-AFTER-WRITE");
  });

  test("an event keeps what was before it, in pieces too", () => {
    const [commands, target, event] = [recording(), newBuffer(), vk.vkCreateEvent(device, {})];
    vk.vkCmdFillBuffer(commands, target, 0, BYTES, 1);
    const whole = toCopy(target, 0, BYTES);
    vk.vkCmdSetEvent2(commands, event, whole);
    vk.vkCmdPipelineBarrier2(commands, toCopy(target, 16, 16));
    vk.vkCmdWaitEvents2(commands, [event], [whole]);
    expect(hazardOf(() => vk.vkCmdCopyBuffer(commands, target, newBuffer(), [{ size: BYTES }]))).toBeNull();
  });
});

const layersOf = (
  target: vk.VkImage,
  range: vk.VkImageSubresourceRange,
  newLayout: vk.VkImageLayout = vk.VK_IMAGE_LAYOUT_GENERAL,
): vk.VkImageMemoryBarrier2 => ({
  srcStageMask: S.clear,
  srcAccessMask: WRITE,
  dstStageMask: S.copy,
  dstAccessMask: READ,
  oldLayout: newLayout === vk.VK_IMAGE_LAYOUT_GENERAL ? newLayout : vk.VK_IMAGE_LAYOUT_UNDEFINED,
  newLayout,
  image: target,
  subresourceRange: range,
});
const clear = (to: vk.VkCommandBuffer, target: vk.VkImage, range: vk.VkImageSubresourceRange): void =>
  vk.vkCmdClearColorImage(to, target, vk.VK_IMAGE_LAYOUT_GENERAL, { uint32: [1, 1, 1, 1] }, [range]);
const read = (to: vk.VkCommandBuffer, target: vk.VkImage, at: number, count: number): void =>
  vk.vkCmdCopyImage(to, target, vk.VK_IMAGE_LAYOUT_GENERAL, newImage(4), vk.VK_IMAGE_LAYOUT_GENERAL, [
    {
      srcSubresource: { aspectMask: 1, mipLevel: 0, baseArrayLayer: at, layerCount: count },
      dstSubresource: { aspectMask: 1, mipLevel: 0, baseArrayLayer: 0, layerCount: count },
      extent: { width: 4, height: 4, depth: 1 },
    },
  ]);

const change = (target: vk.VkImage, ...list: readonly (readonly [number, number])[]): vk.VkDependencyInfo => ({
  dependencyFlags: 0,
  pImageMemoryBarriers: list.map(([at, count]) =>
    layersOf(target, layers(at, count), vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
  ),
});

describe("image layers", () => {
  test.each<[ranges: readonly (readonly [number, number])[], read: readonly [number, number], string | null]>([
    [[[0, 4]], [0, 4], null],
    [[[0, vk.VK_REMAINING_ARRAY_LAYERS]], [0, 4], null],
    [[[0, 1]], [0, 1], null],
    [[[0, 1]], [1, 1], "READ-AFTER-WRITE"],
    [[[1, 2]], [1, 2], null],
    [[[1, 2]], [0, 1], "READ-AFTER-WRITE"],
    [[[1, 2]], [3, 1], "READ-AFTER-WRITE"],
    [[[1, 2]], [0, 4], "READ-AFTER-WRITE"],
    [[[2, vk.VK_REMAINING_ARRAY_LAYERS]], [2, 2], null],
    [[[2, vk.VK_REMAINING_ARRAY_LAYERS]], [1, 2], "READ-AFTER-WRITE"],
    [
      [
        [0, 2],
        [2, 2],
      ],
      [0, 4],
      null,
    ],
    [
      [
        [0, 2],
        [3, 1],
      ],
      [0, 4],
      "READ-AFTER-WRITE",
    ],
  ])("barriers of layers %j, then a read of %j", (ranges, [at, count], hazard) => {
    const [commands, target] = [recording(), newImage(4)];
    clear(commands, target, layers(0, 4));
    vk.vkCmdPipelineBarrier2(commands, {
      dependencyFlags: 0,
      pImageMemoryBarriers: ranges.map(([first, length]) => layersOf(target, layers(first, length))),
    });
    expect(hazardOf(() => read(commands, target, at, count))).toBe(hazard);
  });

  test.each<[name: string, (to: vk.VkCommandBuffer, target: vk.VkImage) => void, string | null]>([
    ["of an image that nobody uses", (to, target) => vk.vkCmdPipelineBarrier2(to, change(target, [0, 4])), null],
    [
      "behind a clear in its scope",
      (to, target) => {
        clear(to, target, layers(0, 4));
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
      },
      null,
    ],
    [
      "then a read in its scope",
      (to, target) => {
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
        read(to, target, 0, 4);
      },
      null,
    ],
    [
      "then a clear, which is not in its scope",
      (to, target) => {
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
        clear(to, target, layers(0, 4));
      },
      "WRITE-AFTER-WRITE",
    ],
    [
      "of other layers, then a clear",
      (to, target) => {
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 2]));
        clear(to, target, layers(2, 2));
      },
      null,
    ],
    [
      "behind a read that is not in its scope",
      (to, target) => {
        read(to, target, 0, 4);
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
      },
      "WRITE-AFTER-READ",
    ],
    [
      "behind a read of other layers",
      (to, target) => {
        read(to, target, 0, 2);
        vk.vkCmdPipelineBarrier2(to, change(target, [2, 2]));
      },
      null,
    ],
    [
      "twice, with nothing between",
      (to, target) => {
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
      },
      "WRITE-AFTER-WRITE",
    ],
    [
      "twice in one command",
      (to, target) => vk.vkCmdPipelineBarrier2(to, change(target, [0, 2], [1, 2])),
      "WRITE-AFTER-WRITE",
    ],
    [
      "of two halves in one command",
      (to, target) => vk.vkCmdPipelineBarrier2(to, change(target, [0, 2], [2, 2])),
      null,
    ],
    [
      "for which another barrier of the command would be needed",
      (to, target) => {
        read(to, target, 0, 4);
        vk.vkCmdPipelineBarrier2(to, {
          ...change(target, [0, 4]),
          pMemoryBarriers: [execution(S.copy, S.copy)],
        });
      },
      "WRITE-AFTER-READ",
    ],
    [
      "at the end of a chain",
      (to, target) => {
        read(to, target, 0, 4);
        barrier(execution(S.copy, S.clear))(to);
        vk.vkCmdPipelineBarrier2(to, change(target, [0, 4]));
      },
      null,
    ],
  ])("a change of layout %s", (_name, act, hazard) => {
    const [commands, target] = [recording(), newImage(4)];
    expect(hazardOf(() => act(commands, target))).toBe(hazard);
  });

  test("the bytes of an image as a buffer", () => {
    const memory = vk.vkAllocateMemory(device, { allocationSize: 1 << 16, memoryTypeIndex: 0 });
    const made = { size: BYTES, usage: 0x3 };
    const [target, alias] = [newImageOf(memory), vk.vkCreateBuffer(device, made)];
    vk.vkBindBufferMemory(device, alias, memory, 0);
    const commands = recording();
    vk.vkCmdFillBuffer(commands, alias, 0, BYTES, 1);
    expect(hazardOf(() => read(commands, target, 0, 1))).toBe("READ-AFTER-WRITE");
    vk.vkCmdPipelineBarrier2(commands, { dependencyFlags: 0, pImageMemoryBarriers: [layersOf(target, layers(0, 1))] });
    expect(hazardOf(() => read(commands, target, 0, 1))).toBe("READ-AFTER-WRITE");
    vk.vkCmdPipelineBarrier2(commands, { dependencyFlags: 0, pImageMemoryBarriers: [layersOf(target, layers(0, 4))] });
    expect(hazardOf(() => read(commands, target, 0, 1))).toBeNull();
  });
});

function newImageOf(memory: vk.VkDeviceMemory): vk.VkImage {
  const image = vk.vkCreateImage(device, {
    imageType: vk.VK_IMAGE_TYPE_2D,
    format: vk.VK_FORMAT_R32_UINT,
    extent: { width: 4, height: 4, depth: 1 },
    mipLevels: 1,
    arrayLayers: 4,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    tiling: vk.VK_IMAGE_TILING_LINEAR,
    usage: 0xf,
  });
  vk.vkBindImageMemory(device, image, memory, 0);
  return image;
}

/** Stages stand for others where a command has several: a dispatch reads its size, then its shader runs. */
describe("logical order of stages", () => {
  test.each<[string, first: string, vk.VkMemoryBarrier2, second: string, string | null]>([
    ["a first scope has what is before it", "indirect", execution(S.compute, S.clear), "fill", null],
    ["a first scope has nothing behind it", "uniform", execution(S.indirect, S.clear), "fill", "WRITE-AFTER-READ"],
    ["a second scope has what is behind it", "copy from", execution(S.copy, S.indirect), "storage write", null],
    [
      "a second scope has nothing before it",
      "fill",
      {
        srcStageMask: S.clear,
        srcAccessMask: WRITE,
        dstStageMask: S.compute,
        dstAccessMask: BigInt(vk.VK_ACCESS_MEMORY_READ_BIT),
      },
      "indirect",
      "READ-AFTER-WRITE",
    ],
    [
      "an access scope has its own stages only",
      "fill",
      {
        srcStageMask: S.clear,
        srcAccessMask: WRITE,
        dstStageMask: S.indirect,
        dstAccessMask: BigInt(vk.VK_ACCESS_MEMORY_READ_BIT),
      },
      "uniform",
      "READ-AFTER-WRITE",
    ],
    [
      "transfers are copies and clears",
      "fill",
      {
        srcStageMask: S.transfer,
        srcAccessMask: WRITE,
        dstStageMask: S.transfer,
        dstAccessMask: READ,
      },
      "copy from",
      null,
    ],
    [
      "reads of shaders are not those of uniform buffers",
      "fill",
      {
        srcStageMask: S.clear,
        srcAccessMask: WRITE,
        dstStageMask: S.compute,
        dstAccessMask: BigInt(vk.VK_ACCESS_SHADER_READ_BIT),
      },
      "uniform",
      "READ-AFTER-WRITE",
    ],
    [
      "reads of shaders are those of storage buffers",
      "fill",
      {
        srcStageMask: S.clear,
        srcAccessMask: WRITE,
        dstStageMask: S.compute,
        dstAccessMask: BigInt(vk.VK_ACCESS_SHADER_READ_BIT),
      },
      "storage read",
      null,
    ],
    [
      "writes of shaders are those of storage buffers",
      "storage write",
      {
        srcStageMask: S.compute,
        srcAccessMask: BigInt(vk.VK_ACCESS_SHADER_WRITE_BIT),
        dstStageMask: S.copy,
        dstAccessMask: READ,
      },
      "copy from",
      null,
    ],
    [
      "reads make nothing available",
      "storage write",
      {
        srcStageMask: S.compute,
        srcAccessMask: BigInt(vk.VK_ACCESS_MEMORY_READ_BIT),
        dstStageMask: S.copy,
        dstAccessMask: READ,
      },
      "copy from",
      "READ-AFTER-WRITE",
    ],
  ])("%s", (_name, first, between, second, hazard) => {
    const [commands, target] = [recording(), newBuffer()];
    BUFFER_KINDS[first]?.run(commands, target);
    barrier(between)(commands);
    expect(hazardOf(() => BUFFER_KINDS[second]?.run(commands, target))).toBe(hazard);
  });
});
