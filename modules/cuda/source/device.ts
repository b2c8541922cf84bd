// SPDX-License-Identifier: Apache-2.0
// A GPU behind the hardware layer: every call runs to its end.
import { InternalError, type Result, ok } from "@muxkit/cargo";
import type { HalDevice, HalProgram } from "@muxkit/hal";
import type { MuxFailure } from "@muxkit/mux";

import { GpuAccess } from "./access.ts";
import type { CudaGpu, DriverError } from "./driver.ts";
import { copyWork, fillWork } from "./fills.ts";
import { COARSE_LAUNCHES } from "./regrouped.ts";
import { type ProgramOptions, loadProgram } from "./program.ts";

/** Alignment of what the driver allocates, in bytes. */
const DRIVER_ALIGNMENT = 256;

/** Copies cannot fail unless the device is lost. */
function done(result: Result<void, DriverError>): void {
  if (!result.ok) throw new InternalError(`the GPU is lost: ${result.error.message}`);
}

/** A GPU. @public */
export class CudaDevice implements HalDevice {
  /** Copies that the thread waits for. @internal */
  readonly access: GpuAccess;
  private readonly programs: ProgramOptions;

  private constructor(access: GpuAccess, programs: ProgramOptions) {
    this.access = access;
    this.programs = programs;
  }

  /**
   * `print` receives what kernels print. Without options nothing is kept, nothing can be stopped, and large launches
   * have threads that do several work-items.
   */
  static open(
    gpu: CudaGpu,
    print: (text: string) => void,
    { cache = null, limits = COARSE_LAUNCHES, mayStop = false }: Partial<Omit<ProgramOptions, "print">> = {},
  ): Result<CudaDevice, DriverError> {
    const access = GpuAccess.open(gpu);
    return access.ok ? ok(new CudaDevice(access.value, { print, cache, limits, mayStop })) : access;
  }

  /** Memory of the GPU; null: there is none left, or no such alignment. */
  allocate(size: number, alignment: number): number | null {
    if (alignment > DRIVER_ALIGNMENT) return null;
    const taken = this.access.gpu.allocate(Math.max(1, size));
    return taken.ok ? taken.value : null;
  }

  /** Gives it back. */
  free(address: number): void {
    this.access.gpu.free(address);
  }

  /** Copies to the host. Throws InternalError when the device is lost, as all accesses do. */
  read(address: number, to: Uint8Array): void {
    done(this.access.read(address, to));
  }

  /** Copies from the host. */
  write(address: number, from: Uint8Array): void {
    done(this.access.write(address, from));
  }

  /** Copies on the GPU. */
  copy(from: number, to: number, size: number): void {
    if (size > 0) done(this.access.run([copyWork(from, to, size)]));
  }

  /** Fills with a pattern. */
  fill(address: number, size: number, pattern: Uint8Array): void {
    done(this.access.run(fillWork(address, size, pattern)));
  }

  /** Loads an executable. Errors: error_invalid_binary, error_out_of_memory. */
  load(binary: Uint8Array): Result<HalProgram, MuxFailure> {
    return loadProgram(this.access, binary, this.programs);
  }

  /** The context stays: it is the process's, and other devices and libraries may use it. */
  close(): void {
    this.access.close();
  }
}
