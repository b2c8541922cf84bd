// SPDX-License-Identifier: Apache-2.0
// Built-ins of compilers that kernels use: hints, and questions that are answered while compiling. Their arguments are
// not computed like those of functions.
import { I32, constantInt } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { convertImplicitly, errorOperand, rvalue } from "./convert.ts";
import { INT, LONG, VOID_TYPE } from "./ctype.ts";
import { constantNumber } from "./types.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

type CallNode = Extract<Expression, { kind: "call" }>;

interface CompilerBuiltin {
  /** How many arguments it takes. */
  readonly count: number;
  readonly write: (unit: Unit, node: CallNode, first: Expression, second: Expression, third: Expression) => Operand;
}

const nothing = (): Operand => valueOf(VOID_TYPE, constantInt(I32, 0));

const ROWS: Readonly<Record<string, CompilerBuiltin>> = {
  // The expected value has no effect.
  __builtin_expect: {
    count: 2,
    write: (unit, _, first, second) => {
      unit.parts.expression(unit, second);
      const value = rvalue(unit, unit.parts.expression(unit, first));
      // Of ints and vectors of ints it is the value as it is (cl_khr_expect_assume); of what else is a condition, a
      // long.
      const element = value.type.kind === "vector" ? value.type.element : value.type;
      return element?.kind === "int" ? value : valueOf(LONG, convertImplicitly(unit, value, LONG, first.span));
    },
  },
  __builtin_unreachable: {
    count: 0,
    write: (unit) => {
      unit.builder.unreachable();
      unit.startBlock(unit.newBlock("dead"));
      return nothing();
    },
  },
  __builtin_assume: {
    count: 1,
    write: (unit, _, first) => {
      unit.typeOnly(() => unit.parts.expression(unit, first));
      return nothing();
    },
  },
  __builtin_constant_p: {
    count: 1,
    write: (unit, _, first) =>
      valueOf(
        INT,
        constantInt(
          I32,
          unit.typeOnly(() => rvalue(unit, unit.parts.expression(unit, first))).value.kind === "constant" ? 1 : 0,
        ),
      ),
  },
  __builtin_choose_expr: {
    count: 3,
    write: (unit, _, first, second, third) =>
      unit.parts.expression(unit, (constantNumber(unit, first) ?? 1) === 0 ? third : second),
  },
};

/** Writes the call of a compiler's built-in; null: the name is none of them. */
export function callCompilerBuiltin(unit: Unit, name: string, node: CallNode): Operand | null {
  const row = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  if (row === undefined) return null;
  const [first = node, second = node, third = node] = node.arguments;
  if (unit.fn !== null && node.arguments.length === row.count) return row.write(unit, node, first, second, third);
  unit.report("argumentCount", node.span, [name, row.count, node.arguments.length]);
  return errorOperand();
}
