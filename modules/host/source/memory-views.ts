// SPDX-License-Identifier: Apache-2.0
// Views of the device's linear memory that are made anew when the memory has grown.
import type { WasmMemory } from "./web-assembly.ts";

/**
 * A thread's views. Growth leaves old views valid for what they cover, so only an access past their end needs new ones
 * (docs/decisions/014-growing-memory.md).
 */
export class MemoryViews {
  readonly memory: WasmMemory;
  /** All bytes that this thread has seen. */
  bytes: Uint8Array;
  /** The same as words. */
  words: Int32Array;

  constructor(memory: WasmMemory) {
    this.memory = memory;
    this.bytes = new Uint8Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
  }

  /** Makes sure that the views reach to `end` when the memory does; false when the memory itself is shorter. */
  reach(end: number): boolean {
    if (end <= this.bytes.length) return true;
    this.refresh();
    return end <= this.bytes.length;
  }

  /** Makes the views anew. */
  refresh(): void {
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }
}
