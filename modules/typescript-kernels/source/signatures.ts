// SPDX-License-Identifier: Apache-2.0
// Overloads of built-ins by the table of OpenCL C: which row takes some arguments, and what it makes of them.
import { builtinRows, parseFamily } from "@muxkit/builtin-table";
import type { ElementType, Lanes, ScalarName } from "@muxkit/kernel-library";

import {
  FACTS,
  type KernelType,
  VOID,
  elementNamed,
  isLong,
  lanesOf,
  sameType,
  scalar,
  scalarOf,
  vector,
  withScalar,
} from "./kernel-type.ts";

/** A built-in's types where it is called. */
export interface Signature {
  readonly result: KernelType;
  readonly parameters: readonly ElementType[];
  /** OpenCL C has an int there, which TypeScript sees as a bool. */
  readonly isTruth: boolean;
}

/** What the letters of a row's classes admit; those that admit scalars are joined by "or", the rest by "and". */
const KINDS: Readonly<Record<string, (name: ScalarName) => boolean>> = {
  f: (name) => name === "float" || name === "double",
  g: (name) => name === "float",
  h: (name) => name === "half",
  i: (name) => name !== "bool" && !FACTS[name].isFloat,
  s: (name) => name !== "bool" && !FACTS[name].isFloat && FACTS[name].isSigned,
  u: (name) => name !== "bool" && !FACTS[name].isFloat && !FACTS[name].isSigned,
  w: (name) => name === "int" || name === "uint",
  l: (name) => name === "long" || name === "ulong",
  n: (name) => name !== "bool" && !FACTS[name].isFloat && FACTS[name].bits <= 32,
};

const SHAPES: Readonly<Record<string, (lanes: number) => boolean>> = {
  v: (lanes) => lanes > 1,
  c: (lanes) => lanes === 1,
  x: (lanes) => lanes === 3 || lanes === 4,
  y: (lanes) => lanes <= 4,
  z: (lanes) => lanes !== 3,
};

function admits(classes: string, type: ElementType): boolean {
  const name = scalarOf(type);
  if (name === null) return false;
  const letters = classes.split("");
  return (
    letters.some((letter) => KINDS[letter]?.(name) === true) &&
    letters.every((letter) => SHAPES[letter]?.(lanesOf(type)) ?? true)
  );
}

const SIGNED = ["char", "short", "int", "long"] as const;
const UNSIGNED = ["uchar", "ushort", "uint", "ulong"] as const;

function ofBits(bits: number, isSigned: boolean): ScalarName {
  return (isSigned ? SIGNED : UNSIGNED).find((name) => FACTS[name].bits === bits) ?? "int";
}

/** Types that a pattern's words stand for, from T. */
const WORDS: Readonly<Record<string, (type: ElementType, name: ScalarName) => ElementType>> = {
  T: (type) => type,
  S: (_type, name) => scalar(name),
  U: (type, name) => withScalar(type, ofBits(FACTS[name].bits, false)),
  I: (type, name) => withScalar(type, ofBits(FACTS[name].bits, true)),
  N: (type) => withScalar(type, "int"),
  D: (type, name) => withScalar(type, ofBits(FACTS[name].bits, true)),
  C: (type, name) => (type.kind === "vector" ? withScalar(type, ofBits(FACTS[name].bits, true)) : scalar("int")),
  W: (type, name) => withScalar(type, ofBits(FACTS[name].bits * 2, FACTS[name].isSigned)),
};

function typeOfWord(word: string, type: ElementType | null): ElementType | null {
  if (word === "size_t") return scalar("uint");
  const own = WORDS[word];
  if (own !== undefined) {
    const name = type === null ? null : scalarOf(type);
    return type === null || name === null ? null : own(type, name);
  }
  const [, letter, lanes] = /^([SU])(2|3|4|8|16)$/u.exec(word) ?? [];
  if (letter !== undefined && type !== null) {
    const name = scalarOf(type);
    if (name !== null) return vector(letter === "S" ? name : ofBits(FACTS[name].bits, false), Number(lanes) as Lanes);
  }
  return elementNamed(word);
}

/** Literals take any scalar that has them. */
function takes(parameter: ElementType, argument: KernelType): boolean {
  if (argument.kind === "error") return true;
  if (argument.kind !== "literal") return sameType(parameter, argument);
  if (argument.isBig === true) return isLong(parameter) && parameter.kind === "scalar";
  return (
    parameter.kind === "scalar" && parameter.name !== "bool" && (!argument.isFloat || FACTS[parameter.name].isFloat)
  );
}

/** Types that T may be, best first: those of arguments, else what literals are by themselves. */
function candidates(types: readonly KernelType[], words: readonly string[]): readonly ElementType[] {
  const given = types.flatMap((type, i): readonly ElementType[] => {
    const name = scalarOf(type);
    if (name === null) return [];
    const word = words[i] ?? "";
    if (word === "T") return [type as ElementType];
    if (word === "U" || word === "I" || word === "D")
      return [ofBits(FACTS[name].bits, true), ofBits(FACTS[name].bits, false)].map((twin) => withScalar(type, twin));
    return [];
  });
  const hasFraction = types.some((type) => type.kind === "literal" && type.isFloat);
  return [...given, ...(hasFraction ? [] : [scalar("int"), scalar("long")]), scalar("float")];
}

/** The overload of a built-in that takes some arguments; null: there is none. */
export function findSignature(name: string, types: readonly KernelType[]): Signature | null {
  const family = parseFamily(name);
  if (family !== null) return familySignature(name, types);
  for (const { patterns, classes, lowering } of builtinRows(name))
    for (const pattern of patterns) {
      const [, result = "", list = ""] = /^(\S+)\((.*)\)$/u.exec(pattern) ?? [];
      const words = list === "" ? [] : list.split(", ");
      if (words.length !== types.length) continue;
      for (const type of classes === "" ? [null] : candidates(types, words)) {
        if (type !== null && !admits(classes, type)) continue;
        const parameters = words.map((word) => typeOfWord(word, type));
        if (
          !parameters.every((parameter, i): boolean => parameter !== null && takes(parameter, types[i] as KernelType))
        )
          continue;
        const made = result === "void" ? VOID : typeOfWord(result, type);
        if (made === null) continue;
        const isTruth = made.kind === "scalar" && made.name === "int" && /^(compare|relational):/u.test(lowering);
        return { result: isTruth ? scalar("bool") : made, parameters: parameters as ElementType[], isTruth };
      }
    }
  return null;
}

/** Bits that a value takes; three lanes take the space of four. */
function spaceOf(value: KernelType, name: ScalarName): number {
  return FACTS[name].bits * (lanesOf(value) === 3 ? 4 : lanesOf(value));
}

/** `as_T`: the same bits. */
function familySignature(name: string, types: readonly KernelType[]): Signature | null {
  const result = elementNamed(name.replace(/^as_/u, ""));
  const [type] = types;
  if (!name.startsWith("as_") || result === null || types.length !== 1 || type === undefined) return null;
  const own = scalarOf(type);
  const other = scalarOf(result);
  if (own === null || other === null) return null;
  return spaceOf(type, own) === spaceOf(result, other)
    ? { result, parameters: [type as ElementType], isTruth: false }
    : null;
}

/** A built-in that kernels in TypeScript can call: one of its overloads has neither pointers nor images. */
export function isCallable(name: string): boolean {
  return (
    (parseFamily(name) !== null && name.startsWith("as_") && elementNamed(name.slice(3)) !== null) ||
    builtinRows(name).some(
      ({ patterns, lowering }) =>
        (hasPlainPattern(patterns) && !/^(work-item|barrier|fence|sub-group-barrier|atomic)/u.test(lowering)) ||
        /^work-item:(sub_group|max_sub_group|num_sub_groups|enqueued_num_sub)/u.test(lowering),
    )
  );
}

function hasPlainPattern(patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const words = pattern
      .replace(/\)$/u, "")
      .split(/[(, ]+/u)
      .filter((word) => word !== "");
    return words.every(
      (word) =>
        word === "void" ||
        word === "size_t" ||
        WORDS[word] !== undefined ||
        /^[SU](2|3|4|8|16)$/u.test(word) ||
        elementNamed(word) !== null,
    );
  });
}
