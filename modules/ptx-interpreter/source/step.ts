// SPDX-License-Identifier: Apache-2.0
/**
 * Instructions as functions over a warp. A row of a table says how one lane is computed, as an expression; from each
 * row one function with a loop over the active lanes is made, once in a process. Every instruction of the kind is a
 * closure of it that knows its registers. So loops are monomorphic, have no calls for each lane, and no kernel has to
 * be compiled by the engine.
 *
 * Registers are rows of 32 lanes in one array of words: 32 words, or 64 where lanes have two. Letters say how an
 * operand is read: `s` and `u` words, `v` and `w` their low 16 bits with and without sign, `x` and `y` the low 8 bits,
 * `h` a half, `f` binary32, `g` binary64, `p` a predicate, `l` two words (`Al`, `Ah`), `k` a constant number.
 *
 * Cost: a closure an instruction; 1 to 3 ns a lane.
 */
import * as numbers from "./numbers.ts";
import type { Warp } from "./warp.ts";

/** Executes an instruction on the active lanes. */
export type Step = (warp: Warp) => void;

/** Makes a step from where registers begin. */
export type MakeStep = (...slots: readonly number[]) => Step;

/** How operands are read and the result is written. */
export type Letter = "s" | "u" | "v" | "w" | "x" | "y" | "h" | "f" | "g" | "p" | "l" | "k";

/** How an instruction computes one lane. */
export interface Row {
  /** The result's letter, then those of `A`, `B`, `C` and so on. */
  readonly letters: string;
  /** The value of the result; for `l` statements that write `Dl` and `Dh`, or into `r` at `D`. */
  readonly value: string;
}

const READ: Readonly<Record<Letter, (slot: string) => string>> = {
  s: (slot) => `r[${slot}+i]`,
  u: (slot) => `u[${slot}+i]`,
  v: (slot) => `(r[${slot}+i]<<16>>16)`,
  w: (slot) => `(r[${slot}+i]&65535)`,
  x: (slot) => `(r[${slot}+i]<<24>>24)`,
  y: (slot) => `(r[${slot}+i]&255)`,
  h: (slot) => `half(r[${slot}+i])`,
  f: (slot) => `f[${slot}+i]`,
  g: (slot) => `g[(${slot}>>1)+i]`,
  p: (slot) => `r[${slot}+i]`,
  l: (slot) => `(${slot}+2*i)`,
  k: (slot) => slot,
};

const WRITE: Readonly<Record<Letter, (slot: string, value: string) => string>> = {
  s: (slot, value) => `r[${slot}+i]=${value}`,
  u: (slot, value) => `u[${slot}+i]=${value}`,
  v: (slot, value) => `r[${slot}+i]=(${value})<<16>>16`,
  w: (slot, value) => `r[${slot}+i]=(${value})&65535`,
  x: (slot, value) => `r[${slot}+i]=(${value})<<24>>24`,
  y: (slot, value) => `r[${slot}+i]=(${value})&255`,
  h: (slot, value) => `r[${slot}+i]=halfBits(${value})`,
  f: (slot, value) => `f[${slot}+i]=${value}`,
  g: (slot, value) => `g[(${slot}>>1)+i]=${value}`,
  p: (slot, value) => `r[${slot}+i]=(${value})?1:0`,
  l: (_, value) => value,
  k: (_, value) => value,
};

const NAMES = ["D", "A", "B", "C", "E"] as const;

function bodyOf({ letters, value }: Row): string {
  const list = letters.split("") as readonly Letter[];
  const text = value.replaceAll(/\b(?<name>[A-E])(?<half>[lh])?\b/gu, (_, name: string, half?: string) => {
    const index = (NAMES as readonly string[]).indexOf(name);
    const slot = name.toLowerCase();
    if (half !== undefined) return `r[${slot}+2*i${half === "h" ? "+1" : ""}]`;
    const letter = list[index];
    if (letter === undefined) throw new Error(`${value} names an operand that it has not`);
    return READ[letter](slot);
  });
  return WRITE[list[0] as Letter]("d", text);
}

const LIBRARY = Object.keys(numbers).join(",");
const made = new Map<string, MakeStep>();

/**
 * Makes the function that makes steps from the text of one lane's work. `prelude` is executed once a step; the text
 * may use `i`, the lane, and the views `r`, `u`, `f`, `g` of the registers.
 */
export function makerOf(prelude: string, lane: string): MakeStep {
  const key = `${prelude}\n${lane}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  // The text is made of rows of this package's tables alone; nothing of a program is in it.
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  const make = new Function(
    "numbers",
    `"use strict";
    const {${LIBRARY}} = numbers;
    return (d, a, b, c, e, s3) => (warp) => {
      const {i32: r, u32: u, f32: f, f64: g, lanes, count} = warp;
      ${prelude}
      for (let k = 0; k < count; k++) {
        const i = lanes[k];
        ${lane};
      }
    };`,
  )(numbers) as MakeStep;
  made.set(key, make);
  return make;
}

/** What makes steps of a row. */
export function makerOfRow(row: Row): MakeStep {
  return makerOf("", bodyOf(row));
}
