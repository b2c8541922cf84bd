// SPDX-License-Identifier: Apache-2.0
// Devices and their queues.
import {
  DEFAULT_ALLOCATOR,
  MuxQueueType,
  muxCreateDevices,
  muxDestroyDevice,
  muxGetQueue,
  muxSetPrintListener,
} from "@muxkit/mux";

import { reportPrinted } from "./debug-utils.ts";
import { FEATURE_STRUCTURES, missingFeature } from "./device-features.ts";
import { DevicePools } from "./device-pools.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 } from "./generated/constants.ts";
import { VkDevice, type VkQueue } from "./generated/handles.ts";
import type { VkChain, VkDeviceCreateInfo } from "./generated/structures.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { ensureExtensions } from "./layers.ts";
import { DEVICE_EXTENSIONS, PhysicalDevice, QUEUES } from "./physical-device.ts";
import { Queue } from "./queue.ts";

/** An open device. */
export class Device extends VkDevice {
  /** What it is. */
  readonly physical: PhysicalDevice;
  /** The runtime's device, its queue, and objects of it. */
  readonly pools: DevicePools;
  /** Its queues, by number. */
  readonly queues: readonly Queue[];
  /** Shaders check every access to a buffer (`robustBufferAccess`). */
  readonly isRobust: boolean;
  /** The features that it was created with, by name. */
  readonly enabled: ReadonlySet<string>;

  constructor(physical: PhysicalDevice, pools: DevicePools, queues: number, enabled: ReadonlySet<string>) {
    super(physical);
    this.physical = physical;
    this.pools = pools;
    this.enabled = enabled;
    this.isRobust = enabled.has("robustBufferAccess");
    this.queues = Array.from({ length: queues }, () => new Queue(this, pools, () => this.queues));
  }

  /** Submits held batches whose signals are there by now, of all queues. */
  advance(call: string): void {
    this.queues[0]?.advanceAll(call);
  }

  /** Waits until all queues are idle. */
  waitIdle(call: string): void {
    for (const queue of this.queues) queue.waitIdle(call);
  }

  protected release(): void {
    for (const queue of this.queues) queue.end();
    fromMux("vkDestroyDevice", muxDestroyDevice(this.pools.device, DEFAULT_ALLOCATOR));
  }
}

/** The implementation's device of a handle. */
export const deviceOf = (device: VkDevice, call: string): Device => own(device, Device, call);

/** The features that a program enables, by structure. */
function enabledFeatures(info: VkDeviceCreateInfo): readonly (readonly [structure: string, features: object])[] {
  const found: (readonly [string, object])[] = [];
  if (info.pEnabledFeatures !== undefined) found.push(["VkPhysicalDeviceFeatures", info.pEnabledFeatures]);
  for (let node: VkChain | null | undefined = info.pNext; node !== null && node !== undefined; node = node.pNext) {
    const name = FEATURE_STRUCTURES.get(node.sType);
    if (name !== undefined) found.push([name, node]);
    else if (node.sType === VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
      found.push(["VkPhysicalDeviceFeatures", node.features]);
  }
  return found;
}

/** How many queues are wanted. Errors for another family than the one that there is, and for too many. */
function queueCount(call: string, { pQueueCreateInfos }: VkDeviceCreateInfo): number {
  const [first, second] = pQueueCreateInfos;
  if (first === undefined || second !== undefined || first.queueFamilyIndex !== 0)
    throw invalid(call, "pQueueCreateInfos must have one element, for family 0, which is the only one");
  const count = first.pQueuePriorities.length;
  if (count < 1 || count > QUEUES)
    throw invalid(call, `pQueuePriorities has ${count} queues; the family has 1 to ${QUEUES}`);
  return count;
}

/** Entry points for devices and queues. */
export const DEVICES: Pick<
  Vulkan,
  "vkCreateDevice" | "vkDestroyDevice" | "vkDeviceWaitIdle" | "vkGetDeviceQueue" | "vkGetDeviceQueue2"
> = {
  vkCreateDevice: (physicalDevice, pCreateInfo): VkDevice => {
    const call = "vkCreateDevice";
    const physical = own(physicalDevice, PhysicalDevice, call);
    ensureExtensions(call, pCreateInfo.ppEnabledExtensionNames ?? [], DEVICE_EXTENSIONS);
    const enabled = enabledFeatures(pCreateInfo);
    for (const [name, wanted] of enabled) {
      const missing = missingFeature(name, wanted, physical.features);
      if (missing !== null)
        throw new VulkanError(
          "VK_ERROR_FEATURE_NOT_PRESENT",
          call,
          `${physical.info.deviceName} does not have the feature ${missing}`,
        );
    }
    const count = queueCount(call, pCreateInfo);
    const [runtime] = fromMux(call, muxCreateDevices([physical.info], DEFAULT_ALLOCATOR));
    if (runtime === undefined) throw new VulkanError("VK_ERROR_INITIALIZATION_FAILED", call, "no device was opened");
    const queue = fromMux(call, muxGetQueue(runtime, MuxQueueType.compute, 0));
    const names = enabled.flatMap(([, wanted]) =>
      Object.entries(wanted).flatMap(([name, on]) => (on === true ? [name] : [])),
    );
    const device = new Device(physical, new DevicePools(runtime, queue), count, new Set(names));
    muxSetPrintListener(runtime, (text) => reportPrinted(device, text));
    return device;
  },
  vkDestroyDevice: (device) => {
    device.end();
  },
  vkDeviceWaitIdle: (device) => {
    deviceOf(device, "vkDeviceWaitIdle").waitIdle("vkDeviceWaitIdle");
  },
  vkGetDeviceQueue: (device, queueFamilyIndex, queueIndex) =>
    queueAt("vkGetDeviceQueue", device, queueFamilyIndex, queueIndex),
  vkGetDeviceQueue2: (device, { queueFamilyIndex, queueIndex }) =>
    queueAt("vkGetDeviceQueue2", device, queueFamilyIndex, queueIndex),
};

function queueAt(call: string, device: VkDevice, family: number, index: number): VkQueue {
  const { queues } = deviceOf(device, call);
  const queue = family === 0 ? queues[index] : undefined;
  if (queue === undefined)
    throw invalid(
      call,
      `the device has no queue ${index} of family ${family}: it was made with ${queues.length} of family 0`,
    );
  return queue;
}
