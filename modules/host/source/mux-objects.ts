// SPDX-License-Identifier: Apache-2.0
// mux's objects as the host keeps them: each extends mux's handle with the host's own object.
import type { Image } from "@muxkit/libimg";
import { DESCRIPTOR_TYPES } from "@muxkit/hal";
import {
  MuxBuffer,
  MuxCommandBuffer,
  MuxDevice,
  type MuxDeviceInfo,
  MuxExecutable,
  MuxFence,
  MuxImage,
  type MuxImageFormat,
  MuxImageTiling,
  type MuxImageType,
  MuxKernel,
  MuxLaunch,
  MuxMemory,
  MuxQueryPool,
  MuxQueue,
  MuxSemaphore,
  MuxSyncPoint,
  type MuxTarget,
  muxOfferPrinted,
} from "@muxkit/mux";

import type { HostCommandBuffer } from "./command-buffer.ts";
import type { HostDevice } from "./device.ts";
import type {
  BufferRange,
  HostBuffer,
  HostExecutable,
  HostFence,
  HostKernel,
  HostQueryPool,
  HostSemaphore,
  ImageRange,
} from "./objects.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** Bytes: the largest texel is loaded as one vector. */
const IMAGE_ALIGNMENT = 16;

/** The host device as a mux object. @public */
export class HostMuxDevice extends MuxDevice {
  /** The device itself: waits as promises, statistics, arrays in device memory. */
  readonly host: HostDevice;
  /** Its only queue. */
  readonly queue: HostMuxQueue;

  /** Made by the target. */
  constructor(info: MuxDeviceInfo, target: MuxTarget, host: HostDevice) {
    super({ info, target });
    this.host = host;
    this.queue = new HostMuxQueue(this);
    host.offerPrinted((text) => muxOfferPrinted(this, text));
  }
}

/** The host's queue. @public */
export class HostMuxQueue extends MuxQueue {
  /** Longest run time in ms of each launch that is dispatched from now on; 0: the device's. */
  deadline = 0;

  /** Made with its device. */
  constructor(device: HostMuxDevice) {
    super({ device });
  }
}

/** Device memory; with `array`, of the caller's. @public */
export class HostMuxMemory extends MuxMemory {
  /** The bytes. */
  readonly block: HostBuffer;
  /** The caller's array when the memory was made of one outside of the device's memory. */
  readonly array: Uint8Array | null;
  /** False: the bytes belong to an array that the caller got from the device. */
  readonly owns: boolean;
  /** What is mapped: offset and size. */
  mapping: { readonly offset: number; readonly size: number } | null = null;

  /** Made by the target. */
  constructor(device: MuxDevice, block: HostBuffer, properties: number, array: Uint8Array | null, owns: boolean) {
    super({ device, size: block.size, properties, handle: block.address });
    this.block = block;
    this.array = array;
    this.owns = owns;
  }
}

/** A buffer: bound, a part of memory. @public */
export class HostMuxBuffer extends MuxBuffer implements BufferRange {
  /** Address of the first byte; 0 before it is bound. */
  address = 0;

  /** Made by the target. */
  constructor(device: MuxDevice, size: number, alignment: number) {
    super({ device, memoryRequirements: { size, alignment, supportedHeaps: 1 } });
  }

  /** Bytes. */
  get size(): number {
    return this.memoryRequirements.size;
  }

  /** True when it is destroyed. */
  get destroyed(): boolean {
    return !this.state.isAlive;
  }
}

/** An image: bound, a part of memory. @public */
export class HostMuxImage extends MuxImage {
  /** Its format and layout. */
  readonly image: Image;
  /** Address of the first texel; 0 before it is bound. */
  address = 0;

  /** Made by the target. */
  constructor(device: MuxDevice, image: Image, type: MuxImageType, format: MuxImageFormat, arrayLayers: number) {
    super({
      device,
      memoryRequirements: { size: image.bytes, alignment: IMAGE_ALIGNMENT, supportedHeaps: 1 },
      type,
      format,
      pixelSize: image.pixelBytes,
      size: { x: image.width, y: image.height, z: image.depth },
      arrayLayers,
      rowSize: image.rowPitch,
      sliceSize: image.slicePitch,
      tiling: MuxImageTiling.linear,
    });
    this.image = image;
  }

  /** Its memory range now, for commands and arguments. */
  get range(): ImageRange {
    return { image: this.image, address: this.address, size: this.image.bytes, destroyed: !this.state.isAlive };
  }
}

/** A semaphore. @public */
export class HostMuxSemaphore extends MuxSemaphore {
  /** The host's own object. */
  readonly host: HostSemaphore;

  /** Made by the target. */
  constructor(device: MuxDevice, host: HostSemaphore) {
    super({ device });
    this.host = host;
  }
}

/** A fence. @public */
export class HostMuxFence extends MuxFence {
  /** The host's own object. */
  readonly host: HostFence;
  /** First host command of each mux command of the last dispatch. */
  commandNumbers: readonly number[] = [];

  /** Made by the target. */
  constructor(device: MuxDevice, host: HostFence) {
    super({ device });
    this.host = host;
  }
}

/** An executable. @public */
export class HostMuxExecutable extends MuxExecutable {
  /** The host's own object. */
  readonly host: HostExecutable;

  /** Made by the target. */
  constructor(device: MuxDevice, host: HostExecutable) {
    super({ device });
    this.host = host;
  }
}

/** Local size for a kernel that does not require one. */
const PREFERRED_LOCAL_SIZE = [64, 1, 1] as const;

/** A kernel. @public */
export class HostMuxKernel extends MuxKernel {
  /** The host's own object. */
  readonly host: HostKernel;

  /** Made by the target. */
  constructor(device: MuxDevice, host: HostKernel) {
    const { metadata } = host;
    super({
      device,
      preferredLocalSize: metadata.requiredWorkGroupSize ?? metadata.workGroupSizeHint ?? PREFERRED_LOCAL_SIZE,
      localMemorySize: host.localMemorySize,
      argumentTypes: metadata.arguments.map(({ kind }) => DESCRIPTOR_TYPES[kind]),
    });
    this.host = host;
  }
}

/** A prepared launch. @public */
export class HostMuxLaunch extends MuxLaunch {
  /** The host's own object. */
  readonly host: PreparedLaunch;

  /** Made by the target. */
  constructor(kernel: MuxKernel, host: PreparedLaunch) {
    super({ device: kernel.device, kernel });
    this.host = host;
  }
}

/** A query pool for durations. @public */
export class HostMuxQueryPool extends MuxQueryPool {
  /** The host's own object. */
  readonly host: HostQueryPool;

  /** Made by the target. */
  constructor(queue: MuxQueue, type: MuxQueryPool["type"], host: HostQueryPool) {
    super({ device: queue.device, queue, type, count: host.count });
    this.host = host;
  }
}

/** A command buffer. One command of mux may be several of the host's: a box each. @public */
export class HostMuxCommandBuffer extends MuxCommandBuffer {
  /** The host's own object. */
  readonly host: HostCommandBuffer;
  /** Longest run time in ms of each launch of it; 0: the queue's. */
  deadline = 0;
  /** First host command of each mux command. */
  commandNumbers: number[] = [];
  /** Host command of a sync-point. */
  readonly syncPoints: Map<MuxSyncPoint, number> = new Map();

  /** Made by the target. */
  constructor(device: MuxDevice, host: HostCommandBuffer) {
    super({ device });
    this.host = host;
    host.tag = this;
  }
}
