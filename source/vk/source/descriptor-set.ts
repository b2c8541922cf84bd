// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: arrays of descriptors by binding and element, the pools that count them, and updates.
import { type Descriptor, writtenDescriptors } from "./descriptor.ts";
import { findInChain } from "./chain.ts";
import { type DescriptorSetLayout, type LayoutBinding, setLayoutOf } from "./descriptor-layout.ts";
import { deviceOf } from "./device.ts";
import { VulkanError, invalid } from "./error.ts";
import {
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
  type VkDescriptorType,
} from "./generated/constants.ts";
import { VkDescriptorPool, VkDescriptorSet, type VkDevice } from "./generated/handles.ts";
import type { VkCopyDescriptorSet, VkDescriptorPoolCreateInfo, VkWriteDescriptorSet } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";

/** Descriptors by binding and element: what a set has, and what pushed descriptors are. */
export class DescriptorTable {
  readonly layout: DescriptorSetLayout;
  /** Counts changes. */
  revision = 0;
  readonly #elements: ReadonlyMap<number, Descriptor[]>;

  /** `variable` is the number of descriptors of a binding whose count is variable. */
  constructor(layout: DescriptorSetLayout, variable: number | null) {
    this.layout = layout;
    this.#elements = new Map(
      [...layout.bindings.values()].map(({ binding, count, isVariable }) => [
        binding,
        Array.from({ length: isVariable && variable !== null ? variable : count }, () => null),
      ]),
    );
  }

  /** The descriptors of a binding. */
  elements(binding: number): readonly Descriptor[] {
    return this.#elements.get(binding) ?? [];
  }

  /** A copy, which later changes do not reach. */
  clone(): DescriptorTable {
    const clone = new DescriptorTable(this.layout, null);
    for (const [binding, list] of this.#elements) {
      const target = clone.#elements.get(binding) ?? [];
      target.splice(0, target.length, ...list);
    }
    return clone;
  }

  /**
   * Writes descriptors from an element on; what does not fit into the binding goes on in the next one. Errors: a
   * binding that the layout does not have, another type, more descriptors than there is room for.
   */
  put(call: string, binding: number, element: number, type: VkDescriptorType, list: readonly Descriptor[]): void {
    let [at, index] = [this.#binding(call, binding), element];
    for (const descriptor of list) {
      let room = this.#elements.get(at.binding) ?? [];
      while (index >= room.length) {
        index -= room.length;
        at = this.#binding(call, at.binding + 1);
        room = this.#elements.get(at.binding) ?? [];
      }
      if (at.type !== type)
        throw invalid(
          call,
          `binding ${at.binding} has descriptors of type ${at.type}, and one of type ${type} is written`,
          "VUID-VkWriteDescriptorSet-descriptorType-00319",
        );
      room[index++] = descriptor;
    }
    this.revision++;
  }

  #binding(call: string, binding: number): LayoutBinding {
    const found = this.layout.bindings.get(binding);
    if (found === undefined)
      throw invalid(
        call,
        `the set has no binding ${binding}; it has ${[...this.layout.bindings.keys()].join(", ") || "none"}`,
        "VUID-VkWriteDescriptorSet-dstBinding-00315",
      );
    return found;
  }
}

/** A descriptor set. */
export class DescriptorSet extends VkDescriptorSet {
  readonly table: DescriptorTable;
  readonly #pool: DescriptorPool;

  constructor(pool: DescriptorPool, table: DescriptorTable) {
    super(pool, pool.validates, false);
    this.#pool = pool;
    this.table = table;
  }

  protected release(): void {
    this.#pool.giveBack(this);
  }
}

/** Room for descriptor sets, which is counted. */
export class DescriptorPool extends VkDescriptorPool {
  /** Bits of VkDescriptorPoolCreateFlags. */
  readonly flags: number;
  readonly #sets = new Set<DescriptorSet>();
  readonly #room = new Map<VkDescriptorType, number>();
  #setsLeft: number;

  constructor(device: VkDevice, { flags = 0, maxSets, pPoolSizes }: VkDescriptorPoolCreateInfo) {
    super(device);
    this.flags = flags;
    this.#setsLeft = maxSets;
    for (const { type, descriptorCount } of pPoolSizes)
      this.#room.set(type, (this.#room.get(type) ?? 0) + descriptorCount);
  }

  /** Allocates a set. Errors: VK_ERROR_OUT_OF_POOL_MEMORY. */
  allocate(call: string, layout: DescriptorSetLayout, variable: number | null): DescriptorSet {
    const table = new DescriptorTable(layout, variable);
    const lack = [...needs(table)].find(([type, count]) => count > (this.#room.get(type) ?? 0));
    if (this.#setsLeft === 0 || lack !== undefined)
      throw new VulkanError(
        "VK_ERROR_OUT_OF_POOL_MEMORY",
        call,
        this.#setsLeft === 0 || lack === undefined
          ? "the pool has no room for another set: make it with more maxSets"
          : `the pool has room for ${this.#room.get(lack[0]) ?? 0} descriptors of type ${lack[0]}, and ${lack[1]} are needed`,
      );
    this.#setsLeft--;
    for (const [type, count] of needs(table)) this.#room.set(type, (this.#room.get(type) ?? 0) - count);
    const set = new DescriptorSet(this, table);
    this.#sets.add(set);
    return set;
  }

  /** The room of a set that is freed. */
  giveBack(set: DescriptorSet): void {
    this.#sets.delete(set);
    this.#setsLeft++;
    for (const [type, count] of needs(set.table)) this.#room.set(type, (this.#room.get(type) ?? 0) + count);
  }

  /** Frees all sets. */
  reset(): void {
    for (const set of this.#sets) set.end();
  }

  protected release(): void {
    this.reset();
  }
}

/** How many descriptors of each type a set has. */
function needs(table: DescriptorTable): ReadonlyMap<VkDescriptorType, number> {
  const counts = new Map<VkDescriptorType, number>();
  for (const { binding, type } of table.layout.bindings.values())
    counts.set(type, (counts.get(type) ?? 0) + table.elements(binding).length);
  return counts;
}

const setOf = (set: VkDescriptorSet, call: string): DescriptorSet => own(set, DescriptorSet, call);

function write(call: string, one: VkWriteDescriptorSet): void {
  if (one.dstSet === null || one.dstSet === undefined) throw invalid(call, "pDescriptorWrites has no dstSet");
  const { table } = setOf(one.dstSet, call);
  table.put(call, one.dstBinding, one.dstArrayElement ?? 0, one.descriptorType, writtenDescriptors(call, one));
}

function copy(call: string, one: VkCopyDescriptorSet): void {
  const { table } = setOf(one.srcSet, call);
  const type = table.layout.bindings.get(one.srcBinding)?.type;
  const from = one.srcArrayElement ?? 0;
  const list = table.elements(one.srcBinding).slice(from, from + one.descriptorCount);
  if (type === undefined || list.length < one.descriptorCount)
    throw invalid(
      call,
      `${one.descriptorCount} descriptors from ${from} on are more than binding ${one.srcBinding} of srcSet has`,
      "VUID-VkCopyDescriptorSet-srcArrayElement-00346",
    );
  setOf(one.dstSet, call).table.put(call, one.dstBinding, one.dstArrayElement ?? 0, type, list);
}

const poolOf = (pool: VkDescriptorPool, call: string): DescriptorPool => own(pool, DescriptorPool, call);

/** Entry points for descriptor pools and sets. */
export const DESCRIPTORS: Pick<
  Vulkan,
  | "vkCreateDescriptorPool"
  | "vkDestroyDescriptorPool"
  | "vkResetDescriptorPool"
  | "vkAllocateDescriptorSets"
  | "vkFreeDescriptorSets"
  | "vkUpdateDescriptorSets"
> = {
  vkCreateDescriptorPool: (device, pCreateInfo): VkDescriptorPool =>
    new DescriptorPool(deviceOf(device, "vkCreateDescriptorPool"), pCreateInfo),
  vkDestroyDescriptorPool: (_device, pool) => {
    pool.end();
  },
  vkResetDescriptorPool: (_device, pool) => {
    poolOf(pool, "vkResetDescriptorPool").reset();
  },
  vkAllocateDescriptorSets: (_device, pAllocateInfo): readonly VkDescriptorSet[] => {
    const call = "vkAllocateDescriptorSets";
    const pool = poolOf(pAllocateInfo.descriptorPool, call);
    const counts = findInChain(
      pAllocateInfo,
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
    )?.pDescriptorCounts;
    const made: DescriptorSet[] = [];
    try {
      // Without a count a variable binding has no descriptors.
      for (const [i, layout] of pAllocateInfo.pSetLayouts.entries())
        made.push(pool.allocate(call, setLayoutOf(layout, call), counts?.[i] ?? 0));
    } catch (error) {
      for (const set of made) set.end();
      throw error;
    }
    return made;
  },
  vkFreeDescriptorSets: (_device, _pool, pDescriptorSets) => {
    for (const set of pDescriptorSets) set.end();
  },
  vkUpdateDescriptorSets: (_device, pDescriptorWrites = [], pDescriptorCopies = []) => {
    for (const one of pDescriptorWrites) write("vkUpdateDescriptorSets", one);
    for (const one of pDescriptorCopies) copy("vkUpdateDescriptorSets", one);
  },
};
