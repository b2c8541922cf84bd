// SPDX-License-Identifier: Apache-2.0
// What Vulkan's calls cost, as JSON on one line: the same steps as `vulkan.c`, in the same order, then the replay of
// 1,000 dispatches beside OpenCL's command buffers, which take turns. The argument is the shader as SPIR-V.
import { readFileSync } from "node:fs";

import { compilers } from "@muxkit/host-compiler";
import { openDeviceSync } from "muxkit";
import {
  CL_MEM_READ_WRITE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  clBuildProgram,
  clCommandNDRangeKernelKHR,
  clCreateBuffer,
  clCreateCommandBufferKHR,
  clCreateCommandQueue,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueCommandBufferKHR,
  clFinalizeCommandBufferKHR,
  clFinish,
  clReleaseEvent,
  clSetKernelArg,
} from "muxkit/opencl";
import {
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
  VK_VALIDATION_FEATURE_DISABLE_ALL_EXT,
  VK_WHOLE_SIZE,
  type VkCommandBuffer,
  type VkDevice,
  type VkQueue,
  setCompilers,
  vkAllocateCommandBuffers,
  vkAllocateDescriptorSets,
  vkAllocateMemory,
  vkBeginCommandBuffer,
  vkBindBufferMemory,
  vkCmdBindDescriptorSets,
  vkCmdBindPipeline,
  vkCmdDispatch,
  vkCmdPipelineBarrier,
  vkCmdPushConstants,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateComputePipelines,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreateDevice,
  vkCreateFence,
  vkCreateInstance,
  vkCreatePipelineLayout,
  vkCreateShaderModule,
  vkEndCommandBuffer,
  vkEnumeratePhysicalDevices,
  vkGetDeviceQueue,
  vkQueueSubmit,
  vkResetFences,
  vkUpdateDescriptorSets,
  vkWaitForFences,
} from "@muxkit/vulkan";

import { median } from "../median.ts";

const [, , shaderFile = ""] = process.argv;
const code = new Uint8Array(readFileSync(shaderFile));

const GROUP = 64;
const DISPATCHES = 1000;
/** Work-items of a dispatch of the replays: one group, and several. */
const SIZES = { small: GROUP, medium: GROUP * 64 } as const;
const WORDS: number = DISPATCHES * SIZES.medium;
const SUBMISSIONS = 3000;
const REPLAYS = 40;

/** The element of a list that has one. */
function only<T>([element]: readonly T[]): T {
  if (element === undefined) throw new Error("the list is empty");
  return element;
}

/** A device with the shader, and what records command buffers for it. */
interface Side {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  /** So many dispatches of so many work-items; apart: each has words of its own, and no barrier is between them. */
  readonly record: (dispatches: number, items: number, isApart: boolean) => VkCommandBuffer;
}

function openVulkan(validates: boolean): Side {
  const instance = vkCreateInstance(
    validates
      ? {}
      : {
          pNext: {
            sType: VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
            pDisabledValidationFeatures: [VK_VALIDATION_FEATURE_DISABLE_ALL_EXT],
          },
        },
  );
  const physical = only(vkEnumeratePhysicalDevices(instance));
  const device = vkCreateDevice(physical, { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const setLayout = vkCreateDescriptorSetLayout(device, {
    pBindings: [
      {
        binding: 0,
        descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        descriptorCount: 1,
        stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
      },
    ],
  });
  const layout = vkCreatePipelineLayout(device, {
    pSetLayouts: [setLayout],
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 4 }],
  });
  const module = vkCreateShaderModule(device, { pCode: code });
  const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" };
  const pipeline = only(vkCreateComputePipelines(device, null, [{ stage, layout }]));
  const buffer = vkCreateBuffer(device, { size: WORDS * 4, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
  const memory = vkAllocateMemory(device, { allocationSize: WORDS * 4, memoryTypeIndex: 0 });
  vkBindBufferMemory(device, buffer, memory, 0);
  const descriptorPool = vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }],
  });
  const dstSet = only(vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [setLayout] }));
  const pBufferInfo = [{ buffer, offset: 0, range: VK_WHOLE_SIZE }];
  vkUpdateDescriptorSets(device, [
    { dstSet, dstBinding: 0, descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pBufferInfo },
  ]);
  const commandPool = vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  const record = (dispatches: number, items: number, isApart: boolean): VkCommandBuffer => {
    const commands = only(
      vkAllocateCommandBuffers(device, { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 }),
    );
    vkBeginCommandBuffer(commands, {});
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [dstSet]);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(0));
    for (let i = 0; i < dispatches; i++) {
      if (isApart && i > 0)
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, Uint32Array.of(i * items));
      if (!isApart && i > 0) {
        const [srcAccessMask, dstAccessMask] = [
          VK_ACCESS_SHADER_WRITE_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        ];
        const compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        vkCmdPipelineBarrier(commands, compute, compute, 0, [{ srcAccessMask, dstAccessMask }], [], []);
      }
      vkCmdDispatch(commands, items / GROUP, 1, 1);
    }
    vkEndCommandBuffer(commands);
    return commands;
  };
  return { device, queue: vkGetDeviceQueue(device, 0, 0), record };
}

/** Microseconds of a submission with a fence, and of it and the wait. */
function submissions({ device, queue, record }: Side): { readonly submit: number; readonly roundTrip: number } {
  const submits = [{ pCommandBuffers: [record(1, GROUP, false)] }];
  const fence = vkCreateFence(device, {});
  const fences = [fence];
  const [submit, roundTrip]: [number[], number[]] = [[], []];
  for (let i = 0; i < SUBMISSIONS * 2; i++) {
    const begin = performance.now();
    vkQueueSubmit(queue, submits, fence);
    const submitted = performance.now();
    vkWaitForFences(device, fences, true, Infinity);
    const waited = performance.now();
    vkResetFences(device, fences);
    if (i < SUBMISSIONS) continue;
    submit.push((submitted - begin) * 1e3);
    roundTrip.push((waited - begin) * 1e3);
  }
  return { submit: median(submit), roundTrip: median(roundTrip) };
}

const SOURCE = "kernel void small(global int* data, uint first) { data[first + get_global_id(0)] += 1; }";

/** Replays of OpenCL's command buffers. */
function openOpenCl(): {
  readonly replay: (items: number, isApart: boolean) => () => void;
  readonly close: () => void;
} {
  const device = openDeviceSync();
  const { context } = device;
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "small");
  const data = clCreateBuffer(context, CL_MEM_READ_WRITE, WORDS * 4);
  clSetKernelArg(kernel, 0, data);
  const replay = (items: number, isApart: boolean) => {
    const queue = clCreateCommandQueue(
      context,
      only(context.devices),
      isApart ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
    );
    const commands = clCreateCommandBufferKHR([queue]);
    for (let i = 0; i < DISPATCHES; i++) {
      clSetKernelArg(kernel, 1, Uint32Array.of(isApart ? i * items : 0));
      clCommandNDRangeKernelKHR(commands, null, null, kernel, 1, null, [items], [GROUP]);
    }
    clFinalizeCommandBufferKHR(commands);
    return () => {
      clReleaseEvent(clEnqueueCommandBufferKHR(null, commands));
      clFinish(queue);
    };
  };
  return {
    replay,
    close: () => {
      device.close();
    },
  };
}

setCompilers({ compilers });
const openCl = openOpenCl();
const unchecked = openVulkan(false);
const figures: Record<string, number> = { ...submissions(unchecked) };
const checked = submissions(openVulkan(true));
figures["submitChecked"] = checked.submit;
figures["roundTripChecked"] = checked.roundTrip;

const microseconds = (run: () => void): number => {
  const begin = performance.now();
  run();
  return (performance.now() - begin) * 1e3;
};
const { device, queue } = unchecked;
const fences = [vkCreateFence(device, {})];
for (const [size, items] of Object.entries(SIZES))
  for (const isApart of [false, true]) {
    const submits = [{ pCommandBuffers: [unchecked.record(DISPATCHES, items, isApart)] }];
    const ours = (): void => {
      vkQueueSubmit(queue, submits, only(fences));
      vkWaitForFences(device, fences, true, Infinity);
      vkResetFences(device, fences);
    };
    const theirs = openCl.replay(items, isApart);
    const [times, openClTimes]: [number[], number[]] = [[], []];
    for (let i = 0; i < REPLAYS; i++) {
      times.push(microseconds(ours));
      openClTimes.push(microseconds(theirs));
    }
    const name = `${size}${isApart ? "Apart" : "Chain"}`;
    figures[name] = median(times.slice(REPLAYS >> 2));
    figures[`${name}OpenCl`] = median(openClTimes.slice(REPLAYS >> 2));
  }
openCl.close();
console.log(JSON.stringify(figures));
process.exit(0);
