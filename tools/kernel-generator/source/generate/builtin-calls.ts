// SPDX-License-Identifier: Apache-2.0
// Calls of built-in functions whose results are exact: integers, relations, lanes, and the floats that every
// implementation must round identically.
import { type Expression, code } from "../tree.ts";
import { wash } from "./convert.ts";
import { literal, small } from "./literals.ts";
import type { MakeExpression, State } from "./state.ts";
import { type ValueType, INT, comparisonType, intOf, isFloat, typeOf, unsignedOf, withScalar } from "./types.ts";

/** A family of calls with some result types. */
interface Family {
  readonly weight: number;
  /** True when it can return this type. */
  readonly gives: (type: ValueType, g: State) => boolean;
  readonly make: (g: State, type: ValueType, operand: (type: ValueType) => Expression) => Expression;
}

const ints = (type: ValueType): boolean => !isFloat(type);

/** Names of functions with so many operands of their result's type. */
function plain(
  weight: number,
  gives: Family["gives"],
  names: readonly string[],
  count: number,
  washed = false,
): Family {
  return {
    weight,
    gives,
    make: (g, type, operand) => {
      const operands = Array.from({ length: count }, () => (washed ? wash(g, operand(type)) : operand(type)));
      const list = operands.flatMap((one, i) => (i === 0 ? [one] : [", ", one]));
      return { kind: "expression", type, parts: [`${g.random.pick(names)}(`, ...list, ")"] };
    },
  };
}

/** A mask for shuffles: lanes counted modulo, so any value will do. */
function mask(g: State, type: ValueType, operand: (type: ValueType) => Expression): Expression {
  return g.random.chance(60) ? literal(g, unsignedOf(type)) : operand(unsignedOf(type));
}

/** Ints of 24 bits, which is what mul24 takes. */
function narrowed(value: Expression): Expression {
  const { type } = value;
  return type.scalar.kind === "signed"
    ? code(type)`((${value}) << (${type.name})(8) >> (${type.name})(8))`
    : code(type)`((${value}) & (${type.name})(0xffffffu))`;
}

const SHUFFLED = [2, 4, 8, 16] as const;

const FAMILIES: readonly Family[] = [
  plain(12, ints, ["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"], 2),
  plain(4, ints, ["clz", "popcount"], 1),
  plain(4, ints, ["mad_hi", "mad_sat"], 3),
  plain(3, ints, ["bitselect"], 3),
  plain(2, isFloat, ["bitselect"], 3, true),
  {
    weight: 3,
    gives: ({ scalar }) => scalar.kind === "unsigned",
    make: (g, type, operand) =>
      code(type)`abs(${operand(g.random.chance(75) ? withScalar(type, intOf(type.scalar.bits, "signed")) : type)})`,
  },
  {
    weight: 3,
    gives: ({ scalar }) => scalar.kind === "unsigned",
    make: (g, type, operand) => {
      const from = g.random.chance(75) ? withScalar(type, intOf(type.scalar.bits, "signed")) : type;
      return code(type)`abs_diff(${operand(from)}, ${operand(from)})`;
    },
  },
  {
    weight: 3,
    gives: ints,
    make: (g, type, operand) =>
      code(type)`clamp(${operand(type)}, ${small(type, g.random.below(20))}, ${small(type, 20 + g.random.below(80))})`,
  },
  {
    weight: 2,
    gives: isFloat,
    make: (g, type, operand) =>
      code(
        type,
      )`clamp(${wash(g, operand(type))}, ${small(type, g.random.below(20))}, ${small(type, 20 + g.random.below(80))})`,
  },
  {
    weight: 4,
    gives: ({ scalar }) => ints({ name: "", scalar, lanes: 1 }) && scalar.bits === 32,
    make: (g, type, operand) =>
      g.random.chance(50)
        ? code(type)`mul24(${narrowed(operand(type))}, ${narrowed(operand(type))})`
        : code(
            type,
          )`mad24((${type.name})(3), ${narrowed(operand(type))} & (${type.name})(0xffff), (${operand(type)}) & (${type.name})(0xffff))`,
  },
  {
    weight: 3,
    gives: ({ scalar }) => scalar.kind !== "float" && scalar.bits > 8,
    make: (_, type, operand) =>
      code(
        type,
      )`upsample(${operand(withScalar(type, intOf(type.scalar.bits / 2, type.scalar.kind === "signed" ? "signed" : "unsigned")))}, ${operand(withScalar(type, intOf(type.scalar.bits / 2, "unsigned")))})`,
  },
  {
    weight: 8,
    gives: () => true,
    make: (g, type, operand) =>
      code(
        type,
      )`select(${operand(type)}, ${operand(type)}, ${operand(withScalar(type, intOf(type.scalar.bits, g.random.pick(["signed", "unsigned"]))))})`,
  },
  {
    weight: 6,
    gives: ({ lanes }) => lanes !== 1 && lanes !== 3,
    make: (g, type, operand) => {
      const from = typeOf(type.scalar.name, g.random.pick(SHUFFLED));
      return g.random.chance(50)
        ? code(type)`shuffle(${operand(from)}, ${mask(g, type, operand)})`
        : code(type)`shuffle2(${operand(from)}, ${operand(from)}, ${mask(g, type, operand)})`;
    },
  },
  {
    weight: 3,
    gives: (type) => type === INT,
    make: (g, _, operand) =>
      code(
        INT,
      )`${g.random.pick(["any", "all"])}(${operand(typeOf(g.random.pick(["char", "short", "int", "long"]), g.random.pick([1, 2, 3, 4, 8, 16])))})`,
  },
  {
    weight: 5,
    gives: ({ scalar, lanes }) => scalar.kind === "signed" && (lanes === 1 ? scalar.bits === 32 : scalar.bits >= 32),
    make: (g, type, operand) => {
      const from = withScalar(
        type,
        type.lanes === 1 ? g.random.pick(["float", "double"]) : type.scalar.bits === 32 ? "float" : "double",
      );
      if (comparisonType(from) !== type) return literal(g, type);
      const name = g.random.pick([
        "isequal",
        "isnotequal",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isordered",
        "isunordered",
        "isfinite",
        "isinf",
        "isnan",
        "isnormal",
        "signbit",
      ]);
      if (name === "signbit") return code(type)`signbit(${wash(g, operand(from))})`;
      return /^(?:isfinite|isinf|isnan|isnormal)$/u.test(name)
        ? code(type)`${name}(${operand(from)})`
        : code(type)`${name}(${operand(from)}, ${operand(from)})`;
    },
  },
  plain(12, isFloat, ["fabs", "floor", "ceil", "trunc", "rint", "round", "sqrt"], 1),
  plain(4, isFloat, ["fmin", "fmax", "fdim", "maxmag", "minmag", "step", "min", "max", "copysign"], 2, true),
  plain(2, isFloat, ["fmod", "remainder", "nextafter"], 2, true),
  plain(3, isFloat, ["fma"], 3),
  plain(2, isFloat, ["sign"], 1, true),
  {
    weight: 2,
    gives: isFloat,
    make: (g, type, operand) =>
      code(
        type,
      )`ldexp(${wash(g, operand(type))}, ${g.random.chance(50) ? literal(g, withScalar(type, "int")) : code(withScalar(type, "int"))`((${operand(withScalar(type, "int"))}) & (${withScalar(type, "int").name})(15))`})`,
  },
  {
    weight: 2,
    gives: ({ scalar }) => scalar.name === "int",
    make: (g, type, operand) => {
      const from = withScalar(type, g.random.pick(["float", "double"]));
      return code(type)`ilogb(fabs(${wash(g, operand(from))}) + ${small(from, 1)})`;
    },
  },
];

/** A call of a built-in function that returns the type. */
export function builtinCall(make: MakeExpression): MakeExpression {
  return (g, type, depth) =>
    g.random.weighted(FAMILIES.filter(({ gives }) => gives(type, g))).make(g, type, (of) => make(g, of, depth - 1));
}
