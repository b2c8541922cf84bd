// SPDX-License-Identifier: Apache-2.0
// The device: memory of its own, which the host reaches by copies, and a machine that runs programs over it.
import type { Result } from "@muxkit/cargo";
import { type HalDevice, type HalProgram, SimulatedMemory } from "@muxkit/hal";
import type { MuxFailure } from "@muxkit/mux";

import { type AddressBits, deviceInfo, deviceName } from "./device-info.ts";
import { type ProgramDevice, loadProgram } from "./program.ts";

/**
 * Address of the first byte of memory. With 64-bit addresses it is above 4 GiB, so that no truncated address is valid.
 */
const FIRST_ADDRESS: Readonly<Record<AddressBits, number>> = { 32: 4096, 64: 3 * 2 ** 32 + 4096 };

/** The device behind the hardware layer. */
export class InterpreterDevice implements HalDevice {
  private readonly memory: SimulatedMemory;
  private readonly name: string;
  private readonly outputs: Pick<ProgramDevice, "print" | "onLaunch">;

  /** `outputs` receive what kernels print, and what they cost. */
  constructor(outputs: Pick<ProgramDevice, "print" | "onLaunch">, addressBits: AddressBits) {
    this.memory = new SimulatedMemory(deviceInfo(addressBits).memorySize, FIRST_ADDRESS[addressBits]);
    this.name = deviceName(addressBits);
    this.outputs = outputs;
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
    return loadProgram({ target: this.name, memory: this.memory, ...this.outputs }, binary);
  }

  close(): void {
    // It holds nothing outside of this object.
  }
}
