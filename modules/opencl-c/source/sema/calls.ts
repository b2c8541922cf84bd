// SPDX-License-Identifier: Apache-2.0
// Calls: of the program's functions, of built-ins, of conversion families.
import { type BuiltinRow, builtinNames, builtinRows, type FamilyMember } from "@muxkit/builtin-table";
import { type Span, note, replace } from "@muxkit/report";
import { I32, type Value, constantInt, sizeOf } from "@muxkit/ir";

import type { Expression } from "../ast.ts";
import { report } from "../diagnostics.table.ts";
import { whatIsMissing } from "../language.ts";
import { callAtomic, callFence } from "./atomics.ts";
import { callOverload, emitBuiltin } from "./builtins.ts";
import { callCompilerBuiltin } from "./compiler-builtins.ts";
import { convertImplicitly, copyRecord, errorOperand, isConvertible, rvalue, temporary } from "./convert.ts";
import { type CType, SAMPLER, imageWith, isFloating, isIntegral, lanesOf, namedType, spaceName } from "./ctype.ts";
import { callAddressSpace } from "./generic-pointers.ts";
import { declaredRow } from "./declared-builtins.ts";
import { selected } from "./extensions.ts";
import { declaredHere, genericNotes, parameterNote } from "./explain.ts";
import { overloadNotes } from "./explain-overloads.ts";
import { knownBuiltin, overloadOf } from "./known-builtins.ts";
import { pipeFunction } from "./pipe-functions.ts";
import { chooseOverload, readPattern } from "./overloads.ts";
import { callPrintf } from "./printf.ts";
import { checkSamplerUse } from "./samplers.ts";
import { written, writtenEach, writtenList } from "./spelling.ts";
import { chooseFunction, functionNotes } from "./user-overloads.ts";
import { type FunctionSymbol, type Operand, type Unit, valueOf } from "./unit.ts";

type CallNode = Extract<Expression, { kind: "call" }>;

/** Writes a call. */
export function call(unit: Unit, node: CallNode): Operand {
  const { callee } = node;
  const special =
    callee.kind === "name" && callee.name.startsWith("__builtin_")
      ? callCompilerBuiltin(unit, callee.name, node)
      : null;
  if (special !== null) return special;
  if (callee.kind === "selection") {
    const chosen = selected(unit, callee);
    return chosen === null ? errorOperand() : call(unit, { ...node, callee: chosen });
  }
  const given: Operand[] = [];
  for (const argument of node.arguments) given.push(rvalue(unit, unit.parts.expression(unit, argument)));
  unit.locate(node.span);
  if (callee.kind !== "name") {
    const value = unit.parts.expression(unit, callee);
    if (value.type.kind !== "error") unit.report("notCallable", callee.span, [written(value)]);
    return errorOperand();
  }
  const meaning = unit.find(callee.name);
  if (meaning?.kind === "function") return callNamed(unit, meaning.fn, given, node);
  if (meaning?.kind === "variable" && meaning.type.type.kind === "error") return errorOperand();
  if (meaning !== null) {
    unit.report("notCallable", callee.span, [meaning.kind === "variable" ? written(meaning.type) : callee.name], {
      notes: declaredHere(meaning),
    });
    return errorOperand();
  }
  const type = namedType(callee.name, unit.options.layout);
  if (type === null) return callBuiltin(unit, callee.name, given, node);
  unit.report("typeCall", callee.span, [callee.name], { fix: replace(callee.span, `(${callee.name})`) });
  return errorOperand();
}

/** A call of the program's function of a name, or of the one among several that its arguments choose. */
function callNamed(unit: Unit, fn: FunctionSymbol, given: readonly Operand[], node: CallNode): Operand {
  const { overloads, name } = fn;
  if (overloads.length === 1) return callFunction(unit, fn, given, node);
  if (given.some(({ type }) => type.kind === "error")) return errorOperand();
  const chosen = chooseFunction(overloads, given);
  if (typeof chosen !== "string") return callFunction(unit, chosen, given, node);
  unit.report(chosen, node.span, [name, writtenList(given)], {
    ranges: node.arguments.map((argument) => argument.span),
    notes: functionNotes(overloads),
  });
  return errorOperand();
}

function callFunction(unit: Unit, fn: FunctionSymbol, given: readonly Operand[], node: CallNode): Operand {
  const { parameters, target } = fn.type;
  if (given.length !== parameters.length) {
    report(unit.diagnostics, "argumentCount", node.span, [fn.name, parameters.length, given.length], {
      notes: [note(`"${fn.name}" is declared here`, fn.span)],
    });
    return errorOperand();
  }
  if (unit.fn !== null && !unit.fn.symbol.calls.has(fn)) unit.fn.symbol.calls.set(fn, node.callee.span);
  const row = declaredRow(fn);
  if (row !== undefined) noteCall(unit, row);
  const values = given.map((operand, i): Value => {
    const parameter = parameters[i];
    const span = node.arguments[i]?.span ?? node.span;
    if (parameter === undefined) return operand.value;
    const { type, spelling } = parameter;
    if (type.kind === "pointer" && operand.type.kind === "pointer" && !isConvertible(operand, type)) {
      const spaces = [operand.type, type].map((pointer) => spaceName(pointer.target?.space ?? null));
      unit.report("addressSpace", span, spaces, {
        notes: [...parameterNote(fn, i, operand.type, type), ...genericNotes(unit, operand.type, type)],
      });
      return operand.value;
    }
    if (type.kind !== "record") return convertImplicitly(unit, operand, type, span, spelling);
    if (operand.type !== type) {
      if (operand.type.kind !== "error") unit.report("cannotConvert", span, writtenEach([operand, parameter]));
      return operand.value;
    }
    // A record is passed by the address of a copy of its own.
    const copy = temporary(unit, type);
    copyRecord(unit, copy.value, operand.value, type);
    return copy.value;
  });
  const type = target?.type;
  if (type === undefined) return errorOperand();
  if (type.kind === "record") {
    const result = temporary(unit, type);
    unit.builder.call(fn.ir, [result.value, ...values]);
    return valueOf(type, result.value, target?.spelling);
  }
  const made = unit.builder.call(fn.ir, values);
  return valueOf(type, type.kind === "void" ? constantInt(I32, 0) : made, target?.spelling);
}

function callBuiltin(unit: Unit, name: string, given: readonly Operand[], node: CallNode): Operand {
  const span = node.callee.span;
  const isWrong = hasError(given);
  const builtin = knownBuiltin(unit, name);
  const { family, known, rows } = builtin;
  if (family !== null) {
    const [operand] = given;
    if (isWrong) return errorOperand();
    if (operand === undefined || given.length !== 1) {
      unit.report("argumentCount", node.span, [name, 1, given.length]);
      return errorOperand();
    }
    return family.kind === "as"
      ? reinterpret(unit, operand, family, name, node.span)
      : convertFamily(unit, operand, family, name, node.span);
  }
  // The library's own functions are known by name and parameter types.
  const own = !unit.options.library
    ? null
    : unit.find(
        `${name}(` +
          `${given.map(({ type }) => (type.kind === "pointer" ? `${type.target?.type.name ?? ""}*` : type.name)).join(",")})`,
      );
  if (own?.kind === "function") return callFunction(unit, own.fn, given, node);
  const first = known[0];
  if (first === undefined) {
    unit.reportUndeclared(name, span, builtinNames());
    return errorOperand();
  }
  noteCall(unit, first);
  if (rows.length === 0) {
    unit.report("needsFeature", span, [name, whatIsMissing(unit.options, first) ?? ""]);
    return errorOperand();
  }
  if (isWrong) return errorOperand();
  const special = SPECIAL.get(first.lowering);
  if (special !== undefined)
    return special(
      unit,
      name,
      given,
      node.arguments.map((argument) => argument.span),
      node.span,
    );
  const overload = overloadOf(unit, builtin, given);
  if (overload === "ambiguous") {
    unit.report("ambiguous", node.span, [name, writtenList(given)], {
      ranges: node.arguments.map((argument) => argument.span),
    });
    return errorOperand();
  }
  if (overload !== null) {
    if (overload.parameters[1] === SAMPLER) checkSamplerUse(unit, name, given, node.arguments[1]?.span ?? node.span);
    return callOverload(unit, overload, given, node.span);
  }
  const elsewhere = known.length === rows.length ? null : chooseOverload(unit, known, given);
  if (elsewhere !== null) unit.report("needsFeature", span, [name, whatIsMissing(unit.options, elsewhere.row) ?? ""]);
  else if (!reportAccess(unit, name, given, node)) reportNoOverload(unit, name, rows, given, node);
  return errorOperand();
}

/** Reports a call that no form of a built-in matches; where all take another number of arguments, that number. */
function reportNoOverload(
  unit: Unit,
  name: string,
  rows: readonly BuiltinRow[],
  given: readonly Operand[],
  node: CallNode,
): void {
  const counts = new Set(
    rows
      .flatMap(({ patterns }) => patterns.map((text) => readPattern(text).parameters.length))
      .toSorted((a, b) => a - b),
  );
  const extra = {
    ranges: node.arguments.map((argument) => argument.span),
    notes: overloadNotes(unit, name, rows, given),
  };
  if (counts.has(given.length)) unit.report("noOverload", node.span, [name, writtenList(given)], extra);
  else unit.report("argumentCount", node.span, [name, [...counts].join(" or "), given.length], extra);
}

function hasError(given: readonly Operand[]): boolean {
  for (let i = 0; i < given.length; i++) if ((given[i] as Operand).type.kind === "error") return true;
  return false;
}

/** Notes what a call of a built-in means for work-items that do not come to it together. */
function noteCall({ fn }: Unit, { isConvergent, isPure, uniformity }: BuiltinRow): void {
  if (fn === null) return;
  if (isConvergent) fn.hasConvergentCall = true;
  if (uniformity === "varying" || (!isPure && uniformity !== "uniform")) fn.hasVaryingCall = true;
}

type SpecialCall = (unit: Unit, name: string, given: readonly Operand[], spans: readonly Span[], span: Span) => Operand;

/** Built-ins whose types no pattern describes: each has its own resolution. */
const SPECIAL: ReadonlyMap<string, SpecialCall> = new Map(
  Object.entries<SpecialCall>({
    "atomic-function": callAtomic,
    "atomic-fence": callFence,
    printf: callPrintf,
    pipe: (unit, name, given, spans, span) => pipeFunction({ unit, name, given, spans, span }),
    "address-space": (unit, name, given, _, span) => callAddressSpace(unit, name, given, span),
  }),
);

/** Reports a call where only the image's access does not match; false: the mismatch is another one. */
function reportAccess(unit: Unit, name: string, given: readonly Operand[], node: CallNode): boolean {
  const [image, ...rest] = given;
  if (image === undefined || image.type.access === null) return false;
  const others = (["read_only", "write_only", "read_write"] as const).map((access) =>
    chooseOverload(unit, builtinRows(name), [valueOf(imageWith(image.type, access), image.value), ...rest]),
  );
  if (others.every((overload) => overload === null)) return false;
  unit.report("imageAccess", node.arguments[0]?.span ?? node.span, [name, image.type.access]);
  return true;
}

function bad(unit: Unit, name: string, operand: Operand, span: Span, reason: string | null = null): Operand {
  const notes = reason === null ? [] : [note(reason, null)];
  unit.report("noOverload", span, [name, written(operand)], { notes });
  return errorOperand();
}

/** `as_T`: the same bits (6.2.4.2); 3 and 4 lanes of one size are alike. */
function reinterpret(unit: Unit, operand: Operand, family: FamilyMember, name: string, span: Span): Operand {
  const type = namedType(family.type, unit.options.layout);
  const from = operand.type;
  if (type === null || (!isIntegral(from) && !isFloating(from))) return bad(unit, name, operand, span);
  const [wanted, has] = [type, from].map((one) => sizeOf(unit.options.layout, one.ir));
  if (wanted !== has)
    return bad(unit, name, operand, span, `${name} keeps the bits: it takes ${wanted} bytes, and this has ${has}`);
  return emitFamily(unit, operand, type, name);
}

function componentsOf(type: CType): string {
  return lanesOf(type) === 1 ? "1 component" : `${lanesOf(type)} components`;
}

/** `convert_T[_sat][_rtX]` (6.2.3). */
function convertFamily(unit: Unit, operand: Operand, family: FamilyMember, name: string, span: Span): Operand {
  const type = namedType(family.type, unit.options.layout);
  const from = operand.type;
  if (type !== null && lanesOf(type) !== lanesOf(from) && from.kind !== "pointer" && from.kind !== "record")
    return bad(unit, name, operand, span, `${name} takes ${componentsOf(type)}, and this has ${lanesOf(from)}`);
  const fits = type !== null && (isIntegral(from) || isFloating(from));
  if (!fits || (isFloating(type) && family.isSaturated)) return bad(unit, name, operand, span);
  return emitFamily(unit, operand, type, name);
}

function emitFamily(unit: Unit, { type: from, value }: Operand, type: CType, name: string): Operand {
  return emitBuiltin(unit, { kind: "builtin", name, parameters: [from.name] }, type, [value]);
}
