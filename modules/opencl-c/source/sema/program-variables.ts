// SPDX-License-Identifier: Apache-2.0
// Variables that are not private to a work-item: program-scope variables, static ones of functions, constants, local
// memory of kernels (OpenCL C 3.0, 6.7.1, 6.7.3).
//
// Each becomes a `Global` of the IR module, with an address space, a linkage and, unless it is in local memory,
// constant initial data. Two entry points check the rules of their scope: `declareProgramVariable` (outside of
// functions) and `declareShared` (inside of one); both end in `declareGlobal`:
//
// 1. The type is completed from the initialiser (`int a[] = {…}`) and must have a size.
// 2. An earlier declaration is looked up and must agree with this one; they share one `Global`, as with C's tentative
//    definitions (C99 6.9.2): the larger alignment is kept, and a definition overrides `extern`.
// 3. The name is declared before its initialiser is evaluated, which may use its address.
// 4. A const scalar with a constant value is recorded as that constant, so that array sizes can use it.
//
// Cost: linear in the initialiser.
import { insertBefore, note } from "@muxkit/report";
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  Global,
  I32,
  LOCAL,
  type Linkage,
  PRIVATE,
  alignmentOf,
  type Constant,
  constantZero,
} from "@muxkit/ir";

import type { Declaration, DeclaredName, Specifiers } from "../ast.ts";
import { type Requirement, languageVersion, whatIsMissing } from "../language.ts";
import { declaredName } from "../parse/declarator.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { checkConstantCalls } from "./constant-calls.ts";
import { convertImplicitly, rvalue } from "./convert.ts";
import { type CType, ERROR, type Qualified, areCompatible, isArithmetic, plain, spaceName } from "./ctype.ts";
import { declaredHere } from "./explain.ts";
import { constantData } from "./initializers.ts";
import { alignmentAsked, requireComplete } from "./types.ts";
import { written } from "./spelling.ts";
import type { Meaning, Unit } from "./unit.ts";

/** What variables in global memory require. */
const GLOBALS: Requirement = { needs: ["__opencl_c_program_scope_global_variables"] };

/**
 * The alignment of a variable: that of its type, what attributes request, and room for vectors where it is an array.
 */
export function alignmentFor(unit: Unit, declaration: Declaration, name: DeclaredName, type: CType): number {
  const natural = alignmentOf(unit.options.layout, type.ir);
  const least = type.kind === "array" ? Math.max(natural, Math.min(16, natural * 4)) : natural;
  if (declaration.specifiers.attributes.length === 0 && name.attributes.length === 0) return least;
  const attributes = [...declaration.specifiers.attributes, ...name.attributes];
  checkAttributes(unit, attributes, unit.fn === null ? "variable" : "local");
  return Math.max(alignmentAsked(unit, attributes), least);
}

/** A const scalar with a constant initialiser is that constant wherever it is used. */
function constantOf(unit: Unit, qualified: Qualified, entry: DeclaredName): Constant | null {
  const { initializer } = entry;
  if (
    !qualified.isConst ||
    qualified.isVolatile ||
    qualified.space !== CONSTANT ||
    !isArithmetic(qualified.type) ||
    initializer === null ||
    initializer.kind === "list"
  )
    return null;
  const value = convertImplicitly(
    unit,
    rvalue(unit, unit.parts.expression(unit, initializer)),
    qualified.type,
    initializer.span,
    qualified.spelling,
  );
  return value.kind === "constant" ? value : null;
}

/** True when two declarations can be of one variable; an array may leave its size to the other. */
function agree(left: Qualified, right: Qualified): boolean {
  if (left.space !== right.space || left.isConst !== right.isConst) return false;
  return areCompatible(left.type, right.type);
}

function linkageOf(unit: Unit, { isStatic, isExtern }: Specifiers, entry: DeclaredName): Linkage {
  if (isStatic || (unit.fn !== null && !isExtern)) return "internal";
  return isExtern && entry.initializer === null ? "declaration" : "external";
}

/** A variable that was declared before; null (reported): it is something else, or has its value already. */
function known(unit: Unit, earlier: Meaning, qualified: Qualified, entry: DeclaredName): Global | null {
  const { name, span } = declaredName(entry.declarator);
  if (
    earlier.kind === "variable" &&
    earlier.address.kind === "global" &&
    (unit.fn === null || earlier.address.linkage !== "internal")
  ) {
    const { address } = earlier;
    if (!agree(earlier.type, qualified)) {
      unit.report("conflictingTypes", span, [name ?? "", written(qualified)], {
        notes: declaredHere(earlier, "it was declared here"),
      });
      return null;
    }
    if (entry.initializer === null || (address.initializer === null && earlier.constant === null)) return address;
  }
  unit.report("redefined", span, [name ?? ""], { notes: declaredHere(earlier, "the first one is here") });
  return null;
}

/** True for an array without a count, and for a struct or union without members. */
function isOpenType({ kind, count, members }: CType): boolean {
  return kind === "array" ? count < 0 : kind === "record" && members === null;
}

/** Declares an erroneous symbol, so that its uses are not reported. */
function declareWrong(unit: Unit, entry: DeclaredName): void {
  const { name, span } = declaredName(entry.declarator);
  if (name === null) return;
  unit.declare(name, {
    kind: "variable",
    type: plain(ERROR),
    address: constantZero(I32),
    alignment: 1,
    constant: null,
    span,
    isParameter: false,
    used: true,
  });
}

/** Reports an event, or an array of them, that is not private (6.9 b); false: it is none. */
function refuseEvent(unit: Unit, entry: DeclaredName, { type: declared }: Qualified): boolean {
  let type = declared;
  while (type.kind === "array" && type.target !== null) type = type.target.type;
  if (type.name !== "event_t") return false;
  const { span } = declaredName(entry.declarator);
  unit.report("handleType", span, [type.name, "a variable in global, constant or local memory"]);
  declareWrong(unit, entry);
  return true;
}

/** Declares a variable outside of private memory, in the address space `space`. */
export function declareGlobal(
  unit: Unit,
  declaration: Declaration,
  entry: DeclaredName,
  declared: Qualified,
  space: number,
): void {
  const { name, span } = declaredName(entry.declarator);
  if (name === null) return;
  const linkage = linkageOf(unit, declaration.specifiers, entry);
  const type = entry.initializer === null ? declared : unit.completedBy(declared, entry.initializer);
  // Another declaration, or another object, has the size of what is declared only.
  const isOpen = linkage === "declaration" && isOpenType(type.type);
  if (!isOpen && !requireComplete(unit, type.type, span)) {
    declareWrong(unit, entry);
    return;
  }
  const alignment = alignmentFor(unit, declaration, entry, type.type);
  const qualified: Qualified = { ...type, space, isConst: type.isConst || space === CONSTANT };
  const earlier =
    unit.fn === null || declaration.specifiers.isExtern
      ? (unit.scopes.outermost(name) ?? unit.externals.get(name))
      : undefined;
  let global: Global | null;
  if (earlier === undefined) {
    global = new Global(
      unit.fn === null || linkage !== "internal" ? name : unit.unique(`${unit.fn.symbol.name}.${name}`),
      type.type.ir,
      space,
      alignment,
    );
    global.linkage = linkage;
    if (isOpen && type.type.kind === "record") unit.openGlobals.push({ global, type: type.type });
    unit.module.addGlobal(global);
  } else {
    global = known(unit, earlier, qualified, entry);
    if (global === null) return;
    if (!isOpen) global.type = type.type.ir;
    if (linkage !== "declaration" && global.linkage === "declaration") global.linkage = linkage;
    global.alignment = Math.max(global.alignment, alignment);
  }
  const whole =
    earlier?.kind === "variable" && type.type.kind === "array" && type.type.count < 0 ? earlier.type : qualified;
  // The name is known in its own initialiser.
  const meaning = {
    kind: "variable",
    type: whole,
    address: global,
    alignment,
    span,
    isParameter: false,
    used: false,
  } as const;
  const meant: Meaning = { ...meaning, constant: earlier?.kind === "variable" ? earlier.constant : null };
  unit.declare(name, meant);
  if (unit.fn !== null && linkage !== "internal" && earlier === undefined) unit.externals.set(name, meant);
  if (space === LOCAL || entry.initializer === null) return;
  checkConstantCalls(unit, entry.initializer);
  constantData(unit, global, type, entry.initializer);
  unit.declare(name, { ...meaning, constant: constantOf(unit, qualified, entry) });
}

/** A variable in constant memory is initialised from the start, unless another object defines it. */
function requireValue(unit: Unit, { specifiers }: Declaration, entry: DeclaredName): void {
  const { name, span } = declaredName(entry.declarator);
  const isKnown = unit.fn === null && name !== null && unit.scopes.outermost(name) !== undefined;
  if (entry.initializer === null && !specifiers.isExtern && !isKnown) unit.report("constantValue", span);
}

/**
 * Declares a variable outside of functions: in constant memory or, where the language has it, in global memory, which
 * is also the default.
 */
export function declareProgramVariable(
  unit: Unit,
  declaration: Declaration,
  entry: DeclaredName,
  declared: Qualified,
): void {
  const { span } = declaredName(entry.declarator);
  if (refuseEvent(unit, entry, declared)) return;
  if (declared.space !== CONSTANT) {
    const missing = whatIsMissing(unit.options, GLOBALS);
    const isGlobal = declared.space === GLOBAL || declared.space === null;
    const fix =
      declared.space === null && entry.initializer !== null
        ? { fix: insertBefore(declaration.specifiers.span, "constant ") }
        : {};
    if (missing !== null)
      unit.report(
        "programScope",
        span,
        ["constant"],
        isGlobal ? { notes: [note(`variables in global memory need ${missing}`, null)], ...fix } : {},
      );
    else if (!isGlobal) unit.report("programScope", span, ["global or constant"]);
  }
  if (declared.space === CONSTANT) requireValue(unit, declaration, entry);
  declareGlobal(unit, declaration, entry, declared, declared.space === CONSTANT ? CONSTANT : GLOBAL);
}

/** True outside of functions and in the outermost block of a kernel. */
function isOutermost({ fn }: Unit): boolean {
  return fn === null || (fn.depth <= 1 && fn.isKernel);
}

/** A constant of a function: since 2.0 in every block, and static too, as compilers have it. */
function checkConstant(unit: Unit, declaration: Declaration, entry: DeclaredName): void {
  const { span } = declaredName(entry.declarator);
  if (languageVersion(unit.options) < 200) {
    if (!isOutermost(unit)) unit.report("constantScope", span);
    if (declaration.specifiers.isStatic)
      unit.report("needsFeature", span, ["a variable of a function that is static", "OpenCL C 2.0"]);
  }
  requireValue(unit, declaration, entry);
}

/** A variable in local memory: of a kernel's outermost block, without a value. */
function checkLocal(unit: Unit, entry: DeclaredName): void {
  const { span } = declaredName(entry.declarator);
  if (!isOutermost(unit)) unit.report("scopeOfLocal", span);
  if (entry.initializer !== null) unit.report("localInitializer", entry.initializer.span);
}

/**
 * Declares a variable of a function that is not private: local, constant, static or extern. False: it is private (or,
 * reported, taken to be), and nothing has been done.
 */
export function declareShared(unit: Unit, declaration: Declaration, entry: DeclaredName, declared: Qualified): boolean {
  const { isStatic, isExtern } = declaration.specifiers;
  const { space } = declared;
  const { span } = declaredName(entry.declarator);
  if ((isStatic || isExtern) && (space === LOCAL || space === PRIVATE))
    unit.report("staticSpace", span, [isStatic ? "static" : "extern", spaceName(space)]);
  if (space === GENERIC)
    unit.report("specifiers", span, ["generic", "a variable; it qualifies what a pointer points to"]);
  if (space === PRIVATE || space === GENERIC) return false;
  if ((space !== null || isStatic || isExtern) && refuseEvent(unit, entry, declared)) return true;
  if (space === LOCAL || space === CONSTANT) {
    if (space === CONSTANT) checkConstant(unit, declaration, entry);
    else checkLocal(unit, entry);
    declareGlobal(unit, declaration, entry, declared, space);
    return true;
  }
  if (!isStatic && !isExtern) {
    if (space === null) return false;
    unit.report("globalOfFunction", span);
  }
  const missing = whatIsMissing(unit.options, GLOBALS);
  // Before there were global variables, const static variables are treated as constant.
  const isConstant = missing !== null && isStatic && declared.isConst && space === null;
  if (missing !== null && !isConstant && (isStatic || isExtern))
    unit.report("needsFeature", span, [`a variable that is ${isStatic ? "static" : "extern"}`, missing]);
  declareGlobal(unit, declaration, entry, declared, isConstant ? CONSTANT : GLOBAL);
  return true;
}
