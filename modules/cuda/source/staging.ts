// SPDX-License-Identifier: Apache-2.0
// Pinned memory that small copies go through, in slots of one size: a copy to or from it does not hold the thread.
import { type Result, err, ok } from "@muxkit/cargo";

import type { CudaGpu, DriverError, HostBlock } from "./driver.ts";

/** Bytes of a slot: copies up to here are staged. */
export const SLOT_BYTES: number = 64 << 10;
/** Slots that are taken together. */
const SLOTS_A_BLOCK = 16;

/** A slot. */
export interface Slot {
  readonly bytes: Uint8Array;
  readonly address: number;
}

/** The slots of a GPU. */
export class Staging {
  private readonly gpu: CudaGpu;
  private readonly blocks: HostBlock[] = [];
  private readonly free: Slot[] = [];

  constructor(gpu: CudaGpu) {
    this.gpu = gpu;
  }

  /** Takes a slot. */
  take(): Result<Slot, DriverError> {
    const known = this.free.pop();
    if (known !== undefined) return ok(known);
    const block = this.gpu.allocateHost(SLOTS_A_BLOCK * SLOT_BYTES);
    if (!block.ok) return err(block.error);
    this.blocks.push(block.value);
    for (let i = 0; i < SLOTS_A_BLOCK; i++)
      this.free.push({
        bytes: block.value.bytes.subarray(i * SLOT_BYTES, (i + 1) * SLOT_BYTES),
        address: block.value.address + i * SLOT_BYTES,
      });
    return ok(this.free.pop() as Slot);
  }

  /** Gives it back. */
  release(slot: Slot): void {
    this.free.push(slot);
  }

  /** Gives all back. */
  close(): void {
    this.free.length = 0;
    for (const block of this.blocks.splice(0)) this.gpu.freeHost(block);
  }
}
