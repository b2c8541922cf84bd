// SPDX-License-Identifier: Apache-2.0
// What devices say of themselves in small structures: the same as in the large ones, and what is known here; private
// data, requirements, support of layouts, and how pipelines were made.
import * as vulkan from "@muxkit/vulkan";
import {
  VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_OBJECT_TYPE_BUFFER,
  VK_OBJECT_TYPE_DEVICE,
  VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
  VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_TOOL_PURPOSE_VALIDATION_BIT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
  type VkDescriptorSetLayoutBinding,
  type VkPipelineCreationFeedback,
  type VkPrivateDataSlot,
  type VkStructureType,
  vkCreateComputePipelines,
  vkCreateInstance,
  vkCreatePipelineCache,
  vkCreatePipelineLayout,
  vkCreatePrivateDataSlot,
  vkCreateShaderModule,
  vkEnumeratePhysicalDevices,
  vkGetPhysicalDeviceFeatures2,
  vkGetPhysicalDeviceProperties,
  vkGetPhysicalDeviceProperties2,
  vkSetPrivateData,
} from "@muxkit/vulkan";

import { type Effect, effect, schema } from "../effect.ts";
import { STORAGE, device, first, physicalDevice, setLayout, shader, words } from "../rig.ts";

type Facts = Readonly<Record<string, unknown>>;

function nodesOf(chain: object | null | undefined): readonly Facts[] {
  if (chain === null || chain === undefined) return [];
  const node = chain as Facts;
  return [node, ...nodesOf(node["pNext"] as object | null)];
}

/** Structures of which a call answers, by their names. */
const structuresOf = (target: string): readonly (readonly [name: string, sType: VkStructureType])[] =>
  schema.struct.flatMap(({ name, sType, extends: targets = "" }) =>
    sType !== undefined && targets.split(" ").includes(target) ? [[name, Reflect.get(vulkan, sType)] as const] : [],
  );

/** All that the structures of the versions say, by members. */
const WHOLE_FEATURES: Facts = Object.assign(
  {},
  ...nodesOf(
    vkGetPhysicalDeviceFeatures2(physicalDevice, [
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    ]).pNext,
  ),
) as Facts;

const WHOLE_PROPERTIES: Facts = Object.assign(
  {},
  ...nodesOf(
    vkGetPhysicalDeviceProperties2(physicalDevice, [
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
    ]).pNext,
  ),
) as Facts;

/** The members of a structure as the whole has them. */
function expectedOf(name: string, sType: VkStructureType, whole: Facts): Facts {
  const members = schema.struct.find((one) => one.name === name)?.member ?? [];
  const old: Readonly<Record<string, string>> = { supportedStages: "subgroupSupportedStages", supportedOperations: "subgroupSupportedOperations", quadOperationsInAllStages: "subgroupQuadOperationsInAllStages" };
  return {
    sType,
    pNext: null,
    ...Object.fromEntries(members.map(({ name: own }) => [own, whole[old[own] ?? own]])),
  };
}

/** Structures of features and properties of extensions, whose members no version has. */
const isOfExtension = (name: string): boolean => /(?:EXT|KHR)$/u.test(name);

/** What is known of single members. */
const KNOWN: Facts = {
  storagePushConstant16: true,
  variablePointers: true,
  shaderInt8: true,
  runtimeDescriptorArray: true,
  shaderStorageBufferArrayNonUniformIndexing: true,
  vulkanMemoryModel: true,
  bufferDeviceAddressCaptureReplay: false,
  privateData: true,
  pipelineCreationCacheControl: true,
  maintenance4: true,
};

const KNOWN_PROPERTIES: Facts = {
  driverName: "Muxkit",
  conformanceVersion: { major: 0, minor: 0, subminor: 0, patch: 0 },
  shaderRoundingModeRTEFloat32: true,
  shaderRoundingModeRTZFloat32: false,
  shaderDenormPreserveFloat64: true,
  shaderDenormFlushToZeroFloat32: false,
  shaderSignedZeroInfNanPreserveFloat32: true,
  maxTimelineSemaphoreValueDifference: (1n << 64n) - 1n,
  integerDotProduct8BitSignedAccelerated: false,
  storageTexelBufferOffsetAlignmentBytes: 16,
  requiredSubgroupSizeStages: VK_SHADER_STAGE_COMPUTE_BIT,
};

const FACT_ROWS: readonly Effect[] = [
  ...structuresOf("VkPhysicalDeviceFeatures2")
    .filter(([name]) => !isOfExtension(name))
    .map(([name, sType]) =>
      effect(
        "vkGetPhysicalDeviceFeatures2",
        `${name} says what the versions say`,
        () => [physicalDevice, [sType]],
        ({ pNext }) => pNext,
        expectedOf(name, sType, WHOLE_FEATURES),
      ),
    ),
  ...structuresOf("VkPhysicalDeviceProperties2")
    .filter(([name]) => !isOfExtension(name))
    .map(([name, sType]) =>
      effect(
        "vkGetPhysicalDeviceProperties2",
        `${name} says what the versions say`,
        () => [physicalDevice, [sType]],
        ({ pNext }) => pNext,
        expectedOf(name, sType, WHOLE_PROPERTIES),
      ),
    ),
  effect(
    "vkGetPhysicalDeviceFeatures2",
    "features that are known",
    () => [physicalDevice],
    () => Object.fromEntries(Object.keys(KNOWN).map((name) => [name, WHOLE_FEATURES[name]])),
    KNOWN,
  ),
  effect(
    "vkGetPhysicalDeviceProperties2",
    "properties that are known",
    () => [physicalDevice],
    () => Object.fromEntries(Object.keys(KNOWN_PROPERTIES).map((name) => [name, WHOLE_PROPERTIES[name]])),
    KNOWN_PROPERTIES,
  ),
];

const UNCHECKED = vkCreateInstance({
  pNext: {
    sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    pDisabledValidationFeatures: [VK_VALIDATION_FEATURE_DISABLE_ALL_EXT],
  },
});

// ---- private data

const { buffer } = words(4);

/** A slot with a number at a buffer. */
function filledSlot(): VkPrivateDataSlot {
  const slot = vkCreatePrivateDataSlot(device, {});
  vkSetPrivateData(device, VK_OBJECT_TYPE_BUFFER, buffer, slot, 7n);
  return slot;
}

const PRIVATE_DATA_ROWS: readonly Effect[] = [
  effect("vkCreatePrivateDataSlot", "", () => [device, {}], ({ kind, isAlive }) => [kind, isAlive], ["VkPrivateDataSlot", true]),
  effect("vkDestroyPrivateDataSlot", "", () => [device, filledSlot()], (_, [, slot]) => slot.isAlive, false),
  ...[0n, 5n, (1n << 64n) - 1n].map((data, i) =>
    effect(
      "vkSetPrivateData",
      i === 0 ? "" : `the number ${data}`,
      () => [device, VK_OBJECT_TYPE_BUFFER, buffer, filledSlot(), data],
      (_, [on, type, object, slot]) => vulkan.vkGetPrivateData(on, type, object, slot),
      data,
    ),
  ),
  effect("vkGetPrivateData", "", () => [device, VK_OBJECT_TYPE_BUFFER, buffer, filledSlot()], (data) => data, 7n),
  effect("vkGetPrivateData", "of another object", () => [device, VK_OBJECT_TYPE_DEVICE, device, filledSlot()], (data) => data, 0n),
  effect(
    "vkGetPrivateData",
    "of another slot",
    () => [device, VK_OBJECT_TYPE_BUFFER, buffer, vkCreatePrivateDataSlot(device, {})],
    (data) => data,
    0n,
  ),
];

// ---- layouts

const LIMITS = vkGetPhysicalDeviceProperties(physicalDevice).limits;

const bindingOf = (binding: number, descriptorType: vulkan.VkDescriptorType, descriptorCount: number): VkDescriptorSetLayoutBinding => ({ binding, descriptorType, descriptorCount, stageFlags: VK_SHADER_STAGE_COMPUTE_BIT });

const BUFFERS = LIMITS.maxDescriptorSetStorageBuffers;
const SAMPLERS = LIMITS.maxDescriptorSetSamplers;

/** Bindings of a layout, and whether there can be one. */
const LAYOUTS: readonly (readonly [what: string, bindings: readonly VkDescriptorSetLayoutBinding[], supported: boolean])[] = [
  ["", [bindingOf(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)], true],
  ["no bindings", [], true],
  ["as many as there are", [bindingOf(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS)], true],
  ["one more", [bindingOf(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS + 1)], false],
  [
    "one more, in two bindings",
    [bindingOf(3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS), bindingOf(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)],
    false,
  ],
  [
    "all samplers of images, and images",
    [bindingOf(0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SAMPLERS), bindingOf(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1)],
    SAMPLERS < LIMITS.maxDescriptorSetSampledImages,
  ],
];

const LAYOUT_ROWS: readonly Effect[] = [
  ...LAYOUTS.map(([what, pBindings, supported]) =>
    effect("vkGetDescriptorSetLayoutSupport", what, () => [device, { pBindings }], (answer) => answer.supported, supported),
  ),
  ...([[0, 0], [1, BUFFERS - 3]] as const).map(([flag, most]) =>
    effect(
      "vkGetDescriptorSetLayoutSupport",
      flag === 0 ? "no variable count" : "how large a variable count can be",
      () => [
        device,
        {
          pBindings: [bindingOf(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3), bindingOf(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)],
          pNext: {
            sType: VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
            pBindingFlags: [0, flag * VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT],
          },
        },
        [VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT],
      ],
      ({ pNext }) => Reflect.get(pNext ?? {}, "maxVariableDescriptorCount"),
      most,
    ),
  ),
];

// ---- pipelines

const layout = vkCreatePipelineLayout(device, {
  pSetLayouts: [setLayout([STORAGE])],
  pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
});
const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module: vkCreateShaderModule(device, { pCode: shader("add") }), pName: "main" } as const;
const feedbacks = new WeakMap<object, readonly VkPipelineCreationFeedback[]>();

/** A cache, with the code of the shader or without. */
function cacheOf(isFilled: boolean): ReturnType<typeof vkCreatePipelineCache> {
  const cache = vkCreatePipelineCache(device, {});
  if (isFilled) vkCreateComputePipelines(device, cache, [{ stage, layout }]);
  return cache;
}

const FEEDBACK_ROWS: readonly Effect[] = [
  ...([[false, 1], [true, 3]] as const).map(([isFilled, flags]) =>
    effect(
      "vkCreateComputePipelines",
      `feedback with ${isFilled ? "a cache that has it" : "an empty cache"}`,
      () => {
        const [whole, one]: readonly [VkPipelineCreationFeedback, VkPipelineCreationFeedback] = [{}, {}];
        const info = {
          stage,
          layout,
          pNext: {
            sType: VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
            pPipelineCreationFeedback: whole,
            pPipelineStageCreationFeedbacks: [one],
          },
        };
        feedbacks.set(info, [whole, one]);
        return [device, cacheOf(isFilled), [info]];
      },
      (_, [, , infos]) =>
        (feedbacks.get(first(infos)) ?? []).map((one) => [one.flags, (one.duration ?? 0n) > 0n]),
      [[flags, true], [flags, true]],
    ),
  ),
  effect(
    "vkCreateComputePipelines",
    "without compiling, of a cache that has it",
    () => [device, cacheOf(true), [{ stage, layout, flags: VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT }]],
    (made) => made.map(({ kind }) => kind),
    ["VkPipeline"],
  ),
];

export const FACT_EFFECTS: readonly Effect[] = [
  ...FACT_ROWS,
  effect(
    "vkEnumerateDeviceLayerProperties",
    "",
    () => [physicalDevice],
    (list) => list.map(({ layerName }) => layerName),
    ["VK_LAYER_KHRONOS_validation"],
  ),
  effect(
    "vkGetPhysicalDeviceToolProperties",
    "",
    () => [physicalDevice],
    (list) => list.map(({ layer, purposes }) => [layer, purposes]),
    [["VK_LAYER_KHRONOS_validation", VK_TOOL_PURPOSE_VALIDATION_BIT]],
  ),
  effect(
    "vkGetPhysicalDeviceToolProperties",
    "without validation",
    () => [first(vkEnumeratePhysicalDevices(UNCHECKED))],
    (list) => list,
    [],
  ),
  effect(
    "vkGetBufferMemoryRequirements2",
    "memory of its own",
    () => [device, { buffer }, [VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS]],
    ({ pNext }) => pNext,
    {
      sType: VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
      pNext: null,
      prefersDedicatedAllocation: false,
      requiresDedicatedAllocation: false,
    },
  ),
  effect(
    "vkGetDeviceBufferMemoryRequirements",
    "memory of its own",
    () => [device, { pCreateInfo: { size: 16, usage: 32 } }, [VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS]],
    ({ pNext }) => pNext?.sType,
    VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
  ),
  effect(
    "vkCreateDevice",
    "with slots that are asked for beforehand",
    () => [
      physicalDevice,
      {
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        pNext: { sType: vulkan.VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO, privateDataSlotRequestCount: 3 },
      },
    ],
    ({ isAlive }) => isAlive,
    true,
  ),
  ...PRIVATE_DATA_ROWS,
  ...LAYOUT_ROWS,
  ...FEEDBACK_ROWS,
];

