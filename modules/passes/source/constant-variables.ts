// SPDX-License-Identifier: Apache-2.0
// constant-variables: a private array or struct that holds the same constants wherever it is read becomes a variable of
// constant memory. Shaders have tables so: a constant array that is indexed by a variable is stored to one first,
// element by element, each time. OpenCL C has them as `const` arrays of functions.
//
//   %v = alloca [64 x i32]                     global @v: constant, with initial bytes
//   store 1116352408, %v                  -->  %v = global_address @v
//   …                                          %e = load (address %v, %i)
//   %e = load (address %v, %i)
//
// A candidate is only read, at any address, and written at constant offsets by constants (stores, fills, copies from
// constant memory). Its image is what the stores and copies write; each byte of it has one value. Zero fills, which
// inlining writes for the zeros that a variable begins with, and other fills may undo that.
//
// A forward data-flow analysis with two states, "holds the image" and "may not", decides: the entry and a fill of other
// bytes lead to the second one, a block that has since then written every byte that is not zero in the image to the
// first. A candidate that is read in the second state stays. The analysis is optimistic, states only fall.
//
// Cost: one walk over the function, and for each of at most MOST_CANDIDATES variables a few walks over the blocks.
import {
  type Block,
  CONSTANT,
  type DataLayout,
  Global,
  I8,
  Instruction,
  type IrFunction,
  type Module,
  Op,
  VOLATILE,
  type Value,
  applyReplacements,
  clearMarks,
  pointerType,
  replaceLater,
  reversePostorder,
  sizeOf,
  walk,
} from "@muxkit/ir";

import { offsetFromBase, variableOf } from "./alias-analysis.ts";
import { constantBytesAt, writeConstantBytes } from "./constant-memory.ts";
import type { FunctionFrame } from "./pass.ts";

const MOST_CANDIDATES = 64;
/** Most bytes of a table. */
const MOST_BYTES = 2 ** 16;
/** Tables of fewer bytes are as fast in private memory, or become values. */
const LEAST_BYTES = 8;

/** What an instruction does to a candidate: reads it, or writes bytes from `offset` on. */
interface Touch {
  readonly instruction: Instruction;
  readonly isRead: boolean;
  readonly offset: number;
  /** What it writes; empty for a read. */
  readonly bytes: Uint8Array;
}

interface Candidate {
  readonly variable: Instruction;
  readonly size: number;
  /** In the order of the walk; blocks are contiguous in it. */
  readonly touches: Touch[];
  /** Debug values that say where it is. */
  readonly debugValues: Instruction[];
  isOpen: boolean;
}

const NOTHING = new Uint8Array(0);

class Finder {
  readonly candidates: Candidate[] = [];
  private readonly layout: DataLayout;

  constructor(fn: IrFunction, layout: DataLayout) {
    this.layout = layout;
    for (const variable of fn.entry.instructions) {
      const type = variable.elementType;
      if (variable.op !== Op.ALLOCA || (type?.kind !== "array" && type?.kind !== "struct")) continue;
      const size = sizeOf(layout, type);
      if (size >= LEAST_BYTES && size <= MOST_BYTES && this.candidates.length < MOST_CANDIDATES)
        this.candidates.push({ variable, size, touches: [], debugValues: [], isOpen: true });
    }
    if (this.candidates.length === 0) return;
    clearMarks(fn);
    this.candidates.forEach(({ variable }, i) => {
      variable.mark = i + 1;
    });
    walk(fn, (instruction) => {
      this.collect(instruction);
    });
  }

  private candidateOf(pointer: Value): Candidate | null {
    const variable = variableOf(pointer);
    return variable === null ? null : (this.candidates[variable.mark - 1] ?? null);
  }

  private collect(instruction: Instruction): void {
    const { op, operands, successorArguments } = instruction;
    if (op === Op.ADDRESS) return;
    if (op === Op.DEBUG_VALUE) {
      this.candidateOf(operands[0] as Value)?.debugValues.push(instruction);
      return;
    }
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i] as Value;
      const candidate = this.candidateOf(operand);
      if (candidate?.isOpen !== true) continue;
      const touch = (instruction.flags & VOLATILE) === 0 ? this.touchOf(instruction, i, candidate) : null;
      if (touch === null) candidate.isOpen = false;
      else candidate.touches.push(touch);
    }
    for (let edge = 0; edge < successorArguments.length; edge++)
      for (const value of successorArguments[edge] as Value[]) {
        const candidate = this.candidateOf(value);
        if (candidate !== null) candidate.isOpen = false;
      }
  }

  /** What an instruction does through one of its operands; null: more than is followed here. */
  private touchOf(instruction: Instruction, at: number, { size }: Candidate): Touch | null {
    const { op, operands } = instruction;
    if (op === Op.LOAD || (op === Op.MEMORY_COPY && at === 1))
      return { instruction, isRead: true, offset: 0, bytes: NOTHING };
    const bytes = at === (op === Op.STORE ? 1 : 0) ? this.writtenBy(op, operands, size) : null;
    const offset = offsetFromBase(operands[at] as Value);
    return bytes === null || offset === null || offset < 0 || offset + bytes.length > size
      ? null
      : { instruction, isRead: false, offset, bytes };
  }

  /** The bytes that a write of constants writes. */
  private writtenBy(op: number, [first, second, third]: readonly Value[], size: number): Uint8Array | null {
    if (op === Op.STORE) {
      if (first?.kind !== "constant") return null;
      const bytes = new Uint8Array(sizeOf(this.layout, first.type));
      return writeConstantBytes(bytes, 0, first, this.layout) ? bytes : null;
    }
    const count = third?.kind === "constant" && third.high === 0 ? third.low : -1;
    if (count <= 0 || count > size) return null;
    if (op === Op.MEMORY_FILL) return second?.kind === "constant" ? new Uint8Array(count).fill(second.low) : null;
    if (op !== Op.MEMORY_COPY) return null;
    return constantBytesAt(second, count, this.layout);
  }
}

/** What stores and copies write; null: a byte gets several values, or nothing but zeros is written. */
function imageOf({ size, touches }: Candidate): Uint8Array | null {
  const image = new Uint8Array(size);
  const isWritten = new Uint8Array(size);
  let isAny = false;
  for (const { instruction, isRead, offset, bytes } of touches) {
    if (isRead || instruction.op === Op.MEMORY_FILL) continue;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (isWritten[offset + i] === 1 && image[offset + i] !== byte) return null;
      isWritten[offset + i] = 1;
      image[offset + i] = byte;
      isAny ||= byte !== 0;
    }
  }
  return isAny ? image : null;
}

/** True when a write leaves the bytes of an image as they are. */
function isOfImage({ offset, bytes }: Touch, image: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== image[offset + i]) return false;
  return true;
}

/** Follows the touches of a block: the state at its end. `read` is told of reads where the image may not be. */
class BlockWalk {
  private readonly image: Uint8Array;
  private readonly needed: number;
  /** Bytes that have been written since the state fell, by a number that each fall raises. */
  private readonly writtenAt: Uint32Array;
  private epoch = 0;

  constructor(image: Uint8Array) {
    this.image = image;
    this.needed = image.reduce((count, byte) => count + (byte === 0 ? 0 : 1), 0);
    this.writtenAt = new Uint32Array(image.length);
  }

  /** The state at the end of a block; null: something is read that may not be the image. */
  run(touches: readonly Touch[], holdsAtStart: boolean, isStrict: boolean): boolean | null {
    const { image, needed, writtenAt } = this;
    let holds = holdsAtStart;
    let missing = needed;
    this.epoch++;
    for (const touch of touches) {
      if (touch.isRead) {
        if (!holds && isStrict) return null;
      } else if (!isOfImage(touch, image)) {
        holds = false;
        missing = needed;
        this.epoch++;
      } else if (!holds) {
        const { offset, bytes } = touch;
        for (let i = offset; i < offset + bytes.length; i++) {
          if (image[i] === 0 || writtenAt[i] === this.epoch) continue;
          writtenAt[i] = this.epoch;
          missing--;
        }
        holds = missing === 0;
      }
    }
    return holds;
  }
}

/** True when every read finds the image. */
function holdsWhereRead(
  { touches }: Candidate,
  image: Uint8Array,
  order: readonly Block[],
  predecessors: { get(block: Block): readonly Block[] | undefined },
): boolean {
  const byBlock = new Map<Block | null, Touch[]>();
  for (const touch of touches) {
    const list = byBlock.get(touch.instruction.block);
    if (list === undefined) byBlock.set(touch.instruction.block, [touch]);
    else list.push(touch);
  }
  const walkBlock = new BlockWalk(image);
  const fallen = new Set<Block>();
  const holdsAtStart = (block: Block): boolean =>
    block !== order[0] && (predecessors.get(block) ?? []).every((one) => !fallen.has(one));
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const block of order) {
      if (fallen.has(block)) continue;
      const own = byBlock.get(block);
      const start = holdsAtStart(block);
      if (own === undefined ? start : walkBlock.run(own, start, false) === true) continue;
      fallen.add(block);
      isChanged = true;
    }
  }
  return order.every((block) => {
    const own = byBlock.get(block);
    return own === undefined || walkBlock.run(own, holdsAtStart(block), true) !== null;
  });
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, i) => byte === right[i]);
}

/** Constant memory with these bytes: what the module has already, or a new variable. */
function tableOf(module: Module, variable: Instruction, image: Uint8Array): Global {
  const alignment = Math.max(1, variable.alignment);
  for (const known of module.globals.values())
    if (
      known.addressSpace === CONSTANT &&
      known.linkage === "internal" &&
      known.relocations.length === 0 &&
      known.initializer !== null &&
      isSame(known.initializer, image)
    ) {
      known.alignment = Math.max(known.alignment, alignment);
      return known;
    }
  const base = variable.name === "" ? "table" : variable.name;
  let name = base;
  for (let n = 1; module.globals.has(name) || module.functions.has(name); n++) name = `${base}.${n}`;
  const made = new Global(name, variable.elementType ?? I8, CONSTANT, alignment);
  made.linkage = "internal";
  made.initializer = image;
  return module.addGlobal(made);
}

/** Makes a variable the address of a table, and removes what writes it. */
function replace(fn: IrFunction, candidate: Candidate, table: Global, removed: Set<Instruction>): void {
  const { variable, touches, debugValues } = candidate;
  const made = new Instruction(Op.GLOBAL_ADDRESS, pointerType(CONSTANT), [], variable.location);
  made.symbol = table;
  made.block = fn.entry;
  const { instructions } = fn.entry;
  const begin = instructions.findIndex(({ op }) => op !== Op.ALLOCA);
  instructions.splice(Math.max(0, begin), 0, made);
  replaceLater(variable, made);
  removed.add(variable);
  for (const { instruction, isRead } of touches) if (!isRead) removed.add(instruction);
  for (const instruction of debugValues) removed.add(instruction);
}

/** Moves private variables that hold constants to constant memory; true when there is any. */
export function constantVariables(fn: IrFunction, { module, analyses }: FunctionFrame): boolean {
  const { candidates } = new Finder(fn, module.layout);
  const open = candidates.filter(({ isOpen, touches }) => isOpen && touches.some(({ isRead }) => isRead));
  if (open.length === 0) return false;
  const predecessors = analyses.get("predecessors");
  const order = reversePostorder(fn);
  const removed = new Set<Instruction>();
  for (const candidate of open) {
    const image = imageOf(candidate);
    if (image !== null && holdsWhereRead(candidate, image, order, predecessors))
      replace(fn, candidate, tableOf(module, candidate.variable, image), removed);
  }
  if (removed.size === 0) return false;
  for (const block of fn.blocks)
    block.instructions = block.instructions.filter((instruction) => !removed.has(instruction));
  applyReplacements(fn);
  // Addresses of constant memory are pointers to it.
  for (const block of reversePostorder(fn))
    for (const instruction of block.instructions) {
      const [base] = instruction.operands;
      if (instruction.op === Op.ADDRESS && instruction.type.kind === "pointer" && base?.type.kind === "pointer")
        instruction.type = base.type;
    }
  return true;
}
