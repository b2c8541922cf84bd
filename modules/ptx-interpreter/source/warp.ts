// SPDX-License-Identifier: Apache-2.0
/**
 * A warp: 32 work-items with their registers, and the splits into which they have diverged. A split executes one path;
 * where its work-items choose different ways, it waits for parts of itself at the block where the ways meet again, the
 * immediate post-dominator. Splits of one warp form a tree; its leaves run or wait at a barrier. So a barrier may be
 * reached by several paths, as on hardware since sm_70.
 */
import { Fault, ILLEGAL_ADDRESS, LAUNCH_FAILED, MISALIGNED_ADDRESS } from "./fault.ts";
import { type GlobalMemory, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, Space } from "./memory.ts";

/** Lanes of a warp. */
export const LANES = 32;

/** Where a split ends whose ways meet at the end of a function only. */
export const END = -1;

/** Work-items that execute one path. */
export interface Split {
  /** The block that comes next. */
  block: number;
  /** The block before which it ends. */
  readonly end: number;
  /** Its lanes, a bit each. */
  mask: number;
  /** The split that waits for it. */
  readonly parent: Split | null;
  /** Splits that it waits for. */
  parts: number;
}

/** Memories of a launch, and of the work-group that runs. */
export interface Memories {
  readonly global: GlobalMemory;
  readonly parameter: Space;
  readonly shared: Space;
}

/** Registers and lanes of a warp. */
export class Warp {
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  /** The active lanes, in order. */
  readonly lanes: Uint8Array = new Uint8Array(LANES);
  count = 0;
  /** The same as bits. */
  mask = 0;
  /** Lanes that have not returned. */
  live = 0;
  readonly memories: Memories;
  /** Private memory, lane after lane. */
  readonly local: Space;
  /** Bytes of a lane's private memory. */
  readonly localBytes: number;
  readonly ready: Split[] = [];
  readonly waiting: Split[] = [];

  /** `words`: of registers. */
  constructor(words: number, localBytes: number, memories: Memories) {
    const buffer = new ArrayBuffer(Math.ceil(words / 2) * 8);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.localBytes = localBytes;
    this.local = new Space(LOCAL_WINDOW, localBytes * LANES);
    this.memories = memories;
  }

  /** Makes the lanes of a mask the active ones. */
  activate(mask: number): void {
    if (mask === this.mask) return;
    this.mask = mask;
    let count = 0;
    for (let lane = 0; lane < LANES; lane++) if ((mask >>> lane) & 1) this.lanes[count++] = lane;
    this.count = count;
  }

  /** The lanes of the active ones in which a predicate has a value. */
  lanesWhere(slot: number, isInverted: boolean): number {
    const { i32, lanes, count } = this;
    let taken = 0;
    for (let k = 0; k < count; k++) {
      const lane = lanes[k] as number;
      if (i32[slot + lane] !== 0) taken |= 1 << lane;
    }
    return isInverted ? this.mask & ~taken : taken;
  }

  /** Refuses an access. `low` may be beyond 32 bits: it has the constant offset in it. */
  refuse(lane: number, what: string, high: number, low: number, bytes: number): never {
    const address = (high >>> 0) * 2 ** 32 + low;
    const shown = `0x${address < 0 ? `-${(-address).toString(16)}` : address.toString(16)}`;
    if (address % bytes !== 0)
      throw new Fault(MISALIGNED_ADDRESS, `misaligned address: lane ${lane} ${what} ${bytes} bytes at ${shown}`);
    throw new Fault(ILLEGAL_ADDRESS, `illegal address: lane ${lane} ${what} ${bytes} bytes at ${shown}`);
  }

  /** The memory of a generic address. */
  spaceOf(high: number): Space | null {
    const { global, shared, parameter } = this.memories;
    return high === global.window
      ? global
      : high === SHARED_WINDOW
        ? shared
        : high === LOCAL_WINDOW
          ? this.local
          : high === PARAMETER_WINDOW
            ? parameter
            : null;
  }

  /** Where in its memory an access is, and {@link Warp.refuse} where it is nowhere. */
  place(space: Space | null, lane: number, high: number, low: number, bytes: number, what: string): number {
    if (space !== null && low >= 0 && (low & (bytes - 1)) === 0) {
      if (space === this.local) {
        if (low + bytes <= this.localBytes) return lane * this.localBytes + low;
      } else if (low >= space.first && low + bytes <= space.limit) {
        const { global } = this.memories;
        if (space !== global || (low & 255) + bytes <= (global.ends[low >>> 8] as number)) return low;
      }
    }
    return this.refuse(lane, what, high, low, bytes);
  }

  /** Refuses what cannot be executed. */
  stop(message: string): never {
    throw new Fault(LAUNCH_FAILED, message);
  }
}
