// SPDX-License-Identifier: Apache-2.0
// Memory of objects that nobody refers to any more.
//
// JavaScript's collector sees a few words of an array on a device, not its megabytes, so it has no reason to run before
// device memory is full. Two things free such memory: a FinalizationRegistry, whenever the collector has run by itself,
// and `reclaim`, which an allocation calls that has failed: it collects, and frees at once what the collector found.
import type { MemoryObject } from "@muxkit/opencl";
import { clReleaseMemObject } from "@muxkit/opencl";

import { EDGE } from "#edge";

/** Memory, and who has it. */
interface Owned {
  readonly owner: WeakRef<object>;
  readonly memory: MemoryObject;
}

/** The memory of the arrays and images of one device. @internal */
export class OwnedMemory {
  readonly #owned = new Map<object, Owned>();
  readonly #registry = new FinalizationRegistry<object>((token) => {
    this.#release(token);
  });

  /** Notes the owner of a memory object. Returns what {@link OwnedMemory.release} takes. */
  own(owner: object, memory: MemoryObject): object {
    const token = {};
    this.#owned.set(token, { owner: new WeakRef(owner), memory });
    this.#registry.register(owner, token, token);
    return token;
  }

  /** False once the memory of a token is freed. */
  has(token: object): boolean {
    return this.#owned.has(token);
  }

  /** Frees the memory of a token, once everything that uses it is done. False: it was freed before. */
  release(token: object): boolean {
    this.#registry.unregister(token);
    return this.#release(token);
  }

  /** Frees the memory of objects that nobody refers to; false when there are none. Objects of this turn stay. */
  reclaim(): boolean {
    EDGE.collectGarbage();
    let found = false;
    for (const [token, { owner }] of this.#owned)
      if (owner.deref() === undefined) found = this.#release(token) || found;
    return found;
  }

  /** Bytes of all objects that are not freed. */
  get bytes(): number {
    let sum = 0;
    for (const { memory } of this.#owned.values()) sum += memory.size;
    return sum;
  }

  /** How many objects are not freed. */
  get count(): number {
    return this.#owned.size;
  }

  /** Frees everything. */
  releaseAll(): void {
    for (const token of this.#owned.keys()) this.release(token);
  }

  #release(token: object): boolean {
    const owned = this.#owned.get(token);
    if (owned === undefined) return false;
    this.#owned.delete(token);
    if (owned.memory.referenceCount > 0) clReleaseMemObject(owned.memory);
    return true;
  }
}
