// SPDX-License-Identifier: Apache-2.0
// One open device and everything that a call can need, made on first use.
import type { Result } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  MuxDescriptorType,
  type MuxDevice,
  type MuxDeviceInfo,
  MuxDeviceType,
  type MuxError,
  type MuxExecutable,
  type MuxFence,
  type MuxImage,
  MuxImageFormat,
  MuxImageType,
  type MuxKernel,
  type MuxLaunch,
  type MuxMemory,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  type MuxObject,
  type MuxQueryPool,
  MuxQueryType,
  type MuxQueue,
  MuxQueueType,
  type MuxSemaphore,
  type MuxSyncPoint,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxBindImageMemory,
  muxCommandFillBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateImage,
  muxCreateKernel,
  muxCreateLaunch,
  muxCreateQueryPool,
  muxCreateSemaphore,
  muxDestroyBuffer,
  muxDestroyCommandBuffer,
  muxDestroyDevice,
  muxDestroyExecutable,
  muxDestroyFence,
  muxDestroyImage,
  muxDestroyKernel,
  muxDestroyLaunch,
  muxDestroyQueryPool,
  muxDestroySemaphore,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxFreeMemory,
  muxGetDeviceInfos,
  muxGetQueue,
  muxGetSupportedImageFormats,
  muxWaitAll,
  registerTarget,
} from "@muxkit/mux";

import { type UnitMuxSetup, verify } from "./case.ts";

const A = DEFAULT_ALLOCATOR;
const VISIBLE = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent;

/** Bytes of the buffers that calls use. */
export const BUFFER_BYTES = 1024;
/** Sides of the image that calls use. */
export const IMAGE_SIDE = 8;

/** The value of a call that the suite itself needs. */
export function must<T>(result: Result<T, MuxError>): T {
  verify(result.ok, result.ok ? "" : `the suite needs this to work: ${result.error.name}: ${result.error.message}`);
  return result.value;
}

const OBJECT_TYPES = [
  "MuxDevice",
  "MuxMemory",
  "MuxBuffer",
  "MuxImage",
  "MuxQueue",
  "MuxFence",
  "MuxSemaphore",
  "MuxCommandBuffer",
  "MuxExecutable",
  "MuxKernel",
  "MuxLaunch",
  "MuxQueryPool",
] as const;

/** Kinds of objects by the name of their class. */
export type ObjectType = (typeof OBJECT_TYPES)[number];

/** A command buffer in flight, and what lets it end. */
export interface InFlight {
  readonly commandBuffer: MuxCommandBuffer;
  readonly fence: MuxFence;
  readonly semaphore: MuxSemaphore;
  readonly release: () => void;
}

/** One open device with what belongs to it. */
export class World {
  readonly setup: UnitMuxSetup;
  readonly info: MuxDeviceInfo;
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  readonly executable: MuxExecutable;
  #other: World | null = null;
  #abandoned: ReadonlyMap<ObjectType, MuxObject> | null = null;

  constructor(setup: UnitMuxSetup) {
    this.setup = setup;
    const number = registerTarget(setup.target);
    const info = must(muxGetDeviceInfos(MuxDeviceType.all)).find(({ id }) => (id & 0xff) === number);
    verify(info !== undefined, "the target lists a device with its own number in the id");
    this.info = info;
    const [device] = must(muxCreateDevices([info], A));
    verify(device !== undefined, "muxCreateDevices returns a device for each info");
    this.device = device;
    this.queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    this.executable = must(muxCreateExecutable(device, setup.executable, A));
  }

  /** The same device, opened once more: its objects are foreign here. */
  get other(): World {
    this.#other ??= new World(this.setup);
    return this.#other;
  }

  /** Opens the device once more. */
  again(): World {
    return new World(this.setup);
  }

  close(): void {
    this.#other?.close();
    must(muxDestroyDevice(this.device, A));
  }

  memory(size: number = BUFFER_BYTES, properties: number = VISIBLE): MuxMemory {
    return must(muxAllocateMemory(this.device, size, 1, properties, MuxAllocationType.alloc_device, 0, A));
  }

  unboundBuffer(size: number = BUFFER_BYTES): MuxBuffer {
    return must(muxCreateBuffer(this.device, size, A));
  }

  buffer(size: number = BUFFER_BYTES): MuxBuffer {
    const buffer = this.unboundBuffer(size);
    must(muxBindBufferMemory(this.device, this.memory(buffer.memoryRequirements.size), buffer, 0));
    return buffer;
  }

  /** A buffer whose memory is gone. */
  orphan(): MuxBuffer {
    const buffer = this.unboundBuffer();
    const memory = this.memory();
    must(muxBindBufferMemory(this.device, memory, buffer, 0));
    must(muxFreeMemory(this.device, memory, A));
    return buffer;
  }

  unboundImage(): MuxImage {
    const formats = must(
      muxGetSupportedImageFormats(this.device, MuxImageType.image_2d, MuxAllocationType.alloc_device),
    );
    // Four bytes, where the device has them: that many values distinguish channels.
    const format = formats.find((one) => one === MuxImageFormat.RGBA_unorm8) ?? formats[0];
    verify(format !== undefined, "a device with images has a format for two dimensions");
    return must(muxCreateImage(this.device, MuxImageType.image_2d, format, IMAGE_SIDE, IMAGE_SIDE, 1, 0, 0, 0, A));
  }

  image(): MuxImage {
    const image = this.unboundImage();
    must(muxBindImageMemory(this.device, this.memory(image.memoryRequirements.size), image, 0));
    return image;
  }

  kernel(): MuxKernel {
    return must(muxCreateKernel(this.device, this.executable, "fill", A));
  }

  queryPool(count: number = 4): MuxQueryPool {
    return must(muxCreateQueryPool(this.queue, MuxQueryType.duration, count, [], A));
  }

  commandBuffer(): MuxCommandBuffer {
    return must(muxCreateCommandBuffer(this.device, null, A));
  }

  finalized(record: (commands: MuxCommandBuffer) => void = () => {}): MuxCommandBuffer {
    const commands = this.commandBuffer();
    record(commands);
    must(muxFinalizeCommandBuffer(commands));
    return commands;
  }

  semaphore(): MuxSemaphore {
    return must(muxCreateSemaphore(this.device, A));
  }

  fence(): MuxFence {
    return must(muxCreateFence(this.device, A));
  }

  /** A sync-point of a recording. */
  syncPoint(commands: MuxCommandBuffer): MuxSyncPoint {
    return must(muxCommandFillBuffer(commands, this.buffer(), 0, 4, Uint8Array.of(1), []));
  }

  /** Dispatches and waits. */
  complete(commands: MuxCommandBuffer): void {
    must(muxDispatch(this.queue, commands, null, [], [], null));
    must(muxWaitAll(this.queue));
  }

  /** A command buffer that waits for a semaphore which `release` signals. */
  inFlight(): InFlight {
    const semaphore = this.semaphore();
    const fence = this.fence();
    const commandBuffer = this.finalized((commands) => {
      this.syncPoint(commands);
    });
    must(muxDispatch(this.queue, commandBuffer, fence, [semaphore], [], null));
    const release = (): void => {
      must(muxDispatch(this.queue, this.finalized(), null, [], [semaphore], null));
      must(muxWaitAll(this.queue));
    };
    return { commandBuffer, fence, semaphore, release };
  }

  /** A launch of `fill` over `items` work-items. */
  launch(out: MuxBuffer, value: number, items: number): MuxNDRangeOptions {
    return {
      descriptors: [
        { type: MuxDescriptorType.buffer, buffer: out, offset: 0 },
        { type: MuxDescriptorType.plain_old_data, data: new Uint8Array(Int32Array.of(value).buffer) },
      ],
      localSize: [1, 1, 1],
      globalOffset: [0],
      globalSize: [items],
      dimensions: 1,
      firstGroup: null,
      groupCount: null,
    };
  }

  /** The same, prepared. */
  prepared(out: MuxBuffer, value: number, items: number): MuxLaunch {
    return must(muxCreateLaunch(this.kernel(), this.launch(out, value, items), A));
  }

  /** A new object of a kind. */
  object(type: ObjectType): MuxObject {
    const makers: Readonly<Record<ObjectType, () => MuxObject>> = {
      MuxDevice: () => this.device,
      MuxQueue: () => this.queue,
      MuxMemory: () => this.memory(),
      MuxBuffer: () => this.buffer(),
      MuxImage: () => this.image(),
      MuxFence: () => this.fence(),
      MuxSemaphore: () => this.semaphore(),
      MuxCommandBuffer: () => this.commandBuffer(),
      MuxExecutable: () => must(muxCreateExecutable(this.device, this.setup.executable, A)),
      MuxKernel: () => this.kernel(),
      MuxLaunch: () => this.prepared(this.buffer(), 1, 1),
      MuxQueryPool: () => this.queryPool(),
    };
    return makers[type]();
  }

  /** An object whose device is closed. */
  abandoned(type: ObjectType): MuxObject {
    if (this.#abandoned === null) {
      const world = this.again();
      this.#abandoned = new Map(
        OBJECT_TYPES.filter((one) => one !== "MuxImage" || this.info.imageSupport).map((one) => [
          one,
          world.object(one),
        ]),
      );
      world.close();
    }
    const object = this.#abandoned.get(type);
    verify(object !== undefined, `the suite makes a ${type} before it closes a device`);
    return object;
  }

  /** An object that was destroyed; null for a queue, which lives as long as its device. */
  destroyed(type: ObjectType): MuxObject | null {
    if (type === "MuxQueue") return null;
    if (type === "MuxDevice") {
      const world = new World(this.setup);
      world.close();
      return world.device;
    }
    const object = this.object(type);
    const { device, queue } = this;
    const destroyers: Readonly<Record<Exclude<ObjectType, "MuxDevice" | "MuxQueue">, () => Result<void, MuxError>>> = {
      MuxMemory: () => muxFreeMemory(device, object as MuxMemory, A),
      MuxBuffer: () => muxDestroyBuffer(device, object as MuxBuffer, A),
      MuxImage: () => muxDestroyImage(device, object as MuxImage, A),
      MuxFence: () => muxDestroyFence(device, object as MuxFence, A),
      MuxSemaphore: () => muxDestroySemaphore(device, object as MuxSemaphore, A),
      MuxCommandBuffer: () => muxDestroyCommandBuffer(device, object as MuxCommandBuffer, A),
      MuxExecutable: () => muxDestroyExecutable(device, object as MuxExecutable, A),
      MuxKernel: () => muxDestroyKernel(device, object as MuxKernel, A),
      MuxLaunch: () => muxDestroyLaunch(device, object as MuxLaunch, A),
      MuxQueryPool: () => muxDestroyQueryPool(queue, object as MuxQueryPool, A),
    };
    must(destroyers[type]());
    return object;
  }
}
