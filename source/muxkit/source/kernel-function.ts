// SPDX-License-Identifier: Apache-2.0
// Kernels as functions: a call sets the arguments and launches.
import { type Value, packValue, rangeFault } from "@muxkit/loader";
import {
  type ArgumentValue,
  type Buffer,
  type Kernel,
  type LocalMemory,
  OpenCLError,
  Pipe,
  Sampler,
  clEnqueueNDRangeKernel,
  enqueueLimited,
  clSetKernelArg,
} from "@muxkit/opencl";

import type { Command } from "./command.ts";
import { describe } from "./described.ts";
import { DeviceArray, type HostArray } from "./device-array.ts";
import { DeviceImage } from "./device-image.ts";
import { arraysFor, structOf } from "./element-types.table.ts";
import { LaunchLimit, type StopSignal } from "./launch-limit.ts";
import type { Launches } from "./launches.ts";
import { checkOptions, operate } from "./operation.ts";

/**
 * What a kernel's argument can be: an array (or null) for a pointer, an image, a sampler, a pipe, `{ localBytes }` for
 * local memory, a value.
 *
 * @public
 */
export type KernelArgument = DeviceArray<HostArray> | DeviceImage | Sampler | Pipe | Value | LocalMemory | null;

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
      /** Longest run time in ms; what runs longer is stopped and fails with a {@link DeadlineError}. */
      readonly deadline?: number;
      /** An AbortSignal: it stops the launch, which fails with the signal's reason. Later launches go on. */
      readonly signal?: StopSignal;
    };

/**
 * A kernel as a function. Calls of one device run in order, so waiting for what it returns is not necessary.
 *
 * @public
 */
export interface KernelFunction<Arguments extends readonly unknown[] = readonly KernelArgument[]> {
  /**
   * Sets the arguments and launches; `await` waits until the launch is done. Errors: CL_INVALID_KERNEL_ARGS for too few
   * or too many arguments, CL_INVALID_ARG_VALUE for one that does not fit its parameter, those of a range that cannot
   * be.
   */
  (range: Range, ...args: Arguments): Command;
  /** The underlying OpenCL kernel. */
  readonly kernel: Kernel;
}

const RANGE_OPTIONS: ReadonlySet<string> = new Set(["global", "local", "offset", "deadline", "signal"]);

/** What a range can be, for messages. */
const RANGE_FORMS = "pass a number, a list of up to three, or { global, local, offset }";

function sizes(size: number | readonly number[]): readonly number[] {
  return typeof size === "number" ? [size] : size;
}

/** A range in OpenCL's terms. */
function parseRange(
  name: string,
  range: Range,
): {
  readonly global: readonly number[];
  readonly local: readonly number[] | null;
  readonly offset: readonly number[] | null;
  readonly limit: LaunchLimit | null;
} {
  if (range === undefined || range === null)
    throw new OpenCLError("CL_INVALID_GLOBAL_WORK_SIZE", name, `the range is ${String(range)}; ${RANGE_FORMS}`);
  if (typeof range === "number" || (typeof range === "object" && "length" in range))
    return { global: sizes(range), local: null, offset: null, limit: null };
  checkOptions(name, range, RANGE_OPTIONS);
  if (range.global === undefined)
    throw new OpenCLError("CL_INVALID_GLOBAL_WORK_SIZE", name, `the range has no global size; ${RANGE_FORMS}`);
  const { global, local, offset, deadline, signal } = range;
  return {
    limit: deadline === undefined && signal === undefined ? null : new LaunchLimit(name, deadline, signal),
    global: sizes(global),
    local: local === undefined ? null : sizes(local),
    offset: offset === undefined ? null : sizes(offset),
  };
}

function isLocal(value: unknown): value is LocalMemory {
  return typeof value === "object" && value !== null && "localBytes" in value;
}

const WANTED = {
  value: "requires a value",
  local: "requires an object { localBytes }",
  pointer: "requires an array on the device: device.array(…)",
  image: "requires an image on the device: device.image(…)",
  sampler: "requires a sampler: device.sampler(…)",
  pipe: "requires a pipe: clCreatePipe(device.context, …) of muxkit/opencl",
} as const;

/** Why an array is none for a pointer; null: it is one. */
function elementFault(typeName: string, { type, isDestroyed }: DeviceArray<HostArray>): string | null {
  if (isDestroyed) return "is an array that has been destroyed";
  const wanted = arraysFor(typeName);
  if (wanted !== null)
    return wanted.includes(type.name)
      ? null
      : `requires an array of ${wanted[0] ?? ""}, not of ${type.name}; array.view(${wanted[0] ?? ""}) has the same bytes`;
  const struct = structOf(typeName);
  if (struct === null || struct === type.name || !("offsets" in type)) return null;
  return `requires an array of the struct ${struct}, not of ${type.name}`;
}

function argumentValue(launches: Launches, kernel: Kernel, index: number, value: unknown): ArgumentValue {
  const info = kernel.info.arguments[index];
  if (info === undefined || value === null || isLocal(value)) return value as ArgumentValue;
  const wrong = (what: string): never => {
    throw new OpenCLError(
      "CL_INVALID_ARG_VALUE",
      kernel.info.name,
      `argument ${index} (${info.typeName} ${info.name}) ${what}`,
    );
  };
  if (value instanceof DeviceArray) {
    if (info.kind !== "pointer") return wrong(`${WANTED[info.kind]}, not an array on the device`);
    const array = value as DeviceArray<HostArray>;
    const fault = elementFault(info.typeName, array);
    if (fault !== null) return wrong(fault);
    if (array.launches !== launches) return wrong("is an array of another device");
    return array.buffer satisfies Buffer;
  }
  if (value instanceof DeviceImage) {
    if (info.kind !== "image") return wrong(`${WANTED[info.kind]}, not an image`);
    return value.launches === launches ? value.image : wrong("is an image of another device");
  }
  if (value instanceof Sampler) return info.kind === "sampler" ? value : wrong(`${WANTED[info.kind]}, not a sampler`);
  if (value instanceof Pipe) return info.kind === "pipe" ? value : wrong(`${WANTED[info.kind]}, not a pipe`);
  if (info.kind !== "value") return wrong(WANTED[info.kind]);
  const fault = rangeFault(info.typeName, value);
  if (fault !== null) return wrong(fault);
  const packed = packValue(info.typeName, info.size, value);
  return typeof packed === "string" ? wrong(packed) : packed;
}

/** Bytes of the arrays and images among arguments. */
function bytesOf(args: readonly unknown[]): number {
  let sum = 0;
  for (const value of args)
    if (value instanceof DeviceArray) sum += value.byteLength;
    else if (value instanceof DeviceImage) sum += value.image.size;
  return sum;
}

/** A kernel as a function that launches on a device's queue. */
export function kernelFunction(launches: Launches, kernel: Kernel): KernelFunction {
  const { name, arguments: parameters } = kernel.info;
  const launch = (range: Range, ...args: readonly unknown[]): Command => {
    if (args.length !== parameters.length) {
      throw new OpenCLError(
        "CL_INVALID_KERNEL_ARGS",
        name,
        `${parameters.length} arguments are required ` +
          `(${parameters.map((parameter) => parameter.name).join(", ")}), not ${args.length}`,
      );
    }
    const { global, local, offset, limit } = parseRange(name, range);
    const event = operate(name, () => {
      for (const [index, value] of args.entries())
        clSetKernelArg(kernel, index, argumentValue(launches, kernel, index, value));
      if (limit !== null) {
        const given = { dimensions: global.length, globalOffset: offset, globalSize: global, localSize: local };
        return enqueueLimited(launches.queue, kernel, given, limit);
      }
      return clEnqueueNDRangeKernel(launches.queue, kernel, global.length, offset, global, local);
    });
    return launches.track(name, event, launches.profile === null ? 0 : bytesOf(args), limit);
  };
  describe(
    launch,
    () => `kernel ${name}(${parameters.map((parameter) => `${parameter.typeName} ${parameter.name}`).join(", ")})`,
  );
  return Object.assign(launch, { kernel });
}

/** Names that other code asks any object for: promises, formatters and test runners. */
const PROBED: ReadonlySet<string> = new Set([
  "then",
  "toJSON",
  "asymmetricMatch",
  "nodeType",
  "tagName",
  "hasAttribute",
  "href",
  "protocol",
  "$$typeof",
]);

/** Throws for a kernel that a program does not have. */
export function noKernel(operation: string, name: string, known: readonly string[]): never {
  throw new OpenCLError(
    "CL_INVALID_KERNEL_NAME",
    operation,
    `no kernel ${name}; ${known.length === 0 ? "the program has none" : `there are ${known.join(", ")}`}`,
  );
}

/** Kernels by name; any other name is an error when it is asked for, not when the value is called. */
export function kernelsByName(
  kernels: readonly (readonly [string, KernelFunction])[],
): Readonly<Record<string, KernelFunction>> {
  const names = kernels.map(([name]) => name);
  const unknown = new Proxy(Object.prototype, {
    get: (target, name, receiver) => {
      if (typeof name === "string" && /^\w+$/u.test(name) && !(name in target) && !PROBED.has(name))
        noKernel("device.build", name, names);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const all = Object.assign(Object.create(unknown) as Record<string, KernelFunction>, Object.fromEntries(kernels));
  describe(all, () => `kernels ${names.join(", ")}`);
  return all;
}
