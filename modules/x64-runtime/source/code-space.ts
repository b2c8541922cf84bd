// SPDX-License-Identifier: Apache-2.0
/**
 * Which pages of the code space are free again. Code goes to the smallest hole that it fits in (best fit), else to
 * pages that nobody has used; holes that touch become one. Cost: linear in the holes, of which there are few.
 *
 * Each thread that places code has its own list: the pages that nobody has used yet are taken by an atomic addition.
 */
import { alignUp } from "@muxkit/cargo";

import type { Bridge } from "./bridge.ts";

const PAGE = 4096;

interface Hole {
  address: number;
  bytes: number;
}

/** See the file's head. @public */
export class CodeSpace {
  readonly #bridge: Pick<Bridge, "place" | "release">;
  /** By address. */
  readonly #holes: Hole[] = [];

  /** For code that a bridge places. */
  constructor(bridge: Pick<Bridge, "place" | "release">) {
    this.#bridge = bridge;
  }

  /** Places code: its address, 0 when nothing is left for it. */
  place(code: Uint8Array): number {
    const bytes = alignUp(code.length, PAGE);
    let best = -1;
    for (const [n, hole] of this.#holes.entries())
      if (hole.bytes >= bytes && (best < 0 || hole.bytes < (this.#holes[best] as Hole).bytes)) best = n;
    const hole = this.#holes[best];
    const address = this.#bridge.place(code, hole?.address ?? 0);
    if (hole === undefined || address === 0) return address;
    hole.address += bytes;
    hole.bytes -= bytes;
    if (hole.bytes === 0) this.#holes.splice(best, 1);
    return address;
  }

  /** Takes the pages of code back. Nobody may be in it or call it again. */
  release(address: number, size: number): void {
    this.#bridge.release(address, size);
    const bytes = alignUp(size, PAGE);
    const found = this.#holes.findIndex((hole) => hole.address > address);
    const n = found < 0 ? this.#holes.length : found;
    this.#holes.splice(n, 0, { address, bytes });
    this.#join(n);
    if (n > 0) this.#join(n - 1);
  }

  /** Makes a hole and the next one a single one, where they touch. */
  #join(n: number): void {
    const [hole, next] = [this.#holes[n], this.#holes[n + 1]];
    if (hole === undefined || next === undefined || hole.address + hole.bytes !== next.address) return;
    hole.bytes += next.bytes;
    this.#holes.splice(n + 1, 1);
  }
}
