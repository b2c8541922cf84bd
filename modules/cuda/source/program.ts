// SPDX-License-Identifier: Apache-2.0
// A loaded executable: its module and its kernels.
import { type Result, err, ok } from "@muxkit/cargo";
import type { HalProgram } from "@muxkit/hal";
import { findCode, readExecutable } from "@muxkit/metadata";
import { type MuxFailure, MuxResult } from "@muxkit/mux";

import type { GpuAccess } from "./access.ts";
import type { CodeCache } from "./code-cache.ts";
import { CudaKernel } from "./kernel.ts";
import { PrintfAreas } from "./printf-areas.ts";
import { ProgramCode } from "./program-code.ts";
import type { CoarseLaunches } from "./regrouped.ts";

/** Name of the target in executables. */
const TARGET = "cuda";
/** The section of an executable that holds its code. */
const SECTION = ".ptx";

function invalid(message: string): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_invalid_binary, message });
}

class Program implements HalProgram {
  private readonly code: ProgramCode;
  private readonly kernels: ReadonlyMap<string, CudaKernel>;
  private readonly printf: PrintfAreas | null;

  constructor(code: ProgramCode, kernels: ReadonlyMap<string, CudaKernel>, printf: PrintfAreas | null) {
    this.code = code;
    this.kernels = kernels;
    this.printf = printf;
  }

  kernel(name: string): CudaKernel | null {
    return this.kernels.get(name) ?? null;
  }

  free(): void {
    this.printf?.close();
    this.code.unload();
  }
}

/** How programs are loaded. */
export interface ProgramOptions {
  /** Receives what kernels print. */
  readonly print: (text: string) => void;
  /** Where compiled code is kept; null: nowhere. */
  readonly cache: CodeCache | null;
  /** For which launches a thread does several work-items. */
  readonly limits: CoarseLaunches;
  /** True: launches may be stopped. */
  readonly mayStop: boolean;
}

/** Loads an executable. Errors: error_invalid_binary. */
export function loadProgram(
  access: GpuAccess,
  binary: Uint8Array,
  { print, cache, limits, mayStop }: ProgramOptions,
): Result<HalProgram, MuxFailure> {
  const image = readExecutable(binary);
  if (!image.ok) return invalid(image.error.message);
  if (image.value.target !== TARGET)
    return invalid(`the executable is for "${image.value.target}", not for "${TARGET}"`);
  const section = findCode(image.value, SECTION);
  if (section === null) return invalid(`the executable has no section "${SECTION}"`);
  const code = ProgramCode.load(access.gpu, section.bytes, cache, mayStop);
  if (!code.ok) return invalid(`the driver refuses the code: ${code.error.message}`);
  const { printfCalls } = image.value;
  const printf = printfCalls.length === 0 ? null : new PrintfAreas(access, printfCalls, print);
  const kernels = new Map<string, CudaKernel>();
  for (const record of image.value.kernels) {
    const kernel = code.value.kernel(record, limits);
    if (!kernel.ok) {
      code.value.unload();
      return invalid(`kernel ${record.name}: ${kernel.error.message}`);
    }
    kernels.set(record.name, new CudaKernel(access, kernel.value, record, printf));
  }
  return ok(new Program(code.value, kernels, printf));
}
