// Declarations: variables of functions and of the program, typedefs, prototypes (OpenCL C 6.5).
import { insertBefore } from "@muxkit/report";
import { CONSTANT, GLOBAL, Global, I32, LOCAL, PRIVATE, alignmentOf, type Constant, constantInt, constantZero, type Instruction } from "@muxkit/ir";

import type { Declaration, DeclaredName } from "../ast.ts";
import { declaredName } from "../parse/declarator.ts";
import { type CType, type Qualified, SAMPLER, isArithmetic, isHandle } from "./ctype.ts";
import { rvalue, convertImplicitly, samplerBits } from "./convert.ts";
import { declareFunction } from "./functions.ts";
import { declaredHere } from "./explain.ts";
import { constantData } from "./initializers.ts";
import { attributeNumbers, declaredType, requireComplete, specifiedType } from "./types.ts";
import type { Unit } from "./unit.ts";
import { checkCommaList } from "./warnings.ts";

function alignmentFor(unit: Unit, declaration: Declaration, name: DeclaredName, type: CType): number {
  const [asked = 0] = attributeNumbers(unit, [...declaration.specifiers.attributes, ...name.attributes], "aligned") ?? [];
  return Math.max(asked, alignmentOf(unit.options.layout, type.ir), type.kind === "array" ? Math.min(16, alignmentOf(unit.options.layout, type.ir) * 4) : 1);
}

/** A variable that lives outside of functions' private memory: constant, local, or of the program. */
function declareGlobal(unit: Unit, declaration: Declaration, entry: DeclaredName, qualified: Qualified, space: number): void {
  const { name, span } = declaredName(entry.declarator);
  if (name === null) return;
  const type = entry.initializer === null ? qualified : unit.completedBy(qualified, entry.initializer);
  if (!requireComplete(unit, type.type, span)) return;
  const alignment = alignmentFor(unit, declaration, entry, type.type);
  const global = new Global(unit.unique(unit.fn === null ? name : `${unit.fn.symbol.name}.${name}`), type.type.ir, space, alignment);
  unit.module.addGlobal(global);
  const place: Qualified = { ...type, space, isConst: type.isConst || space === CONSTANT };
  if (space !== LOCAL && entry.initializer !== null) constantData(unit, global, type.type, entry.initializer);
  unit.declare(name, { kind: "variable", type: place, address: global, alignment, constant: constantOf(unit, place, entry), span, isParameter: false, used: false });
}

/** A const scalar with a constant initialiser is that constant wherever it is used. */
function constantOf(unit: Unit, place: Qualified, entry: DeclaredName): Constant | null {
  const { initializer } = entry;
  if (!place.isConst || place.isVolatile || place.space !== CONSTANT || !isArithmetic(place.type) || initializer === null || initializer.kind === "list") return null;
  const value = convertImplicitly(unit, rvalue(unit, unit.parts.expression(unit, initializer)), place.type, initializer.span);
  return value.kind === "constant" ? value : null;
}

/** Declares an image or sampler as a variable: only samplers can be, and only as constants (6.12.14.1). */
function declareHandle(unit: Unit, entry: DeclaredName, { type, isConst, space }: Qualified): void {
  const { name, span } = declaredName(entry.declarator);
  if (name === null) return;
  const isPlaced = space === GLOBAL || space === LOCAL;
  if (type !== SAMPLER || isPlaced) {
    unit.report("handleType", span, [type.name, isPlaced ? "nothing that lies in global or local memory" : "no variable"]);
    return;
  }
  const { initializer } = entry;
  const isConstant = isConst || space === CONSTANT || unit.fn !== null;
  const bits = !isConstant || initializer === null || initializer.kind === "list" ? null : samplerBits(rvalue(unit, unit.parts.expression(unit, initializer)));
  if (bits === null) unit.report("samplerInitializer", span);
  unit.declare(name, { kind: "sampler", bits: bits ?? constantInt(I32, 0), span });
}

function declareLocal(unit: Unit, declaration: Declaration, entry: DeclaredName, base: Qualified): void {
  const { specifiers } = declaration;
  const { name, span } = declaredName(entry.declarator);
  if (name === null || unit.fn === null) return;
  const declared = declaredType(unit, base, entry.declarator);
  if (unit.scopes.at(-1)?.has(name) === true) unit.report("redefined", span, [name], { notes: declaredHere(unit.scopes.at(-1)?.get(name), "the first one is here") });
  else unit.reportShadow(name, span);
  if (specifiers.isTypedef) {
    unit.declare(name, { kind: "type", type: declared, span });
    return;
  }
  if (declared.type.kind === "function") {
    declareFunction(unit, specifiers, entry.declarator, entry.attributes, span);
    return;
  }
  if (isHandle(declared.type)) {
    declareHandle(unit, entry, declared);
    return;
  }
  const { space } = declared;
  if (space === LOCAL) {
    if (unit.fn.depth > 1 || !unit.fn.symbol.isKernel) unit.report("scopeOfLocal", span);
    if (entry.initializer !== null) unit.report("localInitializer", entry.initializer.span);
    declareGlobal(unit, declaration, entry, declared, LOCAL);
    return;
  }
  if (space === CONSTANT || (specifiers.isStatic && declared.isConst)) {
    declareGlobal(unit, declaration, entry, declared, CONSTANT);
    return;
  }
  if (space === GLOBAL || specifiers.isStatic || specifiers.isExtern) {
    unit.report("programScope", span);
    return;
  }
  const type = entry.initializer === null ? declared : unit.completedBy(declared, entry.initializer);
  const isComplete = requireComplete(unit, type.type, span);
  const alignment = isComplete ? alignmentFor(unit, declaration, entry, type.type) : 4;
  unit.locate(span);
  const address = unit.variable(isComplete ? type.type.ir : I32, alignment, name);
  // The name is known in its own initialiser.
  unit.declare(name, { kind: "variable", type: { ...type, space: PRIVATE }, address, alignment, constant: null, span, isParameter: false, used: false });
  if (!isComplete) return;
  if (entry.initializer === null) {
    const zeroing = zeroAgain(unit, type.type, address, alignment);
    // A lane of a vector is set by reading all of it, so that vectors cannot be judged by their loads.
    if (zeroing !== null && type.type.kind !== "vector") unit.fn.uninitialized.set(address, { name, span, zeroing, mentions: [] });
  } else {
    if (entry.initializer.kind !== "list") checkCommaList(unit, entry.initializer, type.type);
    unit.parts.initialize(unit, type, address, alignment, entry.initializer);
  }
}

/** What is declared without a value holds zero each time the declaration is passed: a written result, whatever the loop around it did before. */
function zeroAgain(unit: Unit, type: CType, address: Instruction, alignment: number): Instruction | null {
  if (type.kind === "array" || type.kind === "record" || type.kind === "opaque") return null;
  return unit.builder.store(constantZero(type.ir), address, alignment);
}

/** Declares what a declaration within a function names. */
export function declareLocals(unit: Unit, declaration: Declaration): void {
  const base = specifiedType(unit, declaration.specifiers);
  for (const entry of declaration.names) declareLocal(unit, declaration, entry, base);
}

/** Declares what a declaration outside of functions names. */
export function declareProgramScope(unit: Unit, declaration: Declaration): void {
  const { specifiers } = declaration;
  const base = specifiedType(unit, specifiers);
  for (const entry of declaration.names) {
    const { name, span } = declaredName(entry.declarator);
    if (name === null) continue;
    const declared = declaredType(unit, base, entry.declarator);
    if (specifiers.isTypedef) {
      const known = unit.scopes[0]?.get(name);
      if (known !== undefined && !(known.kind === "type" && known.type.type === declared.type)) unit.report("redefined", span, [name], { notes: declaredHere(known, "the first one is here") });
      unit.declare(name, { kind: "type", type: declared, span });
    } else if (declared.type.kind === "function") declareFunction(unit, specifiers, entry.declarator, entry.attributes, span);
    else {
      if (unit.scopes[0]?.has(name) === true) unit.report("redefined", span, [name], { notes: declaredHere(unit.scopes[0].get(name), "the first one is here") });
      if (isHandle(declared.type)) {
        declareHandle(unit, entry, declared);
        continue;
      }
      const isProgramData = (unit.options.standard === "2.0" || unit.options.standard === "3.0") && (declared.space === GLOBAL || declared.space === null);
      if (declared.space !== CONSTANT && !isProgramData) unit.report("programScope", span, [], declared.space === null && entry.initializer !== null ? { fix: insertBefore(specifiers.span, "constant ") } : {});
      declareGlobal(unit, declaration, entry, declared, declared.space === CONSTANT ? CONSTANT : GLOBAL);
    }
  }
}
