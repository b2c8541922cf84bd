// SPDX-License-Identifier: Apache-2.0
// Builds and runs kernels through the two interfaces that every target has; nothing here depends on a target.
import { buildProgram, openclC } from "@muxkit/compiler";
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxDescriptorInfo,
  MuxDescriptorType,
  type MuxDevice,
  type MuxDeviceInfo,
  MuxDeviceType,
  MuxMemoryProperty,
  MuxQueueType,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandWriteBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateKernel,
  muxDestroyBuffer,
  muxDestroyCommandBuffer,
  muxDestroyExecutable,
  muxDestroyFence,
  muxDestroyKernel,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxFreeMemory,
  muxGetDeviceInfos,
  muxGetQueue,
  muxTryWait,
  registerTarget,
} from "@muxkit/mux";

import { type CaseArgument, type KernelCase, type KernelSetup, UnitKernelFailure } from "./case.ts";

const A = DEFAULT_ALLOCATOR;

function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new UnitKernelFailure(result.error.message);
  return result.value;
}

const devices = new Map<KernelSetup["target"], MuxDevice>();

/** The first device of the target. @public */
export function deviceInfoOf({ target }: KernelSetup): MuxDeviceInfo {
  const number = registerTarget(target);
  const info = must(muxGetDeviceInfos(MuxDeviceType.all)).find(({ id }) => (id & 0xff) === number);
  if (info === undefined) throw new UnitKernelFailure(`${target.name} lists no device`);
  return info;
}

/** The first device of the target, opened once for all cases. */
function deviceOf(setup: KernelSetup): MuxDevice {
  let device = devices.get(setup.target);
  if (device === undefined) {
    [device] = must(muxCreateDevices([deviceInfoOf(setup)], A));
    if (device === undefined) throw new UnitKernelFailure(`${setup.target.name} opens no device`);
    devices.set(setup.target, device);
  }
  return device;
}

/** Builds a program for the target's first device: the bytes of an executable. Throws with the build log. @public */
export function buildKernel(setup: KernelSetup, source: string, options: string = ""): Uint8Array {
  const module = must(setup.compiler.createContext().createTarget(deviceInfoOf(setup), null)).createModule();
  const built = buildProgram(module, openclC(source), options);
  if (!built.ok) throw new UnitKernelFailure(`${built.error.message}\n${module.log}`);
  return must(module.createBinary());
}

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** A buffer on the device, and how to release it. */
function makeBuffer(
  device: MuxDevice,
  size: number,
): { readonly buffer: MuxDescriptorInfo & { readonly type: 0 }; readonly free: () => void } {
  const buffer = must(muxCreateBuffer(device, size, A));
  const memory = must(
    muxAllocateMemory(
      device,
      buffer.memoryRequirements.size,
      1,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached,
      MuxAllocationType.alloc_device,
      buffer.memoryRequirements.alignment,
      A,
    ),
  );
  must(muxBindBufferMemory(device, memory, buffer, 0));
  return {
    buffer: { type: MuxDescriptorType.buffer, buffer, offset: 0 },
    free: () => {
      must(muxDestroyBuffer(device, buffer, A));
      must(muxFreeMemory(device, memory, A));
    },
  };
}

interface PreparedArgument {
  readonly descriptor: MuxDescriptorInfo;
  readonly free: () => void;
  /** What to write first and read last; null: it is no buffer. */
  readonly bytes: Uint8Array | null;
}

const nothing = (): void => undefined;

function prepareArgument(device: MuxDevice, argument: CaseArgument): PreparedArgument {
  if ("value" in argument)
    return {
      descriptor: { type: MuxDescriptorType.plain_old_data, data: bytesOf(argument.value) },
      free: nothing,
      bytes: null,
    };
  if ("local" in argument)
    return {
      descriptor: { type: MuxDescriptorType.shared_local_buffer, size: argument.local },
      free: nothing,
      bytes: null,
    };
  if ("nothing" in argument) return { descriptor: { type: MuxDescriptorType.null_buffer }, free: nothing, bytes: null };
  const { buffer, free } = makeBuffer(device, argument.buffer.byteLength);
  return { descriptor: buffer, free, bytes: bytesOf(argument.buffer).slice() };
}

/** Runs a case and returns the contents of the buffers at the end, null for other arguments. @internal */
export function runCase(
  setup: KernelSetup,
  { source, options = "", arguments: list, global, local = [], offset = [], times = 1 }: KernelCase,
): readonly (Uint8Array | null)[] {
  const device = deviceOf(setup);
  const executable = must(muxCreateExecutable(device, buildKernel(setup, source, options), A));
  const kernel = must(muxCreateKernel(device, executable, "k", A));
  const prepared = list.map((argument) => prepareArgument(device, argument));
  const commands = must(muxCreateCommandBuffer(device, null, A));
  for (const { descriptor, bytes } of prepared)
    if (bytes !== null && descriptor.type === MuxDescriptorType.buffer)
      must(muxCommandWriteBuffer(commands, descriptor.buffer, 0, bytes, []));
  const localSize: [number, number, number] = [local[0] ?? 1, local[1] ?? 1, local[2] ?? 1];
  const launch = {
    descriptors: prepared.map(({ descriptor }) => descriptor),
    localSize,
    globalSize: global,
    globalOffset: global.map((_, i) => offset[i] ?? 0),
    dimensions: global.length,
    firstGroup: null,
    groupCount: null,
  };
  for (let i = 0; i < times; i++) must(muxCommandNDRange(commands, kernel, launch, []));
  for (const { descriptor, bytes } of prepared)
    if (bytes !== null && descriptor.type === MuxDescriptorType.buffer)
      must(muxCommandReadBuffer(commands, descriptor.buffer, 0, bytes, []));
  must(muxFinalizeCommandBuffer(commands));
  const fence = must(muxCreateFence(device, A));
  const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
  must(muxDispatch(queue, commands, fence, [], [], null));
  must(muxTryWait(queue, Infinity, fence));
  must(muxDestroyFence(device, fence, A));
  must(muxDestroyCommandBuffer(device, commands, A));
  must(muxDestroyKernel(device, kernel, A));
  must(muxDestroyExecutable(device, executable, A));
  for (const { free } of prepared) free();
  return prepared.map(({ bytes }) => bytes);
}
