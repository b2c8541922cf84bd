// SPDX-License-Identifier: Apache-2.0
// A launch that the runtime has prepared: submitted again with the same sizes and arguments, it needs no second look.
import { DEFAULT_ALLOCATOR, type MuxLaunch } from "@muxkit/mux";
import { muxDestroyLaunch } from "@muxkit/mux/unchecked";

import type { Command, Held } from "./event.ts";
import { fromMux } from "./exception.ts";
import type { ImageCode } from "./image-code.ts";
import type { LaunchSizes } from "./range.ts";

/**
 * The arguments of a launch as they are compared: the storage, the number or the bytes of each, and beside it the byte
 * where a storage begins.
 */
export interface ArgumentKeys {
  readonly values: unknown[];
  readonly offsets: number[];
}

/** Commands, and what they keep. */
export interface Commands {
  readonly commands: readonly Command[];
  readonly held: readonly Held[];
  /** Launches that nobody remembers; they go with their commands. */
  readonly launches: readonly PreparedLaunch[];
}

function isSameList(left: readonly number[] | null, right: readonly number[] | null): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return left.length === right.length;
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!(left instanceof Uint8Array) || !(right instanceof Uint8Array) || left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** See the file's head. */
export class PreparedLaunch implements Held {
  readonly launch: MuxLaunch;
  readonly #code: ImageCode;
  readonly #sizes: LaunchSizes;
  readonly #keys: ArgumentKeys;
  /** Commands that are not complete. */
  #uses = 0;
  #isDropped = false;
  /** The commands of the launch by itself, the same each time; null: there were none yet. */
  alone: Commands | null = null;

  constructor(launch: MuxLaunch, code: ImageCode, sizes: LaunchSizes, keys: ArgumentKeys) {
    this.launch = launch;
    this.#code = code;
    this.#sizes = sizes;
    this.#keys = keys;
  }

  /** True for these sizes and arguments. */
  matches({ global, local, offset }: LaunchSizes, { values, offsets }: ArgumentKeys): boolean {
    const mine = this.#keys;
    for (let i = 0; i < values.length; i++)
      if (offsets[i] !== mine.offsets[i] || !isSameValue(values[i], mine.values[i])) return false;
    return (
      isSameList(global, this.#sizes.global) &&
      isSameList(local, this.#sizes.local) &&
      isSameList(offset, this.#sizes.offset)
    );
  }

  /** A command needs it, and with it the code. */
  use(): void {
    if (this.#uses++ === 0) this.#code.use();
  }

  /** The end of a use. */
  unuse(): void {
    if (--this.#uses > 0) return;
    if (this.#isDropped) this.#destroy();
    this.#code.unuse();
  }

  /** The kernel has forgotten it: it goes with its last command. */
  drop(): void {
    this.#isDropped = true;
    if (this.#uses === 0) this.#destroy();
  }

  #destroy(): void {
    fromMux("submit", muxDestroyLaunch(this.launch.device, this.launch, DEFAULT_ALLOCATOR));
  }
}
