// SPDX-License-Identifier: Apache-2.0
// Programs on a device, and their kernels as functions.
import {
  type CommandQueue,
  type Kernel,
  OpenCLError,
  type Program,
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithBinary,
  clCreateProgramWithSource,
  clGetProgramInfo,
  clReleaseKernel,
  clReleaseProgram,
} from "@muxkit/opencl";

import { Described } from "./described.ts";
import { type KernelFunction, kernelFunction, noKernel } from "./kernel-function.ts";
import type { Launches } from "./launches.ts";
import { operate } from "./operation.ts";

/** Builds a program of a source, or loads a binary, for a device's queue. */
export function programFor(
  operation: string,
  { queue }: Launches,
  source: string | Uint8Array,
  options: string,
): Program {
  if (typeof source !== "string" && !(source instanceof Uint8Array))
    throw new OpenCLError("CL_INVALID_VALUE", operation, `a source or a binary is required, not ${typeof source}`);
  return operate(operation, () => build(queue, source, options));
}

function build(queue: CommandQueue, source: string | Uint8Array, options: string): Program {
  const program =
    typeof source === "string"
      ? clCreateProgramWithSource(queue.context, [source])
      : clCreateProgramWithBinary(queue.context, [queue.device], [source]);
  try {
    clBuildProgram(program, null, options);
  } catch (error) {
    clReleaseProgram(program);
    throw error;
  }
  return program;
}

/** A built program. @public */
export class DeviceProgram extends Described {
  readonly #launches: Launches;
  readonly #program: Program;
  readonly #kernels = new Map<string, KernelFunction>();
  readonly #made: Kernel[] = [];

  /** Made by `Device.program`. @internal */
  constructor(launches: Launches, program: Program) {
    super();
    this.#launches = launches;
    this.#program = program;
  }

  /** Names of its kernels. */
  get kernelNames(): readonly string[] {
    return clGetProgramInfo(this.#program, "CL_PROGRAM_KERNEL_NAMES")
      .split(";")
      .filter((name) => name !== "");
  }

  /** Bytes that `Device.program` takes instead of a source. */
  get binary(): Uint8Array {
    const [binary] = clGetProgramInfo(this.#program, "CL_PROGRAM_BINARIES");
    return binary ?? new Uint8Array(0);
  }

  /** A kernel as a function. Error: CL_INVALID_KERNEL_NAME. */
  kernel(name: string): KernelFunction {
    let found = this.#kernels.get(name);
    if (found === undefined) {
      const { kernelNames } = this;
      if (!kernelNames.includes(name)) noKernel("program.kernel", name, kernelNames);
      const kernel = clCreateKernel(this.#program, name);
      this.#made.push(kernel);
      found = kernelFunction(this.#launches, kernel);
      this.#kernels.set(name, found);
    }
    return found;
  }

  /** Releases it, once its launches are done. */
  destroy(): void {
    if (this.#program.referenceCount === 0) return;
    for (const kernel of this.#made) clReleaseKernel(kernel);
    clReleaseProgram(this.#program);
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  /** One line: its kernels. */
  toString(): string {
    return this.#program.referenceCount === 0
      ? "DeviceProgram, destroyed"
      : `DeviceProgram ${this.kernelNames.join(", ")}`;
  }
}
