// SPDX-License-Identifier: Apache-2.0
/**
 * Memories. The high word of an address says which memory it is in, the low word where: addresses of global memory are
 * generic ones too, those of the other spaces have a high word of 0 and a window of generic addresses. An access that
 * does not lie within what was taken is illegal, to the byte.
 */

/**
 * High words of generic addresses. The windows are above 4 GiB, so a truncated address is in none, and below pinned
 * memory.
 */
export const SHARED_WINDOW = 0x1d01;
export const LOCAL_WINDOW = 0x1d02;
export const PARAMETER_WINDOW = 0x1d03;
const GLOBAL_WINDOW = 0x1f00;

/** Bytes that hardware keeps for itself at the beginning of shared memory. */
export const SHARED_BASE = 1024;

/** What memory holds that nobody has written. */
const UNWRITTEN = 0xa5;

/** Bytes with the views that accesses need. */
export class Space {
  /** The high word of its generic addresses. */
  readonly window: number;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  /** The first byte that may be accessed, and the one behind the last. */
  readonly first: number;
  limit: number;

  constructor(window: number, bytes: number, first: number = 0) {
    const buffer = new ArrayBuffer(Math.ceil(bytes / 8) * 8);
    this.window = window;
    this.u8 = new Uint8Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.first = first;
    this.limit = bytes;
  }

  /** Makes all contents those of memory that was not written. */
  forget(): void {
    this.u8.fill(UNWRITTEN, this.first, this.limit);
  }
}

/** Granularity of global memory, in bytes: a part of it has one owner. */
const UNIT = 256;
const UNIT_BITS = 8;

/** A stretch of free units. */
interface Gap {
  first: number;
  units: number;
}

/** The memory of a GPU, and what of it is taken. */
export class GlobalMemory extends Space {
  /** How many bytes from its beginning each unit of 256 may be accessed. */
  readonly ends: Uint16Array;
  private readonly gaps: Gap[];
  private readonly taken = new Map<number, number>();

  /** `device` tells GPUs apart: no two have an address in common. */
  constructor(bytes: number, device: number) {
    super(GLOBAL_WINDOW + device, bytes);
    this.ends = new Uint16Array(Math.ceil(bytes / UNIT));
    // The first unit stays free: no address is the window's own.
    this.gaps = [{ first: 1, units: Math.floor(bytes / UNIT) - 1 }];
  }

  private get base(): number {
    return this.window * 2 ** 32;
  }

  /** Takes bytes; the address, or null where no gap is large enough. */
  take(bytes: number): number | null {
    const units = Math.max(1, Math.ceil(bytes / UNIT));
    const index = this.gaps.findIndex((gap) => gap.units >= units);
    const gap = this.gaps[index];
    if (gap === undefined) return null;
    const { first } = gap;
    gap.first += units;
    gap.units -= units;
    if (gap.units === 0) this.gaps.splice(index, 1);
    this.ends.fill(UNIT, first, first + units);
    this.ends[first + units - 1] = bytes - (units - 1) * UNIT;
    this.taken.set(first, units);
    return this.base + first * UNIT;
  }

  /** Gives bytes back; false: nothing was taken at the address. */
  give(address: number): boolean {
    const first = (address - this.base) / UNIT;
    const units = this.taken.get(first);
    if (units === undefined) return false;
    this.taken.delete(first);
    this.ends.fill(0, first, first + units);
    const after = this.gaps.findIndex((gap) => gap.first > first);
    const at = after < 0 ? this.gaps.length : after;
    const [before, next] = [this.gaps[at - 1], this.gaps[at]];
    const own = { first, units };
    if (next !== undefined && first + units === next.first) {
      own.units += next.units;
      this.gaps.splice(at, 1);
    }
    if (before !== undefined && before.first + before.units === first) before.units += own.units;
    else this.gaps.splice(at, 0, own);
    return true;
  }

  /** Where bytes at an address are; null: not all of them are in one allocation. */
  range(address: number, bytes: number): number | null {
    const from = address - this.base;
    if (!(from >= 0 && from + bytes <= this.limit)) return null;
    if (bytes === 0) return from;
    for (let unit = from >>> UNIT_BITS; unit <= (from + bytes - 1) >>> UNIT_BITS; unit++)
      if ((this.ends[unit] as number) < Math.min(UNIT, from + bytes - unit * UNIT)) return null;
    return from;
  }
}
