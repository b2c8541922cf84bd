// SPDX-License-Identifier: Apache-2.0
// Whether some lane or every lane of a mask is on, by the flags.
import { type Instruction, Op, type Value, laneCount } from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";

import { form } from "./machine-builder.ts";
import { limited } from "./memory.ts";
import type { Selector } from "./selector.ts";

const NOT_EQUAL = 5;
const BELOW = 2;

function three(s: Selector, name: string, width: number, a: number, b: number): number {
  return s.build.emit(form(width === 32 ? `${name} y, y, y/m256` : `${name} x, x, x/m128`), [a, b]);
}

/** Writes what sets the flags for `any` or `all`; yields the condition under which it is 1. */
export function voteCondition(s: Selector, instruction: Instruction): number {
  const { build } = s;
  const [vector] = instruction.operands as [Value];
  const bytes = laneCount(vector.type) * s.maskBytesOf(vector);
  const isAny = instruction.op === Op.ANY;
  let joined = -1;
  let width = 16;
  s.parts(vector).forEach((part, i) => {
    const own = Math.min(32, bytes - 32 * i);
    const wide = s.fn.width[part] as number;
    let value = limited(s, part, own);
    if (!isAny && value !== part) {
      // What lies behind the last lane counts as on.
      const rest = Uint8Array.from({ length: wide }, (_, k) => (k < own ? 0 : 255));
      const key = wide === 32 ? "vpor y, y, y/m256" : "vpor x, x, x/m128";
      value = build.emit(form(key), [part, MEMORY], s.poolAddress(rest));
    }
    if (joined === -1) {
      joined = value;
      width = wide;
    } else if (isAny || wide === 32) joined = three(s, isAny ? "vpor" : "vpand", 32, joined, value);
    else joined = three(s, "vpand", 32, joined, build.emit(form("vinserti128 y, y, x/m128, i8"), [value, value, 1]));
  });
  const test = form(width === 32 ? "vptest y, y/m256" : "vptest x, x/m128");
  build.emit(test, [joined, isAny ? joined : s.vector(new Uint8Array(width).fill(255))]);
  return isAny ? NOT_EQUAL : BELOW;
}
