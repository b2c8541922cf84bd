// SPDX-License-Identifier: Apache-2.0
// Combining of neighbouring accesses of one work-item into one vector access (LLVM: load/store vectorizer): a structure
// or matrix row that each lane reads then costs one access a lane and shuffles, instead of one a lane and element. Done
// where the lanes' own addresses are not contiguous.
//
//   %a = load %p          %v = load %p: <4 x f32>
//   %b = load %p + 4  =>  %a = extract %v, 0 ...
//
// Per block: group accesses by base, index, scale and type; sort by offset; cut into runs between which nothing may
// alias; loads move up to the first of a run, stores down to the last. Cost: quadratic in a block's accesses to one
// base.
import {
  type Block,
  type DataLayout,
  I32,
  Instruction,
  Op,
  type Type,
  VOID,
  VOLATILE,
  type Value,
  constantInt,
  hasEffect,
  scalarOf,
  sizeOf,
  vectorType,
  MAX_VECTOR_LANES,
} from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";

/** An access to one element, by its address. */
interface Access {
  readonly instruction: Instruction;
  /** Bytes from the base. */
  readonly offset: number;
}

/** Accesses that share base, index, scale and type. */
interface Group {
  readonly base: Value;
  readonly index: Value | null;
  readonly scale: number;
  readonly type: Type;
  /** Bytes from lane to lane; null: not constant. */
  readonly stride: number | null;
  readonly members: Access[];
}

/** Most elements of a combined access. */
const WIDEST = 4;

/** A pointer as base + index · scale + offset. */
function parse(pointer: Value): Pick<Group, "base" | "index" | "scale"> & { readonly offset: number } {
  if (pointer.kind !== "instruction" || pointer.op !== Op.ADDRESS)
    return { base: pointer, index: null, scale: 0, offset: 0 };
  const [base, index] = pointer.operands;
  if (base === undefined) return { base: pointer, index: null, scale: 0, offset: 0 };
  if (index === undefined) {
    const inner = parse(base);
    return { ...inner, offset: inner.offset + pointer.offset };
  }
  return { base, index, scale: pointer.scale, offset: pointer.offset };
}

function isElement(type: Type): boolean {
  return scalarOf(type) === type && (type.kind === "float" || (type.kind === "int" && type.bits > 1));
}

/** Finds runs of loads (or of stores) in a block between which nothing can interfere. */
class Combiner {
  private readonly layout: DataLayout;
  private readonly divergence: Divergence;
  private readonly width: number;
  private groups: Group[] = [];
  changed = false;

  constructor(divergence: Divergence, layout: DataLayout, width: number) {
    this.divergence = divergence;
    this.layout = layout;
    this.width = width;
  }

  run(block: Block): void {
    for (const op of [Op.LOAD, Op.STORE]) {
      this.groups = [];
      for (const instruction of block.instructions.slice()) {
        if (instruction.op === op && this.take(instruction, block)) continue;
        const isInTheWay =
          op === Op.LOAD
            ? hasEffect(instruction.op, "w")
            : hasEffect(instruction.op, "w") || hasEffect(instruction.op, "r");
        if (isInTheWay || hasEffect(instruction.op, "c")) this.flush(block, op);
      }
      this.flush(block, op);
    }
  }

  /** True when an access can be part of a combined one. */
  private take(instruction: Instruction, block: Block): boolean {
    const pointer = instruction.op === Op.LOAD ? instruction.operands[0] : instruction.operands[1];
    const type = instruction.op === Op.LOAD ? instruction.type : instruction.operands[0]?.type;
    if (
      pointer === undefined ||
      type === undefined ||
      (instruction.flags & VOLATILE) !== 0 ||
      !isElement(type) ||
      this.divergence.isInterleaved(pointer)
    )
      return false;
    const stride = this.divergence.shapeAt(pointer, block);
    const bytes = sizeOf(this.layout, type);
    if (stride === 0 || stride === bytes || -(stride ?? 0) === bytes) return false;
    const { offset, ...address } = parse(pointer);
    const known = this.groups.find(
      (group) =>
        group.base === address.base &&
        group.index === address.index &&
        group.scale === address.scale &&
        group.type === type,
    );
    const access = { instruction, offset };
    // Stores to unknown addresses keep their order, and so do two stores to one address.
    const isApart = known === undefined || known.members.some((other) => Math.abs(other.offset - offset) < bytes);
    if (instruction.op === Op.STORE && isApart) this.flush(block, Op.STORE);
    if (known === undefined || isApart) this.groups.push({ ...address, type, stride, members: [access] });
    else known.members.push(access);
    return true;
  }

  private flush(block: Block, op: number): void {
    const { groups } = this;
    this.groups = [];
    for (const group of groups) {
      const bytes = sizeOf(this.layout, group.type);
      const sorted = group.members.toSorted((a, b) => a.offset - b.offset);
      for (let i = 0; i < sorted.length;) {
        const run: Access[] = [];
        for (
          let next = sorted[i];
          next !== undefined &&
          run.length < WIDEST &&
          (run.length === 0 || next.offset === (run[0]?.offset ?? 0) + run.length * bytes);
          next = sorted[i + run.length]
        )
          run.push(next);
        const length = run.length === 3 && group.stride !== 3 * bytes ? 2 : run.length;
        if (length > 1 && length * this.width <= MAX_VECTOR_LANES) this.combine(block, group, run.slice(0, length), op);
        i += Math.max(1, length);
      }
    }
  }

  /** Replaces several accesses by one. */
  private combine(block: Block, { base, index, scale, type }: Group, run: readonly Access[], op: number): void {
    const positions = run.map(({ instruction }) => block.instructions.indexOf(instruction));
    const [lowest] = run;
    if (lowest === undefined || positions.includes(-1)) return;
    this.changed = true;
    const { instruction: first, offset } = lowest;
    const wide = vectorType(type, run.length);
    // Loads move to the first of them, stores to the last.
    const at = op === Op.LOAD ? Math.min(...positions) : Math.max(...positions);
    const made: Instruction[] = [];
    const access = (code: number, result: Type, operands: Value[], location: Instruction["location"]): Instruction => {
      const instruction = new Instruction(code, result, operands, location);
      made.push(instruction);
      return instruction;
    };
    const address = access(Op.ADDRESS, base.type, index === null ? [base] : [base, index], first.location);
    address.scale = scale;
    address.offset = offset;
    if (op === Op.LOAD) {
      const load = access(Op.LOAD, wide, [address], first.location);
      load.alignment = first.alignment;
      load.aliasGroup = first.aliasGroup;
      block.instructions.splice(at, 0, ...made);
      for (const one of made) one.block = block;
      run.forEach(({ instruction }, lane) => {
        instruction.op = Op.EXTRACT;
        instruction.operands = [load, constantInt(I32, lane)];
        instruction.alignment = 0;
        instruction.aliasGroup = 0;
      });
      return;
    }
    const vector = access(
      Op.BUILD,
      wide,
      run.map(({ instruction }) => instruction.operands[0] ?? instruction),
      first.location,
    );
    const store = access(Op.STORE, VOID, [vector, address], first.location);
    store.alignment = first.alignment;
    store.aliasGroup = first.aliasGroup;
    for (const one of made) one.block = block;
    block.instructions.splice(at + 1, 0, ...made);
    const gone = new Set(run.map(({ instruction }) => instruction));
    block.instructions = block.instructions.filter((instruction) => !gone.has(instruction));
  }
}

/** Combines neighbouring accesses of a function; true when there were any. */
export function combineAccesses(divergence: Divergence, layout: DataLayout, width: number): boolean {
  const combiner = new Combiner(divergence, layout, width);
  for (const block of divergence.fn.blocks) combiner.run(block);
  return combiner.changed;
}
