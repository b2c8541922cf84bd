// SPDX-License-Identifier: Apache-2.0
// Programs that were compiled ahead of time, as modules have them that `clc --emit esm` and the bundlers' plugins
// write.
import { OpenCLError } from "@muxkit/opencl";

import type { Command } from "./command.ts";
import type { Device } from "./device.ts";
import { DeviceArray } from "./device-array.ts";
import { DeviceImage } from "./device-image.ts";
import { DeviceProgram, programFor } from "./device-program.ts";
import type { KernelArgument, KernelFunction, Range } from "./kernel-function.ts";
import type { Launches } from "./launches.ts";

/** A kernel that is of no device yet. @public */
export interface CompiledKernel<Arguments extends readonly unknown[] = readonly KernelArgument[]> {
  /**
   * Launches on the device of the first array or image among the arguments. Errors: those of the kernel on the device;
   * CL_INVALID_KERNEL_ARGS where no argument is of a device: `on(device)` selects one.
   */
  (range: Range, ...args: Arguments): Command;
  /** The kernel on a device. Errors: those of `Device.program`. */
  readonly on: (device: Device) => KernelFunction<Arguments>;
}

/** A program that was compiled. It is loaded on a device when it is first used there. @public */
export class CompiledProgram {
  readonly #text: string;
  #bytes: Uint8Array | null = null;
  readonly #loaded = new WeakMap<Launches, DeviceProgram>();

  /** `text` is the binary in base64; blanks do not matter. */
  constructor(text: string) {
    this.#text = text;
  }

  /** What `Device.program` and `clCreateProgramWithBinary` take. */
  get binary(): Uint8Array {
    return (this.#bytes ??= Uint8Array.from(atob(this.#text), (character) => character.charCodeAt(0)));
  }

  /** The program on a device. */
  on(device: Device): DeviceProgram {
    return this.#load(device.launches);
  }

  /** A kernel by its name. The first launch checks that it exists: CL_INVALID_KERNEL_NAME. */
  kernel<Arguments extends readonly unknown[]>(name: string): CompiledKernel<Arguments> {
    const launch = (range: Range, ...args: Arguments): Command => {
      const own = args.find((value) => value instanceof DeviceArray || value instanceof DeviceImage);
      if (own === undefined)
        throw new OpenCLError(
          "CL_INVALID_KERNEL_ARGS",
          name,
          `no argument is an array or image of a device; use ${name}.on(device)(…) to choose the device`,
        );
      return this.#load(own.launches).kernel(name)(range, ...(args as readonly KernelArgument[]));
    };
    return Object.assign(launch, { on: (device: Device) => this.on(device).kernel(name) as KernelFunction<Arguments> });
  }

  #load(launches: Launches): DeviceProgram {
    let found = this.#loaded.get(launches);
    if (found === undefined) {
      found = new DeviceProgram(launches, programFor("load", launches, this.binary, ""));
      this.#loaded.set(launches, found);
    }
    return found;
  }
}
