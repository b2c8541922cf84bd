// Selections of the lesser or the greater of two floats, which SIMD has instructions for: `b < a ? b : a` is pmin(a, b), `a < b ? b : a` is pmax(a, b), NaNs and zeros included.
import { type Instruction, type IrFunction, Op, type Value, scalarOf, uses } from "@muxkit/ir";

/** A selection as the instruction that does it. */
export interface Extremum {
  /** The instruction's number. */
  readonly code: number;
  readonly first: Value;
  readonly second: Value;
}

/** f32x4.pmin and f64x2.pmin, by bits of a lane; pmax comes behind each. */
const PMIN: Readonly<Record<number, number>> = { 32: 0xea, 64: 0xf6 };

/** A selection of vectors by a comparison of what is selected; null: it is none. */
export function extremumOf({ op, type, operands }: Instruction): Extremum | null {
  const [condition, whenTrue, whenFalse] = operands;
  const scalar = scalarOf(type);
  const code = PMIN[scalar.bits];
  if (op !== Op.SELECT || type.kind !== "vector" || scalar.kind !== "float" || code === undefined || whenTrue === undefined || whenFalse === undefined) return null;
  if (condition?.kind !== "instruction" || (condition.op !== Op.FLT && condition.op !== Op.FGT)) return null;
  const [less, greater] = condition.op === Op.FLT ? condition.operands : condition.operands.toReversed();
  if (whenTrue === less && whenFalse === greater) return { code, first: whenFalse, second: whenTrue };
  return whenTrue === greater && whenFalse === less ? { code: code + 1, first: whenFalse, second: whenTrue } : null;
}

/** Comparisons that only such selections use: nobody needs their masks. */
export function neededForExtrema(fn: IrFunction): ReadonlySet<Instruction> {
  const found = new Set<Instruction>();
  const candidates = fn.blocks.flatMap(({ instructions }) => instructions.flatMap((one) => (extremumOf(one) === null || one.operands[0]?.kind !== "instruction" ? [] : [one.operands[0]])));
  if (candidates.length === 0) return found;
  const users = uses(fn);
  for (const one of candidates) if ((users.get(one) ?? []).every((user) => user.operands[0] === one && extremumOf(user) !== null)) found.add(one);
  return found;
}
