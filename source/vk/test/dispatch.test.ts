// SPDX-License-Identifier: Apache-2.0
// Dispatches: arguments from descriptor sets, push and specialization constants, bases, counts from a buffer, replays.
import {
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_SHADER_STAGE_COMPUTE_BIT,
  vkCmdDispatch,
  vkCmdDispatchBase,
  vkCmdDispatchIndirect,
  vkCmdPushConstants,
  vkCreatePipelineLayout,
  vkQueueSubmit,
  vkQueueWaitIdle,
} from "@muxkit/vulkan";
import { expect, test } from "vitest";

import {
  STORAGE,
  adder,
  barrier,
  bind,
  device,
  newPipeline,
  newSet,
  queue,
  record,
  run,
  setLayout,
  words,
  writeSet,
} from "./rig.ts";

test("push constants and specialization constants reach the shader", () => {
  const { layout, pipeline, set } = adder(4, 10);
  const data = words([1, 2, 3, 4, 5, 6]);
  const bound = newSet(set);
  writeSet(bound, 0, [data.buffer]);
  run((commands) => {
    bind(commands, pipeline, layout, [bound]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
    vkCmdDispatch(commands, 2, 1, 1);
    barrier(commands);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(100));
    vkCmdDispatch(commands, 1, 1, 1);
  });
  expect([...data.words]).toEqual([1011, 1012, 1013, 1014, 15, 16]);
});

test("two sets, an array of buffers, and a uniform buffer", () => {
  const sets = [
    setLayout([
      [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1],
      [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2],
    ]),
    setLayout([STORAGE]),
  ] as const;
  const layout = vkCreatePipelineLayout(device, { pSetLayouts: sets });
  const pipeline = newPipeline("copy", layout);
  const [parameters, even, odd, target] = [words([1000, 0, 0, 0]), words(8), words(8), words(8)];
  even.words.fill(1);
  odd.words.fill(2);
  const [one, two] = [newSet(sets[0]), newSet(sets[1])];
  writeSet(one, 0, [parameters.buffer], VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  writeSet(one, 1, [even.buffer, odd.buffer]);
  writeSet(two, 0, [target.buffer]);
  run((commands) => {
    bind(commands, pipeline, layout, [one, two]);
    vkCmdDispatch(commands, 2, 1, 1);
  });
  expect([...target.words]).toEqual([1001, 1001, 1001, 1001, 1102, 1102, 1102, 1102]);
});

test("work-groups from a base on", () => {
  const { layout, pipeline, set } = adder(2);
  const data = words(8);
  const bound = newSet(set);
  writeSet(bound, 0, [data.buffer]);
  run((commands) => {
    bind(commands, pipeline, layout, [bound]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(7));
    vkCmdDispatchBase(commands, 1, 0, 0, 2, 1, 1);
  });
  expect([...data.words]).toEqual([0, 0, 7, 7, 7, 7, 0, 0]);
});

test("work-groups that a buffer counts when the command runs", () => {
  const { layout, pipeline, set } = adder(2);
  const [data, counts] = [words(8), words([9, 0, 1, 1])];
  const [bound, ofCounts] = [newSet(set), newSet(set)];
  writeSet(bound, 0, [data.buffer]);
  writeSet(ofCounts, 0, [counts.buffer]);
  const commands = record((to) => {
    // Three groups: the shader itself counts them.
    bind(to, pipeline, layout, [ofCounts]);
    vkCmdPushConstants(to, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(3));
    vkCmdDispatch(to, 1, 1, 1);
    barrier(to);
    bind(to, pipeline, layout, [bound]);
    vkCmdPushConstants(to, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(5));
    vkCmdDispatchIndirect(to, counts.buffer, 4);
    barrier(to);
    vkCmdDispatch(to, 1, 1, 1);
  });
  vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
  vkQueueWaitIdle(queue);
  expect([...data.words]).toEqual([10, 10, 5, 5, 5, 5, 0, 0]);
});

test("a command buffer is submitted again, also while it is in flight", () => {
  const { layout, pipeline, set } = adder(4);
  const data = words(4);
  const bound = newSet(set);
  writeSet(bound, 0, [data.buffer]);
  const commands = record((to) => {
    bind(to, pipeline, layout, [bound]);
    vkCmdPushConstants(to, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(1));
    for (let i = 0; i < 10; i++) {
      vkCmdDispatch(to, 1, 1, 1);
      barrier(to);
    }
  }, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  for (let i = 0; i < 5; i++) vkQueueSubmit(queue, [{ pCommandBuffers: [commands, commands] }], null);
  vkQueueWaitIdle(queue);
  expect([...data.words]).toEqual([100, 100, 100, 100]);
});
