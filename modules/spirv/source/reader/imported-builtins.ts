// SPDX-License-Identifier: Apache-2.0
// Imported functions that are built-in functions of OpenCL C: a producer that has no instruction for one leaves a call
// of a function that nothing defines, under its mangled name. The name and the types in it choose a row of the table of
// built-ins; the types that the module declares must be those of the row. What fits no row is a function of some other
// object, for the linker.
import { type BuiltinRow, builtinRows } from "@muxkit/builtin-table";
import type { Value } from "@muxkit/ir";

import { callBuiltin, fittedInt, sizeOperand } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { type MangledType, demangled } from "./mangled-names.ts";
import type { Operand } from "./operand.ts";
import { type SpirvType, isOddInt, openclName } from "./types.ts";

/** A built-in function that a module imports. */
export interface ImportedBuiltin {
  readonly name: string;
  /** OpenCL C's names of the parameters. */
  readonly parameters: readonly string[];
  /** Of each parameter, whether it is a size: as wide as the module's addresses, not as the device's. */
  readonly isSize: readonly boolean[];
  readonly returnsSize: boolean;
}

/** What T may be, by the letters of a row's classes: its element, and its lanes. */
const ELEMENTS: Readonly<Record<string, RegExp>> = {
  f: /^(?:float|double)$/u,
  g: /^float$/u,
  h: /^half$/u,
  i: /^u?(?:char|short|int|long)$/u,
  s: /^(?:char|short|int|long)$/u,
  u: /^u(?:char|short|int|long)$/u,
  w: /^u?int$/u,
  l: /^u?long$/u,
  n: /^u?(?:char|short|int)$/u,
};
const LANES: Readonly<Record<string, (lanes: number) => boolean>> = {
  c: (lanes) => lanes === 1,
  v: (lanes) => lanes > 1,
  x: (lanes) => lanes === 3 || lanes === 4,
  y: (lanes) => lanes <= 4,
  z: (lanes) => lanes !== 3,
};

const INTS: readonly string[] = ["char", "short", "int", "long"];
/** Ints as wide as floats, by their place in INTS. */
const WIDTHS: Readonly<Record<string, number>> = { half: 1, float: 2, double: 3 };

/** The int as wide as an element; `more`: 1 for one of twice that. */
function intLike(element: string, isSigned: boolean, more: number = 0): string {
  const width = WIDTHS[element] ?? INTS.indexOf(element.replace(/^u/u, ""));
  return `${isSigned ? "" : "u"}${INTS[width + more] ?? ""}`;
}

/** The types that a pattern's words denote once T is known; other words are types. */
const WORDS: Readonly<Record<string, (element: string, lanes: string) => string>> = {
  T: (element, lanes) => `${element}${lanes}`,
  S: (element) => element,
  U: (element, lanes) => `${intLike(element, false)}${lanes}`,
  I: (element, lanes) => `${intLike(element, true)}${lanes}`,
  D: (element, lanes) => `${intLike(element, true)}${lanes}`,
  P: (element) => intLike(element, true),
  N: (_, lanes) => `int${lanes}`,
  C: (element, lanes) => (lanes === "" ? "int" : `${intLike(element, true)}${lanes}`),
  W: (element, lanes) => `${intLike(element, !element.startsWith("u"), 1)}${lanes}`,
};
const OWN_LANES = /^([SU])(\d+)$/u;

/** The type that a word of a pattern denotes. */
function typeOfWord(word: string, generic: MangledType | null): string {
  if (generic === null) return word;
  const { element, lanes } = generic;
  const [, letter, own] = OWN_LANES.exec(word) ?? [];
  if (letter !== undefined) return `${letter === "S" ? element : intLike(element, false)}${own ?? ""}`;
  return WORDS[word]?.(element, lanes === 1 ? "" : String(lanes)) ?? word;
}

/** A pointer in a pattern, to an atomic type (`~`) or another. */
const POINTER = /^[*^@~]/u;
const IMAGE = /^[sfwq]:/u;

/** What T is: the first parameter that is T, or S, or points to it. */
function genericOf(words: readonly string[], given: readonly MangledType[]): MangledType | null {
  for (const letter of ["T", "S"]) {
    const index = words.findIndex((word) => word.replace(POINTER, "") === letter);
    const type = given[index];
    if (type !== undefined) return type.kind === "pointer" ? type.target : type;
  }
  return null;
}

function isOfClasses({ kind, element, lanes }: MangledType, classes: string): boolean {
  const letters = classes.split("");
  return (
    kind === "number" &&
    letters.every((letter) => LANES[letter]?.(lanes) !== false) &&
    letters.some((letter) => ELEMENTS[letter]?.test(element) === true)
  );
}

function parameterFits(word: string, type: MangledType, generic: MangledType | null, size: string): boolean {
  if (!POINTER.test(word)) {
    if (type.isAtomic || type.kind === "pointer") return false;
    if (word === "size_t") return type.name === size;
    // A scope is an int in the table.
    return (
      typeOfWord(word.replace(IMAGE, ""), generic) ===
      (type.kind === "enumeration" && word === "int" ? "int" : type.name)
    );
  }
  const { target } = type;
  if (target === null || target.isAtomic !== word.startsWith("~")) return false;
  const wanted = typeOfWord(word.slice(1), generic);
  return wanted === "void" || wanted === (target.isAtomic ? target.element : target.name);
}

/** True when the type that the module declares is the one of a name. */
function isDeclared(type: SpirvType, name: string): boolean {
  const { ir, kind } = type;
  if (name === "void" || name === "bool") return kind === name;
  if (ir === null || kind === "bool" || isOddInt(type)) return false;
  if (name.endsWith("*")) return ir.kind === "pointer" && kind === "pointer";
  if (name === "memory_order" || name === "memory_scope") return openclName(ir, true) === "int";
  if (ir.kind === "opaque") return `${ir.name}_t` === name;
  return openclName(ir, true) === name || openclName(ir, false) === name;
}

/**
 * Patterns of the functions on atomic types, without orders; `~T` is a pointer to the atomic type of T. Atomic sizes
 * get differences, `P`, which have a sign: T where the function is called.
 */
const ATOMICS: readonly (readonly [names: RegExp, pattern: string, classes: string, orders: number])[] = [
  [/^load$/u, "T(~T)", "wlfc", 1],
  [/^store$/u, "void(~T, T)", "wlfc", 1],
  [/^init$/u, "void(~T, T)", "wlfc", 0],
  [/^(?:exchange|fetch_(?:add|sub|min|max))$/u, "T(~T, T)", "wlfc", 1],
  [/^fetch_(?:add|sub)$/u, "T(~T, P)", "wlc", 1],
  [/^fetch_(?:and|or|xor)$/u, "T(~T, T)", "wlc", 1],
  [/^compare_exchange_(?:strong|weak)$/u, "bool(~T, *T, T)", "wlfc", 2],
];

type Pattern = readonly [pattern: string, classes: string];

function patternsOf({ name, lowering, patterns, classes }: BuiltinRow): readonly Pattern[] {
  if (lowering === "atomic-fence") return [["void(uint, memory_order, memory_scope)", ""]];
  if (lowering === "address-space" && name === "get_fence") return [["uint(*void)", ""]];
  if (lowering !== "atomic-function") return patterns.map((pattern) => [pattern, classes]);
  const isExplicit = name.endsWith("_explicit");
  const own = name.replace(/^atomic_/u, "").replace(/_explicit$/u, "");
  return ATOMICS.filter(([names]) => names.test(own)).flatMap(([, pattern, of, orders]): readonly Pattern[] => {
    if (!isExplicit) return [[pattern, of]];
    const ordered = `${pattern.slice(0, -1)}${", memory_order".repeat(orders)}`;
    return [`${ordered})`, `${ordered}, memory_scope)`].map((text) => [text, of]);
  });
}

/**
 * The built-in function that an imported one is; null: it is none. `size`: how the module's `size_t` is named;
 * `declared`: the type of the function.
 */
export function importedBuiltin(symbol: string, declared: SpirvType, size: string): ImportedBuiltin | null {
  const mangled = demangled(symbol);
  if (mangled === null) return plainBuiltin(symbol, declared, size);
  if (mangled.parameters.length !== declared.members.length) return null;
  const { name, parameters: given } = mangled;
  for (const row of builtinRows(name))
    for (const [pattern, classes] of patternsOf(row)) {
      const open = pattern.indexOf("(");
      const inner = pattern.slice(open + 1, -1);
      const words = inner === "" ? [] : inner.split(", ");
      if (words.length !== given.length || open < 0) continue;
      const generic = classes === "" ? null : genericOf(words, given);
      if (classes !== "" && (generic === null || !isOfClasses(generic, classes))) continue;
      if (!words.every((word, n) => parameterFits(word, given[n] as MangledType, generic, size))) continue;
      const result = pattern.slice(0, open);
      const wanted = result === "size_t" ? size : typeOfWord(result, generic);
      if (declared.element === null || !isDeclared(declared.element, wanted)) continue;
      const names = given.map((type) => type.name);
      if (!names.every((own, n) => isDeclared(declared.members[n] as SpirvType, own))) continue;
      return {
        name,
        parameters: names.map((own, n) => (words[n] === "P" ? (generic?.element ?? own) : own)),
        isSize: words.map((word) => word === "size_t"),
        returnsSize: result === "size_t",
      };
    }
  return null;
}

/** A function under its own name, as programs declare it themselves: one whose types are no choice. */
function plainBuiltin(name: string, declared: SpirvType, size: string): ImportedBuiltin | null {
  const named = (word: string): string => (word === "size_t" ? size : word);
  for (const { patterns, classes } of builtinRows(name))
    for (const pattern of classes === "" ? patterns : []) {
      const open = pattern.indexOf("(");
      const inner = pattern.slice(open + 1, -1);
      const words = inner === "" ? [] : inner.split(", ");
      const result = pattern.slice(0, open);
      if (words.length !== declared.members.length || declared.element === null) continue;
      if (!isDeclared(declared.element, named(result))) continue;
      if (!words.every((word, n) => isDeclared(declared.members[n] as SpirvType, named(word)))) continue;
      return {
        name,
        parameters: words.map(named),
        isSize: words.map((word) => word === "size_t"),
        returnsSize: result === "size_t",
      };
    }
  return null;
}

/** Writes a call; `values` are the arguments as the module passes them. */
export function callImported(
  f: FunctionReader,
  { name, parameters, isSize, returnsSize }: ImportedBuiltin,
  values: readonly Value[],
): Operand | undefined {
  const names = [...parameters];
  const passed = values.map((value, n) => {
    if (isSize[n] !== true) return value;
    const size = sizeOperand(f, value);
    names[n] = size.name;
    return size.value;
  });
  const last = values.at(-1);
  if (name.includes("_clustered_reduce_") && (last?.kind !== "constant" || !Number.isInteger(Math.log2(last.low))))
    return f.refuse("the size of a cluster must be a constant power of two");
  const { ir } = f;
  const made = callBuiltin(f, name, names, returnsSize ? f.sizeType : ir, passed);
  if (ir.kind === "void") return undefined;
  return returnsSize ? fittedInt(f, made, ir) : made;
}
