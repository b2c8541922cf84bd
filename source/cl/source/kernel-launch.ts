// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel with its arguments and sizes, prepared by the runtime: enqueued again, it needs no second look.
import { DEFAULT_ALLOCATOR, type MuxLaunch, muxDestroyLaunch } from "@muxkit/mux";

import type { Access } from "./access.ts";
import type { Copy } from "./copies.ts";
import type { Command } from "./submission.ts";
import { NO_EVENTS } from "./event.ts";
import { fromMux } from "./from-mux.ts";
import { type Kernel, type SetArgument, accessesOf } from "./kernel.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { Device } from "./platform.ts";
import type { LaunchDescription } from "./trace.ts";

export { NO_EVENTS };

/** Sizes as they were passed. @internal */
export interface LaunchSizes {
  readonly dimensions: number;
  readonly globalOffset: readonly number[] | null;
  readonly globalSize: readonly number[];
  readonly localSize: readonly number[] | null;
}

function isSame(left: readonly number[] | null, right: readonly number[] | null, dimensions: number): boolean {
  if (left === null || right === null) return left === right;
  for (let axis = 0; axis < dimensions; axis++) if (left[axis] !== right[axis]) return false;
  return true;
}

/** A prepared launch. @internal */
export class KernelLaunch {
  readonly launch: MuxLaunch;
  readonly #device: Device;
  /** Buffers and images among the arguments. */
  readonly memory: readonly MemoryObject[];
  /** The command of an enqueue without a wait list. */
  readonly command: Command;
  /** Which bytes it uses, in contexts of several memories. */
  readonly accesses: readonly Access[];
  /** The copies that it was made for; none in contexts with one memory. */
  readonly #copies: readonly (Copy | null)[];
  readonly #kernel: Kernel;
  readonly #arguments: readonly (SetArgument | null)[];
  readonly #sizes: LaunchSizes;
  /** Commands that are not complete. */
  #holders = 0;
  #isDropped = false;

  constructor(kernel: Kernel, device: Device, sizes: LaunchSizes, memory: readonly MemoryObject[], launch: MuxLaunch) {
    this.#kernel = kernel;
    this.#device = device;
    this.#arguments = [...kernel.arguments];
    const { dimensions, globalOffset, globalSize, localSize } = sizes;
    this.#sizes = {
      dimensions,
      globalOffset: globalOffset?.slice(0, dimensions) ?? null,
      globalSize: globalSize.slice(0, dimensions),
      localSize: localSize?.slice(0, dimensions) ?? null,
    };
    this.memory = memory;
    this.launch = launch;
    this.command = { waits: NO_EVENTS, objects: [this], record: null, launch };
    const { memories } = kernel.program.context;
    this.accesses = accessesOf(kernel);
    this.#copies = memories === null ? [] : memory.map(({ copies }) => copies?.at(memories.of(device)) ?? null);
  }

  /** False when a copy that it was made for was given back. */
  get isCurrent(): boolean {
    const copies = this.#copies;
    for (let i = 0; i < copies.length; i++) if (copies[i]?.isGone === true) return false;
    return true;
  }

  /** True when the device, the kernel's arguments and these sizes are those of this launch. */
  matches(
    device: Device,
    list: readonly (SetArgument | null)[],
    dimensions: number,
    globalOffset: readonly number[] | null,
    globalSize: readonly number[],
    localSize: readonly number[] | null,
  ): boolean {
    if (device !== this.#device) return false;
    const mine = this.#arguments;
    for (let i = 0; i < mine.length; i++) if (mine[i] !== list[i]) return false;
    const sizes = this.#sizes;
    return (
      sizes.dimensions === dimensions &&
      isSame(sizes.globalSize, globalSize, dimensions) &&
      isSame(sizes.localSize, localSize, dimensions) &&
      isSame(sizes.globalOffset, globalOffset, dimensions)
    );
  }

  /** What a trace shows of it. */
  facts(): LaunchDescription {
    const { globalSize, localSize } = this.#sizes;
    return {
      kernel: this.#kernel.info.name,
      globalSize: globalSize.join(", "),
      localSize: localSize?.join(", ") ?? "chosen",
    };
  }

  /** A command needs it, and with it the kernel and the memory. */
  use(): void {
    if (this.#holders++ > 0) return;
    this.#kernel.use();
    for (const object of this.memory) object.use();
  }

  /** The end of a {@link KernelLaunch.use}. */
  unuse(): void {
    if (--this.#holders > 0) return;
    if (this.#isDropped) this.#destroy();
    for (const object of this.memory) object.unuse();
    this.#kernel.unuse();
  }

  /** The kernel has forgotten it: it goes with its last command. */
  drop(): void {
    this.#isDropped = true;
    if (this.#holders === 0) this.#destroy();
  }

  #destroy(): void {
    fromMux("clReleaseKernel", muxDestroyLaunch(this.launch.device, this.launch, DEFAULT_ALLOCATOR));
  }
}
