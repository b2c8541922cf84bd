// SPDX-License-Identifier: Apache-2.0
// Declarations: variables of functions and of the program, typedefs, prototypes (OpenCL C 6.5).
import {
  CONSTANT,
  GLOBAL,
  I32,
  LOCAL,
  PRIVATE,
  type Constant,
  Op,
  constantInt,
  constantZero,
  type Instruction,
  sizeOf,
} from "@muxkit/ir";

import type { Declaration, DeclaredName } from "../ast.ts";
import { declaredName } from "../parse/declarator.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { type CType, ERROR, type Qualified, SAMPLER, isArithmetic, isHandle, plain, vectorOf } from "./ctype.ts";
import { rvalue, samplerBits } from "./convert.ts";
import { declareFunction } from "./functions.ts";
import { declaredHere } from "./explain.ts";
import { alignmentFor, declareProgramVariable, declareShared } from "./program-variables.ts";
import { checkHalf } from "./half.ts";
import { checkSamplerValue } from "./samplers.ts";
import { attributeNumbers, declaredType, requireComplete, specifiedType } from "./types.ts";
import type { Unit } from "./unit.ts";
import { checkCommaList, mayBeUnused } from "./warnings.ts";

/** Declares an image or sampler as a variable: only samplers can be, and only as constants (6.12.14.1). */
function declareHandle(unit: Unit, entry: DeclaredName, { type, isConst, space }: Qualified): void {
  const { name, span } = declaredName(entry.declarator);
  if (name === null) return;
  const isPlaced = space === GLOBAL || space === LOCAL;
  if (type !== SAMPLER || isPlaced) {
    unit.report("handleType", span, [type.name, isPlaced ? "a variable in global or local memory" : "a variable"]);
    return;
  }
  const { initializer } = entry;
  const isConstant = isConst || space === CONSTANT || unit.fn !== null;
  const bits =
    !isConstant || initializer === null || initializer.kind === "list"
      ? null
      : samplerBits(rvalue(unit, unit.parts.expression(unit, initializer)));
  if (bits === null) unit.report("samplerInitializer", span);
  else if (initializer !== null) checkSamplerValue(unit, bits, initializer.span);
  unit.declare(name, { kind: "sampler", bits: bits ?? constantInt(I32, 0), span });
}

/** The type that a typedef names: attributes make vectors of a scalar, as other headers declare them. */
function typedefType(unit: Unit, { specifiers }: Declaration, entry: DeclaredName, declared: Qualified): Qualified {
  if (specifiers.attributes.length === 0 && entry.attributes.length === 0) return declared;
  const attributes = [...specifiers.attributes, ...entry.attributes];
  checkAttributes(unit, attributes, "typedef");
  const found = attributes.findLast(({ name }) => name === "ext_vector_type" || name === "vector_size");
  if (found === undefined || declared.type.kind === "error") return declared;
  const { type } = declared;
  const [given] = attributeNumbers(unit, [found], found.name) ?? [];
  const count = found.name === "ext_vector_type" ? (given ?? 0) : (given ?? 0) / sizeOf(unit.options.layout, type.ir);
  if (isArithmetic(type) && type.kind !== "bool" && VECTOR_COUNTS.has(count))
    return { ...declared, type: vectorOf(type, count) };
  unit.report("attribute", found.span, [`${found.name} makes vectors of 2, 3, 4, 8 or 16 numbers`]);
  return plain(ERROR);
}

/** Numbers of components that vectors of the language have (6.3.2). */
const VECTOR_COUNTS: ReadonlySet<number> = new Set([2, 3, 4, 8, 16]);

function declareLocal(unit: Unit, declaration: Declaration, entry: DeclaredName, base: Qualified): void {
  const { specifiers } = declaration;
  const { name, span } = declaredName(entry.declarator);
  if (name === null || unit.fn === null) return;
  const declared = declaredType(unit, base, entry.declarator);
  const earlier = unit.scopes.own(name);
  if (earlier !== undefined)
    unit.report("redefined", span, [name], { notes: declaredHere(earlier, "the first one is here") });
  else unit.reportShadow(name, span);
  if (specifiers.isTypedef) {
    unit.declare(name, { kind: "type", type: typedefType(unit, declaration, entry, declared), span });
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
  checkHalf(unit, declared.type, span, "a variable of type half");
  if (declareShared(unit, declaration, entry, declared)) return;
  const type = entry.initializer === null ? declared : unit.completedBy(declared, entry.initializer);
  const isComplete = requireComplete(unit, type.type, span);
  const alignment = isComplete ? alignmentFor(unit, declaration, entry, type.type) : 4;
  const used = mayBeUnused(specifiers.attributes, entry.attributes);
  unit.locate(span);
  const address = unit.variable(isComplete ? type.type.ir : I32, alignment, name);
  // The name is known in its own initialiser.
  unit.declare(name, {
    kind: "variable",
    type: isComplete ? { ...type, space: PRIVATE } : plain(ERROR),
    address,
    alignment,
    constant: null,
    span,
    isParameter: false,
    used,
  });
  if (!isComplete) return;
  if (entry.initializer === null) {
    const zeroing = zeroAgain(unit, type.type, address, alignment);
    // A lane of a vector is set by reading all of it, so that vectors cannot be judged by their loads.
    if (zeroing !== null && type.type.kind !== "vector")
      unit.fn.uninitialized.set(address, { name, span, zeroing, mentions: [] });
  } else {
    if (entry.initializer.kind !== "list") checkCommaList(unit, entry.initializer, type.type);
    unit.parts.initialize(unit, type, address, alignment, entry.initializer);
    const constant = storedConstant(unit, type, address);
    if (constant !== null)
      unit.declare(name, {
        kind: "variable",
        type: { ...type, space: PRIVATE },
        address,
        alignment,
        constant,
        span,
        isParameter: false,
        used,
      });
  }
}

/**
 * The constant that a const scalar was just initialised with, which replaces it from here on, also where only a
 * constant can; null: it is none.
 */
function storedConstant(unit: Unit, { type, isConst, isVolatile }: Qualified, address: Instruction): Constant | null {
  if (!isConst || isVolatile || !isArithmetic(type)) return null;
  const last = unit.builder.block.instructions.at(-1);
  if (last === undefined || last.op !== Op.STORE || !last.operands.includes(address)) return null;
  const value = last.operands.find((operand) => operand !== address);
  return value?.kind === "constant" ? value : null;
}

/**
 * A variable declared without a value holds zero each time the declaration is passed: a written result, whatever the
 * loop around it did before.
 */
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
      const known = unit.scopes.outermost(name);
      const type = typedefType(unit, declaration, entry, declared);
      if (known !== undefined && !(known.kind === "type" && known.type.type === type.type))
        unit.report("redefined", span, [name], { notes: declaredHere(known, "the first one is here") });
      unit.declare(name, { kind: "type", type, span });
    } else if (declared.type.kind === "function")
      declareFunction(unit, specifiers, entry.declarator, entry.attributes, span);
    else if (isHandle(declared.type)) {
      const earlier = unit.scopes.outermost(name);
      if (earlier !== undefined)
        unit.report("redefined", span, [name], { notes: declaredHere(earlier, "the first one is here") });
      declareHandle(unit, entry, declared);
    } else {
      checkHalf(unit, declared.type, span, "a variable of type half");
      declareProgramVariable(unit, declaration, entry, declared);
    }
  }
}
