// SPDX-License-Identifier: Apache-2.0
// Built-ins of compilers that kernels use: hints, questions that are answered while compiling, and functions of other
// names for what the language has. Arguments of the first two are not computed like those of functions.
import { type Span, presumedLocation } from "@muxkit/report";
import { type Constant, I1, I32, I8, Op, type Value, constantFloat, constantInt } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { RESERVED_WORDS } from "../lex/reserved-words.ts";
import {
  type CallNode,
  type CompilerBuiltin,
  type NamedBuiltin,
  argumentsAs,
  callByName,
  nothing,
  retyped,
  valueOfNode,
} from "./compiler-builtin.ts";
import { convertImplicitly, errorOperand, sizeType } from "./convert.ts";
import { type CType, DOUBLE, FLOAT, INT, LONG, elementOf, intOf, lanesOf, vectorOf } from "./ctype.ts";
import { OVERFLOWS } from "./overflow-builtins.ts";
import { constantNumber } from "./types.ts";
import { VECTOR_BUILTINS } from "./vector-builtins.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A result of 64 bits as an int. */
function narrowed(unit: Unit, operand: Operand): Operand {
  if (operand.type.kind === "error" || operand.type.bits <= 32) return retyped(operand, INT);
  return valueOf(INT, unit.op(Op.TRUNC, I32, operand.value));
}

/** `popcount(~x & (x - 1))`: the zeros at the low end. */
function trailingZeros(unit: Unit, operand: Operand, node: CallNode): Operand {
  const { type, value } = operand;
  const all = constantInt(type.ir, -1);
  const below = unit.op(Op.ADD, type.ir, value, all);
  const mask = unit.op(Op.AND, type.ir, unit.op(Op.XOR, type.ir, value, all), below);
  return narrowed(unit, callByName(unit, "popcount", [valueOf(type, mask)], node));
}

/** A function of the bits of an unsigned number, for int, long and long long. */
function bitFunctions(
  name: string,
  write: (unit: Unit, operand: Operand, node: CallNode) => Operand,
): readonly NamedBuiltin[] {
  return (
    [
      ["", 32],
      ["l", 64],
      ["ll", 64],
    ] as const
  ).map(([ending, bits]) => [
    `__builtin_${name}${ending}`,
    {
      count: 1,
      write: (unit, node) => {
        const [operand] = argumentsAs(unit, node, intOf(bits, false));
        return operand === undefined ? errorOperand() : write(unit, operand, node);
      },
    },
  ]);
}

/** The bytes of a number in the other order. */
function swapBytes(bits: number): CompilerBuiltin {
  const type = intOf(bits, false);
  return {
    count: 1,
    write: (unit, node) => {
      const [operand] = argumentsAs(unit, node, type);
      if (operand === undefined || operand.type.kind === "error") return errorOperand();
      const op = (code: number, left: Value, right: Value): Value => unit.op(code, type.ir, left, right);
      const byte = constantInt(type.ir, 255);
      let swapped: Value = constantInt(type.ir, 0);
      for (let at = 0; at < bits; at += 8) {
        const moved = op(Op.LSHR, operand.value, constantInt(type.ir, at));
        const own = op(Op.SHL, op(Op.AND, moved, byte), constantInt(type.ir, bits - 8 - at));
        swapped = op(Op.OR, swapped, own);
      }
      return valueOf(type, swapped);
    },
  };
}

/** The bits of a number turned around; amounts are taken modulo its width. */
function rotation(bits: number, isRight: boolean): CompilerBuiltin {
  const type = intOf(bits, false);
  return {
    count: 2,
    write: (unit, node) => {
      const [value, amount] = argumentsAs(unit, node, type);
      if (value === undefined || amount === undefined || value.type.kind === "error") return errorOperand();
      const zero = constantInt(type.ir, 0);
      const by = isRight ? valueOf(type, unit.op(Op.SUB, type.ir, zero, amount.value)) : amount;
      return callByName(unit, "rotate", [value, by], node);
    },
  };
}

/** Functions of the C library on floats, by how many arguments they take: the language has them under these names. */
const MATHEMATICS: readonly (readonly [count: number, names: string])[] = [
  [1, "acos asin atan cbrt ceil cos cosh exp exp2 expm1 fabs floor log log10 log1p log2"],
  [1, "rint round sin sinh sqrt tan tanh trunc"],
  [2, "atan2 copysign fdim fmax fmin fmod hypot pow remainder"],
  [3, "fma"],
];

function mathematics(): readonly NamedBuiltin[] {
  return MATHEMATICS.flatMap(([count, names]) =>
    names.split(" ").flatMap((name) =>
      (
        [
          ["f", FLOAT],
          ["", DOUBLE],
        ] as const
      ).map(([ending, type]): NamedBuiltin => [
        `__builtin_${name}${ending}`,
        { count, write: (unit, node) => callByName(unit, name, argumentsAs(unit, node, type), node) },
      ]),
    ),
  );
}

/** Questions about a float of any width. */
const QUESTIONS: readonly string[] = ["isnan", "isinf", "isfinite", "isnormal", "signbit"];

function question(name: string): CompilerBuiltin {
  return { count: 1, write: (unit, node, first) => callByName(unit, name, [valueOfNode(unit, first)], node) };
}

/** A constant of floats; the text of a NaN's payload has no effect. */
function floatConstant(count: number, type: CType, value: number): CompilerBuiltin {
  return { count, write: () => valueOf(type, constantFloat(type.ir, value)) };
}

/** A copy or a fill of a number of bytes. */
function ofMemory(write: (unit: Unit, target: Value, source: Operand, bytes: Value) => void): CompilerBuiltin {
  return {
    count: 3,
    write: (unit, node, first, second, third) => {
      const [target, source] = [valueOfNode(unit, first), valueOfNode(unit, second)];
      const bytes = convertImplicitly(unit, valueOfNode(unit, third), sizeType(unit), third.span);
      if (target.type.kind === "error" || source.type.kind === "error") return errorOperand();
      if (target.type.kind !== "pointer") {
        unit.report("notPointer", first.span, [target.type.name]);
        return errorOperand();
      }
      unit.locate(node.span);
      write(unit, target.value, source, bytes);
      return target;
    },
  };
}

/** `__builtin_shufflevector(a, b, i, …)`: components of two vectors by constant numbers; -1: any. */
function shuffleVectors(unit: Unit, node: CallNode, first: Expression, second: Expression): Operand {
  const [a, b] = [valueOfNode(unit, first), valueOfNode(unit, second)];
  const indices = node.arguments.slice(2);
  if (a.type.kind === "error" || b.type.kind === "error") return errorOperand();
  const lanes = indices.map((index) => constantNumber(unit, index));
  const type = vectorOf(elementOf(a.type), indices.length);
  const most = lanesOf(a.type) * 2;
  if (
    a.type.kind !== "vector" ||
    a.type !== b.type ||
    type.kind === "error" ||
    lanes.some((lane) => lane === null || lane < -1 || lane >= most)
  ) {
    unit.report("noOverload", node.span, ["__builtin_shufflevector", `${a.type.name}, ${b.type.name}, …`]);
    return errorOperand();
  }
  const picked = lanes.map((lane) => Math.max(0, lane ?? 0));
  const shuffled = unit.builder.shuffle(a.value, b.value, picked);
  return valueOf(type, type.kind === "vector" ? shuffled : unit.op(Op.EXTRACT, type.ir, shuffled, constantInt(I32, 0)));
}

function trap(unit: Unit): Operand {
  unit.builder.unreachable();
  unit.startBlock(unit.newBlock("dead"));
  return nothing();
}

/** A string of the compiler's. */
function textOf(unit: Unit, text: string, span: Span): Operand {
  return unit.parts.expression(unit, { kind: "string", texts: [JSON.stringify(text)], span });
}

const ROWS: ReadonlyMap<string, CompilerBuiltin> = new Map<string, CompilerBuiltin>([
  [
    "__builtin_expect",
    {
      count: 2,
      // The expected value has no effect.
      write: (unit, _, first, second) => {
        unit.parts.expression(unit, second);
        const value = valueOfNode(unit, first);
        // Of ints and vectors of ints it is the value as it is (cl_khr_expect_assume); of what else is a condition, a
        // long.
        const element = value.type.kind === "vector" ? value.type.element : value.type;
        return element?.kind === "int" ? value : valueOf(LONG, convertImplicitly(unit, value, LONG, first.span));
      },
    },
  ],
  // Control that comes to either traps.
  ["__builtin_unreachable", { count: 0, write: trap }],
  ["__builtin_trap", { count: 0, write: trap }],
  [
    "__builtin_LINE",
    { count: 0, write: (_, { span }) => valueOf(INT, constantInt(I32, presumedLocation(span.file, span.start).line)) },
  ],
  [
    "__builtin_FILE",
    { count: 0, write: (unit, { span }) => textOf(unit, presumedLocation(span.file, span.start).name, span) },
  ],
  ["__builtin_FUNCTION", { count: 0, write: (unit, { span }) => textOf(unit, unit.fn?.symbol.name ?? "", span) }],
  [
    "__builtin_assume",
    {
      count: 1,
      write: (unit, _, first) => {
        unit.typeOnly(() => unit.parts.expression(unit, first));
        return nothing();
      },
    },
  ],
  [
    "__builtin_constant_p",
    {
      count: 1,
      write: (unit, _, first) =>
        valueOf(INT, constantInt(I32, unit.typeOnly(() => valueOfNode(unit, first)).value.kind === "constant" ? 1 : 0)),
    },
  ],
  [
    "__builtin_choose_expr",
    {
      count: 3,
      write: (unit, _, first, second, third) =>
        unit.parts.expression(unit, (constantNumber(unit, first) ?? 1) === 0 ? third : second),
    },
  ],
  // A hint about what is read next, without effect.
  [
    "__builtin_prefetch",
    {
      count: null,
      write: (unit, node) => {
        for (const argument of node.arguments) unit.typeOnly(() => unit.parts.expression(unit, argument));
        return nothing();
      },
    },
  ],
  // Nothing is known of the object that a pointer points to.
  [
    "__builtin_object_size",
    {
      count: 2,
      write: (unit, _, first, second) => {
        unit.typeOnly(() => unit.parts.expression(unit, first));
        const kind = constantNumber(unit, second) ?? 0;
        const type = sizeType(unit);
        return valueOf(type, constantInt(type.ir, kind < 2 ? -1 : 0));
      },
    },
  ],
  ["__builtin_shufflevector", { count: null, write: shuffleVectors }],
  [
    "__builtin_memcpy",
    ofMemory((unit, target, { value }, bytes) => void unit.builder.memoryCopy(target, value, bytes, 1)),
  ],
  [
    "__builtin_memset",
    ofMemory((unit, target, { type, value }, bytes) => {
      const byte: Value =
        type.kind !== "int" || type.bits === 8
          ? value
          : value.kind === "constant"
            ? byteOf(value)
            : unit.op(Op.TRUNC, I8, value);
      unit.builder.memoryFill(target, byte, bytes, 1);
    }),
  ],
  ["__builtin_nanf", floatConstant(1, FLOAT, Number.NaN)],
  ["__builtin_nan", floatConstant(1, DOUBLE, Number.NaN)],
  ["__builtin_inff", floatConstant(0, FLOAT, Infinity)],
  ["__builtin_inf", floatConstant(0, DOUBLE, Infinity)],
  ["__builtin_huge_valf", floatConstant(0, FLOAT, Infinity)],
  ["__builtin_huge_val", floatConstant(0, DOUBLE, Infinity)],
  ...QUESTIONS.map((name) => [`__builtin_${name}`, question(name)] as const),
  ...mathematics(),
  ...bitFunctions("popcount", (unit, operand, node) => narrowed(unit, callByName(unit, "popcount", [operand], node))),
  ...bitFunctions("clz", (unit, operand, node) => narrowed(unit, callByName(unit, "clz", [operand], node))),
  ...bitFunctions("ctz", trailingZeros),
  ...bitFunctions("parity", (unit, operand, node) => {
    const count = narrowed(unit, callByName(unit, "popcount", [operand], node));
    return valueOf(INT, unit.op(Op.AND, I32, count.value, constantInt(I32, 1)));
  }),
  // One more than the zeros at the low end, and zero for zero: where no bit is set, all 32 or 64 are zeros.
  ...bitFunctions("ffs", (unit, operand, node) => {
    const zeros = trailingZeros(unit, operand, node);
    const next = unit.op(Op.ADD, I32, zeros.value, constantInt(I32, 1));
    const isZero = unit.op(Op.EQ, I1, operand.value, constantInt(operand.type.ir, 0));
    return valueOf(INT, unit.op(Op.SELECT, I32, isZero, constantInt(I32, 0), next));
  }),
  ...(
    [
      ["abs", INT],
      ["labs", LONG],
      ["llabs", LONG],
    ] as const
  ).map(([name, type]): NamedBuiltin => [
    `__builtin_${name}`,
    { count: 1, write: (unit, node) => retyped(callByName(unit, "abs", argumentsAs(unit, node, type), node), type) },
  ]),
  ...[16, 32, 64].map((bits) => [`__builtin_bswap${bits}`, swapBytes(bits)] as const),
  ...[8, 16, 32, 64].flatMap((bits) => [
    [`__builtin_rotateleft${bits}`, rotation(bits, false)] as const,
    [`__builtin_rotateright${bits}`, rotation(bits, true)] as const,
  ]),
  ...OVERFLOWS,
  ...VECTOR_BUILTINS,
]);

/** What `__has_builtin` knows; those that take types are words of the grammar. */
export function isCompilerBuiltin(name: string): boolean {
  return ROWS.has(name) || (name.startsWith("__builtin_") && RESERVED_WORDS.has(name));
}

/** The low byte of a constant. */
function byteOf({ low }: Constant): Constant {
  return constantInt(I8, low & 255);
}

/** Writes the call of a compiler's built-in; null: the name is none of them. */
export function callCompilerBuiltin(unit: Unit, name: string, node: CallNode): Operand | null {
  const row = ROWS.get(name);
  // The macros of the language are calls without arguments.
  if (row === undefined || (node.arguments.length === 0 && name === "__builtin_nanf")) return null;
  const [first = node, second = node, third = node] = node.arguments;
  if (row.count === null ? node.arguments.length > 0 : node.arguments.length === row.count) {
    // Numbers are constants outside of functions too; all else is code.
    if (unit.fn !== null || isConstantRow(name)) return row.write(unit, node, first, second, third);
    unit.report("notConstant", node.span);
    return errorOperand();
  }
  unit.report("argumentCount", node.span, [name, row.count ?? "1 or more", node.arguments.length]);
  return errorOperand();
}

/** True for built-ins that are constants where their arguments are. */
function isConstantRow(name: string): boolean {
  return !/unreachable|trap|expect|assume|prefetch|mem(?:cpy|set)|overflow/u.test(name);
}
