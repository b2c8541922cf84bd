// SPDX-License-Identifier: Apache-2.0
// Initialisers of variables (C99 6.7.8): expressions, lists with designators, strings; for memory and for constant
// data. A list is flattened first: a path of subobjects, the innermost last, shows where the next value goes, and a
// designator sets the path. The leaves are then stored in memory, or encoded as bytes with relocations for pointers.
// What no leaf covers is zero.
import {
  type Constant,
  Global,
  I8,
  type Instruction,
  Op,
  type Value,
  alignmentOf,
  bigintValue,
  constantInt,
  constantLane,
  constantZero,
  sizeOf,
} from "@muxkit/ir";

import type { Expression, Initializer, InitializerList } from "../ast.ts";
import { type Designator, partAt, positionsOf, wayTo } from "./designators.ts";
import { stringBytes } from "./expressions.ts";
import { byteCount, convertImplicitly, copyRecord, rvalue } from "./convert.ts";
import { type CType, ERROR, type Qualified, arrayOf, plain } from "./ctype.ts";
import { constantNumber } from "./types.ts";
import { type Written, written, writtenEach } from "./spelling.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";
import { vectorOfParts } from "./vector-literals.ts";
import { literalBytes } from "../lex/literal.ts";

/**
 * One scalar, vector or record to be written at a byte offset: an expression, or the components of a vector in braces.
 */
interface Leaf {
  readonly of: Written;
  readonly offset: number;
  readonly value: Expression | InitializerList;
}

/** The next part to be filled of an aggregate. */
interface Subobject {
  readonly of: Written;
  readonly offset: number;
  position: number;
}

/** A union is full after one member. */
function advance(subobject: Subobject): void {
  subobject.position = subobject.of.type.isUnion ? Infinity : subobject.position + 1;
}

/** The part at a position, as it was written; types of elements are shared by all arrays of them, names are not. */
function writtenPart(unit: Unit, of: Written, position: number): { of: Written; offset: number } | null {
  const part = partAt(unit, of.type, position);
  if (part === null) return null;
  const { type, spelling } = part.type;
  return {
    of: { type, spelling: of.type.kind === "array" ? (of.spelling?.target ?? null) : spelling },
    offset: part.offset,
  };
}

/** Reads lists with braces left out, as C allows: one stream of items feeds nested aggregates. */
class Flattener {
  private readonly unit: Unit;
  readonly leaves: Leaf[] = [];
  readonly strings: { readonly offset: number; readonly bytes: Uint8Array; readonly room: number }[] = [];

  constructor(unit: Unit) {
    this.unit = unit;
  }

  /** Puts a whole initialiser at an offset. */
  whole(of: Written, offset: number, initializer: Initializer): void {
    const { type } = of;
    if (initializer.kind === "list") {
      const text = stringInBraces(type, initializer);
      if (text !== null) this.whole(of, offset, text);
      else if (type.kind === "array" || type.kind === "record") this.list(of, offset, initializer);
      else this.scalarList(of, offset, initializer);
    } else if (initializer.kind === "string" && takesString(type)) {
      const bytes = stringBytes(this.unit, initializer);
      if (bytes.length - 1 > type.count && type.count >= 0)
        this.unit.report("initializer", initializer.span, [
          `the string has ${bytes.length - 1} characters, but the array has room for ${type.count}`,
        ]);
      this.strings.push({ offset, bytes, room: type.count });
    } else if (type.kind === "array")
      this.unit.report("initializer", initializer.span, ["an array is initialised by a list in braces"]);
    else this.leaves.push({ of, offset, value: initializer });
  }

  private scalarList(of: Written, offset: number, list: InitializerList): void {
    const { type } = of;
    const [first, second] = list.items;
    const designated = list.items.find(({ designators }) => designators.length > 0);
    if (designated !== undefined)
      this.unit.report("initializer", designated.value.span, [
        `${written(of)} has no members or elements for a designator`,
      ]);
    else if (first === undefined) return;
    else if (type.kind === "vector" && first.value.kind !== "list") this.leaves.push({ of, offset, value: list });
    else if (second !== undefined)
      this.unit.report("initializer", second.value.span, [`${written(of)} takes one value`]);
    else this.whole(of, offset, first.value);
  }

  private list(of: Written, offset: number, list: InitializerList): void {
    // Where the next value goes: positions within aggregates, the innermost last. A designator sets them, and the
    // values after it continue from there (C99 6.7.8, 17).
    let path: Subobject[] = [{ of, offset, position: 0 }];
    for (let i = 0; i < list.items.length;) {
      const item = list.items[i];
      if (item === undefined) return;
      if (item.designators.length > 0) {
        const designated = this.designated(of, offset, item.designators);
        if (designated === null) {
          i++;
          continue;
        }
        ({ path } = designated);
        // All elements of a range but the last one, which goes the way of a single value.
        for (let more = designated.repeats; more > 0; more--) {
          const at = path.at(-1);
          const part = at === undefined ? null : writtenPart(this.unit, at.of, at.position);
          if (at === undefined || part === null) break;
          this.fill(part.of, at.offset + part.offset, list.items, i);
          advance(at);
        }
      }
      let subobject = path.at(-1);
      while (
        item.designators.length === 0 &&
        path.length > 1 &&
        subobject !== undefined &&
        partAt(this.unit, subobject.of.type, subobject.position) === null
      ) {
        path.pop();
        subobject = path.at(-1);
      }
      const part = subobject === undefined ? null : writtenPart(this.unit, subobject.of, subobject.position);
      if (part === null || subobject === undefined) {
        this.unit.report("initializer", item.value.span, [`${written(of)} has no room for this value`]);
        return;
      }
      i = this.fill(part.of, subobject.offset + part.offset, list.items, i);
      advance(subobject);
    }
  }

  private designated(
    of: Written,
    offset: number,
    designators: readonly Designator[],
  ): { readonly path: Subobject[]; readonly repeats: number } | null {
    const path: Subobject[] = [];
    let repeats = 0;
    let [at, inner] = [offset, of];
    for (const designator of designators) {
      for (const unnamed of designator.kind === "member" ? wayTo(inner.type, designator.name) : []) {
        const part = writtenPart(this.unit, inner, unnamed);
        if (part === null) return null;
        const outer = path.at(-1);
        if (outer !== undefined) advance(outer);
        path.push({ of: inner, offset: at, position: unnamed });
        at += part.offset;
        inner = part.of;
      }
      const positions = positionsOf(this.unit, inner.type, designator);
      const part = positions === null ? null : writtenPart(this.unit, inner, positions.first);
      if (positions === null || part === null) return null;
      const outer = path.at(-1);
      if (outer !== undefined) advance(outer);
      path.push({ of: inner, offset: at, position: positions.first });
      repeats = positions.last - positions.first;
      at += part.offset;
      inner = part.of;
    }
    return { path, repeats };
  }

  /**
   * Fills one part from the items at `i`; returns the next item's index. Items without designators may continue in a
   * nested aggregate.
   */
  private fill(of: Written, offset: number, items: InitializerList["items"], i: number): number {
    const { type } = of;
    const item = items[i];
    if (item === undefined) return i;
    const { value } = item;
    const isAggregate = type.kind === "array" || type.kind === "record";
    if (
      !isAggregate ||
      value.kind === "list" ||
      (value.kind === "string" && takesString(type)) ||
      this.isRecordValue(type, value)
    ) {
      this.whole(of, offset, value);
      return i + 1;
    }
    let next = i;
    for (let position = 0; next < items.length; position++) {
      const part = writtenPart(this.unit, of, position);
      const ahead = items[next];
      if (
        part === null ||
        ahead === undefined ||
        (next > i && ahead.designators.length > 0) ||
        (type.isUnion && position > 0)
      )
        break;
      next = this.fill(part.of, offset + part.offset, items, next);
    }
    return next;
  }

  /** True for an expression that is a record itself, not its first member. */
  private isRecordValue(type: CType, expression: Expression): boolean {
    return (
      type.kind === "record" &&
      this.unit.typeOnly(() => rvalue(this.unit, this.unit.parts.expression(this.unit, expression))).type === type
    );
  }
}

/** True for arrays of chars, which a string fills. */
function takesString(type: CType): boolean {
  const element = type.target?.type;
  return type.kind === "array" && element?.kind === "int" && element.bits === 8;
}

/** `{ "text" }` for an array of chars; null: something else. */
function stringInBraces(type: CType, list: InitializerList): Extract<Expression, { kind: "string" }> | null {
  const [only] = list.items;
  return takesString(type) && list.items.length === 1 && only?.designators.length === 0 && only.value.kind === "string"
    ? only.value
    : null;
}

function flatten(unit: Unit, of: Written, initializer: Initializer): Flattener {
  const flattener = new Flattener(unit);
  flattener.whole(of, 0, initializer);
  return flattener;
}

/** The element count that a list determines for an array without size. */
export function listLength(unit: Unit, element: Qualified, list: InitializerList): number {
  const [only] = list.items;
  if (
    only?.value.kind === "string" &&
    list.items.length === 1 &&
    element.type.kind === "int" &&
    element.type.bits === 8
  )
    return only.value.texts.reduce((sum, text) => sum + literalBytes(text).bytes.length, 1);
  let position = 0;
  let most = 0;
  const isAggregate = element.type.kind === "array" || element.type.kind === "record";
  if (isAggregate && list.items.every(({ value, designators }) => value.kind !== "list" && designators.length === 0)) {
    // Braces are left out: the highest index determines the number of elements.
    const { leaves, strings } = flatten(unit, { type: arrayOf(element.type, -1), spelling: null }, list);
    const furthest = [...leaves, ...strings].reduce((far, { offset }) => Math.max(far, offset), 0);
    return Math.floor(furthest / Math.max(1, sizeOf(unit.options.layout, element.type.ir))) + 1;
  }
  for (const { designators } of list.items) {
    const [first] = designators;
    if (first?.kind === "element") position = constantNumber(unit, first.last ?? first.index) ?? position;
    position++;
    most = Math.max(most, position);
  }
  return most;
}

/** True for the components of a vector in braces. */
function isVectorList(list: InitializerList): boolean {
  const [first] = list.items;
  return (
    first !== undefined &&
    first.value.kind !== "list" &&
    list.items.every(({ designators }) => designators.length === 0)
  );
}

/** The value of a leaf, in the leaf's type where that is a vector in braces. */
function leafValue(unit: Unit, of: Written, value: Leaf["value"]): Operand {
  if (value.kind !== "list") return rvalue(unit, unit.parts.expression(unit, value));
  return (
    vectorOfParts(
      unit,
      of,
      value.items.flatMap((item) => (item.value.kind === "list" ? [] : item.value)),
      value.span,
    ) ?? valueOf(ERROR, constantZero(of.type.ir))
  );
}

/** Writes an initialiser into a variable; what it leaves out is zero. */
export function initialize(
  unit: Unit,
  qualified: Qualified,
  address: Value,
  alignment: number,
  initializer: Initializer,
): void {
  const { type } = qualified;
  const { layout } = unit.options;
  if (type.kind === "atomic") {
    unit.report("atomicInitializer", initializer.span);
    return;
  }
  if (type.kind === "vector" && initializer.kind === "list" && isVectorList(initializer)) {
    unit.builder.store(leafValue(unit, qualified, initializer).value, address, alignment);
    return;
  }
  if (initializer.kind !== "list" && !(initializer.kind === "string" && type.kind === "array")) {
    const operand = rvalue(unit, unit.parts.expression(unit, initializer));
    unit.locate(initializer.span);
    if (type.kind === "record") {
      if (operand.type === type) copyRecord(unit, address, operand.value, type);
      else if (operand.type.kind !== "error")
        unit.report("cannotConvert", initializer.span, writtenEach([operand, qualified]));
    } else if (type.kind === "array")
      unit.report("initializer", initializer.span, ["an array is initialised by a list in braces"]);
    else
      unit.builder.store(
        convertImplicitly(unit, operand, type, initializer.span, qualified.spelling),
        address,
        alignment,
      );
    return;
  }
  const { leaves, strings } = flatten(unit, qualified, initializer);
  if (type.kind === "array" || type.kind === "record" || type.kind === "vector") {
    if (type.kind === "vector") unit.builder.store(constantZero(type.ir), address, alignment);
    else unit.builder.memoryFill(address, constantInt(I8, 0), byteCount(unit, sizeOf(layout, type.ir)), alignment);
  }
  for (const leaf of leaves) {
    const { type: leafType, spelling } = leaf.of;
    const target = leaf.offset === 0 ? address : unit.builder.address(address, null, 0, leaf.offset);
    initialize(
      unit,
      { ...plain(leafType), spelling },
      target,
      leafType.kind === "record" ? alignment : alignmentAt(alignment, leaf.offset, alignmentOf(layout, leafType.ir)),
      leaf.value,
    );
  }
  for (const { offset, bytes, room } of strings) {
    bytes.slice(0, room < 0 ? bytes.length : room).forEach((byte, i) => {
      unit.builder.store(constantInt(I8, byte), unit.builder.address(address, null, 0, offset + i), 1);
    });
  }
}

function alignmentAt(base: number, offset: number, natural: number): number {
  let alignment = Math.min(base, natural);
  while (alignment > 1 && offset % alignment !== 0) alignment /= 2;
  return alignment;
}

/** Data of a program-scope variable: bytes, and the addresses of other variables within them. */
export function constantData(unit: Unit, global: Global, of: Written, initializer: Initializer): void {
  const bytes = new Uint8Array(sizeOf(unit.options.layout, of.type.ir));
  const put = ({ type, spelling }: Written, offset: number, expression: Leaf["value"]): void => {
    const leafType = type.kind === "atomic" && type.element !== null ? type.element : type;
    const operand = leafValue(unit, { type: leafType, spelling }, expression);
    if (leafType.kind === "record" || operand.type.kind === "error") {
      if (operand.type.kind !== "error") unit.report("notConstant", expression.span);
      return;
    }
    const value = convertImplicitly(unit, operand, leafType, expression.span, spelling);
    if (value.kind === "constant") writeConstant(unit, bytes, offset, value);
    else if (!writeAddress(unit, global, offset, value)) unit.report("notConstant", expression.span);
  };
  if (initializer.kind !== "list" && initializer.kind !== "string") put(of, 0, initializer);
  else {
    const { leaves, strings } = flatten(unit, of, initializer);
    for (const leaf of leaves) put(leaf.of, leaf.offset, leaf.value);
    for (const { offset, bytes: text, room } of strings)
      bytes.set(text.slice(0, room < 0 ? text.length : room), offset);
  }
  global.initializer = bytes;
}

function writeConstant(unit: Unit, bytes: Uint8Array, offset: number, constant: Constant): void {
  const lanes = constant.type.kind === "vector" ? constant.type.count : 1;
  const scalar = constant.type.element ?? constant.type;
  const size = sizeOf(unit.options.layout, scalar);
  for (let i = 0; i < lanes; i++) {
    let bits = bigintValue(constantLane(constant, i));
    for (let j = 0; j < size; j++, bits >>= 8n) bytes[offset + i * size + j] = Number(bits & 255n);
  }
}

/** True for what makes one address of another by a constant; an int must hold it whole. */
function movesAddress(unit: Unit, { op, type }: Instruction): boolean {
  return (
    op === Op.ADDRESS ||
    op === Op.ADDRSPACECAST ||
    op === Op.INTTOPTR ||
    (op === Op.PTRTOINT && type.bits >= unit.options.layout.sizeBits)
  );
}

/** `&table[3]`: an address that is constant but for the base of the program's data. */
function writeAddress(unit: Unit, global: Global, offset: number, value: Value): boolean {
  let addend = 0;
  let current = value;
  while (
    current.kind === "instruction" &&
    current.operands.length === 1 &&
    current.operands[0] !== undefined &&
    movesAddress(unit, current)
  ) {
    addend += current.offset;
    current = current.operands[0];
  }
  if (current.kind !== "instruction" || !(current.symbol instanceof Global)) return false;
  global.relocations.push({ offset, target: current.symbol, addend });
  return true;
}
