// SPDX-License-Identifier: Apache-2.0
// Specifiers and declarators to types; structs, unions and enums (OpenCL C 6.1, 6.5, 6.11.1).
//
// Computes the `Qualified` type (a `CType` with qualifiers and address space) of each declaration and type name, from
// the syntax tree's `Specifiers` and `Declarator`.
//
// Declarators are read as C99 6.7.5 defines them: the specifiers yield a base type, and `declaredType` wraps it from
// the outermost derivation to the name, one recursive step for each `*`, `[n]` and `(…)`. `int *a[3]` becomes pointer
// to int, then array of 3 of it. Each step checks its own constraints (no array of functions, no pointer to images);
// where a violation would cause follow-on errors, the type becomes `ERROR`, which no check reports again.
//
// Records: the tag is declared first, so that members can point to their own struct; `defineRecord` then computes the
// layout. All uses of a tag in its scope share one `CType`. Sizes are limited (`MOST_BYTES`,
// `MOST_TEXT`) because nested records can double in size with each level.
//
// Cost: linear in the size of the declaration, plus the constant expressions in it.
import type { Span } from "@muxkit/report";
import {
  CONSTANT,
  GENERIC,
  GLOBAL,
  LOCAL,
  PRIVATE,
  alignmentOf,
  bigintValue,
  constantInt,
  signedValue,
  sizeOf,
} from "@muxkit/ir";

import type {
  AddressSpaceName,
  Attribute,
  BaseType,
  Declarator,
  Expression,
  MemberDeclaration,
  Qualifiers,
  Specifiers,
  StaticAssert,
  TypeName,
} from "../ast.ts";
import { declaredName } from "../parse/declarator.ts";
import { checkAttributes } from "./attribute-places.table.ts";
import { checkConstantCalls } from "./constant-calls.ts";
import { declaredHere } from "./explain.ts";
import { checkMember, checkMemberNames, checkParameters, checkRestrict, checkResult } from "./rules.ts";
import {
  type CType,
  CType as CTypeClass,
  ERROR,
  INT,
  LONG,
  type Qualified,
  type Spelling,
  UINT,
  ULONG,
  arrayOf,
  declareRecord,
  defineRecord,
  elementOf,
  imageWith,
  isHandle,
  namedType,
  pipeOf,
  plain,
  pointerTo,
} from "./ctype.ts";
import type { DiagnosticName } from "../diagnostics.table.ts";
import { isAvailable } from "../language.ts";
import { rvalue } from "./convert.ts";
import {
  DEVICE_SIZED,
  arraySpelling,
  pointerSpelling,
  spelledName,
  typedefSpelling,
  wordSpelling,
} from "./spelling.ts";
import type { Unit } from "./unit.ts";

const SPACES: Readonly<Record<AddressSpaceName, number>> = {
  private: PRIVATE,
  global: GLOBAL,
  constant: CONSTANT,
  local: LOCAL,
  generic: GENERIC,
};

/** The value of a constant expression as a number; null (reported): it is none. */
export function constantNumber(
  unit: Unit,
  expression: Expression,
  problem: DiagnosticName = "notConstant",
): number | null {
  checkConstantCalls(unit, expression);
  const { type, value } = rvalue(unit, unit.parts.expression(unit, expression));
  if (type.kind === "error") return null;
  if (value.kind !== "constant" || (type.kind !== "int" && type.kind !== "bool")) {
    unit.report(problem, expression.span);
    return null;
  }
  if (type.bits === 64)
    return value.high * 0x1_0000_0000 + value.low - (type.isSigned && value.high >= 0x8000_0000 ? 2 ** 64 : 0);
  return type.isSigned ? signedValue(value) : value.low;
}

/** The value of a constant expression of an integer type, exactly; null (reported): it is none. */
export function constantInteger(unit: Unit, expression: Expression): bigint | null {
  checkConstantCalls(unit, expression);
  const { type, value } = rvalue(unit, unit.parts.expression(unit, expression));
  if (type.kind === "error") return null;
  if (value.kind !== "constant" || (type.kind !== "int" && type.kind !== "bool")) {
    unit.report("notConstant", expression.span);
    return null;
  }
  const bits = bigintValue(value);
  return type.isSigned ? BigInt.asIntN(type.bits, bits) : BigInt.asUintN(type.bits, bits);
}

/** `_Static_assert`. */
export function staticAssert(unit: Unit, { condition, message, span }: StaticAssert): void {
  if (constantNumber(unit, condition) !== 0) return;
  unit.report("staticAssert", span, [
    message?.kind === "string" ? `: ${message.texts.map((text) => text.slice(1, -1)).join("")}` : "",
  ]);
}

/** The number argument of an attribute; null: none. */
export function attributeNumbers(unit: Unit, attributes: readonly Attribute[], name: string): readonly number[] | null {
  const found = attributes.findLast((attribute) => attribute.name === name);
  if (found === undefined) return null;
  // A wrong one was reported already: 1 is right everywhere.
  return found.arguments.map((argument) => constantNumber(unit, argument) ?? 1);
}

function baseType(unit: Unit, base: BaseType, access: Qualifiers["access"] = null): CType {
  if (base.kind === "missing") return ERROR;
  if (base.kind === "record") return recordType(unit, base);
  if (base.kind === "enum") return enumType(unit, base);
  if (base.kind === "pipe") return pipeType(unit, base, access);
  if (base.kind === "typeof") return typeofType(unit, base).type;
  const meaning = unit.find(base.name);
  if (meaning?.kind === "type") return meaning.type.type;
  const type = namedType(base.name, unit.options.layout);
  if (type === null) {
    unit.report("unknownType", base.span, [base.name]);
    return ERROR;
  }
  const element = elementOf(type);
  if (element.bits === 64 && element.kind === "float" && !unit.options.layout.nativeF64)
    unit.report("needsExtension", base.span, ["double", "cl_khr_fp64"]);
  return type;
}

function pipeType(unit: Unit, base: Extract<BaseType, { kind: "pipe" }>, access: Qualifiers["access"]): CType {
  const packet = baseType(unit, base.packet);
  if (!requireComplete(unit, packet, base.span)) return ERROR;
  if (access === "read_write") unit.report("pipeUse", base.span, ["a pipe is read_only or write_only, not read_write"]);
  return pipeOf(packet, access === "write_only" ? "write_only" : "read_only");
}

/** Reports a pipe where none is allowed. */
function refusePipe(unit: Unit, type: CType, span: Span): void {
  if (type.kind === "pipe")
    unit.report("pipeUse", span, ["pipes are parameters of kernels and functions, and nothing else"]);
}

/** What `typeof` names; an expression's type comes without the qualifiers of a value. */
function typeofType(unit: Unit, { type, operand }: Extract<BaseType, { kind: "typeof" }>): Qualified {
  if (type !== null) return typeOfName(unit, type);
  if (operand === null) return plain(ERROR);
  const asked = unit.typeOnly(() => unit.parts.expression(unit, operand));
  return asked.kind === "lvalue" && asked.qualified !== null
    ? asked.qualified
    : { ...plain(asked.type), spelling: asked.spelling };
}

function fitsInt(value: bigint): boolean {
  return value === BigInt.asIntN(32, value);
}

/**
 * The type of an enum with these constants: int, as C99 6.7.2.2 has it, or, where they do not fit, what compilers in
 * use take: programs write tables of 64-bit numbers so.
 */
function enumTypeOf(values: readonly bigint[]): CType {
  if (values.every(fitsInt)) return INT;
  if (values.some((value) => value < 0n)) return LONG;
  return values.every((value) => value === BigInt.asUintN(32, value)) ? UINT : ULONG;
}

function enumType(unit: Unit, base: Extract<BaseType, { kind: "enum" }>): CType {
  checkAttributes(unit, base.attributes, "enum");
  let next = 0n;
  if (base.tag !== null) {
    const name = `enum ${base.tag}`;
    const known = base.values === null ? unit.findTag(base.tag) : (unit.tags.own(base.tag) ?? null);
    const isOpen = known?.name === name;
    if (known !== null && known.kind !== "int" && !isOpen)
      unit.report("tagKind", base.span, [base.tag, tagName(known), "an enum"]);
    else if (known !== null && base.values !== null && !isOpen) unit.report("redefined", base.span, [name]);
    if (known === null && base.values === null) {
      // Its constants come later, as compilers have it: until then it is a type without a size.
      const open = declareRecord(name, false);
      unit.tags.declare(base.tag, open);
      return open;
    }
    if (known === null || isOpen) {
      if (known !== null && base.values === null) return known;
      unit.tags.declare(base.tag, INT);
    } else if (base.values === null) return known.kind === "int" ? known : INT;
  }
  const wide: { readonly name: string; readonly span: Span; readonly value: bigint }[] = [];
  const values: bigint[] = [];
  for (const { name, value, span } of base.values ?? []) {
    if (value !== null) next = constantInteger(unit, value) ?? next;
    const earlier = unit.scopes.own(name);
    if (earlier !== undefined)
      unit.report("redefined", span, [name], { notes: declaredHere(earlier, "the first one is here") });
    const own = enumTypeOf([next]);
    unit.declare(name, { kind: "enum", span, value: constantInt(own.ir, next), type: own });
    values.push(next);
    if (!fitsInt(next)) wide.push({ name, span, value: next });
    next++;
  }
  const type = enumTypeOf(values);
  // After the list, what does not fit into an int has the type of the enum.
  for (const { name, span, value } of wide)
    unit.declare(name, { kind: "enum", span, value: constantInt(type.ir, value), type });
  if (base.tag !== null) unit.tags.declare(base.tag, type);
  return type;
}

/** Most bytes of an object: addresses of 32 bits reach no further in one step. */
const MOST_BYTES = 0x7fff_ffff;
/** Longest spelling of a record's members in the IR: records within records can double it again and again. */
const MOST_TEXT = 1 << 18;
/** What a tag names, with its article. */
function tagName(type: CType): string {
  return type.kind === "int" || type.name.startsWith("enum ") ? "an enum" : type.isUnion ? "a union" : "a struct";
}

function recordType(unit: Unit, base: Extract<BaseType, { kind: "record" }>): CType {
  const word = base.isUnion ? "union" : "struct";
  let record: CType | null = null;
  if (base.tag !== null) {
    record = base.members === null ? unit.findTag(base.tag) : (unit.tags.own(base.tag) ?? null);
  }
  if (
    record !== null &&
    (record.kind !== "record" || record.isUnion !== base.isUnion || record.name.startsWith("enum "))
  ) {
    unit.report("tagKind", base.span, [base.tag ?? "", tagName(record), `a ${word}`]);
    return ERROR;
  }
  if (record === null) {
    record = declareRecord(
      base.tag === null ? (base.typedefName ?? `${word} <unnamed>`) : `${word} ${base.tag}`,
      base.isUnion,
    );
    if (base.tag !== null) unit.tags.declare(base.tag, record);
  }
  if (base.members === null) return record;
  if (record.members !== null) {
    unit.report("redefined", base.span, [record.name]);
    return record;
  }
  checkMemberNames(unit, base.members);
  const members = base.members.flatMap((member, i) => memberTypes(unit, member, i + 1 === base.members?.length));
  const length = members.reduce((sum, { type }) => sum + type.type.ir.text.length, 0);
  if (length > MOST_TEXT) {
    unit.report("typeTooLarge", base.span, [record.name]);
    defineRecord(record, [], unit.options.layout, false, 0);
    return record;
  }
  for (const assert of base.asserts) staticAssert(unit, assert);
  checkAttributes(unit, base.attributes, "record");
  const isPacked = base.attributes.some((attribute) => attribute.name === "packed");
  const alignment = alignmentAsked(unit, base.attributes);
  defineRecord(record, members, unit.options.layout, isPacked, alignment);
  if (sizeOf(unit.options.layout, record.ir) <= MOST_BYTES) return record;
  unit.report("typeTooLarge", base.span, [record.name]);
  defineRecord(record, [], unit.options.layout, false, 0);
  return record;
}

/** Without a number, aligned requests the greatest alignment that any type has. */
const GREATEST_ALIGNMENT = 16;

/** The alignment that attributes request, in bytes; 0: none. */
export function alignmentAsked(unit: Unit, attributes: readonly Attribute[]): number {
  const found = attributes.findLast(({ name }) => name === "aligned");
  if (found === undefined) return 0;
  const [given] = found.arguments;
  const asked = given === undefined ? GREATEST_ALIGNMENT : constantNumber(unit, given);
  if (asked === null) return 0;
  if (asked >= 1 && Number.isInteger(Math.log2(asked))) return asked;
  unit.report("attribute", found.span, [`aligned takes a power of two, not ${asked}`]);
  return 0;
}

function memberTypes(
  unit: Unit,
  member: MemberDeclaration,
  isLast: boolean,
): { readonly name: string; readonly type: Qualified; readonly alignment: number; readonly isPacked: boolean }[] {
  const base = specifiedType(unit, member.specifiers);
  const shared = member.specifiers.attributes;
  if (member.declarators.length === 0 && member.specifiers.base.kind === "record")
    return [{ name: "", type: base, alignment: 0, isPacked: false }];
  return member.declarators.flatMap(({ declarator, attributes }) => {
    const { name, span } = declaredName(declarator);
    const type = declaredType(unit, base, declarator);
    if (
      !checkMember(unit, type, isLast, span) ||
      (!requireComplete(unit, type.type, span) && type.type.kind !== "error")
    )
      return [];
    if (isHandle(type.type)) unit.report("handleType", span, [spelledName(type), "a member of a struct or union"]);
    const all = [...shared, ...attributes];
    checkAttributes(unit, all, "member");
    return {
      name: name ?? "",
      type,
      alignment: alignmentAsked(unit, all),
      isPacked: all.some((attribute) => attribute.name === "packed"),
    };
  });
}

/** The alignment of a type by the language, in bytes. */
export function naturalAlignment(unit: Unit, type: CType): number {
  return alignmentOf(unit.options.layout, type.ir);
}

/** Reports a type that has no size. */
export function requireComplete(unit: Unit, type: CType, span: Span): boolean {
  if (type.kind === "error") return false;
  const isIncomplete =
    (type.kind === "record" && type.members === null) ||
    type.kind === "void" ||
    type.kind === "function" ||
    (type.kind === "array" && type.count < 0);
  if (isIncomplete) unit.report("incompleteType", span, [type.name]);
  refusePipe(unit, type, span);
  return !isIncomplete && type.kind !== "pipe";
}

/** The type that specifiers name, with their qualifiers. */
export function specifiedType(unit: Unit, specifiers: Specifiers): Qualified {
  const { qualifiers, base } = specifiers;
  const isPlain =
    base.kind === "named" &&
    !qualifiers.isConst &&
    !qualifiers.isVolatile &&
    !qualifiers.isRestrict &&
    qualifiers.addressSpace === null &&
    qualifiers.access === null;
  if (!isPlain) return qualifiedType(unit, specifiers);
  const meaning = unit.find(base.name);
  if (meaning?.kind === "type") return qualifiedType(unit, specifiers);
  let known = unit.plainTypes.get(base.name);
  if (known === undefined) {
    known = qualifiedType(unit, specifiers);
    if (known.type.kind !== "error") unit.plainTypes.set(base.name, known);
  }
  return known;
}

function qualifiedType(unit: Unit, specifiers: Specifiers): Qualified {
  const { qualifiers, base } = specifiers;
  let inherited: Qualified = plain(ERROR);
  if (base.kind === "named") {
    const meaning = unit.find(base.name);
    if (meaning?.kind === "type") inherited = meaning.type;
  }
  if (base.kind === "typeof") inherited = typeofType(unit, base);
  const type = withAccess(
    unit,
    base.kind === "typeof" ? inherited.type : baseType(unit, base, qualifiers.access),
    specifiers,
  );
  const qualified: Qualified = {
    type,
    isConst: qualifiers.isConst || inherited.isConst,
    isVolatile: qualifiers.isVolatile || inherited.isVolatile,
    isRestrict: qualifiers.isRestrict,
    space: qualifiers.addressSpace === null ? inherited.space : SPACES[qualifiers.addressSpace],
    isDeviceSized: inherited.isDeviceSized || (base.kind === "named" && DEVICE_SIZED.has(base.name)),
    spelling: baseSpelling(base, type, inherited),
  };
  checkRestrict(unit, specifiers, qualified);
  return qualified;
}

/** How specifiers name their type, where that is not its own name. */
function baseSpelling(base: BaseType, type: CType, inherited: Qualified): Spelling | null {
  if (type.kind === "error") return null;
  if (base.kind === "typeof") return inherited.spelling;
  if (base.kind === "enum" && base.tag !== null) return { name: `enum ${base.tag}`, aka: null, target: null };
  if (base.kind !== "named") return null;
  return inherited.type.kind === "error" ? wordSpelling(base.name, type) : typedefSpelling(base.name, inherited);
}

/** The type with the access that its qualifiers specify; images alone have one (6.6). */
function withAccess(unit: Unit, type: CType, { qualifiers, span }: Specifiers): CType {
  const { access } = qualifiers;
  if (access === null || type.kind === "error" || type.kind === "pipe") return type;
  if (type.access === null) {
    unit.report("accessQualifier", span, [access, type.name]);
    return type;
  }
  return imageWith(type, access);
}

/** The address space of what an unqualified pointer points to: private, generic where the language has it (6.5). */
function defaultTarget(unit: Unit): number {
  return isAvailable(unit.options, "__opencl_c_generic_address_space") ? GENERIC : PRIVATE;
}

function refusedHandle(
  unit: Unit,
  type: CType,
  declarator: Exclude<Declarator, { kind: "name" }>,
  role: string,
): Qualified {
  unit.report("handleType", declaredName(declarator).span, [type.name, role]);
  return declaredType(unit, plain(ERROR), declarator.inner);
}

/** Applies a declarator to a type. */
export function declaredType(unit: Unit, base: Qualified, declarator: Declarator): Qualified {
  switch (declarator.kind) {
    case "name":
      return base;
    case "pointer": {
      const { qualifiers } = declarator;
      if (isHandle(base.type)) return refusedHandle(unit, base.type, declarator, "the target of a pointer");
      refusePipe(unit, base.type, declaredName(declarator).span);
      if (base.type.kind === "function") {
        unit.report("pointerToFunction", declaredName(declarator).span);
        return declaredType(unit, plain(ERROR), declarator.inner);
      }
      const target = { ...base, space: base.space ?? defaultTarget(unit) };
      return declaredType(
        unit,
        {
          type: pointerTo(target),
          isConst: qualifiers.isConst,
          isVolatile: qualifiers.isVolatile,
          isRestrict: qualifiers.isRestrict,
          space: qualifiers.addressSpace === null ? null : SPACES[qualifiers.addressSpace],
          isDeviceSized: false,
          spelling: pointerSpelling(target),
        },
        declarator.inner,
      );
    }
    case "array": {
      let count = -1;
      if (isHandle(base.type)) return refusedHandle(unit, base.type, declarator, "an element of an array");
      refusePipe(unit, base.type, declarator.span);
      if (declarator.size !== null) {
        const size = constantNumber(unit, declarator.size, "badArraySize");
        if (size !== null && size < 0) unit.report("badArraySize", declarator.span);
        // GNU's array of no elements, as the last member of a struct most of all.
        count = size === 0 ? 0 : Math.max(1, size ?? 1);
      }
      if (
        base.type.kind === "void" ||
        base.type.kind === "function" ||
        (base.type.kind === "record" && base.type.members === null)
      )
        unit.report("incompleteType", declarator.span, [spelledName(base)]);
      else if (base.type.kind !== "error" && count * sizeOf(unit.options.layout, base.type.ir) > MOST_BYTES) {
        unit.report("typeTooLarge", declarator.span, [`${spelledName(base)}[${count}]`]);
        count = 1;
      }
      if (base.type.kind === "array" && base.type.count < 0) {
        unit.report("incompleteType", declarator.span, [spelledName(base)]);
        return declaredType(unit, plain(ERROR), declarator.inner);
      }
      return declaredType(
        unit,
        { ...base, type: arrayOf(base.type, count), spelling: arraySpelling(base.spelling, count) },
        declarator.inner,
      );
    }
    default: {
      const parameters = declarator.parameters.map((parameter) =>
        parameterType(unit, declaredType(unit, specifiedType(unit, parameter.specifiers), parameter.declarator)),
      );
      if (isHandle(base.type) && !unit.options.library)
        unit.report("handleType", declaredName(declarator).span, [base.type.name, "the result of a function"]);
      checkParameters(unit, declarator, parameters);
      checkResult(unit, base, declaredName(declarator).span);
      const result = { ...base, space: null };
      refusePipe(unit, base.type, declaredName(declarator).span);
      const [resultName = "", ...names] = [base, ...parameters].map(spelledName);
      const name = `${resultName}(${names.join(", ")})`;
      return declaredType(
        unit,
        plain(new CTypeClass("function", name, base.type.ir, { target: result, parameters })),
        declarator.inner,
      );
    }
  }
}

/** Arrays are passed as pointers. */
function parameterType(unit: Unit, type: Qualified): Qualified {
  if (type.type.kind !== "array" || type.type.target === null) return type;
  const target = {
    ...type,
    type: type.type.target.type,
    space: type.space ?? defaultTarget(unit),
    spelling: type.spelling?.target ?? null,
  };
  return { ...plain(pointerTo(target)), spelling: pointerSpelling(target) };
}

/** The type of a type name in a cast or sizeof. */
export function typeOfName(unit: Unit, name: TypeName): Qualified {
  return declaredType(unit, specifiedType(unit, name.specifiers), name.declarator);
}
