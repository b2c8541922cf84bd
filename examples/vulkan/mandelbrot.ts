// SPDX-License-Identifier: Apache-2.0
// `node --conditions=source examples/vulkan/mandelbrot.ts`: the Mandelbrot set, in the steps of a Vulkan tutorial, as
// out/vulkan/mandelbrot.png. mandelbrot.spvasm is what glslang makes of mandelbrot.comp.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { registerTarget } from "@muxkit/mux";
import { assemble } from "@muxkit/spirv";
import {
  VK_API_VERSION_1_3,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
  VulkanError,
  setCompilers,
  vkAllocateCommandBuffers,
  vkAllocateDescriptorSets,
  vkAllocateMemory,
  vkBeginCommandBuffer,
  vkBindBufferMemory,
  vkCmdBindDescriptorSets,
  vkCmdBindPipeline,
  vkCmdDispatch,
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
  vkDestroyInstance,
  vkEndCommandBuffer,
  vkEnumeratePhysicalDevices,
  vkGetBufferMemoryRequirements,
  vkGetDeviceQueue,
  vkGetPhysicalDeviceProperties,
  vkMapMemory,
  vkQueueSubmit,
  vkUpdateDescriptorSets,
  vkWaitForFences,
} from "@muxkit/vulkan";
import { encode } from "fast-png";

const WIDTH = 1200;
const HEIGHT = 800;
const CORNER = [-2.2, -1.2] as const;
const STEP = 0.003;
const MOST = 256;
const GROUP = 16;

const root = resolve(import.meta.dirname, "..", "..");

/** The words of the shader. */
function shaderWords(): Uint32Array {
  const made = assemble(readFileSync(join(import.meta.dirname, "mandelbrot.spvasm"), "utf8"));
  if (!made.ok) throw new Error(`mandelbrot.spvasm, line ${made.error.line}: ${made.error.message}`);
  return made.value;
}

/** The element of a list that has one. */
function only<T>([element]: readonly T[], what: string): T {
  if (element === undefined) throw new Error(`there is no ${what}`);
  return element;
}

/** Draws the set. */
function draw(): Uint32Array {
  registerTarget(hostTarget());
  setCompilers({ compilers });
  const instance = vkCreateInstance({
    pApplicationInfo: { pApplicationName: "mandelbrot", apiVersion: VK_API_VERSION_1_3 },
  });
  const physicalDevice = only(vkEnumeratePhysicalDevices(instance), "device");
  console.log(vkGetPhysicalDeviceProperties(physicalDevice).deviceName);
  const device = vkCreateDevice(physicalDevice, {
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const queue = vkGetDeviceQueue(device, 0, 0);

  // The picture: a buffer, memory for it, and its bytes.
  const buffer = vkCreateBuffer(device, { size: WIDTH * HEIGHT * 4, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
  const { size } = vkGetBufferMemoryRequirements(device, buffer);
  const memory = vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 });
  vkBindBufferMemory(device, buffer, memory, 0);
  const bytes = vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0);

  // The pipeline: what is bound, the push constants, the shader.
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
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 20 }],
  });
  const module = vkCreateShaderModule(device, { pCode: shaderWords() });
  const pSpecializationInfo = {
    pMapEntries: [{ constantID: 0, offset: 0, size: 4 }],
    pData: Uint32Array.of(MOST),
  };
  const stage = { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main", pSpecializationInfo };
  const pipeline = only(vkCreateComputePipelines(device, null, [{ stage, layout }]), "pipeline");

  // The descriptor set.
  const descriptorPool = vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }],
  });
  const dstSet = only(vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [setLayout] }), "set");
  vkUpdateDescriptorSets(device, [
    {
      dstSet,
      dstBinding: 0,
      descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      pBufferInfo: [{ buffer, offset: 0, range: VK_WHOLE_SIZE }],
    },
  ]);

  // The commands.
  const commandPool = vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  const commands = only(
    vkAllocateCommandBuffers(device, { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 }),
    "command buffer",
  );
  const view = new DataView(new ArrayBuffer(20));
  for (const [i, value] of [...CORNER, STEP].entries()) view.setFloat32(i * 4, value, true);
  for (const [i, value] of [WIDTH, HEIGHT].entries()) view.setUint32(12 + i * 4, value, true);
  vkBeginCommandBuffer(commands, { flags: VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT });
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [dstSet]);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, view);
  vkCmdDispatch(commands, Math.ceil(WIDTH / GROUP), Math.ceil(HEIGHT / GROUP), 1);
  vkEndCommandBuffer(commands);

  const fence = vkCreateFence(device, {});
  const begin = performance.now();
  vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], fence);
  vkWaitForFences(device, [fence], true, Infinity);
  console.log(`${WIDTH} x ${HEIGHT} pixels in ${(performance.now() - begin).toFixed(1)} ms`);
  const pixels = new Uint32Array(bytes.slice().buffer, 0, WIDTH * HEIGHT);

  const objects = [fence, commandPool, descriptorPool, pipeline, module, layout, setLayout, buffer, memory, device];
  for (const object of objects) object[Symbol.dispose]();
  vkDestroyInstance(instance);
  return pixels;
}

/** The colour of a pixel, in plain TypeScript and floats of 32 bits. */
function reference(column: number, row: number): number {
  const { fround } = Math;
  const step = fround(STEP);
  const cx = fround(fround(CORNER[0]) + fround(column * step));
  const cy = fround(fround(CORNER[1]) + fround(row * step));
  let [x, y, count] = [0, 0, 0];
  while (count < MOST && fround(fround(x * x) + fround(y * y)) <= 4) {
    const next = fround(fround(fround(x * x) - fround(y * y)) + cx);
    y = fround(fround(fround(2 * x) * y) + cy);
    x = next;
    count++;
  }
  if (count === MOST) return 0xff00_0000;
  return (
    (Math.min(255, count * 2) |
      (Math.min(255, count * 5) << 8) |
      (Math.min(255, 40 + count * 9) << 16) |
      (255 << 24)) >>>
    0
  );
}

/** How many pixels are not as the reference has them. */
function differing(pixels: Uint32Array): number {
  let count = 0;
  for (let row = 0; row < HEIGHT; row++)
    for (let column = 0; column < WIDTH; column++) if (pixels[row * WIDTH + column] !== reference(column, row)) count++;
  return count;
}

try {
  const pixels = draw();
  const path = join(root, "out", "vulkan", "mandelbrot.png");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, encode({ width: WIDTH, height: HEIGHT, data: new Uint8Array(pixels.buffer), channels: 4 }));
  const wrong = differing(pixels);
  console.log(`${relative(root, path)}: ${wrong === 0 ? "as the reference" : `${wrong} pixels are wrong`}`);
  process.exitCode = wrong === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof VulkanError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
