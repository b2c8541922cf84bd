// SPDX-License-Identifier: Apache-2.0
// Memory of a simulated device: one block of bytes with addresses of its own, which the host reaches by copies only.
import { alignUp } from "@muxkit/cargo";

/** A range of bytes that is free. */
interface Hole {
  readonly start: number;
  readonly end: number;
}

/** Memory with an allocator: first fit, neighbours that are free become one. @public */
export class SimulatedMemory {
  /** Address of the first byte; what is below, null included, is never allocated. */
  readonly base: number;
  /** The bytes; the machine's own side uses them in place. */
  readonly bytes: Uint8Array;
  /** Free ranges by rising address. */
  private holes: Hole[];
  private readonly taken = new Map<number, number>();

  /** Memory of `size` bytes that begins at address `base`. */
  constructor(size: number, base: number = 4096) {
    this.base = base;
    this.bytes = new Uint8Array(size);
    this.holes = [{ start: base, end: base + size }];
  }

  /** Bytes that are allocated. */
  get used(): number {
    let sum = 0;
    for (const size of this.taken.values()) sum += size;
    return sum;
  }

  /** The address of new bytes, which are zero; null: there is no room. */
  allocate(size: number, alignment: number): number | null {
    for (const [i, { start, end }] of this.holes.entries()) {
      const address = alignUp(start, Math.max(1, alignment));
      if (address + size > end) continue;
      const rest = [
        { start, end: address },
        { start: address + size, end },
      ].filter((hole) => hole.start < hole.end);
      this.holes.splice(i, 1, ...rest);
      this.taken.set(address, size);
      this.view(address, size).fill(0);
      return address;
    }
    return null;
  }

  /** Gives bytes back that {@link SimulatedMemory.allocate} gave. */
  free(address: number): void {
    const size = this.taken.get(address);
    if (size === undefined) return;
    this.taken.delete(address);
    const all = [...this.holes, { start: address, end: address + size }].toSorted((a, b) => a.start - b.start);
    const joined: Hole[] = [];
    for (const hole of all) {
      const last = joined.at(-1);
      if (last?.end === hole.start) joined.splice(-1, 1, { start: last.start, end: hole.end });
      else joined.push(hole);
    }
    this.holes = joined;
  }

  /** The machine's own view of bytes. */
  view(address: number, size: number): Uint8Array {
    return this.bytes.subarray(address - this.base, address - this.base + size);
  }

  /** Copies to the host. */
  read(address: number, to: Uint8Array): void {
    to.set(this.view(address, to.length));
  }

  /** Copies from the host. */
  write(address: number, from: Uint8Array): void {
    this.view(address, from.length).set(from);
  }

  /** Copies within. */
  copy(from: number, to: number, size: number): void {
    this.view(to, size).set(this.view(from, size));
  }

  /** Fills with a pattern. */
  fill(address: number, size: number, pattern: Uint8Array): void {
    for (let i = 0; i < size; i += pattern.length) this.write(address + i, pattern);
  }
}
