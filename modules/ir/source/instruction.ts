// SPDX-License-Identifier: Apache-2.0
// The one class of all instructions. Its fields are set in the constructor in one order, so that passes stay
// monomorphic.
import type { Block, Global, IrFunction } from "./function.ts";
import type { Location } from "./location.ts";
import { OPS } from "./op.table.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** May be fused with a multiplication (or addition) next to it; the pass `contract` does so. @public */
export const CONTRACT = 1;
/** Operands and result are assumed not to be NaN. @public */
export const NO_NAN = 2;
/** Operands and result are assumed not to be infinite. @public */
export const NO_INFINITY = 4;
/** The sign of a zero does not matter. @public */
export const NO_SIGNED_ZERO = 8;
/** A division may become a multiplication by the reciprocal. @public */
export const RECIPROCAL = 16;
/** Operations may be reassociated. @public */
export const REASSOCIATE = 32;
/** An approximation is allowed. @public */
export const APPROXIMATE = 64;
/** Proved not to wrap as a signed operation. @public */
export const NO_SIGNED_WRAP = 128;
/** Proved not to wrap as an unsigned operation. @public */
export const NO_UNSIGNED_WRAP = 256;
/** A division or right shift that leaves no remainder. @public */
export const EXACT = 512;
/** A memory access that must be executed once, as written. @public */
export const VOLATILE = 1024;
/** A group operation or barrier in which those take part that arrive together. It must be preserved. @public */
export const NON_UNIFORM = 2048;

/**
 * A call of a built-in whose definition may fuse its own products and sums, on targets with a fused multiply-add.
 *
 * @public
 */
export const FUSED = 4096;

/** Names of the flags in the text form: bit i is entry i. @public */
export const FLAG_NAMES: readonly string[] = [
  "contract",
  "nnan",
  "ninf",
  "nsz",
  "arcp",
  "reassoc",
  "afn",
  "nsw",
  "nuw",
  "exact",
  "volatile",
  "non_uniform",
  "fused",
];

/** Memory order of an atomic operation, as the text form and OpenCL name it. @public */
export type MemoryOrder = "none" | "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst";
/** Scope of an atomic operation, fence or barrier. @public */
export type Scope = "none" | "work_item" | "sub_group" | "work_group" | "device" | "system";
/** What an atomic read-modify-write or a group operation combines by; `mul` and `fmul` are for groups only. @public */
export type AtomicKind =
  | "exchange"
  | "add"
  | "sub"
  | "and"
  | "or"
  | "xor"
  | "smin"
  | "smax"
  | "umin"
  | "umax"
  | "fadd"
  | "fmin"
  | "fmax"
  | "mul"
  | "fmul";

/** Bits of a barrier's `semantics`: which memory it orders. @public */
export const ORDER_LOCAL = 1;
/** Orders global memory. @public */
export const ORDER_GLOBAL = 2;
/** Orders image memory. @public */
export const ORDER_IMAGE = 4;

/** A row of the table of built-ins together with the OpenCL types of one overload: `max(uint4, uint4)`. @public */
export interface BuiltinReference {
  /** Discriminant of {@link SymbolReference}. */
  readonly kind: "builtin";
  /** Name of the row. */
  readonly name: string;
  /** OpenCL type names of the parameters, vectors as `float4`, pointers as `global float4*`. */
  readonly parameters: readonly string[];
}

/** A source variable, for debuggers. @public */
export interface DebugVariable {
  /** Discriminant of {@link SymbolReference}. */
  readonly kind: "variable";
  /** Name in the source. */
  readonly name: string;
  /** Type as the source writes it. */
  readonly typeName: string;
}

/** What the `symbol` of an instruction can be: called function, global variable, built-in, debug variable. @public */
export type SymbolReference = IrFunction | Global | BuiltinReference | DebugVariable;

const NO_LANES: readonly number[] = [];

/** Fields of atomics, group operations, shuffles and switches. */
class RareDetails {
  lanes: readonly number[];
  order: MemoryOrder;
  scope: Scope;
  semantics: number;
  atomicKind: AtomicKind;
  aliasGroup: number;

  constructor(source: RareDetails | null = null) {
    this.lanes = source === null ? NO_LANES : source.lanes;
    this.order = source === null ? "none" : source.order;
    this.scope = source === null ? "none" : source.scope;
    this.semantics = source === null ? 0 : source.semantics;
    this.atomicKind = source === null ? "exchange" : source.atomicKind;
    this.aliasGroup = source === null ? 0 : source.aliasGroup;
  }
}

/** Shared by the instructions without rare details; never written to. */
const NO_RARE_DETAILS = new RareDetails();

/**
 * Fields that few instructions need: in every instruction they would be half of a program's memory. Every sixth
 * instruction is an address or a variable, so the fields of the others are in a second object.
 */
class Details {
  name: string;
  offset: number;
  scale: number;
  elementType: Type | null;
  rare: RareDetails;

  constructor(source: Details | null = null) {
    this.name = source === null ? "" : source.name;
    this.offset = source === null ? 0 : source.offset;
    this.scale = source === null ? 0 : source.scale;
    this.elementType = source === null ? null : source.elementType;
    this.rare = source === null || source.rare === NO_RARE_DETAILS ? NO_RARE_DETAILS : new RareDetails(source.rare);
  }
}

/** Shared by the instructions without details; never written to. Not frozen: that would be a second hidden class. */
const NO_DETAILS = new Details();

/**
 * One instruction: op, type, operands and position. The op's row in {@link OPS} tells which fields have a meaning.
 *
 * @public
 */
export class Instruction {
  /** Discriminant of {@link Value}. */
  declare readonly kind: "instruction";
  /** Number of the op, an index into {@link OPS}. */
  op: number;
  /** Type of the result; void when there is none. */
  type: Type;
  /** Operands. Assign a list to an instruction without any: the empty one may be shared. */
  operands: Value[];
  /** Its block; null while it is in none. */
  block: Block | null;
  /** Bits of {@link FLAG_NAMES}. */
  flags: number;
  /** Its source location. */
  location: Location | null;
  /** Load, store, alloca: alignment in bytes. */
  alignment: number;
  /** `call`, `call_builtin`, `global_address`, `debug_value`. */
  symbol: SymbolReference | null;
  /** Terminators: the successors. Assign a list: the empty one is shared. */
  successors: Block[];
  /**
   * Terminators: the arguments for each successor's parameters. Assign lists, inner ones too: empty ones are shared.
   */
  successorArguments: Value[][];
  /** Its pending replacement, see `replaceLater`; null: none. */
  forward: Value | null;
  /** Scratch of the running pass: set before it is read, meaningless afterwards. */
  mark: number;
  /** Fields that few instructions need. */
  private details: Details;

  /** Makes an instruction that is in no block; the builder sets the other fields that its op needs. */
  constructor(op: number, type: Type, operands: Value[], location: Location | null) {
    this.op = op;
    this.type = type;
    this.operands = operands;
    this.block = null;
    this.flags = 0;
    this.location = location;
    this.alignment = 0;
    this.symbol = null;
    this.successors = NO_BLOCKS;
    this.successorArguments = NO_ARGUMENTS;
    this.forward = null;
    this.mark = 0;
    this.details = NO_DETAILS;
  }

  /** The details, to be written to. */
  private own(): Details {
    if (this.details === NO_DETAILS) this.details = new Details();
    return this.details;
  }

  /** The rare details, to be written to. */
  private ownRare(): RareDetails {
    const details = this.own();
    if (details.rare === NO_RARE_DETAILS) details.rare = new RareDetails();
    return details.rare;
  }

  /** Copies the details of another instruction. @internal */
  copyDetails(source: Instruction): void {
    this.details = source.details === NO_DETAILS ? NO_DETAILS : new Details(source.details);
  }

  /** Name for readers; may be empty. */
  get name(): string {
    return this.details.name;
  }

  set name(value: string) {
    if (value !== this.details.name) this.own().name = value;
  }

  /** `address`: byte offset; `spec_constant`: id. */
  get offset(): number {
    return this.details.offset;
  }

  set offset(value: number) {
    if (value !== this.details.offset) this.own().offset = value;
  }

  /** `address`: bytes an index step is worth. */
  get scale(): number {
    return this.details.scale;
  }

  set scale(value: number) {
    if (value !== this.details.scale) this.own().scale = value;
  }

  /** `alloca`: type of the variable. */
  get elementType(): Type | null {
    return this.details.elementType;
  }

  set elementType(value: Type | null) {
    if (value !== this.details.elementType) this.own().elementType = value;
  }

  /**
   * `shuffle`: which lanes; `switch`: the cases (numbers for at most 32 bits), one for each successor after the first.
   */
  get lanes(): readonly number[] {
    return this.details.rare.lanes;
  }

  set lanes(value: readonly number[]) {
    if (value !== this.details.rare.lanes) this.ownRare().lanes = value;
  }

  /** Atomic operations and fences. */
  get order(): MemoryOrder {
    return this.details.rare.order;
  }

  set order(value: MemoryOrder) {
    if (value !== this.details.rare.order) this.ownRare().order = value;
  }

  /** Atomic operations, fences, barriers, group operations. */
  get scope(): Scope {
    return this.details.rare.scope;
  }

  set scope(value: Scope) {
    if (value !== this.details.rare.scope) this.ownRare().scope = value;
  }

  /** `barrier`: bits of ORDER_LOCAL, ORDER_GLOBAL, ORDER_IMAGE. */
  get semantics(): number {
    return this.details.rare.semantics;
  }

  set semantics(value: number) {
    if (value !== this.details.rare.semantics) this.ownRare().semantics = value;
  }

  /** `atomic_rmw`, `group_reduce`, `group_scan_*`: what it computes. */
  get atomicKind(): AtomicKind {
    return this.details.rare.atomicKind;
  }

  set atomicKind(value: AtomicKind) {
    if (value !== this.details.rare.atomicKind) this.ownRare().atomicKind = value;
  }

  /** Alias group of a memory access; 0: none. Accesses of two different groups, neither 0, never alias. */
  get aliasGroup(): number {
    return this.details.rare.aliasGroup;
  }

  set aliasGroup(value: number) {
    if (value !== this.details.rare.aliasGroup) this.ownRare().aliasGroup = value;
  }

  /** True for the last instruction of a block. */
  get isTerminator(): boolean {
    return TERMINATORS[this.op] === true;
  }
}

// On the prototype: a field would cost each instruction a word.
Object.defineProperty(Instruction.prototype, "kind", { value: "instruction" });

/** The empty list of operands: shared, and frozen so that a push into it throws. @public */
export const NO_OPERANDS: Value[] = [];
Object.freeze(NO_OPERANDS);
// // Shared by instructions without successors: three arrays per instruction would be half of its memory. Frozen, so
// that a push into them throws.
const NO_BLOCKS: Block[] = [];
const NO_ARGUMENTS: Value[][] = [];
Object.freeze(NO_BLOCKS);
Object.freeze(NO_ARGUMENTS);

const TERMINATOR_RULES = new Set(["branch", "conditional-branch", "switch", "return", "unreachable"]);
const TERMINATORS: readonly boolean[] = OPS.map((row) => TERMINATOR_RULES.has(row.rule));

/** True when the op has the effect of this letter, see {@link OpRow.effects}. @public */
export function hasEffect(op: number, letter: "t" | "r" | "w" | "c" | "s" | "m"): boolean {
  return EFFECTS[letter][op] === true;
}

const withEffect = (letter: string): readonly boolean[] => OPS.map(({ effects }) => effects.includes(letter));
/** Which ops have an effect, by its letter. */
const EFFECTS = {
  t: withEffect("t"),
  r: withEffect("r"),
  w: withEffect("w"),
  c: withEffect("c"),
  s: withEffect("s"),
  m: withEffect("m"),
};

/** A copy that is in no block, with the same operands and successors. @public */
export function cloneInstruction(source: Instruction): Instruction {
  const copy = new Instruction(source.op, source.type, source.operands.slice(), source.location);
  copy.flags = source.flags;
  copy.alignment = source.alignment;
  copy.symbol = source.symbol;
  copy.copyDetails(source);
  if (source.successors.length > 0) {
    copy.successors = [...source.successors];
    copy.successorArguments = source.successorArguments.map((list) => [...list]);
  }
  return copy;
}
