// SPDX-License-Identifier: Apache-2.0
// Code that compilers make: of programs that were finalized, and of the program that an executable keeps.
import type { Result } from "@muxkit/cargo";
import type { CompilerError, KernelInfo, Module } from "@muxkit/compiler";
import { type KernelSource, KernelVariants, binaryKernels, finalizedProgram, launchFacts } from "@muxkit/loader";

import type { Device } from "./device.ts";
import { SyclException } from "./exception.ts";
import { ImageCode, type LaunchVariants, type ProgramBytes } from "./image-code.ts";
import type { RuntimeDevice } from "./runtime-device.ts";

function take<T>(call: string, result: Result<T, CompilerError>): T {
  if (result.ok) return result.value;
  throw new SyclException("build", call, `the code could not be made: ${result.error.message}`, result.error);
}

function variantsFor(source: Module | KernelSource, { device }: RuntimeDevice): LaunchVariants {
  const variants = new KernelVariants(source, device);
  return {
    find: (name, options, workItems, hasGeneric) =>
      variants.find(name, launchFacts(options, []), workItems, hasGeneric),
    free: () => variants.free(),
  };
}

/** The bytes of a finalized program, made when they are needed. */
function lateBytes(call: string, module: Module, runtime: RuntimeDevice): ProgramBytes {
  let kept: Uint8Array | null = null;
  return {
    all: () => kept ?? take(call, module.createBinary()),
    alone: (name) => (kept === null ? take(call, module.createKernelBinary(name)) : null),
    kept: () => (kept = take(call, module.createDeviceBinary?.() ?? module.createPortableBinary(true))),
    variants: () => variantsFor(module, runtime),
  };
}

/** The code of a program that a compiler has finalized. */
export function codeOfModule(call: string, device: Device, module: Module, kernels: readonly KernelInfo[]): ImageCode {
  const runtime = device.open(call);
  const code = new ImageCode(runtime, kernels, lateBytes(call, module, runtime));
  // Where making code can fail, all of it is made now, so that its errors are those of the build.
  if (device.compiler()?.info.makesKernelsLate !== true) void take(call, module.createBinary());
  return code;
}

/**
 * The code of an executable for another engine than the device's, as its compiler makes it anew of the program that the
 * executable keeps; null: it runs as it is.
 */
export function codeAnew(
  call: string,
  device: Device,
  kernels: readonly KernelInfo[],
  features: readonly string[],
  ir: Uint8Array,
  binary: Uint8Array,
): ImageCode | null {
  const { codeFeatures, lacksFeature } = device.info;
  if (features.every((one) => codeFeatures.includes(one) && lacksFeature?.(one) !== true)) return null;
  const module = finalizedProgram(device.compiler(), ir);
  if (module === null) return null;
  const runtime = device.open(call);
  return new ImageCode(runtime, kernels, { ...lateBytes(call, module, runtime), kept: () => binary });
}

/** Variants of the kernels of an executable, of the program that it keeps; null: there is no compiler. */
export function variantsOf(device: Device, runtime: RuntimeDevice, ir: Uint8Array): LaunchVariants | null {
  const target = device.compiler();
  return target === null ? null : variantsFor(binaryKernels(target, ir), runtime);
}
