// SPDX-License-Identifier: Apache-2.0
// Which vector instructions compute each lane of their result from the same lane of their operands, and how many lanes
// of the result their writers leave at once, at least. strips.ts makes chains of them.
import { type Instruction, OPS, type OpRule, Op, type Value, VOLATILE, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { isBitwise } from "./masks.ts";
import { hasPart } from "./part-ops.ts";
import { isByConstant } from "./quotients.ts";
import { isMask, laneBytes, laneKind } from "./representation.ts";
import { isByOneAmount } from "./shifts.ts";
import { convertsByParts } from "./vector-conversions.ts";

const PART = 16;

/** True when the writer of an instruction takes single parts. */
type TakesParts = (emitter: FunctionEmitter, instruction: Instruction) => boolean;

const computes: TakesParts = (_emitter, instruction) => {
  const { op, type } = instruction;
  return isMask(type) ? isBitwise(op) : hasPart(op, laneKind(scalarOf(type))) || isByConstant(instruction);
};

const compares: TakesParts = (emitter, instruction) => isElements(emitter.operand(instruction, 0));

/** True for vectors of ints and floats that are computed with. */
function isElements({ type }: Value): boolean {
  return type.kind === "vector" && !isMask(type);
}

const TAKES_PARTS: Readonly<Partial<Record<OpRule, TakesParts>>> = {
  "unary-int": computes,
  "unary-float": computes,
  "binary-int": computes,
  "binary-float": computes,
  "compare-int": compares,
  "compare-float": compares,
  "ternary-float": (_emitter, { type }) => !isMask(type),
  shift: (emitter, instruction) => !isMask(instruction.type) && isByOneAmount(emitter, instruction),
  select: (emitter, instruction) => emitter.operand(instruction, 0).type.kind === "vector",
  convert: (_emitter, { op, type, operands: [operand] }) => {
    if (operand === undefined || isMask(type)) return false;
    return isMask(operand.type) || convertsByParts(op, operand, scalarOf(type));
  },
  bitcast: (_emitter, { type, operands: [operand] }) => operand?.type.count === type.count && !isMask(type),
  load: (_emitter, { type, flags }) => (flags & VOLATILE) === 0 && !isMask(type),
  store: (_emitter, { flags, operands: [value] }) =>
    (flags & VOLATILE) === 0 && value !== undefined && isElements(value),
};

/**
 * Lanes of the result that an instruction's writer leaves at once, at least (of a store: that it takes); 0: all.
 */
export function stepOf(emitter: FunctionEmitter, instruction: Instruction): number {
  const written = instruction.op === Op.STORE ? emitter.operand(instruction, 0) : instruction;
  if (written.type.kind !== "vector") return 0;
  const rule = OPS[instruction.op]?.rule;
  const takes = rule === undefined ? undefined : TAKES_PARTS[rule];
  if (takes?.(emitter, instruction) !== true && !emitter.combined.has(instruction)) return 0;
  const own = PART / emitter.laneBytesOf(written);
  const [first] = instruction.operands;
  // A comparison leaves a mask with lanes as wide as what was compared, which may become wider or narrower.
  const isCompared = isMask(instruction.type) && first !== undefined && isElements(first);
  return isCompared ? Math.max(own, PART / laneBytes(scalarOf(first.type))) : own;
}
