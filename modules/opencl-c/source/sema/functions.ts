// SPDX-License-Identifier: Apache-2.0
// Functions and kernels: prototypes, bodies, the description of a kernel's arguments (OpenCL C 6.7, 6.9).
//
// Translates a function definition of the syntax tree to a function of the IR in one pass. Declaring looks the name up
// among its overloads and adds an IR function; records are passed by address, and a record result is written through a
// hidden first parameter. Defining emits the body:
//
// 1. An `entry` block holds the variables of the whole function as allocas, and a `start` block begins the code, so
//    that variables declared later can still be added to the entry. Parameters are copied into variables; mem2reg
//    promotes them to SSA values later, as in Clang.
// 2. The statements of the body are emitted by `statements.ts`.
// 3. `finishBody` closes the control flow: a missing return, labels that no statement defines, and blocks after jumps,
//    which nothing reaches.
// 4. Uninitialised variables are searched on the finished control-flow graph. Deferred warnings are reported only if
//    the function has no errors.
//
// Cost: linear in the body, besides the analysis of uninitialised variables.
import { type Span, insertBefore, nearest, note, replace } from "@muxkit/report";
import {
  type ArgumentDescription,
  type Block,
  IrFunction,
  type KernelDescription,
  PRIVATE,
  alignmentOf,
  constantZero,
  VOID,
  listOf,
  pointerType,
  sizeOf,
} from "@muxkit/ir";

import type { Attribute, Declarator, FunctionDefinition, Specifiers } from "../ast.ts";
import { languageVersion } from "../language.ts";
import { declaredName, functionDeclarator } from "../parse/declarator.ts";
import { type CType, HALF, type Qualified, SAMPLER, imageName, isHandle, plain, spaceName } from "./ctype.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { copyRecord } from "./convert.ts";
import { overloadContradicted } from "./declared-builtins.ts";
import { checkTypeHint, isPrintf, recordProblem } from "./rules.ts";
import { attributeNumbers, declaredType, requireComplete, specifiedType, typeOfName } from "./types.ts";
import { declaredHere } from "./explain.ts";
import { isStorageOnly } from "./half.ts";
import { reportUninitialized } from "./uninitialized.ts";
import { written } from "./spelling.ts";
import { FunctionMeaning, type FunctionState, FunctionSymbol, type Meaning, type Unit } from "./unit.ts";
import { mangledName, relationTo } from "./user-overloads.ts";
import { isReachable, mayBeUnused } from "./warnings.ts";

/** Name of a function in the module: overloads of the library carry their parameter types. */
function symbolName(unit: Unit, name: string, type: CType, attributes: readonly Attribute[]): string {
  const isOverload = unit.options.library && attributes.some((attribute) => attribute.name === "overloadable");
  return isOverload
    ? `${name}(${type.parameters.map((parameter) => libraryTypeName(parameter.type)).join(",")})`
    : name;
}

/** Types in names of library functions: pointers without their qualifiers. */
function libraryTypeName(type: CType): string {
  return type.kind === "pointer" ? `${type.target?.type.name ?? "void"}*` : imageName(type);
}

function checkFunctionName(unit: Unit, name: string, { isKernel, isStatic, storage }: Specifiers, span: Span): void {
  if (name === "main") unit.report("reservedName", span, [name]);
  if (isKernel && isStatic && storage !== null)
    unit.report("misplaced", storage.span, [storage.word, "before a kernel"]);
}

/** A function of the IR without a body: records are passed by address, a record result through a hidden parameter. */
function functionOf(type: CType, name: string): IrFunction {
  const result = type.target?.type;
  const isRecord = result?.kind === "record";
  const parameters = type.parameters.map((parameter) => ({
    type: parameter.type.kind === "record" ? pointerType(PRIVATE) : parameter.type.ir,
    name: "",
  }));
  return new IrFunction(
    name,
    isRecord || result === undefined ? VOID : result.ir,
    isRecord ? [{ type: pointerType(PRIVATE), name: "result" }, ...parameters] : parameters,
  );
}

/** Makes a function known; a second declaration must agree with the first. */
export function declareFunction(
  unit: Unit,
  specifiers: Specifiers,
  declarator: Declarator,
  attributes: readonly Attribute[],
  span: Span,
  isDefinition = false,
): FunctionSymbol | null {
  const { name } = declaredName(declarator);
  const { type } = declaredType(unit, specifiedType(unit, specifiers), declarator);
  if (name === null || type.kind !== "function" || type.target === null) return null;
  if (isPrintf(functionDeclarator(declarator), type.parameters)) {
    if (isDefinition) unit.report("variadic", span);
    return null;
  }
  const all = [...specifiers.attributes, ...attributes];
  checkFunctionName(unit, name, specifiers, span);
  checkFunctionAttributes(unit, all, specifiers.isKernel, isDefinition, span);
  const symbol = symbolName(unit, name, type, all);
  const isOverloadable = !unit.options.library && all.some((attribute) => attribute.name === "overloadable");
  const meaning = unit.scopes.outermost(symbol);
  const overloads = meaning?.kind === "function" ? meaning.fn.overloads : listOf<FunctionSymbol>();
  const { known, conflict } = relationTo(unit, overloads, type, isOverloadable, span);
  if (known !== null) {
    if (isDefinition && !known.isDefined) known.type = type;
    return known;
  }
  if (conflict !== null || (meaning !== undefined && meaning.kind !== "function")) {
    const other: Meaning | undefined = conflict === null ? meaning : { kind: "function", fn: conflict };
    unit.report("conflictingTypes", span, [name, type.name], {
      notes: declaredHere(other, `the other one${conflict === null ? "" : `, ${conflict.type.name},`} is here`),
    });
    return null;
  }
  const contradicted = unit.options.library ? null : overloadContradicted(unit, name, type);
  if (contradicted !== null) {
    unit.report("conflictingTypes", span, [name, type.name], {
      notes: [note(`the built-in of the same parameters returns ${contradicted.result.name}`, null)],
    });
    return null;
  }
  const ir = functionOf(type, unit.unique(isOverloadable && !specifiers.isKernel ? mangledName(name, type) : symbol));
  if (all.some((attribute) => attribute.name === "always_inline")) ir.inline = "always";
  if (all.some((attribute) => attribute.name === "noinline")) ir.inline = "never";
  // An inline function of C99 is defined in each object that uses it.
  ir.isInternal = (specifiers.isStatic || specifiers.isInline) && !specifiers.isExtern && !specifiers.isKernel;
  unit.module.addFunction(ir);
  const fn = new FunctionSymbol({
    name,
    type,
    ir,
    span,
    declarator,
    isKernel: specifiers.isKernel,
    isStatic: specifiers.isStatic && !specifiers.isInline,
    isOverloadable,
    overloads,
  });
  overloads.push(fn);
  unit.functions.push(fn);
  if (meaning === undefined) unit.scopes.declareOutermost(symbol, new FunctionMeaning(fn));
  return fn;
}

function sizes(
  unit: Unit,
  attributes: readonly Attribute[],
  name: string,
  span: Span,
): readonly [number, number, number] | null {
  const numbers = attributeNumbers(unit, attributes, name);
  if (numbers === null) return null;
  const [x = 0, y = 0, z = 0] = numbers;
  if (numbers.length !== 3 || x < 1 || y < 1 || z < 1) {
    unit.report("attribute", span, [`${name} takes three positive sizes`]);
    return null;
  }
  return [x, y, z];
}

/** A ballot has as many bits. */
const LARGEST_SUB_GROUP = 128;

function subGroupSize(unit: Unit, attributes: readonly Attribute[], span: Span): number | null {
  const name = attributes.findLast(
    (attribute) => attribute.name === "intel_reqd_sub_group_size" || attribute.name === "reqd_sub_group_size",
  )?.name;
  if (name === undefined) return null;
  const [size = 0] = attributeNumbers(unit, attributes, name) ?? [];
  if (size >= 1 && size <= LARGEST_SUB_GROUP && Number.isInteger(Math.log2(size))) return size;
  unit.report("attribute", span, [`${name} takes a power of two up to ${LARGEST_SUB_GROUP}, not ${size}`]);
  return null;
}

const QUALIFIER_WORD =
  /\b(?:__)?(?:const|volatile|restrict|global|local|constant|private|read_only|write_only|read_write|kernel)\b/gu;

/** The type of a parameter as the source writes it, without qualifiers: as clGetKernelArgInfo reports it. */
function typeName(parameter: Qualified, specifiers: Specifiers): string {
  const base = specifiers.base.kind === "pipe" ? specifiers.base.packet : specifiers.base;
  let stars = "";
  let type = parameter.type;
  while (type.kind === "pointer" && type.target !== null) {
    stars += "*";
    type = type.target.type;
  }
  return `${base.kind === "named" ? base.name : type.name.replaceAll(QUALIFIER_WORD, "").trim()}${stars}`;
}

function describeArgument(
  unit: Unit,
  parameter: Qualified,
  specifiers: Specifiers,
  name: string,
  span: Span,
): ArgumentDescription {
  const { layout } = unit.options;
  const { type } = parameter;
  const target = type.kind === "pointer" ? type.target : null;
  const space = target === null ? "private" : spaceName(target.space);
  let kind: ArgumentDescription["kind"] = "value";
  if (isHandle(type)) kind = type === SAMPLER ? "sampler" : "image";
  else if (type.kind === "pipe") kind = "pipe";
  else if (target !== null) kind = space === "local" ? "local" : "pointer";
  const problem =
    isStorageOnly(unit, type) && type !== HALF
      ? "half is for memory only; take a float"
      : parameter.isDeviceSized
        ? "its size differs between devices"
        : argumentProblem(type, space, languageVersion(unit.options));
  if (problem !== null)
    unit.report(
      "kernelArgument",
      span,
      [written(parameter), problem],
      type.kind === "pointer" && space === "private" && type.target?.type.kind !== "pointer"
        ? { fix: insertBefore(specifiers.span, "global ") }
        : {},
    );
  return {
    name,
    typeName: typeName(parameter, specifiers),
    kind,
    addressSpace: space === "generic" || kind === "pipe" ? "global" : (space as ArgumentDescription["addressSpace"]),
    access: kind === "pipe" ? (specifiers.qualifiers.access ?? "read_only") : (type.access ?? "none"),
    isConst: target?.isConst === true || space === "constant",
    isRestrict: parameter.isRestrict,
    isVolatile: target?.isVolatile === true,
    size: kind === "local" ? 0 : sizeOf(layout, type.ir),
    alignment: alignmentOf(layout, type.ir),
  };
}

/** Why a kernel cannot take an argument of this type (6.9 a, k, p); null: it can. */
function argumentProblem(type: CType, space: string, version: number): string | null {
  if (type.name === "event_t" || type.target?.type.name === "event_t") return "events do not cross from the host";
  if (type.name === "reserve_id_t" || type.target?.type.name === "reserve_id_t")
    return "reservations do not cross from the host";
  if (type.kind === "pointer") {
    if (type.target?.type.kind === "pointer" && (version < 200 || space === "private" || space === "generic"))
      return `pointers to pointers do not cross from the host${version < 200 ? " before OpenCL C 2.0" : ""}`;
    if (space === "private" || space === "generic")
      return "its pointer arguments point to global, constant or local memory";
    return null;
  }
  if (type.kind === "bool") return "bool has no size of its own; take a char or an int";
  return recordProblem(type);
}

/** Checks where the attributes of a function are, and the arguments of those of kernels. */
function checkFunctionAttributes(
  unit: Unit,
  attributes: readonly Attribute[],
  isKernel: boolean,
  isDefinition: boolean,
  span: Span,
): void {
  if (attributes.length === 0 || unit.options.library) return;
  checkAttributes(unit, attributes, isKernel ? "kernel" : "function");
  if (!isKernel) return;
  checkTypeHint(unit, attributes, (type) => typeOfName(unit, type).type);
  if (isDefinition) return; // A definition's are read when its kernel is described.
  for (const name of ["reqd_work_group_size", "work_group_size_hint"]) sizes(unit, attributes, name, span);
  subGroupSize(unit, attributes, span);
}

function describeKernel(unit: Unit, node: FunctionDefinition, fn: FunctionSymbol): KernelDescription {
  const attributes = [...node.specifiers.attributes, ...node.attributes];
  const declared = functionDeclarator(node.declarator)?.parameters ?? [];
  const list = declared.map((parameter, i) => {
    const type = fn.type.parameters[i];
    return describeArgument(
      unit,
      type ?? plain(fn.type),
      parameter.specifiers,
      declaredName(parameter.declarator).name ?? "",
      parameter.span,
    );
  });
  return {
    arguments: list,
    requiredWorkGroupSize: sizes(unit, attributes, "reqd_work_group_size", node.span),
    workGroupSizeHint: sizes(unit, attributes, "work_group_size_hint", node.span),
    vecTypeHint: attributes.find((attribute) => attribute.name === "vec_type_hint")?.text ?? null,
    requiredSubGroupSize: subGroupSize(unit, attributes, node.span),
    uniformWorkGroups: languageVersion(unit.options) < 200 || unit.options.uniformWorkGroups === true,
    attributes: attributes
      .map(({ name, text }) => (text === "" ? name : `${name}(${text.replaceAll(/\s+/gu, "")})`))
      .join(" "),
  };
}

/** Reports parameters of a definition that have no size. */
function requireParameters(unit: Unit, node: FunctionDefinition, { type }: FunctionSymbol): boolean {
  const declared = functionDeclarator(node.declarator)?.parameters ?? [];
  return declared.every((parameter, i) => {
    const own = type.parameters[i]?.type;
    return own === undefined || own.kind !== "record" || requireComplete(unit, own, parameter.span);
  });
}

/** Emits a function's body. Returns the facts found about it; null: it could not be emitted. */
export function defineFunction(unit: Unit, node: FunctionDefinition): FunctionState | null {
  const { name, span } = declaredName(node.declarator);
  const fn = declareFunction(unit, node.specifiers, node.declarator, node.attributes, span, true);
  if (fn === null || name === null || fn.type.target === null) return null;
  if (fn.isDefined) {
    unit.report("redefined", span, [name], { notes: [note("the first one is here", fn.span)] });
    return null;
  }
  fn.isDefined = true;
  const { errorCount } = unit.diagnostics;
  const result = fn.type.target.type;
  const isKernel = node.specifiers.isKernel || fn.isKernel;
  if (!requireParameters(unit, node, fn)) return null;
  if (isKernel) {
    if (result.kind !== "void" && result.kind !== "error")
      unit.report("kernelReturn", node.specifiers.span, [written(fn.type.target)]);
    fn.ir.kernel = describeKernel(unit, node, fn);
  }
  const entry = fn.ir.addBlock("entry");
  const outer = unit.builder.block;
  const isRecord = result.kind === "record";
  const state: FunctionState = {
    symbol: fn,
    isKernel,
    result,
    resultAddress: isRecord ? (fn.ir.parameters[0] ?? null) : null,
    labels: new Map(),
    breakTo: null,
    continueTo: null,
    switchState: null,
    uninitialized: new Map(),
    depth: 0,
    hasConvergentCall: false,
    hasVaryingCall: false,
  };
  unit.fn = state;
  // Variables go into the entry block, code starts after it.
  const start = fn.ir.addBlock("start");
  unit.builder.block = start;
  unit.openScope();
  const declared = functionDeclarator(node.declarator)?.parameters ?? [];
  declared.forEach((parameter, i) => {
    const type = fn.type.parameters[i];
    const value = fn.ir.parameters[i + (isRecord ? 1 : 0)];
    const { name: own, span: nameSpan } = declaredName(parameter.declarator);
    if (type === undefined || value === undefined || own === null) return;
    value.name = own;
    if (isHandle(type.type)) {
      unit.declare(own, { kind: "handle", type: type.type, value, span: nameSpan });
      return;
    }
    unit.locate(nameSpan);
    const alignment = alignmentOf(unit.options.layout, type.type.ir);
    const address = unit.variable(type.type.ir, alignment, own);
    if (type.type.kind === "record") copyRecord(unit, address, value, type.type);
    else unit.builder.store(value, address, alignment);
    unit.declare(own, {
      kind: "variable",
      type: { ...type, space: PRIVATE },
      address,
      alignment,
      constant: null,
      span: nameSpan,
      isParameter: true,
      used: mayBeUnused(parameter.specifiers.attributes, parameter.attributes),
    });
  });
  unit.parts.statement(unit, { ...node.body, isFunctionBody: true });
  finishBody(unit, fn, result, start, { ...node.body.span, start: node.body.span.end - 1 });
  unit.closeScope();
  entry.instructions.reverse();
  unit.builder.block = entry;
  // Errors of the linker have the function's name for a place.
  unit.builder.location = unit.locationOf(span);
  unit.builder.branch(start);
  unit.builder.block = outer;
  reportUninitialized(unit, fn.ir, state.uninitialized);
  unit.fn = null;
  unit.flushWarnings(unit.diagnostics.errorCount === errorCount && !hasErrorsWithin(unit, node.span));
  return state;
}

/** True when the parser found a mistake there. */
function hasErrorsWithin(unit: Unit, { file, start, end }: Span): boolean {
  return (
    unit.diagnostics.hasErrors &&
    unit.diagnostics.all.some(
      ({ severity, span }) =>
        severity === "error" && span !== null && span.file === file && span.start >= start && span.start <= end,
    )
  );
}

function finishBody(unit: Unit, fn: FunctionSymbol, result: CType, start: Block, end: Span): void {
  const { block: last } = unit.builder;
  // A block after a jump is empty and unreachable.
  const isLeft = last.instructions.length === 0 && last.name.startsWith("dead");
  if (
    !unit.builder.isTerminated &&
    result.kind !== "void" &&
    result.kind !== "error" &&
    !isLeft &&
    isReachable(start, last)
  )
    unit.warn("missingReturn", end, [fn.name], { notes: [note(`it returns ${result.name}`, fn.span)] });
  if (!unit.builder.isTerminated)
    unit.builder.return(result.kind === "void" || result.kind === "record" ? null : constantZero(result.ir));
  for (const [label, { isPlaced, isUsed, placeSpan, span, block: target }] of unit.fn?.labels ?? []) {
    if (!isUsed && placeSpan !== undefined) unit.warn("unusedLabel", placeSpan, [label]);
    if (isPlaced) continue;
    const placed = [...(unit.fn?.labels ?? [])].flatMap(([other, state]) => (state.isPlaced ? [other] : []));
    const best = nearest(label, placed);
    const at = span.file.text.slice(span.start, span.end).lastIndexOf(label);
    const fix =
      best === null || at < 0
        ? null
        : replace({ file: span.file, start: span.start + at, end: span.start + at + label.length }, best);
    unit.report("labelMissing", span, [label], { fix });
    unit.startBlock(target);
    unit.builder.unreachable();
  }
  // Blocks after jumps that nothing reaches end nowhere.
  for (const block of fn.ir.blocks) {
    if (block.instructions.at(-1)?.isTerminator !== true && block !== fn.ir.entry) {
      unit.builder.block = block;
      unit.builder.unreachable();
    }
  }
}
