// SPDX-License-Identifier: Apache-2.0
/**
 * Comparisons of vectors into registers of masks, and what is done to their results by the same instruction: an `and`
 * with another mask is a comparison under that mask, a complement is one by the opposite predicate.
 *
 * `deferred.ts` decides which comparisons their only user makes. Where the user's mask is for lanes of another width
 * the comparison stands by itself.
 */
import { type Instruction, OPS, Op, type Value, laneCount, scalarOf } from "@muxkit/ir";

import { vectorForm } from "./machine-builder.ts";
import { INTEGER_PREDICATES, andNotMask, integerCompareName } from "./masks.ts";
import { complemented } from "./complement.ts";
import type { Selector } from "./selector.ts";
import { isMask, scalarBytes } from "./shape.ts";

/** Predicates of comparisons of floats that raise nothing. */
export const FLOAT_PREDICATES: Readonly<Record<number, number>> = {
  [Op.FEQ]: 0,
  [Op.FNE]: 4,
  [Op.FLT]: 0x11,
  [Op.FLE]: 0x12,
  [Op.FGE]: 0x1d,
  [Op.FGT]: 0x1e,
};

/** Of a predicate of integers or of floats the one that holds where it does not. */
const OPPOSITE = 4;

/** Whether an instruction compares vectors by one instruction a part: neither masks nor halves. */
export function isMaskCompare({ op, type, operands }: Instruction): boolean {
  const rule = OPS[op]?.rule;
  if ((rule !== "compare-int" && rule !== "compare-float") || type.kind !== "vector") return false;
  const compared = (operands[0] as Value).type;
  return !isMask(compared) && (rule === "compare-int" || scalarOf(compared).bits !== 16);
}

/** A comparison or its complement, in lanes that a mask of as many parts has on; null: in all. */
export function wideCompare(
  s: Selector,
  { op, operands }: Instruction,
  isOpposite: boolean,
  under: readonly number[] | null,
): readonly number[] {
  const [a, b] = operands as [Value, Value];
  const bytes = scalarBytes(a.type);
  const widths = s.widths(laneCount(a.type) * bytes);
  const isFloat = OPS[op]?.rule === "compare-float";
  const name = isFloat ? `vcmp${bytes === 8 ? "pd" : "ps"}` : integerCompareName(op, bytes);
  const predicate = ((isFloat ? FLOAT_PREDICATES : INTEGER_PREDICATES)[op] as number) ^ (isOpposite ? OPPOSITE : 0);
  return s.parts(a).map((part, i) => {
    const { given, address } = s.operand(b, i);
    const key = vectorForm(`${name} k, v, v/m, i8`, widths[i] as number);
    if (under === null) return s.build.emit(key, [part, given, predicate], address);
    return s.build.emitMasked(key, [part, given, predicate], under[i] as number, false, address);
  });
}

/** A comparison that its user makes, and whether the user wants its complement; null: the value is none. */
function comparisonOf(
  s: Selector,
  value: Value,
): { readonly compare: Instruction; readonly isOpposite: boolean } | null {
  if (!s.isDeferred(value)) return null;
  if (isMaskCompare(value)) return { compare: value, isOpposite: false };
  const inner = complemented(value);
  return inner !== null && s.isDeferred(inner) && isMaskCompare(inner) ? { compare: inner, isOpposite: true } : null;
}

/** Writes an `and` or a complement together with the comparison that it is made of; false: there is none. */
export function emitComparedMask(s: Selector, instruction: Instruction): boolean {
  const bytes = s.maskBytesOf(instruction);
  const whole = complemented(instruction);
  if (whole !== null) {
    if (!s.isDeferred(whole) || !isMaskCompare(whole) || s.maskBytesOf(whole) !== bytes) return false;
    s.define(instruction, wideCompare(s, whole, true, null));
    return true;
  }
  if (instruction.op !== Op.AND) return false;
  const [a, b] = instruction.operands as [Value, Value];
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const compared = comparisonOf(s, one);
    if (compared !== null && s.maskBytesOf(compared.compare) === bytes) {
      s.define(instruction, wideCompare(s, compared.compare, compared.isOpposite, s.mask(other, bytes)));
      return true;
    }
    const inner = s.isDeferred(one) ? complemented(one) : null;
    if (compared === null && inner !== null) {
      const [off, on] = [s.mask(inner, bytes), s.mask(other, bytes)];
      s.define(
        instruction,
        on.map((part, i) => andNotMask(s, off[i] as number, part)),
      );
      return true;
    }
  }
  return false;
}
