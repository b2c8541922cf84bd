// SPDX-License-Identifier: Apache-2.0
// Kernels as functions: a call sets the arguments and launches.
import { type Value, packValue } from "@muxkit/loader";
import {
  type ArgumentValue,
  type Buffer,
  type Event,
  type Kernel,
  type LocalMemory,
  OpenCLError,
  Pipe,
  Sampler,
  clEnqueueNDRangeKernel,
  clSetKernelArg,
} from "@muxkit/opencl";

import { DeviceArray } from "./device-array.ts";
import { DeviceImage } from "./device-image.ts";
import type { Launches } from "./launches.ts";

/**
 * What a kernel's argument can be: an array (or null) for a pointer, an image, a sampler, a pipe, `{ localBytes }` for
 * local memory, a value.
 *
 * @public
 */
export type KernelArgument = DeviceArray | DeviceImage | Sampler | Pipe | Value | LocalMemory | null;

/**
 * How many work-items: a number or up to three; with further settings, an object. Without `local` the device chooses.
 *
 * @public
 */
export type Range =
  | number
  | readonly number[]
  | {
      readonly global: number | readonly number[];
      readonly local?: number | readonly number[];
      readonly offset?: number | readonly number[];
    };

/**
 * A kernel as a function. The event that it returns completes when the launch is done; calls of one device run in
 * order, so waiting for it is not necessary.
 *
 * @public
 */
export interface KernelFunction<Arguments extends readonly unknown[] = readonly KernelArgument[]> {
  /** Sets the arguments and launches. Errors: those of clSetKernelArg and clEnqueueNDRangeKernel. */
  (range: Range, ...args: Arguments): Event;
  /** The underlying OpenCL kernel. */
  readonly kernel: Kernel;
}

function sizes(size: number | readonly number[]): readonly number[] {
  return typeof size === "number" ? [size] : size;
}

/** A range in OpenCL's terms. */
function parseRange(range: Range): {
  readonly global: readonly number[];
  readonly local: readonly number[] | null;
  readonly offset: readonly number[] | null;
} {
  if (typeof range === "number" || "length" in range) return { global: sizes(range), local: null, offset: null };
  const { global, local, offset } = range;
  return {
    global: sizes(global),
    local: local === undefined ? null : sizes(local),
    offset: offset === undefined ? null : sizes(offset),
  };
}

function isLocal(value: unknown): value is LocalMemory {
  return typeof value === "object" && value !== null && "localBytes" in value;
}

const WANTED = {
  local: "requires an object { localBytes }",
  pointer: "requires an array on the device: device.array(…)",
  image: "requires an image on the device: device.image(…)",
  sampler: "requires a sampler: device.sampler(…)",
  pipe: "requires a pipe: clCreatePipe(device.context, …) of muxkit/opencl",
} as const;

function argumentValue(kernel: Kernel, index: number, value: unknown): ArgumentValue {
  const info = kernel.info.arguments[index];
  if (info === undefined || value === null || isLocal(value)) return value as ArgumentValue;
  const wrong = (what: string): never => {
    throw new OpenCLError(
      "CL_INVALID_ARG_VALUE",
      kernel.info.name,
      `argument ${index} (${info.typeName} ${info.name}) ${what}`,
    );
  };
  if (value instanceof DeviceArray)
    return info.kind === "pointer"
      ? (value.buffer satisfies Buffer)
      : wrong("requires a value, not an array on the device");
  if (value instanceof DeviceImage) return info.kind === "image" ? value.image : wrong("does not accept an image");
  if (value instanceof Sampler) return info.kind === "sampler" ? value : wrong("does not accept a sampler");
  if (value instanceof Pipe) return info.kind === "pipe" ? value : wrong("does not accept a pipe");
  if (info.kind !== "value") return wrong(WANTED[info.kind]);
  const packed = packValue(info.typeName, info.size, value);
  return typeof packed === "string" ? wrong(packed) : packed;
}

/** A kernel as a function that launches on a device's queue. */
export function kernelFunction(launches: Launches, kernel: Kernel): KernelFunction {
  const { name, arguments: parameters } = kernel.info;
  const launch = (range: Range, ...args: readonly unknown[]): Event => {
    if (args.length !== parameters.length) {
      throw new OpenCLError(
        "CL_INVALID_KERNEL_ARGS",
        name,
        `${parameters.length} arguments are required ` +
          `(${parameters.map((parameter) => parameter.name).join(", ")}), not ${args.length}`,
      );
    }
    for (const [index, value] of args.entries()) clSetKernelArg(kernel, index, argumentValue(kernel, index, value));
    const { global, local, offset } = parseRange(range);
    return launches.track(clEnqueueNDRangeKernel(launches.queue, kernel, global.length, offset, global, local));
  };
  return Object.assign(launch, { kernel });
}
