// SPDX-License-Identifier: Apache-2.0
// Ops that compute lanes of operands alone: which table writes each.
import { InternalError } from "@muxkit/cargo";
import { type Instruction, Op, type Value, combinationOf, laneCount, scalarOf } from "@muxkit/ir";

import { bitcast } from "./bitcast.ts";
import type { Code } from "./code.ts";
import { convert, isConversion } from "./conversions.ts";
import { changeSign, compareFloats, copySign, floatOp, isFloatComparison, isFloatOp } from "./floats.ts";
import { binaryOfInts, compareIntegers, countBits, integerBits, isBinaryInteger } from "./integers.ts";
import { isLaneOp, reduced, selected, writeLanes } from "./vector-lanes.ts";

/** The value of a lane of a constant, where it has at most 32 bits; null: it is no constant. */
function knownNumber(value: Value | undefined, lane: number): number | null {
  if (value?.kind !== "constant") return null;
  const own = value.lanes[lane] ?? value;
  return own.high === 0 ? own.low : null;
}

/** One lane of a scalar op. `lanes`: the operands' lanes. */
function writeLane(
  code: Code,
  instruction: Instruction,
  lanes: readonly string[],
  lane: number,
  users: readonly Value[],
): string {
  const { op, type, operands } = instruction;
  const [first, second] = operands;
  if (first === undefined) throw new InternalError("an op has operands");
  const from = scalarOf(first.type);
  const [left, right] = lanes as readonly [string, string];
  const bits = integerBits(from);
  if (isBinaryInteger(op)) return binaryOfInts(code, { op, bits, left, right, constant: knownNumber(second, lane) });
  if (op === Op.CLZ || op === Op.CTZ || op === Op.POPCOUNT) return countBits(code, op, bits, left);
  if (isFloatOp(op)) return floatOp(code, instruction, from, lanes);
  if (op === Op.FNEG || op === Op.FABS) return changeSign(code, instruction, from, left, users);
  if (op === Op.FCOPYSIGN) return copySign(code, from, left, right);
  if (isFloatComparison(op)) return compareFloats(code, op, bits, left, right);
  if (op >= Op.EQ && op <= Op.UGE) return compareIntegers(code, op, bits, left, right);
  if (isConversion(op)) return convert(code, op, left, from, scalarOf(type));
  throw new InternalError(`there is no code for op ${op}`);
}

function select(code: Code, { operands, type }: Instruction): readonly string[] {
  const [condition, yes, no] = operands.map((operand) => code.lanes(operand)) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ];
  return yes.map((lane, i) =>
    selected(code, type, condition[condition.length === 1 ? 0 : i] as string, lane, no[i] as string),
  );
}

function reduce(code: Code, instruction: Instruction): readonly string[] {
  const [vector] = instruction.operands;
  if (vector === undefined) throw new InternalError("reduce has an operand");
  const element = scalarOf(vector.type);
  const { op } = combinationOf(instruction.atomicKind, integerBits(element));
  const bits = integerBits(element);
  return [
    reduced(code.lanes(vector), (left, right) =>
      isBinaryInteger(op)
        ? binaryOfInts(code, { op, bits, left, right, constant: null })
        : floatOp(code, { op, flags: instruction.flags }, element, [left, right]),
    ),
  ];
}

/** The lanes of the result of an op that has neither effects nor a place. `users`: what uses the result. */
export function writeOp(code: Code, instruction: Instruction, users: readonly Value[]): readonly string[] {
  const { op, type, operands } = instruction;
  if (isLaneOp(op)) return writeLanes(code, instruction);
  if (op === Op.SELECT) return select(code, instruction);
  if (op === Op.REDUCE) return reduce(code, instruction);
  const lanes = operands.map((operand) => code.lanes(operand));
  if (op === Op.BITCAST) {
    const [first] = operands;
    if (first === undefined) throw new InternalError("a cast has an operand");
    return bitcast(code, first.type, type, lanes[0] ?? []);
  }
  return Array.from({ length: laneCount(type) }, (_, lane) =>
    writeLane(
      code,
      instruction,
      lanes.map((own) => own[lane] as string),
      lane,
      users,
    ),
  );
}
