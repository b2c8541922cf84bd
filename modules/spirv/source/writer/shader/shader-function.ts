// SPDX-License-Identifier: Apache-2.0
// The body of a compute shader's function. Parameters of blocks are variables; so are values that are used where their
// block does not come before by the structure. Pointers are an object and an offset in bytes (roots.ts).
import { type Block, I1, I32, type Instruction, type Type, type Value, intType, scalarOf } from "@muxkit/ir";

import { enumerant } from "../../grammar/tables.ts";
import { nullOf, numberId } from "../constants.ts";
import { FunctionWriter, type RowTable } from "../function-writer.ts";
import { append } from "../module-writer.ts";
import { loopControl } from "../control-rows.ts";
import { pointerTo } from "../types.ts";
import { written } from "../written.ts";
import { type Root, type Roots, type Unit, bytesOf } from "./roots.ts";
import type { Part, Sequence, Structure } from "./structure.ts";

const VARIABLE = written("OpVariable");
const LOAD = written("OpLoad");
const STORE = written("OpStore");
const LABEL = written("OpLabel");
const BRANCH = written("OpBranch");
const CONDITIONAL = written("OpBranchConditional");
const SWITCH = written("OpSwitch");
const SELECTION = written("OpSelectionMerge");
const LOOP = written("OpLoopMerge");
const UNREACHABLE = written("OpUnreachable");
const EQUAL = written("OpIEqual");
const LOGICAL_OR = written("OpLogicalOr");
const CHAIN = written("OpAccessChain");
const ADD = written("OpIAdd");
const SHIFT_RIGHT = written("OpShiftRightLogical");
const SHIFT_LEFT = written("OpShiftLeftLogical");
const OR = written("OpBitwiseOr");
const UCONVERT = written("OpUConvert");
const BITCAST = written("OpBitcast");
const CONSTRUCT = written("OpCompositeConstruct");
const EXTRACT = written("OpCompositeExtract");
const NOT_EQUAL = written("OpINotEqual");
const SELECT = written("OpSelect");

const FUNCTION = enumerant("StorageClass", "Function");

/** A pointer: an object, and the offset as an id (0: none) plus a number. */
export interface Place {
  readonly root: Root;
  readonly offset: number;
  readonly bytes: number;
}

/** An object as a variable: an array of units, which a member of a struct may be. */
export interface View {
  readonly variable: number;
  readonly storage: number;
  /** Ids of indices before that of the element. */
  readonly path: readonly number[];
  /** Type of an element. */
  readonly element: number;
  readonly unit: Unit;
  /** Bytes before the object. */
  readonly base: number;
}

/** How an object is seen when a scalar of some bytes is accessed. */
export type ViewOf = (f: ShaderFunction, root: Root, scalar: Type, bytes: number) => View;

/** What is carried from block to block in memory. */
interface Slot {
  readonly variable: number;
  readonly type: number;
}

const log2 = (value: number): number => Math.log2(value);

/** See the file's head. */
export class ShaderFunction extends FunctionWriter {
  private readonly structure: Structure;
  private readonly roots: Roots;
  private readonly viewOf: ViewOf;
  private readonly rows: RowTable;
  private readonly variables: number[] = [];
  private readonly slots = new Map<Value, Slot>();
  private readonly parameters = new Map<Value, Slot>();
  private readonly places = new Map<Value, Place>();
  /** The block that each value is defined in. */
  private readonly homes = new Map<Value, Block>();
  private readonly carried = new Set<Value>();
  private loaded = new Map<Value, number>();
  private current: Block | null = null;
  private selector = 0;
  /** True after a branch that ends the block that is written. */
  private isEnded = false;
  private readonly loops: { readonly merge: number; readonly next: number }[] = [];

  constructor(
    parts: FunctionWriter["parts"],
    source: FunctionWriter["source"],
    given: { readonly structure: Structure; readonly roots: Roots; readonly viewOf: ViewOf; readonly rows: RowTable },
  ) {
    super(parts, source);
    this.structure = given.structure;
    this.roots = given.roots;
    this.viewOf = given.viewOf;
    this.rows = given.rows;
  }

  /** All words of the body. */
  body(): number[] {
    this.findCarried();
    const { structure } = this;
    if (structure.said.size > 0) this.selector = this.variable(this.type(I32));
    for (const [value, make] of this.later) this.define(value, make());
    this.sequence(structure.body);
    if (!this.isEnded) this.emit(UNREACHABLE);
    const all: number[] = [];
    append(all, LABEL, [this.w.id()]);
    return [...all, ...this.variables, ...this.words];
  }

  /** Adds a variable of the function; `initial`: its value when the function is entered. */
  variable(type: number, initial: number = 0): number {
    const id = this.w.id();
    append(this.variables, VARIABLE, [
      pointerTo(this.w, FUNCTION, type),
      id,
      FUNCTION,
      ...(initial === 0 ? [] : [initial]),
    ]);
    return id;
  }

  /** Values that are used where the structure does not have their block before. */
  private findCarried(): void {
    const { scopes } = this.structure;
    for (const block of scopes.keys()) {
      for (const parameter of block.parameters) this.homes.set(parameter, block);
      for (const instruction of block.instructions) this.homes.set(instruction, block);
    }
    const use = (value: Value, at: Block): void => {
      const home = this.homes.get(value);
      if (home === undefined || home === at) return;
      const own = scopes.get(home)?.at(-1);
      if (own === undefined || scopes.get(at)?.includes(own) !== true) this.carried.add(value);
    };
    for (const block of scopes.keys())
      for (const { operands, successorArguments } of block.instructions) {
        for (const value of operands) use(value, block);
        for (const list of successorArguments) for (const value of list) use(value, block);
      }
  }

  override value(value: Value): number {
    if (value.type.kind === "pointer") return this.refuse("a shader's pointers cannot be values");
    const slot = this.slots.get(value);
    if (slot === undefined || this.homes.get(value) === this.current) return super.value(value);
    return this.reload(value, slot);
  }

  private reload(value: Value, slot: Slot): number {
    let id = this.loaded.get(value);
    if (id === undefined) this.loaded.set(value, (id = this.make(LOAD, slot.type, slot.variable)));
    return id;
  }

  override define(value: Value, id: number, target: number = 0): number {
    super.define(value, id, target);
    this.keep(value, id, value.type);
    return id;
  }

  private keep(value: Value, id: number, type: Type): void {
    if (!this.carried.has(value) || id === 0) return;
    const own = this.type(type);
    const slot = { variable: this.variable(own), type: own };
    this.slots.set(value, slot);
    this.emit(STORE, slot.variable, id);
  }

  private readonly privateViews = new Map<Root, View>();

  /** The view of a variable of this function. */
  privateView(root: Root, make: () => View): View {
    let view = this.privateViews.get(root);
    if (view === undefined) this.privateViews.set(root, (view = make()));
    return view;
  }

  private readonly later = new Map<Value, () => number>();

  /** An argument that is loaded where the function begins. */
  defineLater(value: Value, make: () => number): void {
    this.later.set(value, make);
  }

  /** Says where a pointer points. */
  place(value: Value, place: Place): void {
    this.places.set(value, place);
    this.keep(value, place.offset, I32);
  }

  /** Where a pointer points. */
  placeOf(value: Value): Place {
    const known = this.places.get(value);
    if (known !== undefined) {
      const slot = this.slots.get(value);
      if (slot === undefined || this.homes.get(value) === this.current) return known;
      return { ...known, offset: this.reload(value, slot) };
    }
    return { root: this.rootOf(value), offset: 0, bytes: 0 };
  }

  /** The object that a pointer points into. */
  rootOf(value: Value): Root {
    const location = value.kind === "instruction" ? value : null;
    return (
      this.roots.of(value) ??
      this.refuse(
        "a pointer of a shader must point into one argument or variable, and this one may be of several, or null",
        location,
      )
    );
  }

  /** The sum of an offset and a number. */
  plus(offset: number, more: number): number {
    return offset === 0 ? more : more === 0 ? offset : this.make(ADD, this.type(I32), offset, more);
  }

  /** The pointer to the element of a view at a place plus some bytes. */
  private element(view: View, { offset, bytes }: Place, more: number): number {
    const shift = log2(view.unit.bytes);
    const constant = bytes + more + view.base;
    const int = this.type(I32);
    let index: number;
    if (offset === 0) index = this.number(Math.floor(constant / view.unit.bytes));
    else if (constant % view.unit.bytes === 0) {
      const own = shift === 0 ? offset : this.make(SHIFT_RIGHT, int, offset, this.number(shift));
      const rest = Math.floor(constant / view.unit.bytes);
      index = rest === 0 ? own : this.make(ADD, int, own, this.number(rest));
    } else {
      const sum = this.make(ADD, int, offset, this.number(constant));
      index = shift === 0 ? sum : this.make(SHIFT_RIGHT, int, sum, this.number(shift));
    }
    return this.make(CHAIN, pointerTo(this.w, view.storage, view.element), view.variable, ...view.path, index);
  }

  /** The pointer that an atomic operation takes. */
  atomic(pointer: Value, type: Type): number {
    const place = this.placeOf(pointer);
    const bytes = bytesOf(type);
    const view = this.viewOf(this, place.root, type, bytes);
    if (view.unit.bytes !== bytes || view.element !== this.type(type))
      return this.refuse(
        "an atomic operation works on an object that is accessed as numbers of another kind or size too",
      );
    return this.element(view, place, 0);
  }

  /** Loads a value of a type. */
  load(type: Type, pointer: Value, alignment: number): number {
    const place = this.placeOf(pointer);
    const scalar = scalarOf(type);
    const count = type.kind === "vector" ? type.count : 1;
    const lanes = Array.from({ length: count }, (_, n) =>
      this.loadScalar(scalar, place, n * bytesOf(scalar), alignment),
    );
    return count === 1 ? (lanes[0] ?? 0) : this.make(CONSTRUCT, this.type(type), ...lanes);
  }

  private viewFor(place: Place, scalar: Type, alignment: number): View {
    return this.viewOf(this, place.root, scalar, Math.min(bytesOf(scalar), Math.max(1, alignment)));
  }

  /** Loads a scalar at a place plus some bytes. */
  loadScalar(scalar: Type, place: Place, more: number, alignment: number): number {
    const view = this.viewFor(place, scalar, alignment);
    const bytes = bytesOf(scalar);
    const count = bytes / view.unit.bytes;
    if (view.unit.scalar === scalar) return this.make(LOAD, view.element, this.element(view, place, more));
    const whole = intType(bytes * 8);
    const type = this.type(whole);
    let bits = 0;
    for (let n = 0; n < count; n++) {
      const unit = this.make(LOAD, view.element, this.element(view, place, more + n * view.unit.bytes));
      const wide = count === 1 ? unit : this.make(UCONVERT, type, unit);
      const moved =
        n === 0 ? wide : this.make(SHIFT_LEFT, type, wide, numberId(this.w, whole, n * view.unit.bytes * 8));
      bits = n === 0 ? moved : this.make(OR, type, bits, moved);
    }
    if (scalar === I1) return this.make(NOT_EQUAL, this.type(I1), bits, numberId(this.w, whole, 0));
    return scalar === whole ? bits : this.make(BITCAST, this.type(scalar), bits);
  }

  /** Stores a value. */
  store(value: Value, pointer: Value, alignment: number): void {
    const place = this.placeOf(pointer);
    const scalar = scalarOf(value.type);
    const id = this.value(value);
    if (value.type.kind !== "vector") this.storeScalar(scalar, id, place, 0, alignment);
    else
      for (let n = 0; n < value.type.count; n++) {
        const lane = this.make(EXTRACT, this.type(scalar), id, n);
        this.storeScalar(scalar, lane, place, n * bytesOf(scalar), alignment);
      }
  }

  /** Stores a scalar at a place plus some bytes. */
  storeScalar(scalar: Type, id: number, place: Place, more: number, alignment: number): void {
    const view = this.viewFor(place, scalar, alignment);
    const bytes = bytesOf(scalar);
    const count = bytes / view.unit.bytes;
    if (view.unit.scalar === scalar) {
      this.emit(STORE, this.element(view, place, more), id);
      return;
    }
    const whole = intType(bytes * 8);
    const type = this.type(whole);
    const bits =
      scalar === I1
        ? this.make(SELECT, type, id, numberId(this.w, whole, 1), numberId(this.w, whole, 0))
        : scalar === whole
          ? id
          : this.make(BITCAST, type, id);
    for (let n = 0; n < count; n++) {
      const by = numberId(this.w, whole, n * view.unit.bytes * 8);
      const moved = n === 0 ? bits : this.make(SHIFT_RIGHT, type, bits, by);
      const unit = count === 1 ? moved : this.make(UCONVERT, view.element, moved);
      this.emit(STORE, this.element(view, place, more + n * view.unit.bytes), unit);
    }
  }

  private begin(id: number): void {
    append(this.words, LABEL, [id]);
    this.isEnded = false;
    this.loaded = new Map();
  }

  private branchTo(label: number): void {
    if (!this.isEnded) this.emit(BRANCH, label);
    this.isEnded = true;
  }

  private sequence(parts: Sequence): void {
    for (const part of parts) {
      if (this.isEnded) return;
      this.part(part);
    }
  }

  private part(part: Part): void {
    switch (part.kind) {
      case "code":
        return this.code(part.block);
      case "edge":
        return this.take(part.from, part.index, part.to);
      case "if":
        return this.choose(this.condition(part.from), part.yes, part.no);
      case "switch":
        return this.select(part.from, part.arms);
      case "loop":
        return this.loop(part.header, part.body);
      case "guard":
        return this.choose(this.comesNext(part.blocks), part.body, []);
      case "break":
        return this.branchTo(this.loops.at(-1)?.merge ?? 0);
      case "continue":
        return this.branchTo(this.loops.at(-1)?.next ?? 0);
      default:
        this.row(part.from);
        this.isEnded = true;
    }
    return undefined;
  }

  private row(instruction: Instruction): void {
    this.instruction(this.rows, instruction);
  }

  private code(block: Block): void {
    this.current = block;
    this.loaded = new Map();
    for (const parameter of block.parameters) {
      const slot = this.parameterSlot(parameter);
      const id = this.make(LOAD, slot.type, slot.variable);
      if (parameter.type.kind === "pointer")
        this.place(parameter, { root: this.rootOf(parameter), offset: id, bytes: 0 });
      else this.define(parameter, id);
    }
    for (const instruction of block.instructions) if (!instruction.isTerminator) this.row(instruction);
  }

  private parameterSlot(parameter: Value): Slot {
    let slot = this.parameters.get(parameter);
    if (slot === undefined) {
      const type = this.type(parameter.type.kind === "pointer" ? I32 : parameter.type);
      this.parameters.set(parameter, (slot = { variable: this.variable(type), type }));
    }
    return slot;
  }

  /** The offset of a place as one id. */
  offsetOf({ offset, bytes }: Place): number {
    return bytes === 0 && offset !== 0 ? offset : this.plus(offset, this.number(bytes));
  }

  private take(from: Instruction, index: number, to: Block): void {
    this.current = from.block;
    const values = (from.successorArguments[index] ?? []).map((value) =>
      value.type.kind === "pointer" ? this.offsetOf(this.placeOf(value)) : this.value(value),
    );
    values.forEach((id, n) => {
      const parameter = to.parameters[n];
      if (parameter !== undefined) this.emit(STORE, this.parameterSlot(parameter).variable, id);
    });
    if (this.structure.said.has(to)) this.emit(STORE, this.selector, this.number(to.number));
  }

  private condition(from: Instruction): number {
    this.current = from.block;
    return this.value(from.operands[0] as Value);
  }

  private comesNext(blocks: readonly Block[]): number {
    const which = this.make(LOAD, this.type(I32), this.selector);
    let found = 0;
    for (const block of blocks) {
      const is = this.make(EQUAL, this.type(I1), which, this.number(block.number));
      found = found === 0 ? is : this.make(LOGICAL_OR, this.type(I1), found, is);
    }
    return found;
  }

  private choose(condition: number, yes: Sequence, no: Sequence): void {
    const { w } = this;
    const merge = w.id();
    const [first, second] = [w.id(), no.length === 0 ? merge : w.id()];
    this.emit(SELECTION, merge, 0);
    this.emit(CONDITIONAL, condition, first, second);
    this.begin(first);
    this.sequence(yes);
    let isReached = !this.isEnded;
    this.branchTo(merge);
    if (no.length > 0) {
      this.begin(second);
      this.sequence(no);
      isReached = !this.isEnded || isReached;
      this.branchTo(merge);
    } else isReached = true;
    this.join(merge, isReached);
  }

  /** The block behind a construct; nothing follows where it cannot be reached. */
  private join(merge: number, isReached: boolean): void {
    this.begin(merge);
    if (isReached) return;
    this.emit(UNREACHABLE);
    this.isEnded = true;
  }

  private select(from: Instruction, arms: readonly Sequence[]): void {
    const { w } = this;
    const selector = this.condition(from);
    const { bits } = (from.operands[0] as Value).type;
    const merge = w.id();
    const labels = arms.map(() => w.id());
    const mask = bits >= 32 ? 0xffff_ffff : 2 ** bits - 1;
    const cases = labels.slice(1).flatMap((label, n) => {
      const value = from.lanes[n] ?? 0;
      const low = (value & mask) >>> 0;
      return bits === 64 ? [low, Math.floor(value / 2 ** 32) >>> 0, label] : [low, label];
    });
    this.emit(SELECTION, merge, 0);
    this.emit(SWITCH, selector, labels[0] ?? merge, ...cases);
    let isReached = false;
    arms.forEach((arm, n) => {
      this.begin(labels[n] ?? 0);
      this.sequence(arm);
      isReached = !this.isEnded || isReached;
      this.branchTo(merge);
    });
    this.join(merge, isReached);
  }

  private loop(header: Block, body: Sequence): void {
    const { w } = this;
    const [head, inside, next, merge] = [w.id(), w.id(), w.id(), w.id()];
    this.branchTo(head);
    this.begin(head);
    this.emit(LOOP, merge, next, ...(loopControl(header.unroll === 1 ? 1 : 0) ?? [0]));
    this.emit(BRANCH, inside);
    this.begin(inside);
    this.loops.push({ merge, next });
    this.sequence(body);
    this.loops.pop();
    this.branchTo(next);
    this.begin(next);
    this.emit(BRANCH, head);
    this.join(merge, hasBreak(body));
  }

  /** The zero of a type. */
  zero(type: number): number {
    return nullOf(this.w, type);
  }
}

/** True where a loop's body leaves it. */
function hasBreak(parts: Sequence): boolean {
  return parts.some((part) => {
    if (part.kind === "break") return true;
    if (part.kind === "if") return hasBreak(part.yes) || hasBreak(part.no);
    if (part.kind === "switch") return part.arms.some(hasBreak);
    return part.kind === "guard" && hasBreak(part.body);
  });
}
