// SPDX-License-Identifier: Apache-2.0
// Rules of what devices are created with, of private data and of how pipelines are made: a call that breaks each.
import {
  VK_OBJECT_TYPE_BUFFER,
  VK_OBJECT_TYPE_IMAGE,
  VK_OBJECT_TYPE_INSTANCE,
  VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT,
  VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
  VK_STRUCTURE_TYPE_SUBMIT_INFO,
  type VkDeviceCreateInfo,
  vkCreateComputePipelines,
  vkCreateDevice,
  vkCreatePipelineCache,
  vkCreatePipelineLayout,
  vkCreatePrivateDataSlot,
  vkCreateShaderModule,
  vkGetBufferMemoryRequirements2,
  vkGetDescriptorSetLayoutSupport,
  vkGetPhysicalDeviceFeatures2,
  vkGetPrivateData,
  vkSetPrivateData,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  device,
  errorOf,
  expectError,
  instance,
  newDevice,
  physicalDevice,
  setLayout,
  shader,
  words,
} from "./rig.ts";

const ONE_QUEUE: VkDeviceCreateInfo["pQueueCreateInfos"] = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
const plainDevice = vkCreateDevice(physicalDevice, { pQueueCreateInfos: ONE_QUEUE });

const layout = vkCreatePipelineLayout(device, {
  pSetLayouts: [setLayout([STORAGE])],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const stage = {
  stage: VK_SHADER_STAGE_COMPUTE_BIT,
  module: vkCreateShaderModule(device, { pCode: shader("add") }),
  pName: "main",
} as const;
const { buffer } = words(4);
const slot = vkCreatePrivateDataSlot(device, {});

const creates = (more: Partial<VkDeviceCreateInfo>): unknown =>
  vkCreateDevice(physicalDevice, { pQueueCreateInfos: ONE_QUEUE, ...more });

/** A pipeline with flags, of a device without the feature for them. */
function createsWith(flags: number): unknown {
  const own = vkCreatePipelineLayout(plainDevice, {
    pSetLayouts: [setLayout([STORAGE], plainDevice)],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const module = vkCreateShaderModule(plainDevice, { pCode: shader("add") });
  return vkCreateComputePipelines(plainDevice, null, [{ stage: { ...stage, module }, layout: own, flags }]);
}

/** Rules, a call that breaks each, and what the message says. */
const BROKEN: readonly (readonly [rule: string, call: () => unknown, message: RegExp])[] = [
  [
    "VUID-VkDeviceCreateInfo-pNext-02829",
    () =>
      creates({
        pNext: {
          sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
          pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES },
        },
      }),
    /VkPhysicalDevice16BitStorageFeatures/u,
  ],
  [
    "VUID-VkDeviceCreateInfo-pNext-02830",
    () =>
      creates({
        pNext: {
          sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
          pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES },
        },
      }),
    /VkPhysicalDeviceTimelineSemaphoreFeatures/u,
  ],
  [
    "VUID-VkDeviceCreateInfo-pNext-06532",
    () =>
      creates({
        pNext: {
          sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
          pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES },
        },
      }),
    /VkPhysicalDeviceMaintenance4Features/u,
  ],
  [
    "VUID-VkDeviceCreateInfo-pNext-00373",
    () =>
      creates({
        pEnabledFeatures: {},
        pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: {} },
      }),
    /pEnabledFeatures must be left out/u,
  ],
  [
    "VUID-vkCreatePrivateDataSlot-privateData-04564",
    () => vkCreatePrivateDataSlot(plainDevice, {}),
    /feature privateData/u,
  ],
  [
    "VUID-vkSetPrivateData-objectHandle-04016",
    () => {
      vkSetPrivateData(device, VK_OBJECT_TYPE_IMAGE, buffer, slot, 1n);
    },
    /is a VkBuffer, and objectType is 10/u,
  ],
  [
    "VUID-vkSetPrivateData-objectHandle-04016",
    () => {
      vkSetPrivateData(device, VK_OBJECT_TYPE_INSTANCE, instance, slot, 1n);
    },
    /not of the device of the slot/u,
  ],
  [
    "VUID-vkGetPrivateData-objectType-04018",
    () => vkGetPrivateData(device, VK_OBJECT_TYPE_BUFFER, words(4, newDevice()).buffer, slot),
    /not of the device of the slot/u,
  ],
  [
    "VUID-VkComputePipelineCreateInfo-pipelineCreationCacheControl-02875",
    () => createsWith(VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT),
    /pipelineCreationCacheControl/u,
  ],
  [
    "VUID-VkComputePipelineCreateInfo-pipelineCreationCacheControl-02875",
    () => createsWith(VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT),
    /pipelineCreationCacheControl/u,
  ],
  [
    "VUID-VkComputePipelineCreateInfo-pipelineStageCreationFeedbackCount-06566",
    () =>
      vkCreateComputePipelines(device, null, [
        {
          stage,
          layout,
          pNext: {
            sType: VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
            pPipelineCreationFeedback: {},
            pPipelineStageCreationFeedbacks: [{}, {}],
          },
        },
      ]),
    /has 2 elements/u,
  ],
];

test.each(BROKEN)("%s", (rule, call, message) => {
  const error = errorOf(call);
  expect(error).toMatchObject({ name: "VK_ERROR_VALIDATION_FAILED_EXT", rule });
  expect(error.message).toMatch(message);
});

test("a pipeline that would have to be compiled and must not be", () => {
  const flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  const cache = vkCreatePipelineCache(device, {});
  const create = (): unknown => vkCreateComputePipelines(device, cache, [{ stage, layout, flags }]);
  expectError(create, "VK_PIPELINE_COMPILE_REQUIRED", /the cache does not have the code/u);
  expect(errorOf(create).code).toBe(1000297000);
});

test("a feature that the device lacks, by its own structure", () => {
  expectError(
    () =>
      creates({
        pNext: {
          sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
          bufferDeviceAddress: true,
          bufferDeviceAddressMultiDevice: true,
        },
      }),
    "VK_ERROR_FEATURE_NOT_PRESENT",
    /bufferDeviceAddressMultiDevice/u,
  );
});

test("features of several small structures at once", () => {
  const made = vkCreateDevice(physicalDevice, {
    pQueueCreateInfos: ONE_QUEUE,
    pNext: {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES,
      privateData: true,
      pNext: { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, maintenance4: true },
    },
  });
  expect(vkCreatePrivateDataSlot(made, {}).isAlive).toBe(true);
});

test("structures that cannot be asked for", () => {
  const wanted = [VK_STRUCTURE_TYPE_SUBMIT_INFO];
  const calls: readonly (() => unknown)[] = [
    () => vkGetPhysicalDeviceFeatures2(physicalDevice, wanted),
    () => vkGetBufferMemoryRequirements2(device, { buffer }, wanted),
    () => vkGetDescriptorSetLayoutSupport(device, {}, wanted),
  ];
  for (const call of calls) expectError(call, "VK_ERROR_VALIDATION_FAILED_EXT", /structure 4 cannot be asked for/u);
});
