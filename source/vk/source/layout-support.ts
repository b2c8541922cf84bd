// SPDX-License-Identifier: Apache-2.0
// Whether a layout of descriptor sets can be made: whether each type has room for its descriptors.
import { findInChain } from "./chain.ts";
import { deviceOf } from "./device.ts";
import { limitsOf } from "./device-limits.ts";
import * as V from "./generated/constants.ts";
import type { VkDescriptorSetLayoutCreateInfo, VkPhysicalDeviceLimits } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { chained } from "./physical-device.ts";

type Limit = keyof VkPhysicalDeviceLimits & `maxDescriptorSet${string}`;

/** What limits the descriptors of a type in a set; one of two kinds counts for both. */
const LIMITS: ReadonlyMap<V.VkDescriptorType, readonly Limit[]> = new Map<V.VkDescriptorType, readonly Limit[]>([
  [V.VK_DESCRIPTOR_TYPE_SAMPLER, ["maxDescriptorSetSamplers"]],
  [V.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, ["maxDescriptorSetSamplers", "maxDescriptorSetSampledImages"]],
  [V.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, ["maxDescriptorSetSampledImages"]],
  [V.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, ["maxDescriptorSetSampledImages"]],
  [V.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, ["maxDescriptorSetStorageImages"]],
  [V.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, ["maxDescriptorSetStorageImages"]],
  [V.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, ["maxDescriptorSetUniformBuffers"]],
  [V.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, ["maxDescriptorSetUniformBuffersDynamic"]],
  [V.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ["maxDescriptorSetStorageBuffers"]],
  [V.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, ["maxDescriptorSetStorageBuffersDynamic"]],
]);

/** What a layout may have. */
interface Support {
  readonly supported: boolean;
  /** Descriptors that its binding of variable count can have; 0: it has no such binding. */
  readonly most: number;
}

function supportOf(limits: VkPhysicalDeviceLimits, info: VkDescriptorSetLayoutCreateInfo): Support {
  const bindings = info.pBindings ?? [];
  const flags =
    findInChain(info, V.VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO)?.pBindingFlags ?? [];
  const isVariable = (i: number): boolean =>
    ((flags[i] ?? 0) & V.VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) !== 0;
  const room = new Map<Limit, number>();
  const roomFor = (type: V.VkDescriptorType): number =>
    Math.min(...(LIMITS.get(type) ?? []).map((limit) => room.get(limit) ?? limits[limit]));
  let [supported, most] = [true, 0];
  // The binding of variable count has what the others leave.
  const order = bindings.map((_, i) => i).toSorted((a, b) => Number(isVariable(a)) - Number(isVariable(b)));
  for (const i of order) {
    const { descriptorType: type, descriptorCount: count } = bindings[i] ?? { descriptorType: 0, descriptorCount: 0 };
    const left = LIMITS.has(type) ? roomFor(type) : 0;
    if (isVariable(i)) most = left;
    supported &&= count <= left;
    for (const limit of LIMITS.get(type) ?? []) room.set(limit, (room.get(limit) ?? limits[limit]) - count);
  }
  return { supported, most };
}

/** The entry point that tells whether a layout can be made. */
export const LAYOUT_SUPPORT: Pick<Vulkan, "vkGetDescriptorSetLayoutSupport"> = {
  vkGetDescriptorSetLayoutSupport: (device, pCreateInfo, chain) => {
    const call = "vkGetDescriptorSetLayoutSupport";
    const { supported, most } = supportOf(limitsOf(deviceOf(device, call).physical.info), pCreateInfo);
    const next = chained(call, chain, (sType) =>
      sType === V.VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT
        ? { maxVariableDescriptorCount: supported ? most : 0 }
        : null,
    );
    return {
      sType: V.VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT,
      pNext: next as ReturnType<Vulkan["vkGetDescriptorSetLayoutSupport"]>["pNext"],
      supported,
    };
  },
};
