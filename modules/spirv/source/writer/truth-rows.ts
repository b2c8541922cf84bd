// SPDX-License-Identifier: Apache-2.0
// Arithmetic of truth values, which the IR has as ints of one bit and SPIR-V not as numbers. Each op of one or two bits
// is a function that the instructions for logic compute; 1 is -1 where a bit has a sign.
import { I1, Op, type Value, scalarOf } from "@muxkit/ir";

import type { FunctionWriter, RowWriter } from "./function-writer.ts";
import { written } from "./written.ts";

const AND = written("OpLogicalAnd");
const OR = written("OpLogicalOr");
const NOT = written("OpLogicalNot");
const DIFFERENT = written("OpLogicalNotEqual");
const EQUAL = written("OpLogicalEqual");

/** The id of a function of two truth values, or of one. */
type Logic = (f: FunctionWriter, type: number, left: number, right: number) => number;

const by =
  (opcode: number): Logic =>
  (f, type, left, right) =>
    f.make(opcode, type, left, right);

/** With its second operand negated. */
const withRightNot =
  (opcode: number): Logic =>
  (f, type, left, right) =>
    f.make(opcode, type, left, f.make(NOT, type, right));

const withLeftNot =
  (opcode: number): Logic =>
  (f, type, left, right) =>
    f.make(opcode, type, f.make(NOT, type, left), right);

const first: Logic = (_f, _type, left) => left;
const negated: Logic = (f, type, left) => f.make(NOT, type, left);
const never: Logic = (f, type, left) => f.make(DIFFERENT, type, left, left);

const LOGIC: Readonly<Record<number, Logic>> = {
  [Op.ADD]: by(DIFFERENT),
  [Op.SUB]: by(DIFFERENT),
  [Op.XOR]: by(DIFFERENT),
  [Op.NE]: by(DIFFERENT),
  [Op.EQ]: by(EQUAL),
  [Op.MUL]: by(AND),
  [Op.AND]: by(AND),
  [Op.SDIV]: by(AND),
  [Op.UDIV]: by(AND),
  [Op.UMIN]: by(AND),
  [Op.SMAX]: by(AND),
  [Op.OR]: by(OR),
  [Op.UMAX]: by(OR),
  [Op.SMIN]: by(OR),
  [Op.SREM]: withRightNot(AND),
  [Op.UREM]: withRightNot(AND),
  [Op.UGT]: withRightNot(AND),
  [Op.SLT]: withRightNot(AND),
  [Op.UGE]: withRightNot(OR),
  [Op.SLE]: withRightNot(OR),
  [Op.ULT]: withLeftNot(AND),
  [Op.SGT]: withLeftNot(AND),
  [Op.ULE]: withLeftNot(OR),
  [Op.SGE]: withLeftNot(OR),
  // An amount counts modulo one.
  [Op.SHL]: first,
  [Op.LSHR]: first,
  [Op.ASHR]: first,
  [Op.ROTL]: first,
  [Op.POPCOUNT]: first,
  [Op.CLZ]: negated,
  [Op.CTZ]: negated,
  [Op.SMULH]: never,
  [Op.UMULH]: never,
};

/** An op of two truth values by their ids; undefined: it is none of truth values. */
export function logicOf(op: number): Logic | undefined {
  return LOGIC[op];
}

/** Rows of numbers that are taken for truth values by logic. */
export function withTruths(rows: Readonly<Record<number, RowWriter>>): Readonly<Record<number, RowWriter>> {
  return Object.fromEntries(
    Object.entries(rows).map(([op, row]): [string, RowWriter] => {
      const logic = LOGIC[Number(op)];
      if (logic === undefined) return [op, row];
      return [
        op,
        (f, i) => {
          const [left, right] = i.operands as [Value, Value | undefined];
          if (scalarOf(left.type) !== I1) return row(f, i);
          const id = f.value(left);
          return logic(f, f.type(i.type), id, right === undefined ? id : f.value(right));
        },
      ];
    }),
  );
}
