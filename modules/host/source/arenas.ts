// SPDX-License-Identifier: Apache-2.0
// Arenas: each thread's local memory, live values and private stack, one set of equal arenas for all threads of a
// device.
import { alignUp, err, ok, type Result } from "@muxkit/cargo";
import { ARENA_MARGIN_BYTES, LARGEST_ALIGNMENT } from "@muxkit/kernel-abi";

import type { Block, DeviceMemory } from "./device-memory.ts";

/** Smallest arena: most kernels need less, so that most devices have one set. */
const LEAST = 65536;

/** Equal arenas, thread after thread, with a margin before each and after the last. */
export interface ArenaSet {
  readonly block: Block;
  /** Address of the first arena. */
  readonly base: number;
  /** Bytes of one arena without its margin. */
  readonly bytes: number;
  /** Bytes from one arena to the next, a multiple of 128. */
  readonly stride: number;
  /** Command buffers that use it. */
  users: number;
}

/** The arenas of a device. A larger launch allocates a new set; the old one is freed with its last user. */
export class Arenas {
  readonly #memory: DeviceMemory;
  readonly #threads: number;
  #current: ArenaSet | null = null;

  constructor(memory: DeviceMemory, threads: number) {
    this.#memory = memory;
    this.#threads = threads;
  }

  /** A set whose arenas have at least `bytes`; to be released. The error is a sentence with the figures. */
  take(bytes: number): Result<ArenaSet, string> {
    const current = this.#current;
    if (current !== null && bytes <= current.bytes) {
      current.users++;
      return ok(current);
    }
    const stride = alignUp(Math.max(LEAST, bytes + ARENA_MARGIN_BYTES), LARGEST_ALIGNMENT);
    const block = this.#memory.allocate(ARENA_MARGIN_BYTES + stride * this.#threads, LARGEST_ALIGNMENT);
    if (!block.ok)
      return err(
        `the launch needs ${bytes} bytes of local and private memory for each of ${this.#threads} threads: ` +
          block.error,
      );
    const set: ArenaSet = {
      block: block.value,
      base: block.value.address + ARENA_MARGIN_BYTES,
      bytes: stride - ARENA_MARGIN_BYTES,
      stride,
      users: 1,
    };
    this.#current = set;
    if (current?.users === 0) this.#memory.free(current.block);
    return ok(set);
  }

  /** Releases a set. */
  release(set: ArenaSet): void {
    if (--set.users === 0 && set !== this.#current) this.#memory.free(set.block);
  }
}
