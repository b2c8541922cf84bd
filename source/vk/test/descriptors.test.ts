// SPDX-License-Identifier: Apache-2.0
// Descriptors that are not fixed when they are bound: dynamic offsets, updates after binding, variable counts, copies.
import {
  VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
  VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
  type VkDescriptorSetLayout,
  type VkDescriptorType,
  type VkPipelineLayout,
  vkAllocateDescriptorSets,
  vkCmdDispatch,
  vkCmdPushConstants,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreatePipelineLayout,
  vkEndCommandBuffer,
  vkQueueSubmit,
  vkQueueWaitIdle,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  adder,
  barrier,
  bind,
  constants,
  device,
  expectError,
  first,
  newPipeline,
  newSet,
  queue,
  record,
  run,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

const COMPUTE = VK_SHADER_STAGE_COMPUTE_BIT;

/** A layout of pipelines with one set and a word of push constants. */
function layoutOf(set: VkDescriptorSetLayout): VkPipelineLayout {
  return vkCreatePipelineLayout(device, {
    pSetLayouts: [set],
    pPushConstantRanges: [{ stageFlags: COMPUTE, offset: 0, size: 4 }],
  });
}

/** A layout of one binding of storage buffers for each row: how many, and its flags. */
function flagged(rows: readonly (readonly [count: number, flags: number])[]): VkDescriptorSetLayout {
  const descriptorType: VkDescriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  return vkCreateDescriptorSetLayout(device, {
    pNext: {
      sType: VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      pBindingFlags: rows.map(([, flags]) => flags),
    },
    pBindings: rows.map(([descriptorCount], binding) => ({
      binding,
      descriptorType,
      descriptorCount,
      stageFlags: COMPUTE,
    })),
  });
}

test("dynamic offsets move a descriptor, and may not move it past the end", () => {
  const set = setLayout([[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1]]);
  const layout = layoutOf(set);
  const pipeline = newPipeline("add", layout, constants({ 0: 4, 1: 1 }));
  const data = words(16);
  const bound = newSet(set);
  vkUpdateDescriptorSets(device, [
    {
      dstSet: bound,
      dstBinding: 0,
      descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
      pBufferInfo: [{ buffer: data.buffer, offset: 0, range: 16 }],
    },
  ]);
  run((commands) => {
    for (const [offset, value] of [
      [0, 1],
      [32, 2],
      [48, 3],
    ] as const) {
      bind(commands, pipeline, layout, [bound], [offset]);
      vkCmdPushConstants(commands, layout, COMPUTE, 0, Uint32Array.of(value));
      // Two groups of four: the descriptor has four words, and the shader asks how many there are.
      vkCmdDispatch(commands, 2, 1, 1);
    }
  });
  expect([...data.words]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3]);
  expectError(
    () =>
      record((commands) => {
        bind(commands, pipeline, layout, [bound], [64]);
        vkCmdDispatch(commands, 1, 1, 1);
      }),
    "VK_ERROR_VALIDATION_FAILED_EXT",
    /dynamic offset of 64/u,
  );
});

test("descriptors that may change after they were bound are read at submission", () => {
  const set = flagged([[1, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT]]);
  const layout = layoutOf(set);
  const pipeline = newPipeline("add", layout, constants({ 0: 4, 1: 1 }));
  const [left, right] = [words(4), words(4)];
  const bound = newSet(set);
  const commands = record((to) => {
    bind(to, pipeline, layout, [bound]);
    vkCmdPushConstants(to, layout, COMPUTE, 0, Uint32Array.of(4));
    vkCmdDispatch(to, 1, 1, 1);
  });
  for (const { buffer } of [left, right, right]) {
    writeSet(bound, 0, [buffer]);
    vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
    vkQueueWaitIdle(queue);
  }
  expect([left.words[0], right.words[0]]).toEqual([4, 8]);
});

test("what is not bound is a buffer of no bytes", () => {
  const { layout, pipeline, set } = adder(4);
  const empty = newSet(set);
  run((commands) => {
    bind(commands, pipeline, layout, [empty]);
    vkCmdPushConstants(commands, layout, COMPUTE, 0, Uint32Array.of(4));
    vkCmdDispatch(commands, 1, 1, 1);
  });
  expect(() => {
    vkEndCommandBuffer(record(() => undefined));
  }).toThrow(/not being recorded/u);
});

test("a variable number of descriptors, and copies of some of them", () => {
  const set = flagged([
    [1, 0],
    [8, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT],
  ]);
  const layout = layoutOf(set);
  const pipeline = newPipeline("array", layout);
  const descriptorPool = vkCreateDescriptorPool(device, {
    maxSets: 2,
    pPoolSizes: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 10 }],
  });
  const allocate = (count: number): ReturnType<typeof newSet> =>
    first(
      vkAllocateDescriptorSets(device, {
        pNext: {
          sType: VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
          pDescriptorCounts: [count],
        },
        descriptorPool,
        pSetLayouts: [set],
      }),
    );
  const [one, two] = [allocate(3), allocate(5)];
  expectError(() => allocate(1), "VK_ERROR_OUT_OF_POOL_MEMORY", /maxSets/u);
  const [sum, ...sources] = [words([0]), words([10]), words([20]), words([300])];
  writeSet(one, 0, [sum.buffer]);
  writeSet(
    one,
    1,
    sources.map(({ buffer }) => buffer),
  );
  writeSet(two, 0, [sum.buffer]);
  const copy = { srcSet: one, srcBinding: 1, dstSet: two, dstBinding: 1 };
  vkUpdateDescriptorSets(device, [], [{ ...copy, srcArrayElement: 1, dstArrayElement: 0, descriptorCount: 2 }]);
  run((commands) => {
    for (const [bound, count] of [
      [one, 3],
      [two, 2],
    ] as const) {
      bind(commands, pipeline, layout, [bound]);
      vkCmdPushConstants(commands, layout, COMPUTE, 0, Uint32Array.of(count));
      vkCmdDispatch(commands, 1, 1, 1);
      barrier(commands);
    }
  });
  expect(sum.words[0]).toBe(330 + 320);
  expectError(
    () => {
      vkUpdateDescriptorSets(device, [], [{ ...copy, srcArrayElement: 2, descriptorCount: 2 }]);
    },
    "VK_ERROR_VALIDATION_FAILED_EXT",
    /more than binding 1/u,
  );
});
