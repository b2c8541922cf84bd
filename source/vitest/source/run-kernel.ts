// SPDX-License-Identifier: Apache-2.0
// A kernel in one line: arguments by name, results by name.
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

import { type Device, type DeviceOptions, type KernelFunction, type Range, type TypedArray, openDevice } from "muxkit";

/** Values of a kernel's parameters by name: typed arrays for pointers, numbers and lists for values. @public */
export type KernelValues = Readonly<
  Record<string, TypedArray | number | bigint | readonly number[] | { readonly localBytes: number } | null>
>;

/** How a kernel is run. @public */
export interface RunOptions {
  /** The kernel's name, where the program has several. */
  readonly kernel?: string;
  /** OpenCL's build options. The folder of a file is where its headers are looked for. */
  readonly options?: string;
  /** How the device is opened. Devices of the same options are shared by a process. */
  readonly device?: DeviceOptions;
}

/** What is wrong with a test of a kernel, as a sentence. @public */
export class KernelTestError extends Error {
  /** Name of the class. */
  override readonly name = "KernelTestError";
}

const DEVICES = new Map<string, Promise<Device>>();

/**
 * The device for tests: the same one for the same options. A launch of more than ten seconds fails, and so does a write
 * next to a buffer, unless options say otherwise.
 *
 * @public
 */
export async function testDevice(options: DeviceOptions = {}): Promise<Device> {
  const all: DeviceOptions = { deadline: 10_000, redZone: 64, ...options };
  const key = JSON.stringify(all);
  const device = DEVICES.get(key) ?? openDevice(all);
  DEVICES.set(key, device);
  return await device;
}

function kernelOf(kernels: Readonly<Record<string, KernelFunction>>, name: string | undefined): KernelFunction {
  const names = Object.keys(kernels);
  const chosen = name ?? (names.length === 1 ? names[0] : undefined);
  if (chosen === undefined)
    throw new KernelTestError(
      `the program has the kernels ${names.join(", ")}; choose one: { kernel: "${names[0] ?? ""}" }`,
    );
  if (!names.includes(chosen)) throw new KernelTestError(`no kernel ${chosen}; there are ${names.join(", ")}`);
  return kernels[chosen] as KernelFunction;
}

/** True for a text that is a file's name, not a source. */
function isFile(source: string): boolean {
  return !source.includes("\n") && !source.includes("{") && source.endsWith(".cl");
}

/**
 * Runs a kernel of a `.cl` file or of a source, and gives back every array that it was given, as it is afterwards, by
 * the parameters' names: `const { y } = await runKernel("saxpy.cl", 4, { y, x, a: 2 })`. The arrays that are passed
 * stay as they are. Errors: those of building and launching, {@link KernelTestError} for a parameter that has no value,
 * or a value without a parameter.
 *
 * @public
 */
export async function runKernel(
  source: string,
  range: Range,
  values: KernelValues,
  { kernel: name, options = "", device: deviceOptions }: RunOptions = {},
): Promise<Record<string, TypedArray>> {
  const device = await testDevice(deviceOptions);
  const text = isFile(source) ? await readFile(source, "utf8") : source;
  const kernels: Readonly<Record<string, KernelFunction>> = device.build(text, {
    options: isFile(source) ? `-I ${dirname(source)} -S ${source} ${options}` : options,
  });
  const kernel = kernelOf(kernels, name);
  const parameters = kernel.kernel.info.arguments;
  const names = parameters.map((parameter) => parameter.name);
  const missing = names.find((one) => !(one in values));
  const unknown = Object.keys(values).find((one) => !names.includes(one));
  if (missing !== undefined || unknown !== undefined)
    throw new KernelTestError(
      `the kernel has the parameters ${names.join(", ")}; ` +
        (missing === undefined ? `${unknown ?? ""} is none of them` : `${missing} has no value`),
    );
  const arrays = parameters.flatMap((parameter) => {
    const value = values[parameter.name];
    return parameter.kind === "pointer" && ArrayBuffer.isView(value)
      ? [{ name: parameter.name, array: device.array(value) }]
      : [];
  });
  try {
    const args = names.map((one) => arrays.find((made) => made.name === one)?.array ?? values[one] ?? null);
    kernel(range, ...(args as Parameters<typeof kernel> extends [Range, ...infer Rest] ? Rest : never));
    const results = await Promise.all(arrays.map(async (made) => [made.name, await made.array.read()] as const));
    return Object.fromEntries(results);
  } finally {
    for (const made of arrays) made.array.destroy();
  }
}
