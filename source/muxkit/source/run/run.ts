// SPDX-License-Identifier: Apache-2.0
// Runs of kernels: one after the other, each on all threads.
import { launchSettings } from "#launching";
import {
  type HostArgument,
  type HostBuffer,
  type HostExecutable,
  type HostKernel,
  Launcher,
} from "@muxkit/host/launcher";
import type { Result } from "@muxkit/cargo";

import { hostArguments } from "./arguments.ts";
import { RunError, ensure } from "./error.ts";
import { type Places, sizesOf } from "./places.ts";
import { imageOf } from "./program.ts";
import { type RunKernel, type RunUnit, constantValue } from "./unit.ts";

let opened: Promise<Launcher> | null = null;
/** The end of the last run. */
let last: Promise<unknown> = Promise.resolve();
const loaded = new WeakMap<RunUnit, HostExecutable>();
const memories = new WeakMap<ArrayBufferView, HostBuffer>();
const forgotten = new FinalizationRegistry<HostBuffer>((buffer) => void buffer.destroy());

function take<T>(result: Result<T, { readonly message: string }>): T {
  if (result.ok) return result.value;
  throw new RunError(result.error.message);
}

async function launcher(): Promise<Launcher> {
  opened ??= Launcher.open(launchSettings()).then(take);
  return await opened;
}

/** Starts the threads, before the first run would: how many run work-groups. @public */
export async function ready(): Promise<{ readonly threads: number }> {
  const { threads } = await launcher();
  return { threads };
}

/** Arrays that {@link memory} makes. @public */
export type RunMemory = ArrayBufferView;

/** An array in the device's memory: runs use it where it is, and copy nothing. Error: there is no memory. @public */
export async function memory<T extends RunMemory>(
  type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike, at: number, length: number): T },
  length: number,
): Promise<T> {
  ensure(Number.isSafeInteger(length) && length > 0, () => `an array has one element at least, not ${length}`);
  const buffer = take((await launcher()).allocate(length * type.BYTES_PER_ELEMENT));
  const bytes = buffer.view();
  bytes.fill(0);
  const array = new type(bytes.buffer, bytes.byteOffset, length);
  memories.set(array, buffer);
  forgotten.register(array, buffer);
  return array;
}

function kernelOf(device: Launcher, unit: RunUnit, entry: string): HostKernel {
  let executable = loaded.get(unit);
  if (executable === undefined) {
    ensure(
      "program" in unit.data,
      () => "the kernel was translated and not compiled; bundle the program with the plugin for esbuild or Vite",
    );
    if (unit.printf !== null) device.usePrintf(unit.printf);
    executable = take(device.load(imageOf(unit.data.program)));
    loaded.set(unit, executable);
  }
  return take(executable.kernel(entry));
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Copies of the program's arrays, for one run. */
class Copies {
  readonly #device: Launcher;
  readonly #made: { readonly array: ArrayBufferView; readonly buffer: HostBuffer; isWritten: boolean }[] = [];

  constructor(device: Launcher) {
    this.#device = device;
  }

  /** The memory of an array: the same for one that is passed twice. */
  of(array: ArrayBufferView, isWritten: boolean): HostBuffer {
    const own = memories.get(array);
    if (own !== undefined) return own;
    let copy = this.#made.find((one) => one.array === array);
    if (copy === undefined) {
      copy = { array, buffer: take(this.#device.allocate(array.byteLength)), isWritten };
      this.#made.push(copy);
      copy.buffer.view().set(bytesOf(array));
    }
    copy.isWritten ||= isWritten;
    return copy.buffer;
  }

  /** What was written goes back. */
  writeBack(): void {
    for (const { array, buffer, isWritten } of this.#made) if (isWritten) bytesOf(array).set(buffer.view());
  }

  free(): void {
    for (const { buffer } of this.#made) void buffer.destroy();
  }
}

async function runNow(kernel: RunKernel<never>, places: Places, values: readonly unknown[]): Promise<void> {
  const { unit, translated } = kernel;
  ensure(
    unit !== null && translated !== null,
    () => "the kernel was not translated; bundle the program with the plugin for esbuild or Vite",
  );
  const device = await launcher();
  const { entry, parameters, name } = translated;
  const found = kernelOf(device, unit, entry);
  const { metadata } = found;
  const { specConstants } = unit.data;
  const copies = new Copies(device);
  try {
    const list: readonly HostArgument[] = hostArguments(parameters, values, specConstants.length > 0, {
      name,
      place: (array, isWritten) => copies.of(array, isWritten),
      valueTypes: metadata.arguments,
      constants: new Map(specConstants.map((one) => [one.name, constantValue(one.value)])),
    });
    const launch = take(
      device.prepare({
        kernel: found,
        arguments: list,
        ...sizesOf(places, metadata.requiredWorkGroupSize, metadata.workGroupSizeHint),
      }),
    );
    try {
      take(await launch.run());
    } finally {
      launch.free();
    }
    copies.writeBack();
  } finally {
    copies.free();
  }
}

/**
 * Runs a kernel for each place, on all threads where the page is isolated, else on this one. Arrays are the run's until
 * the promise is fulfilled, and have then what the kernel has written. Runs follow each other in the order of the
 * calls. Errors, of class RunError: arguments that do not fit, sizes that are not possible, what the kernel did.
 *
 * @public
 */
export async function run<P extends readonly unknown[]>(
  kernel: RunKernel<P>,
  places: Places,
  ...values: P | []
): Promise<void> {
  const before = last;
  const own = before.then(async () => runNow(kernel as unknown as RunKernel<never>, places, values));
  // A failure is its own run's.
  last = own.catch(() => undefined);
  await own;
}
