// SPDX-License-Identifier: Apache-2.0
// What goes with an error of meaning besides its sentence: where the other declaration is, which form was meant, how it
// is mended.
import {
  type Diagnostic,
  type DiagnosticExtra,
  type Fix,
  type Span,
  insertBefore,
  insertAfter,
  nearest,
  note,
  replace,
  surround,
} from "@muxkit/report";
import { CONSTANT, GLOBAL, LOCAL, PRIVATE } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { languageVersion } from "../language.ts";
import { functionDeclarator } from "../parse/declarator.ts";
import { type CType, elementOf, isArithmetic, isFloating, lanesOf, spaceName } from "./ctype.ts";
import type { Operand } from "./operands.ts";
import { type Written, spelledName, written } from "./spelling.ts";
import type { FunctionSymbol, Meaning, Unit } from "./unit.ts";

/** Where a name got its meaning, as a note. */
export function declaredHere(meaning: Meaning | null | undefined, text = "it is declared here"): readonly Diagnostic[] {
  if (meaning === null || meaning === undefined) return [];
  const span = meaning.kind === "function" ? meaning.fn.span : meaning.span;
  return span === undefined ? [] : [note(text, span)];
}

/** The text of a span, if it occurs in the source verbatim. */
function textOf({ file, start, end, expansion }: Span): string | null {
  return expansion === null || expansion === undefined ? file.text.slice(start, end) : null;
}

/** True for an expression that binds tighter than a cast. */
function isTight(span: Span): boolean {
  return /^[\w.[\]]+$/u.test(textOf(span) ?? "");
}

/** A cast of an expression. */
export function castFix(span: Span, type: string): Fix | null {
  if (textOf(span) === null) return null;
  return isTight(span) ? insertBefore(span, `(${type})`) : surround(span, `(${type})(`, ")");
}

/** The wrong punctuator between an expression and its member, and the right one. */
function otherAccess(base: Expression, nameSpan: Span, from: string, to: string): Fix | null {
  const gap = { file: base.span.file, start: base.span.end, end: nameSpan.start };
  const at = base.span.file === nameSpan.file ? (textOf(gap) ?? "").indexOf(from) : -1;
  return at < 0 ? null : replace({ file: gap.file, start: gap.start + at, end: gap.start + at + from.length }, to);
}

/** For a member that is not there: the one that was meant, or "->" instead of ".". */
export function memberExtra(base: Written, node: Extract<Expression, { kind: "member" }>): DiagnosticExtra {
  const { type } = base;
  if (type.kind === "pointer" && !node.isArrow) {
    const fix = otherAccess(node.base, node.nameSpan, ".", "->");
    return { fix, notes: [note(`${spelledName(base)} is a pointer: write "->" to access a member`, null)] };
  }
  const names = (type.members ?? []).map(({ name }) => name).filter((name) => name !== "");
  const best = nearest(node.name, names);
  if (best !== null) return { fix: replace(node.nameSpan, best) };
  return names.length === 0
    ? {}
    : {
        notes: [
          note(
            `its members are ${names.slice(0, 8).join(", ")}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`,
            null,
          ),
        ],
      };
}

/** For "->" or an index on a value that is not a pointer. */
export function noPointerExtra(type: CType, node: Expression): DiagnosticExtra {
  if (node.kind === "member" && (type.kind === "record" || type.kind === "vector"))
    return { fix: otherAccess(node.base, node.nameSpan, "->", ".") };
  if (node.kind === "index" && type.kind === "vector") {
    const { index, base, span } = node;
    const number = index.kind === "number" ? Number(index.text) : Number.NaN;
    const lane = number >= 0 && number < type.count ? `.s${number.toString(16)}` : null;
    const isPlain = span.file === base.span.file && textOf(span) !== null;
    return {
      notes: [
        note(
          `components of a vector are selected by name: .x, .s0, .lo; use an array where the index is computed`,
          null,
        ),
      ],
      fix: lane === null || !isPlain ? null : replace({ file: span.file, start: base.span.end, end: span.end }, lane),
    };
  }
  return {};
}

/** What components a vector has. */
export function componentsNote(type: CType): Diagnostic {
  const letters = type.count <= 4 ? `${"xyzw".slice(0, type.count).split("").join(", ")} or ` : "";
  return note(
    `components of ${type.name} are ${letters}s0 to s${(lanesOf(type) - 1).toString(16)}, and lo, hi, even, odd`,
    null,
  );
}

/** For a conversion that does not exist: the function or operator that makes one. */
export function conversionExtra(from: CType, to: CType, span: Span): DiagnosticExtra {
  const isText = textOf(span) !== null;
  if (to.kind === "array") return { notes: [note("an array is initialised by a list in braces: { 1, 2, 3 }", null)] };
  if (from.kind === "vector" && to.kind === "vector") {
    if (lanesOf(from) !== lanesOf(to))
      return { notes: [note(`one has ${from.count} components, the other ${to.count}`, null)] };
    return { fix: isText ? surround(span, `convert_${to.name}(`, ")") : null };
  }
  if (from.kind === "vector" && isArithmetic(to))
    return { notes: [note("select one component to get a scalar: .x", null)] };
  if (from.kind === "pointer" && from.target?.type === to)
    return { fix: isText ? (isTight(span) ? insertBefore(span, "*") : surround(span, "*(", ")")) : null };
  if (to.kind === "pointer" && to.target?.type === from)
    return { fix: isText && isTight(span) ? insertBefore(span, "&") : null };
  return {};
}

/** For operands that an operator does not take: the operands, and what does the work. */
export function operatorExtra(
  unit: Unit,
  operator: string,
  types: readonly CType[],
  span: Span,
): DiagnosticExtra & { readonly span: Span } {
  const node = unit.operator;
  const notes: Diagnostic[] = [];
  if (operator === "%" && types.every((type) => isFloating(type)))
    notes.push(note("use fmod() for the remainder of floats", null));
  const [left, right] = types;
  if (left?.kind === "vector" && right?.kind === "vector" && left !== right && lanesOf(left) === lanesOf(right))
    notes.push(
      note(
        "vectors of different types are not converted implicitly: write " +
          `convert_${left.name}() or convert_${right.name}()`,
        null,
      ),
    );
  if (["&", "|", "^", "~", "<<", ">>"].includes(operator) && types.some((type) => isFloating(type)))
    notes.push(note("it works on bits: use as_int() for the bits of a float", null));
  if (node === null || node.span !== span) return { notes, span };
  return { notes, ranges: [node.left.span, node.right.span], span: operatorSpan(node) ?? span };
}

/** The span of an operator between its operands; null: they are not next to each other in the source. */
export function operatorSpan({
  left,
  right,
  operator,
}: {
  readonly left: Expression;
  readonly right: Expression;
  readonly operator: string;
}): Span | null {
  if (left.span.file !== right.span.file || textOf(left.span) === null || textOf(right.span) === null) return null;
  const gap = left.span.file.text.slice(left.span.end, right.span.start);
  const at = gap.replaceAll(/\/\*[^]*?\*\/|\/\/.*/gu, (comment) => " ".repeat(comment.length)).indexOf(operator);
  return at < 0 ? null : { file: left.span.file, start: left.span.end + at, end: left.span.end + at + operator.length };
}

/** For an argument whose address space is not that of the parameter: the parameter, and the qualifier that it lacks. */
export function parameterNote(fn: FunctionSymbol, index: number, from: CType, to: CType): readonly Diagnostic[] {
  const parameter = functionDeclarator(fn.declarator)?.parameters[index];
  if (parameter === undefined) return [];
  const space = from.target?.space ?? null;
  const isUnqualified = parameter.specifiers.qualifiers.addressSpace === null && to.target?.space === 0;
  const fix =
    isUnqualified && space !== null && space !== 0
      ? insertBefore(parameter.specifiers.span, `${spaceName(space)} `)
      : null;
  const own = fn.type.parameters[index] ?? { type: to, spelling: null };
  return [note(`the parameter is ${written(own)}`, parameter.span, fix)];
}

/**
 * For a pointer into global or local memory where one without an address space is wanted, in a version in which that is
 * one into private memory: the version in which it takes both (6.7.5).
 */
export function genericNotes(unit: Unit, from: CType, to: CType): readonly Diagnostic[] {
  const { options } = unit;
  const isShared = from.target?.space === GLOBAL || from.target?.space === LOCAL;
  const isUnwritten = to.target !== null && (to.target.space ?? PRIVATE) === PRIVATE;
  if (!isShared || !isUnwritten || languageVersion(options) >= 200) return [];
  if (options.features?.includes("__opencl_c_generic_address_space") !== true) return [];
  return [
    note(
      "before OpenCL C 2.0 a pointer without an address space points to private memory; " +
        "with -cl-std=CL3.0 it points to global, local or private memory",
      null,
    ),
  ];
}

/** Why something that is assigned to is no lvalue that could be. */
export function assignNotes({ kind, type, lanes }: Operand): readonly Diagnostic[] {
  if (type.kind === "array") return [note("an array is no value: copy its elements one by one", null)];
  if (kind === "swizzle" && new Set(lanes).size !== lanes.length) return [note("a component is selected twice", null)];
  return [];
}

/** Why something that is assigned to is const. */
export function constNotes(unit: Unit, node: Expression): readonly Diagnostic[] {
  let root = node;
  while (root.kind === "index" || root.kind === "member") root = root.base;
  if (root.kind !== "name") return [];
  const meaning = unit.find(root.name);
  if (meaning?.kind !== "variable") return [];
  const isConstant = meaning.type.space === CONSTANT || meaning.type.type.target?.space === CONSTANT;
  return [
    note(
      `"${root.name}" is declared here${isConstant ? ", in constant memory, which is read-only" : ", as const"}`,
      meaning.span,
    ),
  ];
}

/** For a value that a conversion may change: the suffix or cast that makes it explicit. */
export function truncationFix(from: CType, to: Written, span: Span): Fix | null {
  const text = textOf(span);
  if (text === null) return null;
  if (from.kind === "float" && to.type.kind === "float") {
    // An unsuffixed literal made the whole expression a double.
    const literals = [...text.matchAll(/(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])/gu)];
    if (literals.length > 0)
      return {
        edits: literals.flatMap(
          (found) => insertAfter({ ...span, end: span.start + found.index + found[0].length }, "f").edits,
        ),
      };
  }
  return castFix(span, spelledName(to));
}

/** For a name of a function used where a value is required. */
export function callFix(fn: FunctionSymbol, span: Span): Fix | null {
  return fn.type.parameters.length === 0 ? insertAfter(span, "()") : null;
}

/** Whether an element type is one of a vector or scalar of floats: for notes on literals. */
export function isDouble(type: CType): boolean {
  const element = elementOf(type);
  return element.kind === "float" && element.bits === 64;
}
