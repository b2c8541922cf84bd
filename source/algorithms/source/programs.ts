// SPDX-License-Identifier: Apache-2.0
// Programs of algorithms, made and built once for each device and what they are made of.
import { type Device, type KernelFunction, OpenCLError } from "muxkit";

import { AlgorithmError } from "./element.ts";

/** The kernels of a program, by name. */
export type Kernels = (name: string) => KernelFunction;

const BUILT = new WeakMap<Device, Map<string, Kernels>>();

/**
 * The kernels of an operation's program on a device. `key` tells its programs apart: it says all that goes into the
 * source, which is made for a new key only, as its text is long beside what a launch costs. Throws an
 * {@link AlgorithmError} with the compiler's log for a source that does not compile: an expression of the user is
 * wrong.
 */
export function programOf(operation: string, device: Device, key: string, source: () => string): Kernels {
  const programs = BUILT.get(device) ?? new Map<string, Kernels>();
  BUILT.set(device, programs);
  const own = `${operation} ${key}`;
  let kernels = programs.get(own);
  if (kernels === undefined) {
    const built = buildOf(operation, device, source());
    kernels = (name) => built[name] as KernelFunction;
    programs.set(own, kernels);
  }
  return kernels;
}

function buildOf(operation: string, device: Device, source: string): Readonly<Record<string, KernelFunction>> {
  try {
    return device.build(source, { options: "-cl-std=CL3.0" });
  } catch (error) {
    if (error instanceof OpenCLError && error.name === "CL_BUILD_PROGRAM_FAILURE")
      throw new AlgorithmError(operation, `the expression does not compile: ${error.message}`);
    throw error;
  }
}

/** How many parts an array is divided into: a few for each thread, each of at least `least` elements. */
export function partsOf(
  device: Device,
  length: number,
  least: number,
): { readonly parts: number; readonly size: number } {
  const most = device.threads * 8;
  const parts = Math.max(1, Math.min(most, Math.ceil(length / least)));
  // Parts of a multiple of 16 elements begin at whole vectors.
  const size = Math.ceil(length / parts / 16) * 16;
  return { parts: Math.ceil(length / size), size };
}

/** True for a processor, whose threads work best on a chunk of their own; GPUs want work-items next to each other. */
export function isProcessor(device: Device): boolean {
  return device.type === "cpu";
}
