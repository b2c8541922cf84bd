// SPDX-License-Identifier: Apache-2.0
// Kinds of traps, as numbers that fit in a record, and sentences for them.
import type { CallEnd } from "@muxkit/x64-runtime/thread";

const FAULTS: readonly (readonly [RegExp | null, string])[] = [
  [null, "trapped"],
  [/out of bounds|out-of-bounds/u, "accessed memory outside of the device's memory"],
  [/unaligned|misaligned/u, "made an atomic access to an address that is not aligned"],
  [/by zero/u, "divided an integer by zero"],
  [/overflow|unrepresentable/u, "computed an integer that cannot be represented"],
  [/unreachable/u, "reached code that must not be reached"],
  [/call stack/iu, "used too much stack"],
];

/** The kind of a trap from the engine's message; 0 when the message is none that we recognise. */
export function faultKindOf(message: string): number {
  return Math.max(
    0,
    FAULTS.findIndex(([pattern]) => pattern?.test(message) === true),
  );
}

/** Ends of calls of native code, as the traps that WebAssembly has for the same. */
const ENDS: Readonly<Record<Exclude<CallEnd, "returned" | "stopped">, string>> = {
  memory: "out of bounds",
  arithmetic: "by zero",
  instruction: "unreachable",
  stack: "call stack",
};

/** The kind of a trap from the end of a call of native code; null: it was no trap. */
export function faultKindOfEnd(end: CallEnd): number | null {
  return end === "returned" || end === "stopped" ? null : faultKindOf(ENDS[end]);
}

/** What a kernel did, as a phrase. */
export function faultText(kind: number): string {
  return FAULTS[kind]?.[1] ?? "trapped";
}
