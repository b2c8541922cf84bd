// SPDX-License-Identifier: Apache-2.0
// An open device of the runtime, with its queue and pools of the objects that submissions use.
import {
  DEFAULT_ALLOCATOR,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxDeviceInfo,
  type MuxFence,
  type MuxImage,
  type MuxMemory,
  MuxAllocationType,
  MuxMemoryProperty,
  type MuxQueryPool,
  MuxQueryType,
  type MuxQueue,
  MuxQueueType,
  type MuxSemaphore,
  muxCreateDevices,
} from "@muxkit/mux";
import {
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateFence,
  muxCreateQueryPool,
  muxCreateSemaphore,
  muxDestroyBuffer,
  muxDestroyImage,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxFreeMemory,
  muxGetQueryPoolResults,
  muxGetQueue,
  muxMapMemory,
  muxResetCommandBuffer,
  muxTryWait,
  muxUnmapMemory,
} from "@muxkit/mux/unchecked";

import { SyclException, fromMux } from "./exception.ts";
import { Scheduler } from "./scheduler.ts";

/** The one heap of the runtime. */
const HEAP = 1;
/** Measurements of the clock, of which the quickest counts. */
const MEASUREMENTS = 4;

/** Bytes of device memory, which a buffer of the runtime names. @internal */
export class Storage {
  /** The runtime's buffer, which kernels and copies take. */
  readonly buffer: MuxBuffer;
  /** Its memory. */
  readonly memory: MuxMemory;
  /** Bytes. */
  readonly size: number;
  /** Images that are in it. */
  readonly images: MuxImage[] = [];
  readonly #runtime: RuntimeDevice;
  #view: Uint8Array = new Uint8Array(0);
  /** Commands that need it, and its owner. */
  #uses = 1;

  /** Made by {@link RuntimeDevice.allocate}. */
  constructor(runtime: RuntimeDevice, buffer: MuxBuffer, memory: MuxMemory, size: number) {
    this.#runtime = runtime;
    this.buffer = buffer;
    this.memory = memory;
    this.size = size;
  }

  /** Where kernels find its first byte. */
  get address(): number {
    return this.memory.handle;
  }

  /** The device that has it. */
  get runtime(): RuntimeDevice {
    return this.#runtime;
  }

  /** False once it is freed. */
  get isAlive(): boolean {
    return this.#uses > 0;
  }

  /** Its bytes themselves. */
  bytes(call: string): Uint8Array {
    // Memory that grows may leave old views without bytes.
    if (this.#view.length === 0) {
      const { device } = this.#runtime;
      this.#view = fromMux(call, muxMapMemory(device, this.memory, 0, this.size));
      fromMux(call, muxUnmapMemory(device, this.memory));
    }
    return this.#view;
  }

  /** A command needs it. */
  use(): void {
    this.#uses++;
  }

  /** The end of a use, or of its owner. */
  unuse(): void {
    if (--this.#uses === 0) this.#runtime.free(this);
  }
}

/** See the file's head. @internal */
export class RuntimeDevice {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  /** What orders the commands. */
  readonly scheduler: Scheduler = new Scheduler(this);
  /** Bytes of storage that are not freed. */
  allocated = 0;
  readonly #commandBuffers: MuxCommandBuffer[] = [];
  readonly #fences: MuxFence[] = [];
  readonly #semaphores: MuxSemaphore[] = [];
  readonly #queries: MuxQueryPool[] = [];
  #clockOffset: number | null = null;

  constructor(device: MuxDevice, queue: MuxQueue) {
    this.device = device;
    this.queue = queue;
  }

  takeCommandBuffer(call: string): MuxCommandBuffer {
    return this.#commandBuffers.pop() ?? fromMux(call, muxCreateCommandBuffer(this.device, null, DEFAULT_ALLOCATOR));
  }

  giveCommandBuffer(call: string, commands: MuxCommandBuffer): void {
    fromMux(call, muxResetCommandBuffer(commands));
    this.#commandBuffers.push(commands);
  }

  takeFence(call: string): MuxFence {
    return this.#fences.pop() ?? fromMux(call, muxCreateFence(this.device, DEFAULT_ALLOCATOR));
  }

  giveFence(fence: MuxFence): void {
    this.#fences.push(fence);
  }

  takeSemaphore(call: string): MuxSemaphore {
    return this.#semaphores.pop() ?? fromMux(call, muxCreateSemaphore(this.device, DEFAULT_ALLOCATOR));
  }

  giveSemaphore(semaphore: MuxSemaphore): void {
    this.#semaphores.push(semaphore);
  }

  /** A pool of one query for a duration. */
  takeQuery(call: string): MuxQueryPool {
    return (
      this.#queries.pop() ??
      fromMux(call, muxCreateQueryPool(this.queue, MuxQueryType.duration, 1, [], DEFAULT_ALLOCATOR))
    );
  }

  giveQuery(pool: MuxQueryPool): void {
    this.#queries.push(pool);
  }

  /** Takes memory. Error: memory_allocation. */
  allocate(call: string, size: number): Storage {
    const { device } = this;
    const buffer = fromMux(call, muxCreateBuffer(device, size, DEFAULT_ALLOCATOR));
    const { size: needed, alignment } = buffer.memoryRequirements;
    const memory = muxAllocateMemory(
      device,
      needed,
      HEAP,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent,
      MuxAllocationType.alloc_device,
      alignment,
      DEFAULT_ALLOCATOR,
    );
    if (!memory.ok) {
      fromMux(call, muxDestroyBuffer(device, buffer, DEFAULT_ALLOCATOR));
      throw new SyclException(
        "memory_allocation",
        call,
        `the device has no memory for another ${size} bytes; dispose of buffers and allocations first`,
        memory.error,
      );
    }
    fromMux(call, muxBindBufferMemory(device, memory.value, buffer, 0));
    this.allocated += size;
    return new Storage(this, buffer, memory.value, size);
  }

  /** Frees storage that nobody uses. Called by {@link Storage}. */
  free({ buffer, memory, size, images }: Storage): void {
    this.allocated -= size;
    for (const image of images) fromMux("free", muxDestroyImage(this.device, image, DEFAULT_ALLOCATOR));
    fromMux("free", muxDestroyBuffer(this.device, buffer, DEFAULT_ALLOCATOR));
    fromMux("free", muxFreeMemory(this.device, memory, DEFAULT_ALLOCATOR));
  }

  /** The host's time on the device's clock, in ns. */
  now(call: string): bigint {
    return BigInt(Math.round(performance.now() * 1e6 + (this.#clockOffset ??= this.#measureClock(call))));
  }

  /** What to add to the host's clock, measured around a dispatch of nothing: the quickest of a few counts. */
  #measureClock(call: string): number {
    const [commands, fence, pool] = [this.takeCommandBuffer(call), this.takeFence(call), this.takeQuery(call)];
    fromMux(call, muxCommandBeginQuery(commands, pool, 0, 1, []));
    fromMux(call, muxCommandEndQuery(commands, pool, 0, 1, []));
    fromMux(call, muxFinalizeCommandBuffer(commands));
    let [shortest, offset] = [Infinity, 0];
    for (let i = 0; i < MEASUREMENTS; i++) {
      const before = performance.now();
      fromMux(call, muxDispatch(this.queue, commands, fence, [], [], null));
      fromMux(call, muxTryWait(this.queue, Infinity, fence));
      const after = performance.now();
      const [result] = fromMux(call, muxGetQueryPoolResults(this.queue, pool, 0, 1));
      if (result === undefined || !("start" in result) || after - before >= shortest) continue;
      shortest = after - before;
      offset = Number(result.start) - ((before + after) / 2) * 1e6;
    }
    this.giveCommandBuffer(call, commands);
    this.giveFence(fence);
    this.giveQuery(pool);
    return offset;
  }
}

const OPENED = new WeakMap<MuxDeviceInfo, RuntimeDevice>();

/** The open device of the runtime; it is opened the first time, and stays open. Error: platform. */
export function openDevice(call: string, info: MuxDeviceInfo): RuntimeDevice {
  let opened = OPENED.get(info);
  if (opened === undefined) {
    const [device] = fromMux(call, muxCreateDevices([info], DEFAULT_ALLOCATOR));
    if (device === undefined) throw new SyclException("platform", call, `${info.deviceName} could not be opened`);
    opened = new RuntimeDevice(device, fromMux(call, muxGetQueue(device, MuxQueueType.compute, 0)));
    OPENED.set(info, opened);
  }
  return opened;
}
