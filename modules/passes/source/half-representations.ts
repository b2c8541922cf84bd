// SPDX-License-Identifier: Apache-2.0
// Which values of half a function computes, which it only moves, and in which forms they are wanted: wide (as binary32)
// or packed (their 16 bits).
import { F16, type Instruction, type IrFunction, OPS, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

/** True for a half and vectors of it. */
export function isHalf(type: Type): boolean {
  return scalarOf(type) === F16;
}

/** True when the op gives a half by arithmetic or a conversion. */
export function isComputed({ op, type }: Instruction): boolean {
  if (!isHalf(type)) return false;
  switch (OPS[op]?.rule) {
    case "binary-float":
      return op !== Op.FCOPYSIGN;
    case "unary-float":
      return op !== Op.FNEG && op !== Op.FABS;
    case "ternary-float":
    case "convert":
      return true;
    default:
      return false;
  }
}

/** True when the op takes halves by their value: arithmetic, comparisons, conversions. */
export function takesValues(instruction: Instruction): boolean {
  if (isComputed(instruction)) return true;
  const rule = OPS[instruction.op]?.rule;
  return rule === "compare-float" || rule === "convert";
}

/** Ops that move halves, or change nothing but a sign: they are the same in both forms. */
const MOVES: ReadonlySet<number> = new Set([
  Op.SELECT,
  Op.SPLAT,
  Op.BUILD,
  Op.EXTRACT,
  Op.INSERT,
  Op.SHUFFLE,
  Op.FNEG,
  Op.FABS,
]);

/** True when the op moves a half. */
export function isMove({ op, type }: Instruction): boolean {
  return MOVES.has(op) && isHalf(type);
}

/** Forms that a value is wanted in, as bits. */
export const WIDE = 1;
/** See {@link WIDE}. */
export const PACKED = 2;

/**
 * Parameters of blocks that only take what was computed, other such parameters and constants: they can be wide, since
 * no NaN in them has a payload to keep.
 */
function computedParameters(fn: IrFunction): Set<Value> {
  const found = new Set<Value>();
  const given = new Map<Value, Value[]>();
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((target, i) =>
      target.parameters.forEach((parameter, j) => {
        const value = successorArguments[i]?.[j];
        if (!isHalf(parameter.type) || value === undefined) return;
        found.add(parameter);
        given.set(parameter, [...(given.get(parameter) ?? []), value]);
      }),
    );
  }
  const isFit = (value: Value): boolean =>
    value.kind === "instruction"
      ? isComputed(value)
      : value.kind === "constant"
        ? !isNaNConstant(value)
        : found.has(value);
  for (let changed = true; changed;) {
    changed = false;
    for (const parameter of found) {
      if (given.get(parameter)?.every(isFit) === true) continue;
      found.delete(parameter);
      changed = true;
    }
  }
  return found;
}

function isNaNConstant(value: Extract<Value, { kind: "constant" }>): boolean {
  return (value.lanes.length > 0 ? value.lanes : [value]).some(({ low }) => (low & 0x7fff) > 0x7c00);
}

/** Which forms each value that is not computed is wanted in, and which parameters of blocks become wide. */
export interface Wishes {
  readonly forms: ReadonlyMap<Value, number>;
  readonly wide: ReadonlySet<Value>;
}

/** Goes through the uses of all halves of a function. */
export function findWishes(fn: IrFunction): Wishes {
  const forms = new Map<Value, number>();
  const computed = computedParameters(fn);
  const work: Value[] = [];
  const want = (value: Value, form: number): void => {
    const known = forms.get(value) ?? 0;
    if (value.kind === "constant" || !isHalf(value.type) || (known | form) === known) return;
    forms.set(value, known | form);
    work.push(value);
  };
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      if (isMove(instruction) || instruction.op === Op.DEBUG_VALUE) continue;
      for (const value of instruction.operands) want(value, takesValues(instruction) ? WIDE : PACKED);
    }
  }
  // A parameter that is only handed round counts by what its own users want of it.
  const edges = new Map<Value, Value[]>();
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((target, i) =>
      target.parameters.forEach((parameter, j) => {
        const value = successorArguments[i]?.[j];
        if (value !== undefined && isHalf(parameter.type))
          edges.set(parameter, [...(edges.get(parameter) ?? []), value]);
      }),
    );
  }
  const spread = (): void => {
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      const wanted = forms.get(value) ?? 0;
      if (value.kind === "instruction" && isMove(value)) for (const operand of value.operands) want(operand, wanted);
      if (value.kind === "parameter")
        for (const operand of edges.get(value) ?? [])
          want(operand, computed.has(value) && (wanted & WIDE) !== 0 ? WIDE : PACKED);
    }
  };
  spread();
  // One that nobody wants is handed over all the same.
  for (const [parameter, values] of edges) if (!forms.has(parameter)) for (const value of values) want(value, PACKED);
  spread();
  return { forms, wide: new Set([...computed].filter((parameter) => ((forms.get(parameter) ?? 0) & WIDE) !== 0)) };
}
