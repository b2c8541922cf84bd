// SPDX-License-Identifier: Apache-2.0
// The device: memory of its own, which the host reaches by copies, and a machine that runs programs over it.
import type { Result } from "@muxkit/cargo";
import { type HalDevice, type HalProgram, SimulatedMemory } from "@muxkit/hal";
import type { MuxFailure } from "@muxkit/mux";

import { DEVICE_INFO } from "./device-info.ts";
import { loadProgram } from "./program.ts";

/** The device behind the hardware layer. */
export class InterpreterDevice implements HalDevice {
  private readonly memory: SimulatedMemory = new SimulatedMemory(DEVICE_INFO.memorySize);
  private readonly print: (text: string) => void;

  /** `print` hears what kernels print. */
  constructor(print: (text: string) => void) {
    this.print = print;
  }

  allocate(size: number, alignment: number): number | null {
    return this.memory.allocate(size, alignment);
  }

  free(address: number): void {
    this.memory.free(address);
  }

  read(address: number, to: Uint8Array): void {
    this.memory.read(address, to);
  }

  write(address: number, from: Uint8Array): void {
    this.memory.write(address, from);
  }

  copy(from: number, to: number, size: number): void {
    this.memory.copy(from, to, size);
  }

  fill(address: number, size: number, pattern: Uint8Array): void {
    this.memory.fill(address, size, pattern);
  }

  load(binary: Uint8Array): Result<HalProgram, MuxFailure> {
    return loadProgram(this.memory, this.print, binary);
  }

  close(): void {
    // Nothing of it lies outside of this object.
  }
}
