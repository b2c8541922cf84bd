// SPDX-License-Identifier: Apache-2.0
// The runtime's objects as this target has them.
import { HalMuxDevice, HalMuxMemory } from "@muxkit/hal";
import {
  MuxCommandBuffer,
  type MuxDevice,
  type MuxDeviceInfo,
  MuxFence,
  type MuxFailure,
  MuxLaunch,
  MuxQueue,
  MuxSemaphore,
  type MuxTarget,
} from "@muxkit/mux";

import { type Command, type LaunchCommand, limitedOf, needsHost } from "./commands.ts";
import type { CudaDevice } from "./device.ts";
import type { HostBlock } from "./driver.ts";
import type { GraphPart } from "./graphs.ts";
import type { Dispatch } from "./dispatch.ts";
import type { GpuClock } from "./queries.ts";
import type { Scheduler } from "./scheduler.ts";
import type { EventLoop } from "./waits.ts";

/** An open GPU. */
export class CudaMuxDevice extends HalMuxDevice {
  readonly cuda: CudaDevice;
  readonly scheduler: Scheduler;
  readonly clock: GpuClock;
  readonly loop: EventLoop;
  /** Whether it reaches the memory of other GPUs, by their number: the driver is asked once. */
  readonly reached: Map<number, boolean> = new Map();

  constructor(
    info: MuxDeviceInfo,
    target: MuxTarget,
    cuda: CudaDevice,
    scheduler: Scheduler,
    clock: GpuClock,
    loop: EventLoop,
  ) {
    super(info, target, cuda, (device) => new CudaMuxQueue({ device }));
    this.cuda = cuda;
    this.scheduler = scheduler;
    this.clock = clock;
    this.loop = loop;
  }
}

/** Its queue. */
export class CudaMuxQueue extends MuxQueue {}

/** Memory of the GPU, or pinned memory of the host. */
export class CudaMuxMemory extends HalMuxMemory {
  /** Pinned memory: the host's copy, or the memory itself; null: the copy is the caller's array, or there is none. */
  block: HostBlock | null;
  /** True: the host's bytes are the memory. */
  readonly isHost: boolean;

  constructor(
    device: MuxDevice,
    size: number,
    properties: number,
    address: number,
    copy: Uint8Array | null,
    host: HostBlock | null,
  ) {
    super(device, size, properties, address, host?.bytes ?? copy);
    this.block = host;
    this.isHost = host !== null;
  }
}

/** A fence. */
export class CudaMuxFence extends MuxFence {
  /** What signals it; null: nothing does. */
  dispatch: Dispatch | null = null;
  outcome: "idle" | "pending" | "done" = "idle";
  failure: MuxFailure | null = null;
}

/** A semaphore. */
export class CudaMuxSemaphore extends MuxSemaphore {
  /** What signals it; null: it is signalled, or nothing signals it yet. */
  dispatch: Dispatch | null = null;
  outcome: "idle" | "signalled" | "failed" = "idle";
}

/** Commands. */
export class CudaMuxCommandBuffer extends MuxCommandBuffer {
  commands: Command[] = [];
  /** True: some of it reads what the host has, or calls it. */
  needsHost = false;
  /** True: something may end a launch of it before it is through. */
  isLimited = false;
  /** Dispatches since it was recorded. */
  dispatches = 0;
  /** Runs of commands that are graphs, by their first; null: none were made yet. */
  graphs: Map<number, GraphPart> | null = null;

  /** Adds a command. */
  add(command: Command): void {
    this.commands.push(command);
    if (needsHost(command)) this.needsHost = true;
    if (limitedOf(command).length > 0) this.isLimited = true;
  }
}

/** A prepared launch. */
export class CudaMuxLaunch extends MuxLaunch {
  readonly command: LaunchCommand;

  constructor(command: LaunchCommand) {
    const { kernel } = command.recorded;
    super({ device: kernel.device, kernel });
    this.command = command;
  }
}
