// SPDX-License-Identifier: Apache-2.0
// Whether some lane or every lane of a mask is on, by the flags.
import { type Instruction, Op, type Value, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { form, vectorForm } from "./machine-builder.ts";
import { limitedMask, voteByRegisters } from "./masks.ts";
import type { Selector } from "./selector.ts";

const NOT_EQUAL = 5;
const BELOW = 2;

function three(s: Selector, name: string, width: number, a: number, b: number): number {
  return s.build.emit(vectorForm(`${name} v, v, v/m`, width), [a, b]);
}

/** Writes what sets the flags for `any` or `all`; yields the condition under which it is 1. */
export function voteCondition(s: Selector, instruction: Instruction): number {
  if (s.tier.isWide) return voteByRegisters(s, instruction);
  const { build } = s;
  const [vector] = instruction.operands as [Value];
  const laneBytes = s.maskBytesOf(vector);
  const bytes = laneCount(vector.type) * laneBytes;
  const isAny = instruction.op === Op.ANY;
  let joined = -1;
  let width = 16;
  s.parts(vector).forEach((part, i) => {
    const own = Math.min(32, bytes - 32 * i);
    const wide = s.fn.width[part] as number;
    let value = limitedMask(s, part, own / laneBytes, laneBytes, wide);
    if (!isAny && value !== part) {
      // What lies behind the last lane counts as on.
      const rest = Uint8Array.from({ length: wide }, (_, k) => (k < own ? 0 : 255));
      value = build.emit(vectorForm("vpor v, v, v/m", wide), [part, MEMORY], s.poolAddress(rest));
    }
    if (joined === -1) {
      joined = value;
      width = wide;
    } else if (isAny || wide === 32) joined = three(s, isAny ? "vpor" : "vpand", 32, joined, value);
    else joined = three(s, "vpand", 32, joined, build.emit(form("vinserti128 y, y, x/m128, i8"), [value, value, 1]));
  });
  build.emit(vectorForm("vptest v, v/m", width), [joined, isAny ? joined : s.vector(new Uint8Array(width).fill(255))]);
  return isAny ? NOT_EQUAL : BELOW;
}
