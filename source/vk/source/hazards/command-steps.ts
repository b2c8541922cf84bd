// SPDX-License-Identifier: Apache-2.0
// What each command touches, and which dependencies it makes: steps of hazard-tracker.ts, by entry point. Descriptors
// count with the bytes that are bound, no more than the shader's block has, read and written as the shader does. What
// sets have that may be updated after they are bound is looked up when the command is submitted.
import type { BindingReflection } from "@muxkit/compiler";

import { Buffer } from "../buffer.ts";
import type { CommandBuffer } from "../command-buffer.ts";
import type { Descriptor } from "../descriptor.ts";
import * as V from "../generated/constants.ts";
import type { VkBuffer, VkEvent, VkImage } from "../generated/handles.ts";
import type {
  VkBufferCopy,
  VkBufferImageCopy,
  VkDependencyInfo,
  VkExtent3D,
  VkImageCopy,
  VkImageSubresourceLayers,
  VkImageSubresourceRange,
  VkMemoryBarrier2,
  VkOffset3D,
} from "../generated/structures.ts";
import type { Vulkan } from "../generated/vulkan.ts";
import { BufferView, ImageView } from "../image-view.ts";
import { Image } from "../image.ts";
import type { BoundSet } from "../recording.ts";
import { VK_REMAINING_ARRAY_LAYERS, VK_WHOLE_SIZE } from "../version.ts";
import type { Dependency, SyncStep, Touch } from "./hazard-tracker.ts";
import type { TexelBox } from "./regions.ts";
import { USAGE, firstStages, secondStages, usagesIn } from "./usage.table.ts";

/** Steps of a command; `label` names the command. */
type Steps<K extends keyof Vulkan> = (
  label: string,
  commands: CommandBuffer,
  parameters: Parameters<Vulkan[K]>,
) => readonly SyncStep[];

type StepTable = { readonly [K in keyof Vulkan]?: Steps<K> };

/** Bytes of a buffer that has memory. */
function bytesOf(handle: VkBuffer, from: number, size: number, usage: number, place: string = ""): readonly Touch[] {
  if (!(handle instanceof Buffer) || handle.memory === null) return [];
  const end = size === VK_WHOLE_SIZE ? handle.size : Math.min(handle.size, from + size);
  const what = `bytes ${from} to ${end} of ${place}a buffer of ${handle.size} bytes`;
  return [{ memory: handle.memory, start: handle.offset + from, end: handle.offset + end, part: null, usage, what }];
}

/** A box of texels of an image that has memory. */
function texelsOf(image: Image, box: TexelBox, usage: number, place: string = ""): readonly Touch[] {
  if (image.memory === null) return [];
  const { width, height, depth } = image.info.extent;
  const what = `${place}an image of ${width} x ${height} x ${depth} texels`;
  const { offset: start, memory } = image;
  return [{ memory, start, end: start + image.mux.memoryRequirements.size, part: { image, box }, usage, what }];
}

const ZERO: VkOffset3D = { x: 0, y: 0, z: 0 };

/** The box of a region; layers are its last axis. */
function boxOf(
  image: Image,
  { baseArrayLayer, layerCount }: VkImageSubresourceLayers,
  at: VkOffset3D,
  size: VkExtent3D,
) {
  const layers = layerCount === VK_REMAINING_ARRAY_LAYERS ? image.info.arrayLayers - baseArrayLayer : layerCount;
  return [
    [at.x, at.y, at.z, baseArrayLayer],
    [at.x + size.width, at.y + size.height, at.z + size.depth, baseArrayLayer + layers],
  ] as const;
}

function wholeBox(image: Image, { baseArrayLayer, layerCount }: VkImageSubresourceRange): TexelBox {
  const layers = { aspectMask: 0, mipLevel: 0, baseArrayLayer, layerCount };
  return boxOf(image, layers, ZERO, image.info.extent);
}

/** What a descriptor's elements touch. */
function descriptorTouches(
  { set, binding, kind, isRead, isWritten, blockBytes, elementBytes }: BindingReflection,
  descriptor: Descriptor,
  dynamic: number,
): readonly Touch[] {
  const place = `binding ${binding} of set ${set}, `;
  const usages =
    kind === "uniform-buffer"
      ? [USAGE.uniformRead]
      : kind === "sampled-image" || kind === "combined-image-sampler" || kind === "uniform-texel-buffer"
        ? [USAGE.sampledRead]
        : [...(isRead ? [USAGE.storageRead] : []), ...(isWritten ? [USAGE.storageWrite] : [])];
  return usages.flatMap((usage) => {
    if (descriptor === null) return [];
    if (descriptor.kind === "buffer") {
      const { buffer, offset, range } = descriptor;
      const used = elementBytes === 0 && blockBytes > 0 ? Math.min(range, blockBytes) : range;
      return bytesOf(buffer, offset + dynamic, used, usage, place);
    }
    const { view } = descriptor;
    if (view instanceof BufferView) return bytesOf(view.buffer, view.offset, view.range, usage, place);
    if (!(view instanceof ImageView)) return [];
    const [baseArrayLayer, layerCount] = view.layers;
    const range = { ...view.info.subresourceRange, baseArrayLayer, layerCount };
    return texelsOf(view.image, wholeBox(view.image, range), usage, place);
  });
}

/** What the elements of a binding touch. */
function bindingTouches(row: BindingReflection, { table, offsets }: BoundSet): readonly Touch[] {
  const first = table.layout.bindings.get(row.binding)?.firstOffset ?? -1;
  return table
    .elements(row.binding)
    .slice(0, row.count)
    .flatMap((one, n) => descriptorTouches(row, one, first < 0 ? 0 : (offsets[first + n] ?? 0)));
}

function dispatch(label: string, commands: CommandBuffer, more: readonly Touch[] = []): readonly SyncStep[] {
  // Without a pipeline the command itself is refused.
  if (commands.pipeline === null) return [];
  const { pipeline, sets } = commands.bound(label);
  const touches = (isLate: boolean): readonly Touch[] =>
    pipeline.bindings.flatMap((row) => {
      const bound = sets[row.set] ?? null;
      return bound === null || bound.table.layout.updatesAfterBind !== isLate ? [] : bindingTouches(row, bound);
    });
  const hasLate = sets.some((bound) => bound?.table.layout.updatesAfterBind === true);
  return [
    { kind: "command", label, touches: [...more, ...touches(false)], late: hasLate ? () => touches(true) : null },
  ];
}

const command = (label: string, touches: readonly Touch[]): readonly SyncStep[] => [
  { kind: "command", label, touches, late: null },
];

function copyBuffer(
  label: string,
  from: VkBuffer,
  to: VkBuffer,
  regions: readonly VkBufferCopy[],
): readonly SyncStep[] {
  return command(
    label,
    regions.flatMap(({ srcOffset = 0, dstOffset = 0, size }) => [
      ...bytesOf(from, srcOffset, size, USAGE.copyRead),
      ...bytesOf(to, dstOffset, size, USAGE.copyWrite),
    ]),
  );
}

function copyTexels(
  label: string,
  buffer: VkBuffer,
  image: VkImage,
  regions: readonly VkBufferImageCopy[],
  isToImage: boolean,
): readonly SyncStep[] {
  if (!(image instanceof Image)) return [];
  const [ofBuffer, ofImage] = isToImage ? [USAGE.copyRead, USAGE.copyWrite] : [USAGE.copyWrite, USAGE.copyRead];
  return command(
    label,
    regions.flatMap((region) => {
      const { bufferOffset = 0, bufferRowLength = 0, bufferImageHeight = 0, imageExtent: size } = region;
      const { imageSubresource, imageOffset = ZERO } = region;
      const box = boxOf(image, imageSubresource, imageOffset, size);
      const slices = size.depth * ((box[1][3] ?? 0) - (box[0][3] ?? 0));
      const row = bufferRowLength || size.width;
      const rows = (slices - 1) * (bufferImageHeight || size.height) + size.height - 1;
      const bytes = (rows * row + size.width) * image.mux.pixelSize;
      return [...bytesOf(buffer, bufferOffset, bytes, ofBuffer), ...texelsOf(image, box, ofImage)];
    }),
  );
}

/** The size of a region of one side: slices of one may be layers of the other. */
const sized = (image: Image, extent: VkExtent3D): VkExtent3D => ({
  ...extent,
  depth: image.info.extent.depth > 1 ? extent.depth : 1,
});

function copyImage(label: string, from: VkImage, to: VkImage, regions: readonly VkImageCopy[]): readonly SyncStep[] {
  if (!(from instanceof Image) || !(to instanceof Image)) return [];
  return command(
    label,
    regions.flatMap(({ srcSubresource, srcOffset = ZERO, dstSubresource, dstOffset = ZERO, extent }) => [
      ...texelsOf(from, boxOf(from, srcSubresource, srcOffset, sized(from, extent)), USAGE.copyRead),
      ...texelsOf(to, boxOf(to, dstSubresource, dstOffset, sized(to, extent)), USAGE.copyWrite),
    ]),
  );
}

/** A dependency between stages, without memory. */
function dependency(first: bigint, second: bigint): Dependency {
  return {
    firstStages: firstStages(first),
    firstUsages: 0,
    secondStages: secondStages(second),
    secondUsages: 0,
    range: null,
    transition: null,
  };
}

/** What the barriers of synchronization2 have in common. */
type Scopes = Pick<VkMemoryBarrier2, "srcStageMask" | "srcAccessMask" | "dstStageMask" | "dstAccessMask">;

/** The scopes of a barrier. */
const scoped = (one: Scopes): Dependency => ({
  ...dependency(one.srcStageMask, one.dstStageMask),
  firstUsages: usagesIn(one.srcStageMask, one.srcAccessMask),
  secondUsages: usagesIn(one.dstStageMask, one.dstAccessMask),
});

/** The barriers of a dependency, as synchronization2 has them. */
function dependenciesOf(info: VkDependencyInfo): readonly Dependency[] {
  const { pMemoryBarriers = [], pBufferMemoryBarriers = [], pImageMemoryBarriers = [] } = info;
  return [
    ...pMemoryBarriers.map(scoped),
    ...pBufferMemoryBarriers.map((one) => {
      const [range = null] = bytesOf(one.buffer, one.offset, one.size, USAGE.transition);
      return { ...scoped(one), range };
    }),
    ...pImageMemoryBarriers.map((one) => {
      if (!(one.image instanceof Image)) return scoped(one);
      const [touch = null] = texelsOf(one.image, wholeBox(one.image, one.subresourceRange), USAGE.transition);
      return { ...scoped(one), range: touch, transition: one.oldLayout === one.newLayout ? null : touch };
    }),
  ];
}

type Barriers = Parameters<Vulkan["vkCmdPipelineBarrier"]>;

/** Stages of the commands before an event that it waits for, by all the dependencies that it is for. */
function stagesOf({ pMemoryBarriers = [], pBufferMemoryBarriers = [], pImageMemoryBarriers = [] }: VkDependencyInfo) {
  const all: readonly Scopes[] = [...pMemoryBarriers, ...pBufferMemoryBarriers, ...pImageMemoryBarriers];
  return all.reduce((stages, { srcStageMask }) => stages | firstStages(srcStageMask), 0);
}

/** The barriers of Vulkan 1.0, whose stages are those of the call. */
function oldDependencies(
  first: number,
  second: number,
  [memory = [], buffers = [], images = []]: readonly [Barriers[4], Barriers[5], Barriers[6]],
): readonly Dependency[] {
  const [srcStageMask, dstStageMask] = [BigInt(first), BigInt(second)];
  const wide = <T extends { readonly srcAccessMask: number; readonly dstAccessMask: number }>(one: T) => ({
    ...one,
    srcStageMask,
    dstStageMask,
    srcAccessMask: BigInt(one.srcAccessMask),
    dstAccessMask: BigInt(one.dstAccessMask),
  });
  // The structures of both versions have the same members, but for the stages and the width of masks.
  const info = {
    dependencyFlags: 0,
    pMemoryBarriers: memory.map(wide),
    pBufferMemoryBarriers: buffers.map(wide),
    pImageMemoryBarriers: images.map(wide),
  } as unknown as VkDependencyInfo;
  return [dependency(srcStageMask, dstStageMask), ...dependenciesOf(info)];
}

const COUNTS_BYTES = 12;

/** What commands do to memory, by entry point. */
export const COMMAND_STEPS: StepTable = {
  vkCmdDispatch: (label, commands) => dispatch(label, commands),
  vkCmdDispatchBase: (label, commands) => dispatch(label, commands),
  vkCmdDispatchIndirect: (label, commands, [, buffer, offset]) =>
    dispatch(label, commands, bytesOf(buffer, offset, COUNTS_BYTES, USAGE.indirectRead)),
  vkCmdCopyBuffer: (label, _commands, [, from, to, regions]) => copyBuffer(label, from, to, regions),
  vkCmdCopyBuffer2: (label, _commands, [, { srcBuffer, dstBuffer, pRegions }]) =>
    copyBuffer(label, srcBuffer, dstBuffer, pRegions),
  vkCmdFillBuffer: (label, _commands, [, buffer, offset, size]) =>
    command(label, bytesOf(buffer, offset, size, USAGE.clearWrite)),
  vkCmdUpdateBuffer: (label, _commands, [, buffer, offset, { byteLength }]) =>
    command(label, bytesOf(buffer, offset, byteLength, USAGE.clearWrite)),
  vkCmdCopyQueryPoolResults: (label, _commands, [, , , queryCount, buffer, offset, stride]) =>
    command(label, bytesOf(buffer, offset, Math.max(stride * queryCount, 4), USAGE.copyWrite)),
  vkCmdCopyImage: (label, _commands, [, from, , to, , regions]) => copyImage(label, from, to, regions),
  vkCmdCopyImage2: (label, _commands, [, { srcImage, dstImage, pRegions }]) =>
    copyImage(label, srcImage, dstImage, pRegions),
  vkCmdCopyBufferToImage: (label, _commands, [, buffer, image, , regions]) =>
    copyTexels(label, buffer, image, regions, true),
  vkCmdCopyBufferToImage2: (label, _commands, [, { srcBuffer, dstImage, pRegions }]) =>
    copyTexels(label, srcBuffer, dstImage, pRegions, true),
  vkCmdCopyImageToBuffer: (label, _commands, [, image, , buffer, regions]) =>
    copyTexels(label, buffer, image, regions, false),
  vkCmdCopyImageToBuffer2: (label, _commands, [, { srcImage, dstBuffer, pRegions }]) =>
    copyTexels(label, dstBuffer, srcImage, pRegions, false),
  vkCmdClearColorImage: (label, _commands, [, image, , , ranges]) =>
    image instanceof Image
      ? command(
          label,
          ranges.flatMap((range) => texelsOf(image, wholeBox(image, range), USAGE.clearWrite)),
        )
      : [],
  vkCmdPipelineBarrier: (label, _commands, [, first, second, , memory, buffers, images]) => [
    { kind: "barrier", label, dependencies: oldDependencies(first, second, [memory, buffers, images]) },
  ],
  vkCmdPipelineBarrier2: (label, _commands, [, info]) => [
    { kind: "barrier", label, dependencies: dependenciesOf(info) },
  ],
  vkCmdSetEvent: (_label, _commands, [, event, mask]) => [
    { kind: "set-event", event, stages: firstStages(BigInt(mask)) },
  ],
  vkCmdSetEvent2: (_label, _commands, [, event, info]) => [{ kind: "set-event", event, stages: stagesOf(info) }],
  vkCmdResetEvent: (_label, _commands, [, event]) => [{ kind: "set-event", event, stages: null }],
  vkCmdResetEvent2: (_label, _commands, [, event]) => [{ kind: "set-event", event, stages: null }],
  vkCmdWaitEvents: (label, _commands, [, events, first, second, memory, buffers, images]) => {
    const dependencies = oldDependencies(first, second, [memory, buffers, images]);
    return [{ kind: "wait-event", label, waits: events.map((event: VkEvent) => ({ event, dependencies })) }];
  },
  vkCmdWaitEvents2: (label, _commands, [, events, infos]) => [
    {
      kind: "wait-event",
      label,
      waits: events.map((event, i) => ({
        event,
        dependencies: infos[i] === undefined ? [] : dependenciesOf(infos[i]),
      })),
    },
  ],
};

/** All stages, for what waits without saying where. */
export const ANY_STAGE: bigint = V.VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
