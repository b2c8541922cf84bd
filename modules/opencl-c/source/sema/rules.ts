// SPDX-License-Identifier: Apache-2.0
// What may be a parameter, a result, a member, an element, a name: rules of declarations that go beyond their types
// (C99 6.7.2.1, 6.7.5; OpenCL C 6.5, 6.9).
import type { Span } from "@muxkit/report";
import { CONSTANT, PRIVATE } from "@muxkit/ir";

import type { Attribute, Declarator, MemberDeclaration, ParameterDeclaration, Specifiers } from "../ast.ts";
import { declaredName } from "../parse/declarator.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { CHAR, type CType, type Qualified, elementOf, spaceName } from "./ctype.ts";
import { checkHalf } from "./half.ts";
import { spelledName } from "./spelling.ts";
import type { Unit } from "./unit.ts";

/** True for the declaration of printf: a program may repeat it. */
export function isPrintf(
  declarator: Extract<Declarator, { kind: "function" }> | null,
  [format, ...others]: readonly Qualified[],
): boolean {
  const target = format?.type.target;
  return (
    declarator?.isVariadic === true &&
    declaredName(declarator).name === "printf" &&
    others.length === 0 &&
    target?.type === CHAR &&
    target.space === CONSTANT
  );
}

/** Reports parameters that cannot be: of void, in an address space, with the name of another one. */
export function checkParameters(
  unit: Unit,
  declarator: Extract<Declarator, { kind: "function" }>,
  types: readonly Qualified[],
): void {
  if (unit.options.library) return;
  if (declarator.isVariadic && !isPrintf(declarator, types)) unit.report("variadic", declaredName(declarator).span);
  const names = new Set<string>();
  for (let i = 0; i < declarator.parameters.length; i++) {
    const parameter = declarator.parameters[i] as ParameterDeclaration;
    const type = types[i];
    const { name, span } = declaredName(parameter.declarator);
    if (name !== null && names.has(name)) unit.report("redefined", span, [name]);
    if (name !== null) names.add(name);
    if (type === undefined) continue;
    checkAttributes(unit, parameter.specifiers.attributes, "parameter");
    checkAttributes(unit, parameter.attributes, "parameter");
    checkHalf(unit, type.type, parameter.span, "a parameter of type half");
    if (type.type.kind === "void") unit.report("badParameter", parameter.span, ["void"]);
    else if (type.type.kind === "function") unit.report("pointerToFunction", parameter.span);
    else if (type.space !== null && type.space !== PRIVATE && !isArray(parameter))
      unit.report("badParameter", parameter.span, [
        `a value in ${spaceName(type.space)} memory; what it points to can be there`,
      ]);
  }
}

function isArray({ declarator }: ParameterDeclaration): boolean {
  return declarator.kind === "array";
}

/** `restrict` qualifies a pointer, after its star (C99 6.7.3). */
export function checkRestrict(unit: Unit, { qualifiers, span }: Specifiers, qualified: Qualified): void {
  const { kind } = qualified.type;
  if (qualifiers.isRestrict && kind !== "pointer" && kind !== "error")
    unit.report("restrictNeedsPointer", span, [spelledName(qualified)]);
}

/** Reports results that cannot be: arrays, functions, values in an address space. */
export function checkResult(unit: Unit, result: Qualified, span: Span): void {
  const { type, space } = result;
  checkHalf(unit, type, span, "a function that returns half");
  if (type.kind === "array") unit.report("badResult", span, ["an array"]);
  else if (type.kind === "function") unit.report("badResult", span, ["a function"]);
  else if (space !== null && space !== PRIVATE && !unit.options.library)
    unit.report("badResult", span, [`a value in ${spaceName(space)} memory; what it points to can be there`]);
}

/** Reports a member that cannot be one. False: it is left out. */
export function checkMember(unit: Unit, { type, space }: Qualified, isLast: boolean, span: Span): boolean {
  if (type.kind === "array" && type.count < 0)
    unit.report("badMember", span, [
      isLast ? "an array without a size: OpenCL C has no flexible array members (6.9 d)" : "an array without a size",
    ]);
  else if (elementOf(type).name === "event_t") unit.report("badMember", span, ["an event (OpenCL C 6.9)"]);
  else if (space !== null && type.kind !== "error")
    unit.report("badMember", span, [`in ${spaceName(space)} memory: it is stored where the struct is`]);
  else return true;
  return false;
}

/** Reports names that two members of a struct or union have; members of unnamed ones inside count as its own. */
export function checkMemberNames(unit: Unit, members: readonly MemberDeclaration[]): void {
  const seen = new Set<string>();
  const visit = (list: readonly MemberDeclaration[]): void => {
    for (const { declarators, specifiers } of list) {
      if (declarators.length === 0 && specifiers.base.kind === "record" && specifiers.base.members !== null)
        visit(specifiers.base.members);
      for (const { declarator } of declarators) {
        const { name, span } = declaredName(declarator);
        if (name !== null && seen.has(name)) unit.report("redefined", span, [name]);
        if (name !== null) seen.add(name);
      }
    }
  };
  visit(members);
}

/** True when a value of this type cannot be assigned as a whole: something in it is const (C99 6.3.2.1). */
export function hasConstMember(type: CType): boolean {
  return (
    type.kind === "record" &&
    (type.members ?? []).some((member) => member.type.isConst || hasConstMember(innermost(member.type.type)))
  );
}

function innermost(type: CType): CType {
  let inner = type;
  while (inner.kind === "array" && inner.target !== null) inner = inner.target.type;
  return inner;
}

/** Why a kernel cannot take a struct with this in it (6.9 k, p); null: it can. */
export function recordProblem(type: CType): string | null {
  for (const { name, type: member } of type.members ?? []) {
    const inner = innermost(member.type);
    if (inner.kind === "pointer")
      return `its member "${name}" is a pointer, and pointers within structs do not cross from the host`;
    if (inner.kind === "bool") return `its member "${name}" is a bool, which has no size of its own`;
    if (member.isDeviceSized) return `the size of its member "${name}" differs between devices`;
    const deeper = recordProblem(inner);
    if (deeper !== null) return deeper;
  }
  return null;
}

/** Reports a hint at a type that is none, or that nothing can be vectorised by. */
export function checkTypeHint(
  unit: Unit,
  attributes: readonly Attribute[],
  typeOf: (type: NonNullable<Attribute["type"]>) => CType,
): void {
  for (const { name, type, span } of attributes) {
    if (name !== "vec_type_hint") continue;
    const hinted = type === null ? null : elementOf(typeOf(type));
    if (hinted === null || (hinted.kind !== "int" && hinted.kind !== "float" && hinted.kind !== "error"))
      unit.report("attribute", span, ["vec_type_hint takes a number or a vector of numbers"]);
  }
}
