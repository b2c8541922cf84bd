// SPDX-License-Identifier: Apache-2.0
// Private data: a number of the program at each object, in slots. A slot keeps its numbers as long as it lives; an
// object that nobody has any more takes its numbers along.
import { deviceOf } from "./device.ts";
import { invalid } from "./error.ts";
import type { VkObjectType } from "./generated/constants.ts";
import { VkPrivateDataSlot } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { type VkHandle, own } from "./handle.ts";
import { ensureObjectType } from "./object-type.ts";

/** A slot. */
class PrivateDataSlot extends VkPrivateDataSlot {
  /** Numbers by their objects. */
  readonly numbers = new WeakMap<VkHandle, bigint>();

  protected release(): void {
    // The numbers go with it.
  }
}

/** The slot of a handle, for an object of the device. */
function slotFor(
  call: string,
  slot: VkPrivateDataSlot,
  object: VkHandle,
  objectType: VkObjectType,
  rule: string,
): PrivateDataSlot {
  const found = own(slot, PrivateDataSlot, call);
  ensureObjectType(call, object, objectType, rule);
  let above: VkHandle | null = object;
  while (above !== null && above !== found.parent) above = above.parent;
  if (above === null)
    throw invalid(call, `objectHandle is a ${object.kind} that is not of the device of the slot`, rule);
  return found;
}

/** Entry points for private data. */
export const PRIVATE_DATA: Pick<
  Vulkan,
  "vkCreatePrivateDataSlot" | "vkDestroyPrivateDataSlot" | "vkSetPrivateData" | "vkGetPrivateData"
> = {
  vkCreatePrivateDataSlot: (device): VkPrivateDataSlot =>
    new PrivateDataSlot(deviceOf(device, "vkCreatePrivateDataSlot")),
  vkDestroyPrivateDataSlot: (_device, privateDataSlot) => {
    privateDataSlot.end();
  },
  vkSetPrivateData: (_device, objectType, objectHandle, privateDataSlot, data) => {
    const call = "vkSetPrivateData";
    const slot = slotFor(call, privateDataSlot, objectHandle, objectType, "VUID-vkSetPrivateData-objectHandle-04016");
    slot.numbers.set(objectHandle, data);
  },
  vkGetPrivateData: (_device, objectType, objectHandle, privateDataSlot) => {
    const call = "vkGetPrivateData";
    const slot = slotFor(call, privateDataSlot, objectHandle, objectType, "VUID-vkGetPrivateData-objectType-04018");
    return slot.numbers.get(objectHandle) ?? 0n;
  },
};
