// SPDX-License-Identifier: Apache-2.0
// A device of the runtime API in a few calls, which throw: for measurements and faults.
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxDevice,
  MuxDeviceType,
  type MuxFence,
  type MuxKernel,
  MuxMemoryProperty,
  type MuxQueue,
  MuxQueueType,
  type MuxTarget,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateKernel,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxTryWait,
  registerTarget,
} from "@muxkit/mux";

const A = DEFAULT_ALLOCATOR;

/** The value, or the error's message thrown. */
export function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** An open device. */
export class OpenDevice {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  readonly fence: MuxFence;

  /** Opens a device of a target by its number. */
  constructor(target: MuxTarget, number: number = 0) {
    registerTarget(target);
    const infos = must(muxGetDeviceInfos(MuxDeviceType.all)).filter(({ deviceType }) => deviceType === 4);
    const info = infos[number];
    if (info === undefined) throw new Error(`there is no GPU ${number}`);
    const [device] = must(muxCreateDevices([info], A));
    if (device === undefined) throw new Error("no device was opened");
    this.device = device;
    this.queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    this.fence = must(muxCreateFence(device, A));
  }

  kernel(executable: Uint8Array, name: string): MuxKernel {
    const loaded = must(muxCreateExecutable(this.device, executable, A));
    return must(muxCreateKernel(this.device, loaded, name, A));
  }

  buffer(bytes: number): MuxBuffer {
    const { device } = this;
    const buffer = must(muxCreateBuffer(device, bytes, A));
    const { size, alignment } = buffer.memoryRequirements;
    const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
    const memory = must(muxAllocateMemory(device, size, 1, properties, MuxAllocationType.alloc_device, alignment, A));
    must(muxBindBufferMemory(device, memory, buffer, 0));
    return buffer;
  }

  commands(record: (commands: MuxCommandBuffer) => void): MuxCommandBuffer {
    const commands = must(muxCreateCommandBuffer(this.device, null, A));
    record(commands);
    must(muxFinalizeCommandBuffer(commands));
    return commands;
  }

  /** Dispatches, and waits. */
  run(commands: MuxCommandBuffer): void {
    must(muxDispatch(this.queue, commands, this.fence, [], [], null));
    must(muxTryWait(this.queue, Infinity, this.fence));
  }
}
