// SPDX-License-Identifier: Apache-2.0
// Programs of algorithms, built once for each device and source.
import { type Device, type KernelFunction, OpenCLError } from "muxkit";

import { AlgorithmError } from "./element.ts";

const BUILT = new WeakMap<Device, Map<string, Readonly<Record<string, KernelFunction>>>>();

/**
 * A kernel of a source on a device. Throws an {@link AlgorithmError} with the compiler's log for a source that does not
 * compile: an expression of the user is wrong.
 */
export function kernelOf(operation: string, device: Device, source: string, name: string): KernelFunction {
  const programs = BUILT.get(device) ?? new Map<string, Readonly<Record<string, KernelFunction>>>();
  BUILT.set(device, programs);
  let kernels = programs.get(source);
  if (kernels === undefined) {
    try {
      kernels = device.build(source, { options: "-cl-std=CL3.0" });
    } catch (error) {
      if (error instanceof OpenCLError && error.name === "CL_BUILD_PROGRAM_FAILURE")
        throw new AlgorithmError(operation, `the expression does not compile: ${error.message}`);
      throw error;
    }
    programs.set(source, kernels);
  }
  return kernels[name] as KernelFunction;
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
