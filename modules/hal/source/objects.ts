// SPDX-License-Identifier: Apache-2.0
// The runtime's objects as a device of the hardware layer has them.
import type { Image } from "@muxkit/libimg";
import {
  MuxBuffer,
  MuxCommandBuffer,
  type MuxDescriptorInfo,
  MuxDevice,
  type MuxDeviceInfo,
  type MuxError,
  MuxExecutable,
  MuxFence,
  type MuxFailure,
  MuxImage,
  type MuxImageFormat,
  MuxImageTiling,
  type MuxImageType,
  MuxKernel,
  MuxLaunch,
  MuxMemory,
  type MuxNDRangeOptions,
  MuxQueryPool,
  MuxQueue,
  MuxSemaphore,
  type MuxTarget,
} from "@muxkit/mux";

import type { HalDevice, HalKernel, HalProgram } from "./hal.ts";

/** Bytes: the largest pixel is read as one vector. */
const IMAGE_ALIGNMENT = 16;

/** An open device. @public */
export class HalMuxDevice extends MuxDevice {
  /** What it is made of. */
  readonly hal: HalDevice;
  /** Its one queue. */
  readonly queue: MuxQueue;

  /** A device whose queue is of the layer, or of the target's own. */
  constructor(
    info: MuxDeviceInfo,
    target: MuxTarget,
    hal: HalDevice,
    queueOf: (device: MuxDevice) => MuxQueue = (device) => new HalMuxQueue({ device }),
  ) {
    super({ info, target });
    this.hal = hal;
    this.queue = queueOf(this);
  }
}

/** Device memory. The host sees it through a copy, which is made when it is mapped for the first time. @public */
export class HalMuxMemory extends MuxMemory {
  /** Its first byte. */
  readonly address: number;
  /** The host's copy: the caller's array, or one of its own; null: it was never mapped. */
  copy: Uint8Array | null;
  /** What is mapped. */
  mapping: { readonly offset: number; readonly size: number } | null = null;

  /** Memory that the device has allocated. */
  constructor(device: MuxDevice, size: number, properties: number, address: number, copy: Uint8Array | null) {
    super({ device, size, properties, handle: address });
    this.address = address;
    this.copy = copy;
  }
}

/** The address of a buffer or image. @public */
export function addressOf({ state }: MuxBuffer | MuxImage): number {
  return state.memory instanceof HalMuxMemory ? state.memory.address + state.memoryOffset : 0;
}

/** An image. @public */
export class HalMuxImage extends MuxImage {
  /** Its layout. */
  readonly image: Image;

  /** An image of a layout. */
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
}

/** A fence: what became of the dispatch. */
export class HalMuxFence extends MuxFence {
  outcome: "idle" | "pending" | "done" = "idle";
  failure: MuxFailure | null = null;
}

/** A semaphore. */
export class HalMuxSemaphore extends MuxSemaphore {
  signalled = false;
  failed = false;
}

/** Times in ns. */
export class HalMuxQueryPool extends MuxQueryPool {
  readonly times: { start: bigint; end: bigint }[] = Array.from({ length: this.count }, () => ({ start: 0n, end: 0n }));
}

/** A kernel. @public */
export class HalMuxKernel extends MuxKernel {
  /** What it is made of. */
  readonly hal: HalKernel;
  /** Work-items of the largest group that it runs in. */
  override readonly maxWorkItems: number;

  /** A kernel of the device. */
  constructor(device: MuxDevice, hal: HalKernel) {
    super({
      device,
      preferredLocalSize: hal.requiredLocalSize ?? hal.preferredLocalSize,
      localMemorySize: hal.localMemorySize,
      argumentTypes: hal.argumentTypes,
    });
    this.hal = hal;
    this.maxWorkItems = hal.maxWorkItems ?? device.info.maxConcurrentWorkItems;
  }
}

/** A loaded program. */
export class HalMuxExecutable extends MuxExecutable {
  readonly hal: HalProgram;

  constructor(device: MuxDevice, hal: HalProgram) {
    super({ device });
    this.hal = hal;
  }
}

/** A launch as it was recorded; its arguments may be changed. @public */
export interface RecordedLaunch {
  /** The kernel. */
  readonly kernel: HalMuxKernel;
  /** Sizes. */
  readonly options: MuxNDRangeOptions;
  /** Arguments. */
  descriptors: readonly MuxDescriptorInfo[];
}

/** A prepared launch. */
export class HalMuxLaunch extends MuxLaunch {
  readonly options: MuxNDRangeOptions;
  readonly descriptors: readonly MuxDescriptorInfo[];

  constructor(kernel: MuxKernel, options: MuxNDRangeOptions, descriptors: readonly MuxDescriptorInfo[]) {
    super({ device: kernel.device, kernel });
    this.options = options;
    this.descriptors = descriptors;
  }
}

/** The failure of a command, or null: it succeeded; a promise when the device completes it later. */
export type Outcome = MuxFailure | null | Promise<MuxFailure | null>;

/** What a command does when it runs. */
export type Run = (hal: HalDevice, queue: MuxQueue, commands: HalMuxCommandBuffer) => Outcome;

/** A recorded command. */
export interface Command {
  readonly launch: RecordedLaunch | null;
  readonly run: Run;
}

/** Commands, which run in the order in which they were recorded. */
export class HalMuxCommandBuffer extends MuxCommandBuffer {
  commands: Command[] = [];
}

/** A command buffer on its way. */
export interface Dispatch {
  readonly commands: HalMuxCommandBuffer;
  readonly fence: HalMuxFence | null;
  readonly waits: readonly HalMuxSemaphore[];
  readonly signals: readonly HalMuxSemaphore[];
  readonly callback: ((commandBuffer: MuxCommandBuffer, error: MuxError | null) => void) | null;
  readonly completed: () => void;
}

/** The queue: dispatches in the order in which they came, none of which has begun. */
export class HalMuxQueue extends MuxQueue {
  readonly waiting: Dispatch[] = [];
  /** Resolves when the dispatch that the device completes later is complete; null: there is none. */
  inFlight: Promise<void> | null = null;
  /** True while dispatches run: what they dispatch runs after them. */
  isRunning = false;
  /** True: the event loop will look at the queue. */
  isAwaited = false;
}
