// SPDX-License-Identifier: Apache-2.0
// Known-bits analysis of scalar ints: a mask of the bits that may be set. Computed on demand by a walk over the
// operands, at most five levels deep (compare LLVM's computeKnownBits, here with known zeros only).
import { Op, type Value } from "@muxkit/ir";

/** Levels of operands that are analysed. */
const DEEPEST = 5;

/** The bits that a scalar int of at most 32 bits has, as a mask. */
export function widthMask(bits: number): number {
  return bits >= 32 ? 0xffff_ffff : 2 ** bits - 1;
}

/** Bits from the lowest up to the highest that is set in a mask. */
function filled(mask: number): number {
  return mask === 0 ? 0 : widthMask(32 - Math.clz32(mask));
}

/**
 * Possible bits of a result from those of the operands; `all`: the bits of its type; `by`: the second operand's value
 * where it is a constant, else -1.
 */
type Rule = (of: (operand: number) => number, all: number, by: number, bits: number) => number;

const either: Rule = (of) => (of(0) | of(1)) >>> 0;
const lanesCounted: Rule = (_of, _all, _by, bits) => filled(bits);
const kept: Rule = (of, all) => (of(0) & all) >>> 0;

const RULES: Readonly<Record<number, Rule>> = {
  [Op.AND]: (of) => (of(0) & of(1)) >>> 0,
  [Op.OR]: either,
  [Op.XOR]: either,
  [Op.SHL]: (of, all, by, bits) => (by < 0 ? all : ((of(0) << (by % bits)) & all) >>> 0),
  [Op.LSHR]: (of, _all, by, bits) => (by < 0 ? filled(of(0)) : of(0) >>> (by % bits)),
  [Op.ADD]: (of, all) => (of(0) + of(1) > all ? all : filled(of(0) + of(1))),
  [Op.UDIV]: (of) => filled(of(0)),
  [Op.UREM]: (of, _all, by) => (by > 0 ? filled(by - 1) : filled(of(0))),
  [Op.UMIN]: (of) => Math.min(filled(of(0)), filled(of(1))),
  [Op.UMAX]: (of) => (filled(of(0)) | filled(of(1))) >>> 0,
  [Op.SELECT]: (of) => (of(1) | of(2)) >>> 0,
  [Op.ZEXT]: kept,
  [Op.TRUNC]: kept,
  [Op.CLZ]: lanesCounted,
  [Op.CTZ]: lanesCounted,
  [Op.POPCOUNT]: lanesCounted,
};

function isNarrow({ type }: Value): boolean {
  return type.kind === "int" && type.bits <= 32;
}

/** The bits that may be set in a scalar int of at most 32 bits; all of its width when nothing is known. */
export function possibleBits(value: Value, depth: number = 0): number {
  if (!isNarrow(value)) return 0xffff_ffff;
  const { bits } = value.type;
  const all = widthMask(bits);
  if (value.kind === "constant") return value.low;
  const rule = value.kind === "instruction" && depth < DEEPEST ? RULES[value.op] : undefined;
  if (rule === undefined || value.kind === "parameter") return all;
  const [first, second] = value.operands;
  // Operands of more than 32 bits are not analysed.
  if (first === undefined || !isNarrow(first)) return all;
  const of = (operand: number): number => {
    const found = value.operands[operand];
    return found === undefined ? all : possibleBits(found, depth + 1);
  };
  return rule(of, all, second?.kind === "constant" ? second.low : -1, bits);
}

/** True for a scalar int of at most 32 bits that is not negative as a signed number. */
export function isNotNegative(value: Value | undefined): boolean {
  if (value === undefined || value.type.kind !== "int" || value.type.bits > 32) return false;
  return possibleBits(value) < 2 ** (value.type.bits - 1);
}
