// SPDX-License-Identifier: Apache-2.0
// Ops that move lanes: vectors are registers side by side, so most are no instructions at all.
import { InternalError } from "@muxkit/cargo";
import { type Instruction, Op, type Type, constantZero, laneCount, reduceLanes, scalarOf } from "@muxkit/ir";

import type { Code } from "./code.ts";
import { integerBits } from "./integers.ts";
import { classOf } from "./registers.ts";

/** An operand of either outcome of a predicate. */
export function selected(code: Code, type: Type, condition: string, yes: string, no: string): string {
  const registerClass = classOf(scalarOf(type));
  if (registerClass !== "pred") return code.into(registerClass, `selp.${registerClass}`, yes, no, condition);
  const both = code.into("pred", "and.pred", condition, yes);
  const other = code.into("pred", "not.pred", condition);
  return code.into("pred", "or.pred", both, code.into("pred", "and.pred", other, no));
}

/** The lane number of a constant operand, modulo the lanes; null: it is known at run time only. */
function knownLane({ operands }: Instruction, at: number, count: number): number | null {
  const index = operands[at];
  return index?.kind === "constant" ? index.low % count : null;
}

/** An index modulo a number of lanes. */
function laneIndex(code: Code, index: string, count: number): string {
  return (count & (count - 1)) === 0
    ? code.into("b32", "and.b32", index, String(count - 1))
    : code.into("b32", "rem.u32", index, String(count));
}

function extract(code: Code, instruction: Instruction): readonly string[] {
  const [vector, index] = instruction.operands;
  if (vector === undefined || index === undefined) throw new InternalError("extract has two operands");
  const lanes = code.lanes(vector);
  const known = knownLane(instruction, 1, lanes.length);
  if (known !== null) return [lanes[known] as string];
  const wanted = laneIndex(code, code.scalar(index), lanes.length);
  return [
    lanes.reduce((other, lane, number) => {
      if (number === 0) return lane;
      const isLane = code.into("pred", "setp.eq.u32", wanted, String(number));
      return selected(code, instruction.type, isLane, lane, other);
    }, ""),
  ];
}

function insert(code: Code, instruction: Instruction): readonly string[] {
  const [vector, scalar, index] = instruction.operands;
  if (vector === undefined || scalar === undefined || index === undefined)
    throw new InternalError("insert has three operands");
  const lanes = code.lanes(vector);
  const value = code.scalar(scalar);
  const known = knownLane(instruction, 2, lanes.length);
  if (known !== null) return lanes.map((lane, number) => (number === known ? value : lane));
  const wanted = laneIndex(code, code.scalar(index), lanes.length);
  return lanes.map((lane, number) => {
    const isLane = code.into("pred", "setp.eq.u32", wanted, String(number));
    return selected(code, instruction.type, isLane, value, lane);
  });
}

function shuffle(code: Code, { operands, lanes, type }: Instruction): readonly string[] {
  const all = operands.flatMap((operand) => code.lanes(operand));
  const zero = constantZero(scalarOf(type));
  return lanes.map((lane) => (lane < 0 ? code.constant(zero) : (all[lane] as string)));
}

function permute(code: Code, { operands: [vector, indices], scale, type }: Instruction): readonly string[] {
  if (vector === undefined || indices === undefined) throw new InternalError("permute has two operands");
  const lanes = code.lanes(vector);
  const wanted = code.lanes(indices);
  const bits = integerBits(scalarOf(indices.type));
  return wanted.map((wide, lane) => {
    const first = (lane - (lane % scale)) % lanes.length;
    const index = bits === 64 ? code.into("b32", "cvt.u32.u64", wide) : wide;
    const own = laneIndex(code, index, scale);
    return lanes.slice(first, first + scale).reduce((other, one, number) => {
      if (number === 0) return one;
      const isLane = code.into("pred", "setp.eq.u32", own, String(number));
      return selected(code, type, isLane, one, other);
    }, "");
  });
}

function vote(code: Code, { op, operands }: Instruction): readonly string[] {
  const lanes = operands.flatMap((operand) => code.lanes(operand));
  return [lanes.reduce((left, right) => code.into("pred", op === Op.ANY ? "or.pred" : "and.pred", left, right))];
}

type WriteLanes = (code: Code, instruction: Instruction) => readonly string[];

const LANE_OPS: ReadonlyMap<number, WriteLanes> = new Map<number, WriteLanes>([
  [
    Op.SPLAT,
    (code, { operands, type }) => {
      const [lane] = operands.map((operand) => code.scalar(operand));
      return Array.from({ length: laneCount(type) }, () => lane as string);
    },
  ],
  [Op.BUILD, (code, { operands }) => operands.map((operand) => code.scalar(operand))],
  [Op.EXTRACT, extract],
  [Op.INSERT, insert],
  [Op.SHUFFLE, shuffle],
  [Op.PERMUTE, permute],
  [Op.ANY, vote],
  [Op.ALL, vote],
]);

/** True for ops that {@link writeLanes} writes. */
export function isLaneOp(op: number): boolean {
  return LANE_OPS.has(op);
}

/** The lanes of the result. */
export function writeLanes(code: Code, instruction: Instruction): readonly string[] {
  const write = LANE_OPS.get(instruction.op);
  if (write === undefined) throw new InternalError(`${instruction.op} moves no lanes`);
  return write(code, instruction);
}

/** `reduce`: halves are combined until one lane is left. */
export function reduced(lanes: readonly string[], combine: (left: string, right: string) => string): string {
  return reduceLanes(lanes, combine);
}
