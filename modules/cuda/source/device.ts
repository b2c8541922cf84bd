// SPDX-License-Identifier: Apache-2.0
// A GPU behind the hardware layer.
import { InternalError, type Result } from "@muxkit/cargo";
import type { HalDevice, HalProgram } from "@muxkit/hal";
import type { MuxFailure } from "@muxkit/mux";

import type { CudaDriver, DriverError } from "./driver.ts";
import { loadProgram } from "./program.ts";

/** Alignment of what the driver allocates, in bytes. */
const DRIVER_ALIGNMENT = 256;

/** Copies cannot fail unless the device is lost. */
function done(result: Result<void, DriverError>): void {
  if (!result.ok) throw new InternalError(`the GPU is lost: ${result.error.message}`);
}

/** A GPU. @public */
export class CudaDevice implements HalDevice {
  private readonly driver: CudaDriver;
  private readonly print: (text: string) => void;

  /** `print` receives what kernels print. */
  constructor(driver: CudaDriver, print: (text: string) => void) {
    this.print = print;
    this.driver = driver;
  }

  /** Memory of the GPU; null: there is none left, or no such alignment. */
  allocate(size: number, alignment: number): number | null {
    if (alignment > DRIVER_ALIGNMENT) return null;
    const taken = this.driver.allocate(Math.max(1, size));
    return taken.ok ? taken.value : null;
  }

  /** Gives it back. */
  free(address: number): void {
    this.driver.free(address);
  }

  /** Copies to the host. Throws InternalError when the device is lost, as all accesses do. */
  read(address: number, to: Uint8Array): void {
    if (to.length > 0) done(this.driver.read(address, to));
  }

  /** Copies from the host. */
  write(address: number, from: Uint8Array): void {
    if (from.length > 0) done(this.driver.write(address, from));
  }

  /** Copies on the GPU. */
  copy(from: number, to: number, size: number): void {
    if (size > 0) done(this.driver.copy(from, to, size));
  }

  /** Fills with a pattern. */
  fill(address: number, size: number, pattern: Uint8Array): void {
    const unit = pattern.length;
    if (unit === 1 || unit === 2 || unit === 4) {
      const value = pattern.reduceRight((number, byte) => number * 256 + byte, 0);
      done(this.driver.fill(address, unit, value, size / unit));
      return;
    }
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += unit) bytes.set(pattern.subarray(0, Math.min(unit, size - at)), at);
    this.write(address, bytes);
  }

  /** Loads an executable. Errors: error_invalid_binary, error_out_of_memory. */
  load(binary: Uint8Array): Result<HalProgram, MuxFailure> {
    return loadProgram(this.driver, binary, this.print);
  }

  /** The context stays: it is the process's. */
  close(): void {
    // The context is the process's: other devices, and other libraries, may use it.
  }
}
