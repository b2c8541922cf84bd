// SPDX-License-Identifier: Apache-2.0
// Layouts of descriptor sets and of pipelines.
import { findInChain } from "./chain.ts";
import { deviceOf } from "./device.ts";
import { invalid } from "./error.ts";
import {
  VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
  VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
  type VkDescriptorType,
} from "./generated/constants.ts";
import { VkDescriptorSetLayout, type VkDevice, VkPipelineLayout } from "./generated/handles.ts";
import type { VkDescriptorSetLayoutCreateInfo, VkPushConstantRange } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { type Reading, samplerOf } from "./sampler.ts";

/** A binding of a layout. */
export interface LayoutBinding {
  readonly binding: number;
  readonly type: VkDescriptorType;
  /** Descriptors; of a variable count, the most. */
  readonly count: number;
  /** How many descriptors a set has depends on its allocation. */
  readonly isVariable: boolean;
  /** Number of its first dynamic offset within the set; -1: it has none. */
  readonly firstOffset: number;
  /** Samplers that all sets have, by element; null: sets have their own. */
  readonly immutableSamplers: readonly Reading[] | null;
}

/** Types that take an offset when they are bound. */
export const DYNAMIC_TYPES: ReadonlySet<VkDescriptorType> = new Set<VkDescriptorType>([
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
]);

/** Types whose samplers may be the layout's. */
const SAMPLER_TYPES: ReadonlySet<VkDescriptorType> = new Set<VkDescriptorType>([
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
]);

/** A layout of descriptor sets. */
export class DescriptorSetLayout extends VkDescriptorSetLayout {
  /** Its bindings, by their numbers. */
  readonly bindings: ReadonlyMap<number, LayoutBinding>;
  /** Descriptors may change after they were bound. */
  readonly updatesAfterBind: boolean;
  /** Its descriptors are pushed, and no sets are allocated of it. */
  readonly isPushed: boolean;
  /** Dynamic offsets that a set of it takes. */
  readonly offsetCount: number;

  constructor(device: VkDevice, info: VkDescriptorSetLayoutCreateInfo) {
    super(device);
    const flags =
      findInChain(info, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO)?.pBindingFlags ?? [];
    this.isPushed = ((info.flags ?? 0) & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) !== 0;
    this.updatesAfterBind = flags.some((one) => (one & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT) !== 0);
    let offsets = 0;
    const rows = (info.pBindings ?? [])
      .map((one, i) => ({
        ...one,
        isVariable: ((flags[i] ?? 0) & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) !== 0,
      }))
      // Dynamic offsets come in the order of binding numbers.
      .toSorted((a, b) => a.binding - b.binding)
      .map(
        ({
          binding,
          descriptorType: type,
          descriptorCount: count,
          isVariable,
          pImmutableSamplers = [],
        }): LayoutBinding => {
          const firstOffset = DYNAMIC_TYPES.has(type) ? offsets : -1;
          if (firstOffset >= 0) offsets += count;
          const samplers = pImmutableSamplers.map(
            (sampler) => samplerOf(sampler, "vkCreateDescriptorSetLayout").reading,
          );
          const immutableSamplers = samplers.length > 0 && SAMPLER_TYPES.has(type) ? samplers : null;
          return { binding, type, count, isVariable, firstOffset, immutableSamplers };
        },
      );
    this.bindings = new Map(rows.map((row) => [row.binding, row]));
    this.offsetCount = offsets;
  }

  /** True when sets of the other layout have the same bindings. */
  isCompatible(other: DescriptorSetLayout): boolean {
    if (this === other) return true;
    return (
      this.bindings.size === other.bindings.size &&
      [...this.bindings.values()].every((mine) => {
        const theirs = other.bindings.get(mine.binding);
        return theirs !== undefined && theirs.type === mine.type && theirs.count === mine.count;
      })
    );
  }

  protected release(): void {
    // Sets and pipelines keep what they need of it.
  }
}

/** A layout of pipelines. */
export class PipelineLayout extends VkPipelineLayout {
  /** The layouts of its sets. */
  readonly sets: readonly DescriptorSetLayout[];
  /** Its push constants. */
  readonly pushConstants: readonly VkPushConstantRange[];

  constructor(device: VkDevice, sets: readonly DescriptorSetLayout[], pushConstants: readonly VkPushConstantRange[]) {
    super(device);
    this.sets = sets;
    this.pushConstants = pushConstants;
  }

  protected release(): void {
    // Pipelines keep what they need of it.
  }
}

/** The implementation's layout of a handle. */
export const setLayoutOf = (layout: VkDescriptorSetLayout, call: string): DescriptorSetLayout =>
  own(layout, DescriptorSetLayout, call);

/** Entry points for layouts. */
export const LAYOUTS: Pick<
  Vulkan,
  "vkCreateDescriptorSetLayout" | "vkDestroyDescriptorSetLayout" | "vkCreatePipelineLayout" | "vkDestroyPipelineLayout"
> = {
  vkCreateDescriptorSetLayout: (device, pCreateInfo): VkDescriptorSetLayout => {
    const call = "vkCreateDescriptorSetLayout";
    const made = new DescriptorSetLayout(deviceOf(device, call), pCreateInfo);
    if (made.bindings.size < (pCreateInfo.pBindings ?? []).length) {
      made.end();
      throw invalid(call, "two bindings have the same number", "VUID-VkDescriptorSetLayoutCreateInfo-binding-00279");
    }
    return made;
  },
  vkDestroyDescriptorSetLayout: (_device, layout) => {
    layout.end();
  },
  vkCreatePipelineLayout: (device, { pSetLayouts = [], pPushConstantRanges = [] }): VkPipelineLayout => {
    const call = "vkCreatePipelineLayout";
    const sets = pSetLayouts.map((layout) => setLayoutOf(layout, call));
    return new PipelineLayout(deviceOf(device, call), sets, pPushConstantRanges);
  },
  vkDestroyPipelineLayout: (_device, layout) => {
    layout.end();
  },
};
