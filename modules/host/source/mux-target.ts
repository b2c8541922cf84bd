// SPDX-License-Identifier: Apache-2.0
// The host as a mux target: entry points in terms of the host's own objects. The front has checked what the
// reference requires.
import { assert, copyBytes, ok, type Result } from "@muxkit/cargo";
import { regionBoxes } from "@muxkit/hal";
import {
  type MuxBuffer,
  MuxDescriptorType,
  type MuxDescriptorInfo,
  type MuxDevice,
  type MuxFailure,
  type MuxKernel,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  type MuxQueue,
  MuxResult,
  type MuxTarget,
  MuxWfvStatus,
  muxError,
  type MuxQueryCounterConfig,
  MuxQueryCounterStorage,
  MuxQueryType,
} from "@muxkit/mux";

import { COUNTERS } from "./counters.table.ts";
import { HostPlatform, type WaitResult } from "./device.ts";
import { LOCAL_MEMORY } from "./device-info.ts";
import type { HostError } from "./host-error.ts";
import type { HostArgument } from "./launch-request.ts";
import { selectVariant } from "./loaded-executable.ts";
import {
  HostMuxBuffer,
  HostMuxCommandBuffer,
  HostMuxDevice,
  HostMuxExecutable,
  HostMuxFence,
  HostMuxImage,
  HostMuxKernel,
  HostMuxLaunch,
  HostMuxMemory,
  HostMuxQueryPool,
  HostMuxQueue,
  HostMuxSemaphore,
} from "./mux-objects.ts";
import { IMAGES, samplerBytes } from "./mux-images.ts";
import type { HostOptions } from "./options.ts";
import { checkSettings } from "./settings.table.ts";
import { SYSTEM } from "./system.ts";
import { RESULTS, commandIdOf, failed, failedWith, own, recordCommand, recordBoxCommands } from "./mux-recording.ts";

const HEAP = 1;

/**
 * Makes the host target: register it with `registerTarget`. Options hold for every device that it opens. Throws a
 * SettingError for a value that an option, or its environment variable, cannot have.
 *
 * @public
 */
export function hostTarget(options: HostOptions = {}): MuxTarget {
  // Before anything is registered: a target that cannot list its devices would block the others.
  checkSettings(options);
  const platforms = new Map<number, HostPlatform>();
  const target: MuxTarget = {
    name: "host",
    getDeviceInfos: (number) => {
      let platform = platforms.get(number);
      if (platform === undefined) {
        platform = new HostPlatform(options, number);
        platforms.set(number, platform);
      }
      return [platform.deviceInfo];
    },
    createDevice: (info) => {
      const platform = platforms.get(info.id & 0xff);
      if (platform === undefined)
        return failed(MuxResult.error_invalid_value, "the device info is not one of the host target's");
      const device = platform.openDevice(info);
      return device.ok ? ok(new HostMuxDevice(info, target, device.value)) : failedWith(device.error);
    },
    // Who opens the whole device twice wants two; parts are parts of one.
    sharesObjects: (left, right) =>
      left.info !== right.info && deviceOf(left).host.sharesMemoryWith(deviceOf(right).host),
    ...MEMORY,
    ...PROGRAMS,
    ...SYNCHRONISATION,
    ...COMMANDS,
    ...IMAGES,
  };
  return target;
}

function unsupported(what: string): Result<never, MuxFailure> {
  return failed(MuxResult.error_feature_unsupported, `the host device has no ${what}`);
}

function deviceOf(device: MuxDevice): HostMuxDevice {
  return own(device, HostMuxDevice);
}

const MEMORY: Pick<
  MuxTarget,
  | "destroyDevice"
  | "allocateMemory"
  | "createMemoryFromHost"
  | "freeMemory"
  | "mapMemory"
  | "unmapMemory"
  | "flushMappedMemoryToDevice"
  | "flushMappedMemoryFromDevice"
  | "createBuffer"
  | "destroyBuffer"
  | "bindBufferMemory"
  | "getQueue"
> = {
  destroyDevice: (device) => {
    deviceOf(device).host.close();
  },
  allocateMemory: (device, size, heap, memoryProperties, _allocationType, alignment) => {
    if ((heap & HEAP) === 0) return failed(MuxResult.error_invalid_value, `the host device has only heap ${HEAP}`);
    const block = deviceOf(device).host.createBuffer(size, Math.max(1, alignment));
    return block.ok
      ? ok(new HostMuxMemory(device, block.value, memoryProperties, null, true))
      : failedWith(block.error);
  },
  createMemoryFromHost: (device, hostPointer) => {
    const { host } = deviceOf(device);
    const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
    const inside = host.bufferOf(hostPointer);
    if (inside !== null)
      return ok(new HostMuxMemory(device, inside, properties | MuxMemoryProperty.host_coherent, null, false));
    const block = host.createBuffer(hostPointer.length);
    if (!block.ok) return failedWith(block.error);
    // The caller's array cannot be in device memory, so it is copied in here and at unmap, and out at map (decision
    // 33).
    copyBytes(block.value.view(), 0, hostPointer);
    return ok(new HostMuxMemory(device, block.value, properties, hostPointer, true));
  },
  freeMemory: (device, memory) => {
    const { block, owns } = own(memory, HostMuxMemory);
    if (!owns) return;
    deviceOf(device).host.forget(block);
    const freed = block.destroy();
    // A call without a result cannot return an error, and a damaged red zone must not go unnoticed.
    if (!freed.ok) SYSTEM.warn(freed.error.message, "MuxkitRedZone");
  },
  mapMemory: (device, memory, offset, size) => {
    const mapped = own(memory, HostMuxMemory);
    mapped.mapping = { offset, size };
    if (mapped.array === null) {
      deviceOf(device).host.remember(mapped.block);
      return ok(mapped.block.view(offset, size));
    }
    const view = mapped.array.subarray(offset, offset + size);
    copyBytes(view, 0, mapped.block.view(offset, size));
    return ok(view);
  },
  unmapMemory: (_device, memory) => {
    const mapped = own(memory, HostMuxMemory);
    const { mapping } = mapped;
    mapped.mapping = null;
    if (mapping !== null) copyIn(mapped, mapping.offset, mapping.size);
    return ok(undefined);
  },
  flushMappedMemoryToDevice: (_device, memory, offset, size) => {
    copyIn(own(memory, HostMuxMemory), offset, size);
    return ok(undefined);
  },
  flushMappedMemoryFromDevice: (_device, memory, offset, size) => {
    const { array, block } = own(memory, HostMuxMemory);
    if (array !== null) copyBytes(array, offset, block.view(offset, size));
    return ok(undefined);
  },
  createBuffer: (device, size) => ok(new HostMuxBuffer(device, size, device.info.bufferAlignment)),
  destroyBuffer: () => {
    // A buffer has no storage of its own.
  },
  bindBufferMemory: (_device, memory, buffer, offset) => {
    own(buffer, HostMuxBuffer).address = own(memory, HostMuxMemory).block.address + offset;
    return ok(undefined);
  },
  getQueue: (device) => ok(deviceOf(device).queue),
};

function copyIn({ array, block }: HostMuxMemory, offset: number, size: number): void {
  if (array !== null) copyBytes(block.view(offset, size), 0, array.subarray(offset, offset + size));
}

/** Work-items of a sub-group of a kernel: the same in all its variants. */
function subGroupSize(kernel: MuxKernel): number {
  return own(kernel, HostMuxKernel).host.metadata.variants[0]?.subGroupSize ?? 1;
}

/** Sub-groups of a work-group of a size. */
function subGroups(kernel: MuxKernel, [x, y, z]: readonly [number, number, number]): number {
  return Math.ceil((x * y * z) / subGroupSize(kernel));
}

const PROGRAMS: Pick<
  MuxTarget,
  | "createExecutable"
  | "destroyExecutable"
  | "createKernel"
  | "createBuiltInKernel"
  | "queryMaxNumSubGroups"
  | "queryLocalSizeForSubGroupCount"
  | "querySubGroupSizeForLocalSize"
  | "queryWFVInfoForLocalSize"
  | "destroyKernel"
  | "createLaunch"
  | "destroyLaunch"
> = {
  createExecutable: (device, binary) => {
    const executable = deviceOf(device).host.createExecutable(binary);
    return executable.ok ? ok(new HostMuxExecutable(device, executable.value)) : failedWith(executable.error);
  },
  destroyExecutable: (_device, executable) => {
    own(executable, HostMuxExecutable).host.destroy();
  },
  createKernel: (device, executable, name) => {
    const kernel = own(executable, HostMuxExecutable).host.kernel(name);
    return kernel.ok ? ok(new HostMuxKernel(device, kernel.value)) : failedWith(kernel.error);
  },
  createBuiltInKernel: () => unsupported("built-in kernels"),
  queryMaxNumSubGroups: (kernel) => ok(Math.ceil(kernel.device.info.maxConcurrentWorkItems / subGroupSize(kernel))),
  queryLocalSizeForSubGroupCount: (kernel, count) => {
    const items = count * subGroupSize(kernel);
    const required = own(kernel, HostMuxKernel).host.metadata.requiredWorkGroupSize;
    if (required !== null) return ok(subGroups(kernel, required) === count ? required : [0, 0, 0]);
    return ok(items <= kernel.device.info.maxConcurrentWorkItems ? [items, 1, 1] : [0, 0, 0]);
  },
  querySubGroupSizeForLocalSize: (kernel, x, y, z) => ok(Math.min(subGroupSize(kernel), x * y * z)),
  queryWFVInfoForLocalSize: (kernel, x, y, z) => {
    const code = selectVariant(own(kernel, HostMuxKernel).host.loaded, [x, y, z], true, true);
    if (code === null || code.variant.vectorWidth === 1) return ok({ status: MuxWfvStatus.none, workWidth: [1, 1, 1] });
    const workWidth: [number, number, number] = [1, 1, 1];
    workWidth[code.variant.vectorDimension] = code.variant.vectorWidth;
    return ok({ status: MuxWfvStatus.success, workWidth });
  },
  destroyKernel: () => {
    // A kernel is a view of its executable.
  },
  createLaunch: (kernel, options) => {
    const list = argumentsOf(options.descriptors);
    if (!list.ok) return list;
    const launch = deviceOf(kernel.device).host.prepare({
      kernel: own(kernel, HostMuxKernel).host,
      arguments: list.value,
      ...rangeOf(options),
    });
    return launch.ok ? ok(new HostMuxLaunch(kernel, launch.value)) : failedWith(launch.error);
  },
  destroyLaunch: (_device, launch) => {
    own(launch, HostMuxLaunch).host.unuse();
  },
};

function waited(
  result: Result<WaitResult, HostError>,
  commandNumbers: readonly number[],
): Result<"ready" | "not_ready", MuxFailure> {
  if (!result.ok) return failedWith(result.error, commandNumbers);
  return ok(result.value === "success" ? "ready" : "not_ready");
}

/** The numbers of counters that there are. */
function knownCounters(configs: readonly MuxQueryCounterConfig[]): Result<readonly number[], MuxFailure> {
  // The front does not look into the list.
  const numbers = configs.map((config: MuxQueryCounterConfig | null | undefined) => config?.uuid);
  if (!numbers.every((uuid) => Number.isInteger(uuid)))
    return failed(MuxResult.error_invalid_value, "the list has something that is no counter");
  const unknown = numbers.find((uuid) => COUNTERS[uuid ?? -1] === undefined);
  return unknown === undefined
    ? ok(numbers.map((uuid) => uuid ?? 0))
    : failed(
        MuxResult.error_feature_unsupported,
        `there is no counter ${unknown}: the device has 0 to ${COUNTERS.length - 1}`,
      );
}

const SYNCHRONISATION: Pick<
  MuxTarget,
  | "createFence"
  | "destroyFence"
  | "createSemaphore"
  | "destroySemaphore"
  | "createQueryPool"
  | "destroyQueryPool"
  | "getQueryCounterRequiredPasses"
  | "getQueryPoolResults"
  | "getSupportedQueryCounters"
  | "dispatch"
  | "tryWait"
  | "waitAll"
  | "waitAllAsync"
  | "tryWaitAsync"
> = {
  createFence: (device) => {
    const fence = deviceOf(device).host.createFence();
    return fence.ok ? ok(new HostMuxFence(device, fence.value)) : failedWith(fence.error);
  },
  destroyFence: (_device, fence) => {
    // A fence of a dispatch in flight stays with it: its slot comes back with the device.
    void own(fence, HostMuxFence).host.destroy();
  },
  createSemaphore: (device) => {
    const semaphore = deviceOf(device).host.createSemaphore();
    return semaphore.ok ? ok(new HostMuxSemaphore(device, semaphore.value)) : failedWith(semaphore.error);
  },
  destroySemaphore: (_device, semaphore) => {
    own(semaphore, HostMuxSemaphore).host.destroy();
  },
  createQueryPool: (queue, queryType, queryCount, configs) => {
    const known = knownCounters(configs);
    if (!known.ok) return known;
    const pool = deviceOf(queue.device).host.createQueryPool(queryCount, known.value);
    return pool.ok ? ok(new HostMuxQueryPool(queue, queryType, pool.value)) : failedWith(pool.error);
  },
  destroyQueryPool: (_queue, queryPool) => {
    own(queryPool, HostMuxQueryPool).host.destroy();
  },
  getQueryCounterRequiredPasses: (_queue, _count, configs) => {
    const known = knownCounters(configs);
    return known.ok ? ok(1) : known;
  },
  getSupportedQueryCounters: () =>
    ok(
      COUNTERS.map(({ name, category, description, unit }, uuid) => ({
        counter: { unit, storage: MuxQueryCounterStorage.uint64, uuid, hardwareCounters: 0 },
        description: { name, category, description },
      })),
    ),
  getQueryPoolResults: (_queue, queryPool, queryIndex, queryCount) => {
    const { host } = own(queryPool, HostMuxQueryPool);
    if (queryPool.type === MuxQueryType.counter) {
      const counts = host.counts(queryIndex, queryCount);
      return counts.ok ? ok(counts.value.map((value) => ({ value: BigInt(value) }))) : failedWith(counts.error);
    }
    const results = host.results(queryIndex, queryCount);
    if (!results.ok) return failedWith(results.error);
    return ok(
      results.value.map(({ start, end }) => ({ start: BigInt(Math.round(start)), end: BigInt(Math.round(end)) })),
    );
  },
  dispatch: (queue, commandBuffer, fence, waitSemaphores, signalSemaphores, userFunction, completed) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    if (fence !== null) own(fence, HostMuxFence).commandNumbers = commands.commandNumbers;
    const dispatched = deviceOf(queue.device).host.dispatch(commands.host, {
      waits: waitSemaphores.map((semaphore) => own(semaphore, HostMuxSemaphore).host),
      signals: signalSemaphores.map((semaphore) => own(semaphore, HostMuxSemaphore).host),
      ...(fence === null ? {} : { fence: own(fence, HostMuxFence).host }),
      deadline: commands.deadline || own(queue, HostMuxQueue).deadline,
      callback:
        userFunction === null
          ? null
          : (failure) => {
              userFunction(
                commandBuffer,
                failure === null
                  ? null
                  : muxError(
                      RESULTS[failure.code],
                      "muxDispatch",
                      "",
                      failure.message,
                      commandIdOf(failure, commands.commandNumbers),
                    ),
              );
            },
      completed: () => {
        completed();
      },
    });
    return dispatched.ok ? dispatched : failedWith(dispatched.error);
  },
  tryWait: (queue, timeout, fence) => {
    const { host, commandNumbers } = own(fence, HostMuxFence);
    return waited(deviceOf(queue.device).host.tryWait(host, timeout), commandNumbers);
  },
  tryWaitAsync: async (queue, timeout, fence) => {
    const { host, commandNumbers } = own(fence, HostMuxFence);
    return waited(await deviceOf(queue.device).host.tryWaitAsync(host, timeout), commandNumbers);
  },
  waitAll: (queue) => {
    const result = deviceOf(queue.device).host.waitAll();
    return result.ok ? result : failedWith(result.error);
  },
  waitAllAsync: async (queue) => {
    const result = await deviceOf(queue.device).host.waitAllAsync();
    return result.ok ? result : failedWith(result.error);
  },
};

const bufferRange = (buffer: MuxBuffer): HostMuxBuffer => own(buffer, HostMuxBuffer);

const COMMANDS: Pick<
  MuxTarget,
  | "createCommandBuffer"
  | "finalizeCommandBuffer"
  | "cloneCommandBuffer"
  | "destroyCommandBuffer"
  | "resetCommandBuffer"
  | "commandReadBuffer"
  | "commandReadBufferRegions"
  | "commandWriteBuffer"
  | "commandWriteBufferRegions"
  | "commandCopyBuffer"
  | "commandCopyBufferRegions"
  | "commandFillBuffer"
  | "commandNDRange"
  | "commandLaunches"
  | "updateDescriptors"
  | "commandUserCallback"
  | "commandBeginQuery"
  | "commandEndQuery"
  | "commandResetQueryPool"
> = {
  createCommandBuffer: (device) => ok(new HostMuxCommandBuffer(device, deviceOf(device).host.createCommandBuffer())),
  finalizeCommandBuffer: (commandBuffer) => {
    const finalized = own(commandBuffer, HostMuxCommandBuffer).host.finalize();
    return finalized.ok ? finalized : failedWith(finalized.error);
  },
  cloneCommandBuffer: (device, commandBuffer) => {
    const original = own(commandBuffer, HostMuxCommandBuffer);
    const copy = original.host.clone();
    if (!copy.ok) return failedWith(copy.error);
    const clone = new HostMuxCommandBuffer(device, copy.value);
    clone.deadline = original.deadline;
    clone.commandNumbers = [...original.commandNumbers];
    return ok(clone);
  },
  destroyCommandBuffer: (_device, commandBuffer) => {
    const reset = own(commandBuffer, HostMuxCommandBuffer).host.reset();
    assert(reset.ok, "the front destroys no command buffer that is in flight");
  },
  resetCommandBuffer: (commandBuffer) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    commands.commandNumbers = [];
    commands.syncPoints.clear();
    const reset = commands.host.reset();
    return reset.ok ? reset : failedWith(reset.error);
  },
  commandReadBuffer: (commandBuffer, buffer, offset, hostPointer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.read(bufferRange(buffer), offset, hostPointer, waits),
    ),
  commandWriteBuffer: (commandBuffer, buffer, offset, hostPointer, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.write(bufferRange(buffer), offset, hostPointer, waits),
    ),
  commandReadBufferRegions: (commandBuffer, buffer, hostPointer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) => host.readBox(bufferRange(buffer), from, hostPointer, to, size, then),
      ),
    ),
  commandWriteBufferRegions: (commandBuffer, buffer, hostPointer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) => host.writeBox(bufferRange(buffer), to, hostPointer, from, size, then),
      ),
    ),
  commandCopyBuffer: (commandBuffer, srcBuffer, srcOffset, dstBuffer, dstOffset, size, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.copy(bufferRange(srcBuffer), srcOffset, bufferRange(dstBuffer), dstOffset, size, waits),
    ),
  commandCopyBufferRegions: (commandBuffer, srcBuffer, dstBuffer, regions, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      recordBoxCommands(
        regions.map((region) => regionBoxes(region, 0, 0)),
        waits,
        ({ from, to, size }, then) =>
          host.copyBox(bufferRange(srcBuffer), from, bufferRange(dstBuffer), to, size, then),
      ),
    ),
  commandFillBuffer: (commandBuffer, buffer, offset, size, pattern, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.fill(bufferRange(buffer), offset, size, pattern, waits),
    ),
  commandNDRange: (commandBuffer, kernel, options, waitList, syncPoint) => {
    const list = argumentsOf(options.descriptors);
    if (!list.ok) return list;
    return recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.launch({ kernel: own(kernel, HostMuxKernel).host, arguments: list.value, ...rangeOf(options) }, waits),
    );
  },
  commandLaunches: (commandBuffer, launches, waitList, syncPoint) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    const first = commands.host.length;
    const recorded = recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.launches(
        launches.map((launch) => own(launch, HostMuxLaunch).host),
        waits,
      ),
    );
    // Each launch is a command with a number of its own.
    if (recorded.ok) for (let i = 1; i < launches.length; i++) commands.commandNumbers.push(first + i);
    return recorded;
  },
  updateDescriptors: (commandBuffer, commandId, argIndices, descriptors) => {
    const commands = own(commandBuffer, HostMuxCommandBuffer);
    const number = commands.commandNumbers[commandId];
    if (number === undefined)
      return failed(
        MuxResult.error_invalid_value,
        `the command buffer has ${commands.commandNumbers.length} commands, so none with the number ${commandId}`,
      );
    const list = argumentsOf(descriptors);
    if (!list.ok) return list;
    const updated = commands.host.updateArguments(
      number,
      list.value.map((value, i) => [argIndices[i] ?? -1, value]),
    );
    return updated.ok ? updated : failedWith(updated.error);
  },
  commandUserCallback: (commandBuffer, userFunction, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.callback((runs) => {
        userFunction(
          deviceOf(commandBuffer.device).queue,
          runs.tag instanceof HostMuxCommandBuffer ? runs.tag : commandBuffer,
        );
      }, waits),
    ),
  commandBeginQuery: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("begin", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
  commandEndQuery: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("end", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
  commandResetQueryPool: (commandBuffer, queryPool, queryIndex, queryCount, waitList, syncPoint) =>
    recordCommand(commandBuffer, waitList, syncPoint, (host, waits) =>
      host.query("reset", own(queryPool, HostMuxQueryPool).host, queryIndex, queryCount, waits),
    ),
};

function rangeOf({ dimensions, globalSize, globalOffset, localSize, firstGroup, groupCount }: MuxNDRangeOptions): {
  globalSize: readonly number[];
  globalOffset: readonly number[];
  localSize: readonly number[];
  part?: { first: readonly [number, number, number]; count: readonly [number, number, number] };
} {
  const range = {
    globalSize: globalSize.slice(0, dimensions),
    globalOffset: globalOffset.slice(0, dimensions),
    localSize: localSize.slice(0, dimensions),
  };
  return firstGroup === null || groupCount === null
    ? range
    : { ...range, part: { first: firstGroup, count: groupCount } };
}

function argumentsOf(descriptors: readonly MuxDescriptorInfo[]): Result<HostArgument[], MuxFailure> {
  const list: HostArgument[] = [];
  for (const [i, descriptor] of descriptors.entries()) {
    if (descriptor.type === MuxDescriptorType.buffer)
      list.push({ kind: "buffer", buffer: bufferRange(descriptor.buffer), offset: descriptor.offset });
    else if (descriptor.type === MuxDescriptorType.null_buffer) list.push({ kind: "null" });
    else if (descriptor.type === MuxDescriptorType.plain_old_data)
      list.push({ kind: "bytes", bytes: descriptor.data.slice() });
    else if (descriptor.type === MuxDescriptorType.shared_local_buffer) {
      if (descriptor.size > LOCAL_MEMORY)
        return failed(
          MuxResult.error_out_of_memory,
          `argument ${i} needs ${descriptor.size} bytes of local memory; a work-group has ${LOCAL_MEMORY}`,
        );
      list.push({ kind: "local", size: descriptor.size });
    } else if (descriptor.type === MuxDescriptorType.image)
      list.push({ kind: "image", image: own(descriptor.image, HostMuxImage).range });
    else if (descriptor.type === MuxDescriptorType.sampler)
      list.push({ kind: "bytes", bytes: samplerBytes(descriptor.sampler) });
    else
      return failed(
        MuxResult.error_feature_unsupported,
        `argument ${i} is of kind ${descriptor.type}: the host device has no custom buffers`,
      );
  }
  return ok(list);
}

/** The host's side of a mux queue: its deadline. @public */
export function hostQueue(queue: MuxQueue): HostMuxQueue {
  return own(queue, HostMuxQueue);
}

/** The host's side of a mux device: waits as promises, statistics, arrays in device memory. @public */
export function hostDevice(device: MuxDevice): HostMuxDevice {
  return deviceOf(device);
}
