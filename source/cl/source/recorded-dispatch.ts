// SPDX-License-Identifier: Apache-2.0
// A launch as a command buffer keeps it: the kernel with arguments of the command's own, the sizes, the code.
import {
  DEFAULT_ALLOCATOR,
  type MuxKernel,
  type MuxLaunch,
  type MuxNDRangeOptions,
  muxCreateLaunch,
  muxDestroyLaunch,
} from "@muxkit/mux";

import type { Held } from "./submission.ts";
import { fromMux } from "./from-mux.ts";
import type { Access } from "./access.ts";
import { accessesOf, type Kernel, type CodeForLaunch, type KernelState, codeFor } from "./kernel.ts";
import type { LaunchSizes } from "./kernel-launch.ts";
import { launchOptions } from "./launch-options.ts";
import type { MemoryObject } from "./memory-object.ts";
import { warnOfPixels } from "./pixel-warnings.ts";
import type { Device } from "./platform.ts";

/** A recorded launch. Changes make another one. */
export class RecordedDispatch implements Held {
  readonly kernel: Kernel;
  readonly device: Device;
  /** The kernel with the command's own arguments. */
  readonly state: KernelState;
  readonly sizes: LaunchSizes;
  readonly options: MuxNDRangeOptions;
  /** Buffers and images among the arguments. */
  readonly memory: readonly MemoryObject[];
  /** Which bytes it uses, in contexts of several memories. */
  readonly accesses: readonly Access[];
  /** True when its arguments can be changed: then it is recorded by itself, so that this is quick. */
  readonly isMutable: boolean;
  #code: MuxKernel;
  #isFinal: boolean;
  #launch: MuxLaunch | null = null;
  /** Recordings that have it. */
  #holders = 0;

  private constructor(
    kernel: Kernel,
    device: Device,
    state: KernelState,
    sizes: LaunchSizes,
    checked: ReturnType<typeof launchOptions>,
    isMutable: boolean,
    code: CodeForLaunch,
  ) {
    this.kernel = kernel;
    this.device = device;
    this.state = state;
    this.sizes = sizes;
    this.options = code.options;
    this.memory = checked.memory;
    this.accesses = accessesOf(state);
    this.isMutable = isMutable;
    this.#code = code.code;
    this.#isFinal = code.isFinal;
  }

  /**
   * Checks a launch. `code`: that of a launch with the same facts; null: to be looked for. Errors: those of
   * clEnqueueNDRangeKernel.
   */
  static check(
    call: string,
    device: Device,
    kernel: Kernel,
    state: KernelState,
    given: LaunchSizes,
    isMutable: boolean,
    like: RecordedDispatch | null,
  ): RecordedDispatch {
    const { dimensions, globalOffset, globalSize, localSize } = given;
    const sizes = {
      dimensions,
      globalOffset: globalOffset?.slice(0, dimensions) ?? null,
      globalSize: globalSize.slice(0, dimensions),
      localSize: localSize?.slice(0, dimensions) ?? null,
    };
    const checked = launchOptions(call, device, state, sizes);
    warnOfPixels(state);
    const code =
      like === null
        ? codeFor(call, state, device, checked.options)
        : { code: like.#code, isFinal: like.#isFinal, options: checked.options };
    return new RecordedDispatch(kernel, device, state, sizes, checked, isMutable, code);
  }

  /** What runs: the generic kernel or a variant of it. */
  get code(): MuxKernel {
    return this.#code;
  }

  /** Queries the code again, as an enqueue would: true when it has changed. */
  settle(call: string): boolean {
    if (this.#isFinal) return false;
    const { code, isFinal } = codeFor(call, this.state, this.device, this.options);
    this.#isFinal = isFinal;
    if (code === this.#code) return false;
    this.#code = code;
    this.#drop(call);
    return true;
  }

  /** The prepared launch, which several command buffers of the runtime share. */
  launch(call: string): MuxLaunch {
    this.#launch ??= fromMux(call, muxCreateLaunch(this.#code, this.options, DEFAULT_ALLOCATOR));
    return this.#launch;
  }

  /** A recording needs it, and with it the kernel and the memory. */
  use(): void {
    if (this.#holders++ > 0) return;
    this.kernel.use();
    for (const object of this.memory) object.use();
  }

  /** The end of a {@link RecordedDispatch.use}. */
  unuse(): void {
    if (--this.#holders > 0) return;
    this.#drop("clReleaseCommandBufferKHR");
    for (const object of this.memory) object.unuse();
    this.kernel.unuse();
  }

  /** Releases the prepared launch; command buffers of the runtime that have recorded it keep what they need. */
  #drop(call: string): void {
    if (this.#launch !== null) fromMux(call, muxDestroyLaunch(this.#launch.device, this.#launch, DEFAULT_ALLOCATOR));
    this.#launch = null;
  }
}
