// SPDX-License-Identifier: Apache-2.0
// Runs a job's compute shader through the Vulkan API, step by step as benchmarks/vkrun.c does, and reports the fields
// that the OpenCL way reports.
import { SCALAR_ARRAYS, type ScalarArray } from "@muxkit/cargo";
import type { HostOptions } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import { MuxDeviceType, muxGetDeviceInfos } from "@muxkit/mux";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_API_VERSION_1_3,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
  type VkBuffer,
  type VkCommandBuffer,
  type VkDevice,
  type VkInstance,
  type VkPhysicalDevice,
  type VkPipeline,
  type VkPipelineLayout,
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
  vkCmdPipelineBarrier,
  vkCmdPushConstants,
  vkCreateBuffer,
  vkCreateCommandPool,
  vkCreateComputePipelines,
  vkCreateDescriptorPool,
  vkCreateDescriptorSetLayout,
  vkCreateDevice,
  vkCreateInstance,
  vkCreatePipelineLayout,
  vkCreateShaderModule,
  vkEndCommandBuffer,
  vkEnumeratePhysicalDevices,
  vkGetBufferMemoryRequirements,
  vkGetDeviceQueue,
  vkGetPhysicalDeviceProperties,
  vkMapMemory,
  vkQueueSubmit,
  vkQueueWaitIdle,
  vkUpdateDescriptorSets,
} from "@muxkit/vulkan";

import { VERSION } from "../command/version.ts";
import { registerHost } from "../register-host.ts";
import { inputsOf } from "./arguments.ts";
import { type Job, JobError } from "./job.ts";
import {
  type DataArgument,
  type JobReport,
  type RunOptions,
  dumpOutputs,
  reportInputs,
  reportOutputs,
  timeRuns,
} from "./report.ts";
import { shaderOf } from "./shader-file.ts";
import { type ShaderInterface, interfaceOf } from "./shader-interface.ts";
import { reportTimes } from "./statistics.ts";

/** A buffer of the job, which the host sees. */
interface BoundBuffer extends DataArgument {
  readonly buffer: VkBuffer;
  readonly bytes: Uint8Array;
}

/** The element of a list that has one. */
function only<T>([element]: readonly T[], what: string): T {
  if (element === undefined) throw new Error(`there is no ${what}`);
  return element;
}

function bytesOf(elements: ScalarArray): Uint8Array {
  return new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
}

const nameOf = (one: VkPhysicalDevice): string => vkGetPhysicalDeviceProperties(one).deviceName;

/** The host for these options, or the first device whose name contains a text. */
function deviceFor(instance: VkInstance, { device, threads }: RunOptions): VkPhysicalDevice {
  const host: HostOptions = threads === null ? {} : { threads };
  const target = registerHost(host);
  const all = vkEnumeratePhysicalDevices(instance);
  if (device === null) {
    const infos = muxGetDeviceInfos(MuxDeviceType.all);
    const at = infos.ok ? infos.value.findIndex(({ id }) => (id & 0xff) === target) : -1;
    return only(at < 0 ? [] : all.slice(at), "device of the host");
  }
  const found = all.find((one) => nameOf(one).toLowerCase().includes(device.toLowerCase()));
  if (found !== undefined) return found;
  throw new JobError(
    `no device name contains "${device}"; the devices are ${all.map((one) => `"${nameOf(one)}"`).join(", ")}. ` +
      "MUXKIT_TARGETS lists modules of further targets",
  );
}

interface Layout {
  readonly layout: VkPipelineLayout;
  readonly setLayout: ReturnType<typeof vkCreateDescriptorSetLayout>;
}

const typeOf = ({ binding: { kind } }: ShaderInterface["bound"][number]) =>
  kind === "uniform-buffer" ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

function createLayout(device: VkDevice, { bound, pushConstants }: ShaderInterface): Layout {
  const setLayout = vkCreateDescriptorSetLayout(device, {
    pBindings: bound.map((row) => ({
      binding: row.binding.binding,
      descriptorType: typeOf(row),
      descriptorCount: 1,
      stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
    })),
  });
  const size = pushConstants.length;
  const layout = vkCreatePipelineLayout(device, {
    pSetLayouts: [setLayout],
    pPushConstantRanges: size === 0 ? [] : [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size }],
  });
  return { layout, setLayout };
}

function createPipeline(
  device: VkDevice,
  layout: VkPipelineLayout,
  code: Uint8Array,
  { entry, localSize }: ShaderInterface,
): VkPipeline {
  const module = vkCreateShaderModule(device, { pCode: code });
  const stage = {
    stage: VK_SHADER_STAGE_COMPUTE_BIT,
    module,
    pName: entry.name,
    pSpecializationInfo: {
      pMapEntries: [0, 1, 2].map((constantID) => ({ constantID, offset: 4 * constantID, size: 4 })),
      pData: localSize,
    },
  };
  return only(vkCreateComputePipelines(device, null, [{ stage, layout }]), "pipeline");
}

/** A buffer with memory of its own, which is mapped and holds the input. */
function createBuffer(device: VkDevice, item: DataArgument): BoundBuffer {
  const buffer = vkCreateBuffer(device, {
    size: item.input.byteLength,
    usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  });
  const { size } = vkGetBufferMemoryRequirements(device, buffer);
  const memory = vkAllocateMemory(device, { allocationSize: size, memoryTypeIndex: 0 });
  vkBindBufferMemory(device, buffer, memory, 0);
  const mapped = vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0);
  const bytes = new Uint8Array(mapped.buffer, mapped.byteOffset, item.input.byteLength);
  bytes.set(bytesOf(item.input));
  return { ...item, buffer, bytes };
}

function createBuffers(job: Job, device: VkDevice, inputs: ReadonlyMap<number, ScalarArray>): readonly BoundBuffer[] {
  return job.arguments.flatMap((argument, index) => {
    if (argument.kind !== "buffer") return [];
    const input = inputs.get(index) ?? new SCALAR_ARRAYS[argument.type](argument.count);
    const output = argument.access === "r" ? null : new SCALAR_ARRAYS[argument.type](argument.count);
    return [createBuffer(device, { index, argument, input, output })];
  });
}

/** What records the command buffers of a job. */
interface Recorder {
  /** A command buffer of so many dispatches, each of which sees what the ones before it wrote. */
  readonly record: (dispatches: number) => VkCommandBuffer;
}

function createRecorder(
  device: VkDevice,
  pipeline: VkPipeline,
  { layout, setLayout }: Layout,
  shader: ShaderInterface,
  buffers: readonly BoundBuffer[],
): Recorder {
  const { bound, groups, pushConstants } = shader;
  const types = new Set(bound.map(typeOf));
  const descriptorPool = vkCreateDescriptorPool(device, {
    maxSets: 1,
    pPoolSizes: [...types].map((type) => ({ type, descriptorCount: bound.length })),
  });
  const dstSet = only(vkAllocateDescriptorSets(device, { descriptorPool, pSetLayouts: [setLayout] }), "set");
  vkUpdateDescriptorSets(
    device,
    bound.map((row) => ({
      dstSet,
      dstBinding: row.binding.binding,
      descriptorType: typeOf(row),
      pBufferInfo: buffers
        .filter(({ index }) => index === row.index)
        .map(({ buffer }) => ({ buffer, offset: 0, range: VK_WHOLE_SIZE })),
    })),
  );
  const commandPool = vkCreateCommandPool(device, { queueFamilyIndex: 0 });
  const record = (dispatches: number): VkCommandBuffer => {
    const commands = only(
      vkAllocateCommandBuffers(device, { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 }),
      "command buffer",
    );
    vkBeginCommandBuffer(commands, {});
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [dstSet]);
    if (pushConstants.length > 0) vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstants);
    for (let i = 0; i < dispatches; i++) {
      vkCmdDispatch(commands, ...groups);
      const barrier = {
        srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT,
        dstAccessMask: VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT,
      };
      vkCmdPipelineBarrier(
        commands,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
        0,
        [barrier],
        [],
        [],
      );
    }
    vkEndCommandBuffer(commands);
    return commands;
  };
  return { record };
}

function run(job: Job, options: RunOptions, whenBuilt: () => void, instance: VkInstance): JobReport {
  const inputsBegin = performance.now();
  const inputs = inputsOf(job);
  const code = shaderOf(job);
  const shader = interfaceOf(job, code);

  const begin = performance.now();
  const physical = deviceFor(instance, options);
  const device = vkCreateDevice(physical, { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  try {
    return runOn(job, options, whenBuilt, { physical, device, inputs, code, shader, inputsBegin, begin });
  } finally {
    // What was made of it goes with it.
    device[Symbol.dispose]();
  }
}

/** What a run begins with. */
interface Started {
  readonly physical: VkPhysicalDevice;
  readonly device: VkDevice;
  readonly inputs: ReadonlyMap<number, ScalarArray>;
  readonly code: Uint8Array;
  readonly shader: ShaderInterface;
  /** When making the inputs and opening the device began, in ms. */
  readonly inputsBegin: number;
  readonly begin: number;
}

function runOn(job: Job, options: RunOptions, whenBuilt: () => void, started: Started): JobReport {
  const { physical, device, inputs, code, shader, inputsBegin, begin } = started;
  const queue = vkGetDeviceQueue(device, 0, 0);
  const layout = createLayout(device, shader);
  const ready = performance.now();
  const pipeline = createPipeline(device, layout.layout, code, shader);
  const built = performance.now();
  whenBuilt();
  const data = createBuffers(job, device, inputs);
  const { record } = createRecorder(device, pipeline, layout, shader, data);
  const [one, timed] = [record(1), record(job.enqueues)];
  const uploaded = performance.now();
  const submit = (commands: VkCommandBuffer): void => {
    vkQueueSubmit(queue, [{ pCommandBuffers: [commands] }], null);
    vkQueueWaitIdle(queue);
  };
  submit(one);
  const first = performance.now();
  for (const { output, bytes } of data) if (output !== null) bytesOf(output).set(bytes);
  const read = performance.now();

  if (options.dump !== null) dumpOutputs(job, data, options.dump);
  const reset = (): void => {
    if (job.reset)
      for (const { argument, bytes, input } of data) if (argument.access === "rw") bytes.set(bytesOf(input));
  };
  const { times, contention } = timeRuns(job, options, reset, () => {
    submit(timed);
  });
  const { deviceName } = vkGetPhysicalDeviceProperties(physical);
  const infos = muxGetDeviceInfos(MuxDeviceType.all);
  const info = infos.ok ? infos.value.find((row) => row.deviceName === deviceName) : undefined;
  return {
    name: job.name,
    platform: "Vulkan 1.3",
    device: deviceName,
    driver: VERSION,
    options: "",
    enqueues: job.enqueues,
    input_ms: begin - inputsBegin,
    setup_ms: ready - begin,
    build_ms: built - ready,
    upload_ms: uploaded - built,
    first_ms: first - uploaded,
    read_ms: read - first,
    ...reportTimes(times),
    ...contention,
    threads: options.threads ?? info?.computeUnits ?? 1,
    ...(options.check ? { outputs: reportOutputs(job, data) } : {}),
    ...(options.inputs ? { inputs: reportInputs(data) } : {}),
  };
}

/** Runs a job's shader. `whenBuilt` is told before the first dispatch. Throws a {@link JobError}. */
export function runVulkanJob(job: Job, options: RunOptions, whenBuilt: () => void): JobReport {
  setCompilers({ compilers });
  registerHost(options.threads === null ? {} : { threads: options.threads });
  const instance = vkCreateInstance({
    pApplicationInfo: { pApplicationName: "muxkit run", apiVersion: VK_API_VERSION_1_3 },
  });
  try {
    return run(job, options, whenBuilt, instance);
  } catch (error) {
    // The program's commands know the errors of jobs; the cause is kept.
    if (error instanceof VulkanError) throw new JobError(`${job.name}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    instance[Symbol.dispose]();
  }
}
