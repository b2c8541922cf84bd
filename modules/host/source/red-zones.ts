// SPDX-License-Identifier: Apache-2.0
// Red zones: bytes with a known pattern on both sides of memory objects, which are compared after each launch. A byte
// that differs was written by a kernel that ran past an object (Hastings & Joyce 1992 used the same idea for reads and
// writes of C programs; reads are not seen here).
//
// The pattern depends on the address, so that a kernel that fills memory with one value is seen whatever the value is.
// A stray store of n bytes goes unseen with a probability of 256^-n, where it stores what is there.
import { type ArgumentKind, IMAGE_DESCRIPTOR } from "@muxkit/kernel-abi";
import type { ArgumentMetadata } from "@muxkit/metadata";

import type { Launch } from "./launch.ts";
import type { MemoryViews } from "./memory-views.ts";

/** Memory between two zones, by addresses. */
export interface GuardedRange {
  /** First byte. */
  readonly address: number;
  /** Bytes. */
  readonly size: number;
  /** Bytes of each zone. */
  readonly redZone: number;
}

/** A byte of a zone that was overwritten. */
export interface StrayWrite {
  readonly range: GuardedRange;
  /** Its address. */
  readonly address: number;
}

/** Where the packed value of each kind of argument has an address of memory; null: nowhere. */
const POINTER_AT: Readonly<Record<ArgumentKind, number | null>> = {
  value: null,
  local: null,
  sampler: null,
  pointer: 0,
  pipe: 0,
  image: IMAGE_DESCRIPTOR.pixels,
};

/** What the byte at an address of a zone has: the top bits of a multiplicative hash (Knuth, volume 3, 6.4). */
function patternAt(address: number): number {
  return Math.imul(address, 0x9e37_79b1) >>> 24;
}

/** The zones of one device memory. */
export class RedZones {
  readonly #views: MemoryViews;
  readonly #ranges = new Set<GuardedRange>();

  constructor(views: MemoryViews) {
    this.#views = views;
  }

  /** Fills the zones of a range, which are compared until {@link RedZones.remove}. */
  add(range: GuardedRange): void {
    this.#ranges.add(range);
    this.#fill(range);
  }

  /** Forgets a range; says where the first damage is, as seen from it. */
  remove(range: GuardedRange): string | null {
    const damage = this.#ranges.delete(range) ? this.#damageOf(range) : null;
    return damage === null ? null : strayText(damage);
  }

  /** {@link RedZones.check} after a launch: a sentence for what it overwrote; null: nothing. */
  checkAfter(launch: Launch): string | null {
    const stray = this.check();
    return stray.length === 0 ? null : stray.map((one) => strayWriteText(launch, one)).join("; ");
  }

  /** The first damage of each range; what was damaged is repaired, so that nothing is reported twice. */
  check(): readonly StrayWrite[] {
    const found: StrayWrite[] = [];
    for (const range of this.#ranges) {
      const damage = this.#damageOf(range);
      if (damage === null) continue;
      found.push(damage);
      this.#fill(range);
    }
    return found;
  }

  #fill({ address, size, redZone }: GuardedRange): void {
    const { bytes } = this.#views;
    for (let i = 1; i <= redZone; i++) bytes[address - i] = patternAt(address - i);
    for (let i = 0; i < redZone; i++) bytes[address + size + i] = patternAt(address + size + i);
  }

  /** The damaged byte that is nearest to the range, after its end first. */
  #damageOf(range: GuardedRange): StrayWrite | null {
    const { address, size, redZone } = range;
    const { bytes } = this.#views;
    for (let at = address + size; at < address + size + redZone; at++)
      if (bytes[at] !== patternAt(at)) return { range, address: at };
    for (let at = address - 1; at >= address - redZone; at--)
      if (bytes[at] !== patternAt(at)) return { range, address: at };
    return null;
  }
}

function bytesText(count: number): string {
  return `${count} ${count === 1 ? "byte" : "bytes"}`;
}

/** Where a stray write is, as seen from its range. */
function strayText({ range, address }: StrayWrite): string {
  const offset = address - range.address;
  return offset < 0 ? `${bytesText(-offset)} before the start of` : `to byte ${offset} of`;
}

/** The argument of a launch whose value points into a range; null: none does. */
function argumentInto(launch: Launch, { address, size }: GuardedRange): ArgumentMetadata | null {
  const values = new DataView(launch.args.buffer, launch.args.byteOffset, launch.args.byteLength);
  const within = ({ offset, kind }: ArgumentMetadata): boolean => {
    const at = POINTER_AT[kind];
    if (at === null || offset + at + 4 > values.byteLength) return false;
    const value = values.getUint32(offset + at, true);
    return value >= address && value < address + size;
  };
  return launch.parameters.find(within) ?? null;
}

/** The sentence for what a launch overwrote. */
function strayWriteText(launch: Launch, stray: StrayWrite): string {
  const argument = argumentInto(launch, stray.range);
  const what =
    argument === null
      ? `a buffer of ${bytesText(stray.range.size)}, which is no argument of it`
      : `argument ${launch.parameters.indexOf(argument)}, "${argument.name}", a buffer of ${bytesText(stray.range.size)}`;
  return `kernel "${launch.kernelName}" wrote ${strayText(stray)} ${what}`;
}
