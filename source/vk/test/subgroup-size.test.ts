// SPDX-License-Identifier: Apache-2.0
// Sub-groups of a required size.
import * as vk from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  bind,
  device,
  errorOf,
  first,
  newSet,
  physicalDevice,
  run,
  setLayout,
  shader,
  words,
  writeSet,
} from "./rig.ts";

const set = setLayout([STORAGE]);
const layout = vk.vkCreatePipelineLayout(device, { pSetLayouts: [set] });
const module = vk.vkCreateShaderModule(device, { pCode: shader("subgroups") });

function pipelineOf(requiredSubgroupSize: number): vk.VkPipeline {
  const pNext = {
    sType: vk.VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
    requiredSubgroupSize,
  } as const;
  const stage = { pNext, stage: vk.VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" };
  return first(vk.vkCreateComputePipelines(device, null, [{ stage, layout }]));
}

const { pNext } = vk.vkGetPhysicalDeviceProperties2(physicalDevice, [
  vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
]);
const { minSubgroupSize: least = 0, maxSubgroupSize: most = 0 } = (pNext ?? {}) as {
  readonly minSubgroupSize?: number;
  readonly maxSubgroupSize?: number;
};
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128].filter((size) => size >= least && size <= most);

test("there are several sizes", () => {
  expect(SIZES.length).toBeGreaterThan(1);
});

test.each(SIZES)("sub-groups of %i work-items", (size) => {
  const [data, bound] = [words(96), newSet(set)];
  writeSet(bound, 0, [data.buffer]);
  run((commands) => {
    bind(commands, pipelineOf(size), layout, [bound]);
    vk.vkCmdDispatch(commands, 1, 1, 1);
  });
  expect([data.words[0], data.words[32], data.words[64]]).toEqual([Math.min(size, 32), size, Math.max(1, 32 / size)]);
});

test.each([
  [3, "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760"],
  [4096, "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02762"],
])("a size of %i is refused", (size, rule) => {
  expect(errorOf(() => pipelineOf(size)).rule).toBe(rule);
});
