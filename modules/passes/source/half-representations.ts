// SPDX-License-Identifier: Apache-2.0
// Demanded representations of half values, the analysis of lower-half: which values a function computes, which it only
// moves, and in which representations its users need them: wide (a binary32 with the half's value) or packed (16 bits).
//
//   1. Block parameters that receive only computed values, each other and constants are found optimistically: they may
//      be wide, since no NaN in them has a payload to keep.
//   2. Users demand a representation of their operands: arithmetic demands wide, everything else packed. Moves (select,
//      shuffle, negation ...) and block parameters pass on what their own users demand, with a worklist to a fixpoint.
//
// Cost: each value enters the worklist at most twice.
import { F16, type Instruction, type IrFunction, OPS, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

/** True for a half and vectors of it. */
export function isHalf(type: Type): boolean {
  return scalarOf(type) === F16;
}

/** True when the op computes a half by arithmetic or a conversion. */
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

/** Ops that move halves or change only a sign: they work in both representations. */
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

/** Representations that are demanded of a value, as bits. */
export const WIDE = 1;
/** See {@link WIDE}. */
export const PACKED = 2;

/** Block parameters that receive only computed values, other such parameters and constants: they can be wide. */
function computedParameters(fn: IrFunction): Set<Value> {
  const found = new Set<Value>();
  const incoming = new Map<Value, Value[]>();
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((target, i) =>
      target.parameters.forEach((parameter, j) => {
        const value = successorArguments[i]?.[j];
        if (!isHalf(parameter.type) || value === undefined) return;
        found.add(parameter);
        incoming.set(parameter, [...(incoming.get(parameter) ?? []), value]);
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
      if (incoming.get(parameter)?.every(isFit) === true) continue;
      found.delete(parameter);
      changed = true;
    }
  }
  return found;
}

function isNaNConstant(value: Extract<Value, { kind: "constant" }>): boolean {
  return (value.lanes.length > 0 ? value.lanes : [value]).some(({ low }) => (low & 0x7fff) > 0x7c00);
}

/** The demanded representations of each value, and the block parameters that become wide. */
export interface Demands {
  readonly representations: ReadonlyMap<Value, number>;
  readonly wide: ReadonlySet<Value>;
}

/** Computes the demands of all uses of halves in a function. */
export function findDemands(fn: IrFunction): Demands {
  const representations = new Map<Value, number>();
  const computed = computedParameters(fn);
  const work: Value[] = [];
  const demand = (value: Value, wanted: number): void => {
    const known = representations.get(value) ?? 0;
    if (value.kind === "constant" || !isHalf(value.type) || (known | wanted) === known) return;
    representations.set(value, known | wanted);
    work.push(value);
  };
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      if (isMove(instruction) || instruction.op === Op.DEBUG_VALUE) continue;
      for (const value of instruction.operands) demand(value, takesValues(instruction) ? WIDE : PACKED);
    }
  }
  // A block parameter demands of its arguments what its own users demand of it.
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
  const propagate = (): void => {
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      const wanted = representations.get(value) ?? 0;
      if (value.kind === "instruction" && isMove(value)) for (const operand of value.operands) demand(operand, wanted);
      if (value.kind === "parameter")
        for (const operand of edges.get(value) ?? [])
          demand(operand, computed.has(value) && (wanted & WIDE) !== 0 ? WIDE : PACKED);
    }
  };
  propagate();
  // A parameter without users still needs arguments.
  for (const [parameter, values] of edges)
    if (!representations.has(parameter)) for (const value of values) demand(value, PACKED);
  propagate();
  return {
    representations,
    wide: new Set([...computed].filter((parameter) => ((representations.get(parameter) ?? 0) & WIDE) !== 0)),
  };
}
