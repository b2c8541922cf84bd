// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers that tells whether the result fits (GNU C 6.56, "Built-in Functions to Perform Arithmetic with
// Overflow Checking"): `__builtin_add_overflow(a, b, &result)` for integers of any types, `__builtin_sadd_overflow` and
// its kin for two of one type.
//
// The exact result has up to 128 bits. It is computed in two words of 64 bits, cut to the type of the result, and
// compared with what the cut value is when it is extended again. Where nothing is wider than 32 bits, one word is
// enough.
import { CONSTANT, I1, I64, Op, type Value, alignmentOf, constantInt } from "@muxkit/ir";

import { type CallNode, type NamedBuiltin, argumentsAs, refuseTypes, valueOfNode } from "./compiler-builtin.ts";
import { convertArithmetic, fromTruth, storeTo } from "./convert.ts";
import { BOOL, type CType, LONG, ULONG, intOf } from "./ctype.ts";
import { type Operand, type Unit, lvalueOf } from "./unit.ts";

type Operator = "add" | "sub" | "mul";

/** A number: its low 64 bits, and those above. */
type Words = readonly [low: Value, high: Value];

function extended(unit: Unit, value: Value, type: CType): Value {
  return convertArithmetic(unit, value, type, type.isSigned ? LONG : ULONG);
}

function wordsOf(unit: Unit, value: Value, type: CType): Words {
  const low = extended(unit, value, type);
  return [low, type.isSigned ? unit.op(Op.ASHR, I64, low, constantInt(I64, 63)) : constantInt(I64, 0)];
}

/** 1 where a word is less than another. */
function less(unit: Unit, left: Value, right: Value): Value {
  return unit.op(Op.ZEXT, I64, unit.op(Op.ULT, I1, left, right));
}

const LOW: Readonly<Record<Operator, number>> = { add: Op.ADD, sub: Op.SUB, mul: Op.MUL };

/** The bits above the low word of a result. */
const HIGH: Readonly<Record<Operator, (unit: Unit, a: Words, b: Words, low: Value) => Value>> = {
  add: (unit, [al, ah], [, bh], low) => unit.op(Op.ADD, I64, unit.op(Op.ADD, I64, ah, bh), less(unit, low, al)),
  sub: (unit, [al, ah], [bl, bh]) => unit.op(Op.SUB, I64, unit.op(Op.SUB, I64, ah, bh), less(unit, al, bl)),
  mul: (unit, [al, ah], [bl, bh]) => {
    const crossed = unit.op(Op.ADD, I64, unit.op(Op.MUL, I64, ah, bl), unit.op(Op.MUL, I64, al, bh));
    return unit.op(Op.ADD, I64, unit.op(Op.UMULH, I64, al, bl), crossed);
  },
};

/** Stores the result where the third argument points; true when it does not fit there. */
function checked(unit: Unit, operator: Operator, left: Operand, right: Operand, place: Operand, type: CType): Value {
  const { target } = place.type;
  const [a, b] = [wordsOf(unit, left.value, left.type), wordsOf(unit, right.value, right.type)];
  const low = unit.op(LOW[operator], I64, a[0], b[0]);
  const result = convertArithmetic(unit, low, LONG, type);
  const kept = wordsOf(unit, result, type);
  let isOther = unit.op(Op.NE, I1, kept[0], low);
  if (Math.max(left.type.bits, right.type.bits, type.bits) > 32) {
    const differs = unit.op(Op.NE, I1, kept[1], HIGH[operator](unit, a, b, low));
    isOther = unit.op(Op.OR, I1, isOther, differs);
  }
  if (target !== null) storeTo(unit, lvalueOf(target, place.value, alignmentOf(unit.options.layout, type.ir)), result);
  return isOther;
}

function isInteger({ type: { kind } }: Operand): boolean {
  return kind === "int" || kind === "bool";
}

/** One of these built-ins; `type`: of its operands and result, null: any. */
function builtin(name: string, operator: Operator, type: CType | null): NamedBuiltin {
  const write = (unit: Unit, node: CallNode): Operand => {
    const [first = node, second = node, third = node] = node.arguments;
    const [left, right] =
      type === null
        ? [valueOfNode(unit, first), valueOfNode(unit, second)]
        : argumentsAs(unit, { ...node, arguments: [first, second] }, type);
    const place = valueOfNode(unit, third);
    const { target } = place.type;
    const into = target?.type;
    if (
      left === undefined ||
      right === undefined ||
      into === undefined ||
      !isInteger(left) ||
      !isInteger(right) ||
      into.kind !== "int" ||
      (type !== null && into !== type) ||
      target?.isConst === true ||
      target?.space === CONSTANT
    )
      return refuseTypes(
        unit,
        name,
        [left, right, place].filter((one) => one !== undefined),
        node,
      );
    unit.locate(node.span);
    return fromTruth(unit, checked(unit, operator, left, right, place, into), BOOL);
  };
  return [name, { count: 3, write }];
}

const OPERATORS: readonly Operator[] = ["add", "sub", "mul"];
/** Widths by the endings of names. */
const WIDTHS: readonly (readonly [ending: string, bits: number])[] = [
  ["", 32],
  ["l", 64],
  ["ll", 64],
];

/** All of them. */
export const OVERFLOWS: readonly NamedBuiltin[] = OPERATORS.flatMap((operator) => [
  builtin(`__builtin_${operator}_overflow`, operator, null),
  ...WIDTHS.flatMap(([ending, bits]) =>
    [true, false].map((isSigned) =>
      builtin(`__builtin_${isSigned ? "s" : "u"}${operator}${ending}_overflow`, operator, intOf(bits, isSigned)),
    ),
  ),
]);
