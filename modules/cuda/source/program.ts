// SPDX-License-Identifier: Apache-2.0
// A loaded executable: its module and its kernels.
import { type Result, err, ok } from "@muxkit/cargo";
import type { HalProgram } from "@muxkit/hal";
import { type KernelMetadata, type VariantMetadata, findCode, readExecutable } from "@muxkit/metadata";
import { type MuxFailure, MuxResult } from "@muxkit/mux";

import type { GpuAccess } from "./access.ts";
import { COARSE_LAUNCHES, type CoarseLaunches, type GroupedCode, takesAnyGroups } from "./regrouped.ts";
import { type CodeCache, loadCode } from "./code-cache.ts";
import { MOST_ITEMS } from "./device-info.ts";
import type { CudaGpu, DriverError, Handle } from "./driver.ts";
import { CudaKernel, type KernelCode } from "./kernel.ts";
import { PrintfAreas } from "./printf-areas.ts";

/** Name of the target in executables. */
const TARGET = "cuda";
/** The section of an executable that holds its code. */
const SECTION = ".ptx";

function invalid(message: string): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_invalid_binary, message });
}

class Program implements HalProgram {
  private readonly access: GpuAccess;
  private readonly module: Handle;
  private readonly kernels: ReadonlyMap<string, CudaKernel>;
  private readonly printf: PrintfAreas | null;

  constructor(access: GpuAccess, module: Handle, kernels: ReadonlyMap<string, CudaKernel>, printf: PrintfAreas | null) {
    this.access = access;
    this.module = module;
    this.kernels = kernels;
    this.printf = printf;
  }

  kernel(name: string): CudaKernel | null {
    return this.kernels.get(name) ?? null;
  }

  free(): void {
    this.printf?.close();
    this.access.gpu.unload(this.module);
  }
}

/** A kernel of a module, and the groups that it runs in. */
function kernelCode(gpu: CudaGpu, module: Handle, variant: VariantMetadata): Result<GroupedCode, DriverError> {
  const entry = gpu.entry(module, variant.functionName);
  if (!entry.ok) return entry;
  const most = gpu.mostItems(entry.value);
  if (!most.ok) return most;
  const mostItems = Math.min(MOST_ITEMS, most.value);
  return ok({ entry: entry.value, mostItems, takesAnyGroups: takesAnyGroups(variant) });
}

/** A kernel with the form in which a thread does several work-items, where it has one. */
function kernelForms(
  gpu: CudaGpu,
  module: Handle,
  { name, variants }: KernelMetadata,
  limits: CoarseLaunches,
): Result<KernelCode, DriverError> {
  const [first] = variants;
  const form = variants.find(({ vectorWidth }) => vectorWidth > 1);
  if (first === undefined) return err({ code: 0, message: `kernel ${name} has no code` });
  const plain = kernelCode(gpu, module, first);
  if (!plain.ok || form === undefined) return plain;
  const coarse = kernelCode(gpu, module, form);
  return coarse.ok ? ok({ ...plain.value, coarse: { ...coarse.value, items: form.vectorWidth, limits } }) : coarse;
}

/** Loads an executable. `limits`: for which launches a thread does several work-items. Errors: error_invalid_binary. */
export function loadProgram(
  access: GpuAccess,
  binary: Uint8Array,
  print: (text: string) => void,
  cache: CodeCache | null,
  limits: CoarseLaunches = COARSE_LAUNCHES,
): Result<HalProgram, MuxFailure> {
  const image = readExecutable(binary);
  if (!image.ok) return invalid(image.error.message);
  if (image.value.target !== TARGET)
    return invalid(`the executable is for "${image.value.target}", not for "${TARGET}"`);
  const code = findCode(image.value, SECTION);
  if (code === null) return invalid(`the executable has no section "${SECTION}"`);
  const { gpu } = access;
  const module = loadCode(gpu, code.bytes, cache);
  if (!module.ok) return invalid(`the driver refuses the code: ${module.error.message}`);
  const { printfCalls } = image.value;
  const printf = printfCalls.length === 0 ? null : new PrintfAreas(access, printfCalls, print);
  const kernels = new Map<string, CudaKernel>();
  for (const record of image.value.kernels) {
    const kernel = kernelForms(gpu, module.value, record, limits);
    if (!kernel.ok) {
      gpu.unload(module.value);
      return invalid(`kernel ${record.name}: ${kernel.error.message}`);
    }
    kernels.set(record.name, new CudaKernel(access, kernel.value, record, printf));
  }
  return ok(new Program(access, module.value, kernels, printf));
}
