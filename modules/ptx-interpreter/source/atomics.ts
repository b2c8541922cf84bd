// SPDX-License-Identifier: Apache-2.0
/**
 * Atomic operations. Lanes execute them one after the other, in order, so every one of them is atomic. Sums of
 * binary32 numbers in global memory take and give no subnormal numbers, as on hardware.
 */
import { float32Bits, float32FromBits, float64Bits, float64FromBits } from "@muxkit/cargo";

import { SHARED_WINDOW } from "./memory.ts";
import { flushed, put64 } from "./numbers.ts";
import type { Step } from "./step.ts";
import type { Warp } from "./warp.ts";

type Combine = (old: bigint, operand: bigint, bits: number) => bigint;

function signed(value: bigint, bits: number): bigint {
  return BigInt.asIntN(bits, value);
}

/** What becomes of the old bits, by operation and letter of the type. All are unsigned. */
const COMBINATIONS: Readonly<Record<string, Combine>> = {
  "exch.b": (_, operand) => operand,
  "and.b": (old, operand) => old & operand,
  "or.b": (old, operand) => old | operand,
  "xor.b": (old, operand) => old ^ operand,
  "add.u": (old, operand) => old + operand,
  "add.s": (old, operand) => old + operand,
  "min.u": (old, operand) => (operand < old ? operand : old),
  "max.u": (old, operand) => (operand > old ? operand : old),
  "min.s": (old, operand, bits) => (signed(operand, bits) < signed(old, bits) ? operand : old),
  "max.s": (old, operand, bits) => (signed(operand, bits) > signed(old, bits) ? operand : old),
  "inc.u": (old, operand) => (old >= operand ? 0n : old + 1n),
  "dec.u": (old, operand) => (old === 0n || old > operand ? operand : old - 1n),
};

/** An atomic operation. */
export interface AtomicAccess {
  /** `exch`, `add`, `cas` and so on. */
  readonly operation: string;
  /** Letter of the type. */
  readonly letter: string;
  readonly bits: 32 | 64;
  readonly space: "global" | "shared" | "generic";
  /** Where the old value goes; null: nowhere. */
  readonly target: number | null;
  readonly address: number;
  readonly offset: number;
  readonly operand: number;
  /** What is put where `operand` was found, for `cas`. */
  readonly swapped: number | null;
}

function sumOf32(old: bigint, operand: bigint, isFlushed: boolean): bigint {
  const [a, b] = [float32FromBits(Number(old)), float32FromBits(Number(operand))];
  const sum = isFlushed ? flushed(Math.fround(flushed(a) + flushed(b))) : a + b;
  return BigInt(float32Bits(sum));
}

/** The function that makes the new bits; null: there is no such operation. */
function combinationOf({ operation, letter, bits }: AtomicAccess, isGlobal: boolean): Combine | null {
  if (operation === "add" && letter === "f")
    return bits === 64
      ? (old, operand) => float64Bits(float64FromBits(old) + float64FromBits(operand))
      : (old, operand) => sumOf32(old, operand, isGlobal);
  return COMBINATIONS[`${operation}.${letter}`] ?? null;
}

function read(warp: Warp, slot: number, lane: number, bits: number): bigint {
  const { u32 } = warp;
  if (bits === 32) return BigInt(u32[slot + lane] as number);
  return (BigInt(u32[slot + 2 * lane + 1] as number) << 32n) | BigInt(u32[slot + 2 * lane] as number);
}

function write(words: Int32Array, at: number, value: bigint, bits: number): void {
  if (bits === 32) words[at] = Number(BigInt.asIntN(32, value));
  else put64(words, at, value);
}

/** An atomic operation of the active lanes; null: there is no such operation. */
export function atomicStep(access: AtomicAccess): Step | null {
  const { space, bits, target, address, offset, operand, swapped } = access;
  const [onGlobal, elsewhere] = [combinationOf(access, true), combinationOf(access, false)];
  if (swapped === null && onGlobal === null) return null;
  return (warp) => {
    const { i32, u32, lanes, count, memories } = warp;
    for (let k = 0; k < count; k++) {
      const lane = lanes[k] as number;
      const low = (u32[address + 2 * lane] as number) + offset;
      const high = i32[address + 2 * lane + 1] as number;
      // Private memory and parameters have no atomic operations.
      const { global, shared } = memories;
      const own = space === "generic" ? SHARED_WINDOW : 0;
      const named =
        space !== "shared" && high === global.window ? global : space !== "global" && high === own ? shared : null;
      const word = warp.place(named, lane, high, low, bits / 8, "updates") >> 2;
      const words = named?.i32 ?? i32;
      const before =
        bits === 32
          ? BigInt((words[word] as number) >>> 0)
          : (BigInt((words[word + 1] as number) >>> 0) << 32n) | BigInt((words[word] as number) >>> 0);
      const given = read(warp, operand, lane, bits);
      const combine = named === global ? onGlobal : elsewhere;
      if (swapped !== null) {
        if (before === given) write(words, word, read(warp, swapped, lane, bits), bits);
      } else if (combine !== null) write(words, word, BigInt.asUintN(bits, combine(before, given, bits)), bits);
      if (target !== null) write(i32, target + (bits === 32 ? lane : 2 * lane), before, bits);
    }
  };
}
