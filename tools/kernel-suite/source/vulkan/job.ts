// SPDX-License-Identifier: Apache-2.0
// Jobs of run-shader.c as words; the heads of run-shader.c and resources.c have their form.
import {
  SAMPLER_ADDRESSING,
  SAMPLER_COMPARES,
  SAMPLER_COMPARISON,
  SAMPLER_FILTER,
  SAMPLER_MIRROR_CLAMP_TO_EDGE,
  SAMPLER_NORMALIZED,
  SAMPLER_SHIFT,
  VIEW_LEVELS_SHIFT,
} from "@muxkit/kernel-abi";
import type { ChannelOrder, ChannelType, Image, ImageType } from "@muxkit/libimg";
import { type DescriptorKind, describeSpirvError, reflectShader } from "@muxkit/spirv";

import type { ShaderDispatch, ShaderResource } from "../shader.ts";

/** What is dispatched, before it is words. */
export interface Job {
  readonly entry: string;
  readonly groups: readonly [number, number, number];
  readonly specialization: ReadonlyMap<number, Uint8Array>;
  readonly push: Uint8Array;
  /** Resources in the order of set, binding and element. */
  readonly resources: readonly JobResource[];
}

/** A resource at its place. */
export interface JobResource {
  readonly set: number;
  readonly binding: number;
  readonly element: number;
  readonly kind: DescriptorKind;
  readonly resource: ShaderResource;
}

/** Kinds as jobs number them. */
const KINDS: readonly DescriptorKind[] = [
  "storage-buffer",
  "uniform-buffer",
  "storage-image",
  "sampled-image",
  "combined-image-sampler",
  "sampler",
  "storage-texel-buffer",
  "uniform-texel-buffer",
];

/** Shapes as jobs number them; -1: it is a texel buffer. */
const SHAPES: Readonly<Record<ImageType, number>> = {
  "1d": 0,
  "1d_array": 1,
  "2d": 2,
  "2d_array": 3,
  "3d": 4,
  "1d_buffer": -1,
};

const [CUBE, CUBES] = [5, 6];
/** Vulkan's borders of floats by ours. */
const BORDERS: readonly number[] = [0, 2, 4];

/** Vulkan's formats of one, two and four channels. */
const FORMATS: Readonly<Partial<Record<ChannelType, Readonly<Partial<Record<ChannelOrder, number>>>>>> = {
  UNORM_INT8: { R: 9, RG: 16, RGBA: 37, BGRA: 44, sRGBA: 43 },
  SNORM_INT8: { R: 10, RG: 17, RGBA: 38 },
  UNSIGNED_INT8: { R: 13, RG: 20, RGBA: 41 },
  SIGNED_INT8: { R: 14, RG: 21, RGBA: 42 },
  UNORM_INT16: { R: 70, RG: 77, RGBA: 91, DEPTH: 124 },
  SNORM_INT16: { R: 71, RG: 78, RGBA: 92 },
  UNSIGNED_INT16: { R: 74, RG: 81, RGBA: 95 },
  SIGNED_INT16: { R: 75, RG: 82, RGBA: 96 },
  HALF_FLOAT: { R: 76, RG: 83, RGBA: 97 },
  UNSIGNED_INT32: { R: 98, RG: 101, RGBA: 107 },
  SIGNED_INT32: { R: 99, RG: 102, RGBA: 108 },
  FLOAT: { R: 100, RG: 103, RGBA: 109, DEPTH: 126 },
};

/** Vulkan's addressing modes by ours. */
const ADDRESSING: ReadonlyMap<number, number> = new Map([
  [SAMPLER_ADDRESSING.repeat, 0],
  [SAMPLER_ADDRESSING.mirrored_repeat, 1],
  [SAMPLER_ADDRESSING.clamp_to_edge, 2],
  [SAMPLER_ADDRESSING.clamp, 3],
  [SAMPLER_MIRROR_CLAMP_TO_EDGE, 4],
]);
const ADDRESSING_BITS = 14;

/** Bytes as words, filled up with zeros. */
export function wordsOf(bytes: Uint8Array): number[] {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  return [...new Uint32Array(whole.buffer)];
}

const sized = (bytes: Uint8Array): number[] => {
  const words = wordsOf(bytes);
  return [words.length * 4, ...words];
};

/** Vulkan's number of an image's format. Throws where it has none. @public */
export function vulkanFormat({ format }: Image): number {
  const found = FORMATS[format.type]?.[format.order];
  if (found === undefined) throw new Error(`Vulkan has no format ${format.order} ${format.type}`);
  return found;
}

/** A sampler in Vulkan's numbers. @public */
export interface VulkanSampler {
  /** Addressing modes of x, y, z. */
  readonly modes: readonly [number, number, number];
  readonly magFilter: number;
  readonly minFilter: number;
  readonly mipmapMode: number;
  readonly isUnnormalized: boolean;
  /** Null: texels are not compared. */
  readonly compareOp: number | null;
  readonly borderColor: number;
  readonly minLod: number;
  readonly maxLod: number;
}

/** What the bits of a sampler are in Vulkan. Throws where it has no such sampler. @public */
export function vulkanSampler(bits: number): VulkanSampler {
  const modeAt = (shift: number): number => {
    const mode = ADDRESSING.get((shift === 0 ? bits : bits ^ (bits >>> shift)) & ADDRESSING_BITS);
    if (mode === undefined) throw new Error(`Vulkan has no sampler of the bits ${bits}`);
    return mode;
  };
  const part = (shift: number, mask: number): number => (bits >>> shift) & mask;
  const magFilter = (bits & SAMPLER_FILTER.linear) === 0 ? 0 : 1;
  const isUnnormalized = (bits & SAMPLER_NORMALIZED) === 0;
  return {
    modes: [modeAt(0), modeAt(SAMPLER_SHIFT.addressingY - 1), modeAt(SAMPLER_SHIFT.addressingZ - 1)],
    magFilter,
    minFilter: magFilter ^ part(SAMPLER_SHIFT.otherFilter, 1),
    mipmapMode: part(SAMPLER_SHIFT.betweenLevels, 1),
    isUnnormalized,
    // The bits of a comparison, from less on, are Vulkan's number of it.
    compareOp: (bits & SAMPLER_COMPARES) === 0 ? null : (bits & SAMPLER_COMPARISON.always) / SAMPLER_COMPARISON.less,
    borderColor: BORDERS[part(SAMPLER_SHIFT.border, 3)] ?? 0,
    minLod: part(SAMPLER_SHIFT.leastLevel, 15),
    maxLod: isUnnormalized ? 0 : (63 - part(SAMPLER_SHIFT.greatestLevel, 63)) / 4,
  };
}

/** The levels of an image that is bound, and Vulkan's numbers of its components. @public */
export function vulkanView({ view = 0 }: Image): {
  readonly levels: number;
  readonly components: readonly [number, number, number, number];
} {
  const at = (n: number): number => (view >>> (3 * n)) & 7;
  return { levels: (view >>> VIEW_LEVELS_SHIFT) + 1, components: [at(0), at(1), at(2), at(3)] };
}

function samplerWords(bits: number): number[] {
  const own = vulkanSampler(bits);
  return [
    ...own.modes,
    own.magFilter,
    own.minFilter,
    own.mipmapMode,
    Number(own.isUnnormalized),
    own.compareOp === null ? 0 : own.compareOp + 1,
    own.borderColor,
    own.minLod,
    own.maxLod * 4,
  ];
}

function payload(kind: DescriptorKind, resource: ShaderResource): number[] {
  if ("buffer" in resource) return sized(resource.buffer);
  if (!("image" in resource)) return samplerWords(resource.sampler);
  const { image, pixels, sampler, isCube = false } = resource;
  const shape = isCube ? (image.layers === 6 ? CUBE : CUBES) : SHAPES[image.type];
  if (shape < 0) return [vulkanFormat(image), ...sized(pixels)];
  const { width, height, depth, layers, rowPitch, slicePitch, pixelBytes } = image;
  const { levels, components } = vulkanView(image);
  const own = [
    shape,
    vulkanFormat(image),
    width,
    height,
    depth,
    layers,
    levels,
    ...components,
    rowPitch / pixelBytes,
    slicePitch / rowPitch,
    ...sized(pixels),
  ];
  return kind === "combined-image-sampler" ? [...own, ...samplerWords(sampler ?? 0)] : own;
}

/** A job as words. */
export function jobWords({ entry, groups, specialization, push, resources }: Job): Uint32Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry);
  const constants = [...specialization].flatMap(([id, value]) => {
    const [low = 0, high = 0] = wordsOf(value);
    return [id, value.length, low, high];
  });
  const list = resources.map(({ set, binding, element, kind, resource }) => [
    set,
    binding,
    element,
    KINDS.indexOf(kind),
    ...payload(kind, resource),
  ]);
  const head = [name.length, ...wordsOf(name), ...groups, constants.length / 4, ...constants];
  return Uint32Array.from([...head, ...sized(push), list.length, ...list.flat()]);
}

/** The job of a dispatch, by what the module says of its entry point. Throws where something is not bound. */
export function jobOfDispatch(dispatch: ShaderDispatch): Job {
  const { module, entry = "main", groups, resources, push = new Uint8Array(0), specialization = new Map() } = dispatch;
  const reflected = reflectShader(module, dispatch);
  if (!reflected.ok) throw new Error(describeSpirvError(reflected.error));
  const found = reflected.value.entryPoints.find(({ name }) => name === entry);
  if (found === undefined) throw new Error(`there is no entry point ${entry}`);
  const pushBytes = found.arguments.find((argument) => argument.kind === "push-constants")?.bytes ?? 0;
  const whole = new Uint8Array(pushBytes);
  whole.set(push.subarray(0, pushBytes));
  return {
    entry,
    groups,
    specialization,
    push: whole,
    resources: found.bindings.flatMap(({ set, binding, kind, count }) =>
      Array.from({ length: count }, (_, element) => {
        const resource = [resources[`${set},${binding}`] ?? []].flat()[element];
        if (resource === undefined) throw new Error(`nothing is bound at ${set},${binding}, element ${element}`);
        return { set, binding, element, kind, resource };
      }),
    ),
  };
}
