// SPDX-License-Identifier: Apache-2.0
// Overloads of built-in functions (OpenCL C 6.12: gentype and its kin). A row of the table has patterns such as `T(T,
// S)`: T is inferred from the arguments, then each argument is matched with its parameter, and the overload with the
// fewest conversions is chosen. Where that is not exact, ranking.ts compares all candidates as C++ does.
import type { BuiltinRow } from "@muxkit/builtin-table";
import { type BuiltinReference, CONSTANT, GLOBAL } from "@muxkit/ir";

import { commonScalar, isConvertible, pointAlike } from "./convert.ts";
import {
  type CType,
  type ImageAccess,
  DOUBLE,
  FLOAT,
  HALF,
  INT,
  comparisonType,
  elementOf,
  imageName,
  intOf,
  isArithmetic,
  lanesOf,
  namedType,
  pointerTo,
  plain,
  vectorOf,
} from "./ctype.ts";
import type { Operand, Unit } from "./unit.ts";

/** A pattern, read. */
export interface Pattern {
  readonly result: string;
  readonly parameters: readonly string[];
}

const patterns = new Map<string, Pattern>();

/** Reads a pattern of the table. */
export function readPattern(text: string): Pattern {
  let pattern = patterns.get(text);
  if (pattern === undefined) {
    const open = text.indexOf("(");
    const inner = text.slice(open + 1, -1);
    pattern = { result: text.slice(0, open), parameters: inner === "" ? [] : inner.split(", ") };
    patterns.set(text, pattern);
  }
  return pattern;
}

/** A parameter's type as a reference to a built-in names it: without the qualifiers that change nothing in a call. */
export function parameterName(type: CType): string {
  if (type.kind !== "pointer" || type.target === null) return imageName(type);
  const { type: target, isVolatile } = type.target;
  return `${isVolatile ? "volatile " : ""}${target.name}*`;
}

/** A chosen overload. */
export class Overload {
  readonly row: BuiltinRow;
  /** What T is; void's kin when the row has none. */
  readonly generic: CType;
  readonly result: CType;
  /** Types to convert the arguments to. */
  readonly parameters: readonly CType[];
  /** The result in the row's pattern. */
  readonly resultWord: string;
  private made: BuiltinReference | null = null;

  constructor(row: BuiltinRow, generic: CType, result: CType, parameters: readonly CType[], resultWord: string) {
    this.resultWord = resultWord;
    this.row = row;
    this.generic = generic;
    this.result = result;
    this.parameters = parameters;
  }

  /** What a `call_builtin` of it names. */
  get reference(): BuiltinReference {
    this.made ??= { kind: "builtin", name: this.row.name, parameters: this.parameters.map(parameterName) };
    return this.made;
  }
}

const inClass: Readonly<Record<string, (element: CType) => boolean>> = {
  f: (element) => element.kind === "float" && element.bits >= 32,
  g: (element) => element === FLOAT,
  h: (element) => element === HALF,
  i: (element) => element.kind === "int",
  s: (element) => element.kind === "int" && element.isSigned,
  u: (element) => element.kind === "int" && !element.isSigned,
  w: (element) => element.kind === "int" && element.bits === 32,
  l: (element) => element.kind === "int" && element.bits === 64,
  n: (element) => element.kind === "int" && element.bits < 64,
};

/** Classes that restrict the number of components. */
const withLanes: Readonly<Record<string, (lanes: number) => boolean>> = {
  c: (lanes) => lanes === 1,
  v: (lanes) => lanes > 1,
  x: (lanes) => lanes === 3 || lanes === 4,
  y: (lanes) => lanes <= 4,
  z: (lanes) => lanes !== 3,
};

/** True when a type is of the classes of a row. */
export function belongs(type: CType, classes: string): boolean {
  const element = elementOf(type);
  const lanes = lanesOf(type);
  for (const letter of classes) if (withLanes[letter]?.(lanes) === false) return false;
  return classes.split("").some((letter) => inClass[letter]?.(element) === true);
}

/** An image, and what the built-in does with it: sample, fetch (read without a sampler), write, query. */
export const IMAGE: RegExp = /^([sfwq]):(.*)$/u;
const ACCESSES: Readonly<Record<string, readonly (ImageAccess | null)[]>> = {
  s: ["read_only"],
  f: ["read_only", "read_write"],
  w: ["write_only", "read_write"],
  q: ["read_only", "write_only", "read_write"],
};

/** S or U with lanes of its own. */
const LANES = /^(S|U)(2|3|4|8|16)$/u;

/** The type that a word of a pattern denotes once T is known. */
export function typeOf(unit: Unit, word: string, generic: CType | null): CType | null {
  if (generic !== null) {
    const element = elementOf(generic);
    const lanes = lanesOf(generic);
    switch (word) {
      case "T":
        return generic;
      case "S":
        return element;
      case "U":
        return vectorOf(intOf(element.bits, false), lanes);
      case "I":
        return vectorOf(intOf(element.bits, true), lanes);
      case "N":
        return vectorOf(INT, lanes);
      case "C":
        return comparisonType(generic);
      case "W":
        return vectorOf(intOf(element.bits * 2, element.isSigned), lanes);
      default: {
        const [, letter, count] = LANES.exec(word) ?? [];
        if (letter !== undefined) return vectorOf(letter === "S" ? element : intOf(element.bits, false), Number(count));
      }
    }
  }
  return namedType(word, unit.options.layout);
}

/** The type an argument proposes for T; null: it proposes none. */
function proposal(word: string, argument: Operand): CType | null {
  const { type } = argument;
  if (word === "T") return isArithmetic(type) || type.kind === "vector" ? type : null;
  if (word === "*T" || word === "^T" || word === "@T") return type.target?.type ?? null;
  if (word === "*S" || word === "^S") return type.target?.type ?? null;
  return null;
}

/** T as deduced from these arguments; null: they do not determine it. */
export function chooseGeneric(pattern: Pattern, given: readonly Operand[], classes: string): CType | null {
  let scalar: CType | null = null;
  let isUniform = true;
  for (let i = 0; i < given.length; i++) {
    const word = pattern.parameters[i];
    const argument = given[i];
    if (word === undefined || argument === undefined) return null;
    const proposed = proposal(word, argument);
    if (proposed === null) continue;
    if (proposed.kind === "vector") return proposed;
    if (!isArithmetic(proposed)) return null;
    if (word !== "T") return proposed;
    if (scalar !== null && scalar !== proposed) isUniform = false;
    scalar = scalar === null || scalar === proposed ? proposed : commonScalar(scalar, proposed);
  }
  if (scalar === null) return pattern.parameters[0] === "U" ? floatOfBits(given[0]?.type) : null;
  if (scalar.kind === "bool" || !isUniform) scalar = commonScalar(scalar, scalar);
  // Integers narrower than those that will do are promoted.
  if (classes.includes("w") && scalar.kind === "int" && scalar.bits < 32) return INT;
  // An integer where only floats will do becomes a float.
  return belongs(scalar, classes) || !/[fg]/u.test(classes) ? scalar : FLOAT;
}

/** The float type with the width of an int type, as nan wants it. */
function floatOfBits(type: CType | undefined): CType | null {
  if (type === undefined || elementOf(type).kind !== "int") return null;
  const { bits } = elementOf(type);
  return vectorOf(bits === 64 ? DOUBLE : bits === 16 ? HALF : FLOAT, lanesOf(type));
}

/**
 * How well a scalar fits that goes into every lane of a vector: worse than by any other conversion of all arguments.
 */
const EVERY_LANE = 100;

/** How well an argument fits: 0 exactly, 1 with a conversion, {@link EVERY_LANE}, -1 not at all. */
export function fit(unit: Unit, word: string, argument: Operand, generic: CType | null): number {
  const { type } = argument;
  const [, use = "", image] = IMAGE.exec(word) ?? [];
  if (image !== undefined) return imageName(type) === image && ACCESSES[use]?.includes(type.access) === true ? 0 : -1;
  if (/^[*^@]/u.test(word)) {
    const target = typeOf(unit, word.slice(1), generic);
    if (type.kind !== "pointer" || type.target === null || target === null) return -1;
    if (word.startsWith("*") && (type.target.isConst || type.target.space === CONSTANT)) return -1;
    if (word.startsWith("@") && type.target.space !== GLOBAL) return -1;
    if (type.target.type === target || target.kind === "void") return 0;
    return pointAlike(type.target.type, target) ? 1 : -1;
  }
  const wanted = typeOf(unit, word, generic);
  if (wanted === null) return -1;
  if (type === wanted) return 0;
  // If no other argument determines the vector type, the function does: the colour of write_imagef.
  if (wanted.kind === "vector" && type.kind !== "vector")
    return generic === null && isArithmetic(type) ? EVERY_LANE : -1;
  return isConvertible(argument, wanted) ? 1 : -1;
}

/** The type that an argument is converted to. */
export function parameterType(unit: Unit, word: string, argument: Operand, generic: CType | null): CType {
  if (IMAGE.test(word)) return argument.type;
  if (!/^[*^@]/u.test(word)) return typeOf(unit, word, generic) ?? INT;
  const { target } = argument.type;
  if (target === null) return argument.type;
  const wanted = typeOf(unit, word.slice(1), generic);
  const type = wanted === null || wanted.kind === "void" ? target.type : wanted;
  return pointerTo({ ...plain(type), isConst: target.isConst, isVolatile: target.isVolatile, space: target.space });
}

/** The overload that fits best; null: none fits. */
export function chooseOverload(unit: Unit, rows: readonly BuiltinRow[], given: readonly Operand[]): Overload | null {
  let best: Overload | null = null;
  let least = Number.POSITIVE_INFINITY;
  let formsOfLanes = 0;
  for (const row of rows) {
    for (const text of row.patterns) {
      const pattern = readPattern(text);
      if (pattern.parameters.length !== given.length) continue;
      const generic = row.classes === "" ? null : chooseGeneric(pattern, given, row.classes);
      if (row.classes !== "" && (generic === null || !belongs(generic, row.classes))) continue;
      if (
        generic !== null &&
        elementOf(generic) === HALF &&
        !unit.options.extensions.includes("cl_khr_fp16") &&
        !row.name.startsWith("v")
      )
        continue;
      let cost = 0;
      for (let i = 0; i < given.length && cost >= 0; i++) {
        const word = pattern.parameters[i];
        const argument = given[i];
        const one = word === undefined || argument === undefined ? -1 : fit(unit, word, argument, generic);
        cost = one < 0 ? -1 : cost + one;
      }
      if (cost >= EVERY_LANE) formsOfLanes++;
      if (cost < 0 || cost >= least) continue;
      const result = typeOf(unit, pattern.result, generic);
      if (result === null) continue;
      least = cost;
      best = new Overload(
        row,
        generic ?? result,
        result,
        pattern.parameters.map((word, i) => parameterType(unit, word, given[i] as Operand, generic)),
        pattern.result,
      );
    }
  }
  // It is unknown which vector is meant.
  return least >= EVERY_LANE && formsOfLanes > 1 ? null : best;
}
