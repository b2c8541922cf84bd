// SPDX-License-Identifier: Apache-2.0
// Where large functions are cut: a partition of a function's blocks into pieces of limited size that have one entry
// each. cut-function.ts makes functions of them.
//
// A piece is a connected part of the dominator tree. Cost and shape come from one walk up the tree: a block's weight is
// its own and that of its children that have not been cut off; where it reaches the limit, the block becomes the top of
// a piece. Outside of loops a part of the limit is enough, so that loops stay whole where they can. Control enters a
// piece at its top only: a block that another piece branches to becomes a top too, until there is none left (the
// closure of leaders in K. Cooper, L. Torczon, "Engineering a Compiler", chapter 4, on the dominator tree). A block
// that is too large itself is split first, where the fewest registers are live.
//
// Cost: linear in instructions, and in edges for each round of the closure, of which there are few.
import { type Block, Instruction, type IrFunction, Op, VOID, type Value, dominators, listOf, loops } from "@muxkit/ir";
import { costOfOp, registersOf } from "@muxkit/machine-target";

import { SET_STACK } from "./intrinsics.ts";
import { WASM_MACHINE } from "./machine.ts";

/** Bytes of code for a unit of cost, and for a register that is moved: of the code of kernels, by measurement. */
const BYTES_PER_UNIT = 8;
const BYTES_PER_MOVE = 5;
/** Bytes of a scalar operation and its local. */
const LEAST_BYTES = 5;

/** Bytes of code that an instruction takes, more or less. */
export function codeBytes({ op, type, operands, successors, successorArguments }: Instruction): number {
  const [first] = operands;
  let bytes = LEAST_BYTES;
  if (type.kind === "vector" || first?.type.kind === "vector") {
    const moved = type === VOID && first !== undefined ? first.type : type;
    bytes += costOfOp(WASM_MACHINE, op, { type: moved, pointer: first?.type ?? null }) * BYTES_PER_UNIT;
    for (const operand of operands) bytes += registersOf(WASM_MACHINE, operand.type) * BYTES_PER_MOVE;
  } else bytes += operands.length * 2;
  bytes += successors.length * 2;
  for (const list of successorArguments)
    for (const value of list) bytes += registersOf(WASM_MACHINE, value.type) * BYTES_PER_MOVE;
  return bytes;
}

/** Bytes of code of a function, more or less. */
export function functionBytes(fn: IrFunction): number {
  let bytes = 0;
  for (const { instructions } of fn.blocks) for (const instruction of instructions) bytes += codeBytes(instruction);
  return bytes;
}

function registersLive(value: Value): number {
  return registersOf(WASM_MACHINE, value.type);
}

/** Moves the instructions of a block from a position on into a new block. */
function splitAt(block: Block, at: number): Block {
  const rest = block.owner.addBlock(block.name);
  for (const instruction of block.instructions.splice(at)) rest.append(instruction);
  const branch = new Instruction(Op.BR, VOID, [], rest.instructions[0]?.location ?? null);
  branch.successors = listOf(rest);
  branch.successorArguments = [[]];
  block.append(branch);
  return rest;
}

/**
 * Ends the entry where the function's variables and its stack are set up: the rest of it can be cut. Variables come
 * first.
 */
function splitEntry({ entry }: IrFunction): void {
  const variables = entry.instructions.filter(({ op }) => op === Op.ALLOCA);
  entry.instructions = [...variables, ...entry.instructions.filter(({ op }) => op !== Op.ALLOCA)];
  const last = entry.instructions.findLastIndex(
    ({ symbol }) => symbol?.kind === "function" && symbol.name === SET_STACK,
  );
  splitAt(entry, Math.max(last + 1, variables.length));
}

/** Splits a block into blocks of at most `limit` bytes, where few registers are live. */
function splitLong(block: Block, limit: number): void {
  const { instructions } = block;
  const lastUse = new Map<Value, number>();
  const inside = new Set<Value>(instructions);
  instructions.forEach((instruction, i) => {
    for (const operand of instruction.operands) if (inside.has(operand)) lastUse.set(operand, i);
  });
  const dying = instructions.map((): Value[] => []);
  for (const [value, i] of lastUse) dying[i]?.push(value);
  const cuts: number[] = [];
  let live = 0;
  let bytes = 0;
  let best = { at: -1, live: Infinity };
  for (const [i, instruction] of instructions.entries()) {
    bytes += codeBytes(instruction);
    if (lastUse.has(instruction)) live += registersLive(instruction);
    for (const value of dying[i] ?? []) live -= registersLive(value);
    if (bytes * 2 >= limit && live <= best.live) best = { at: i + 1, live };
    if (bytes < limit || best.at >= instructions.length) continue;
    cuts.push(best.at);
    best = { at: -1, live: Infinity };
    bytes = 0;
  }
  for (const at of cuts.toReversed()) if (at < instructions.length) splitAt(block, at);
}

/** The part of the limit that is enough to cut a block off, by the loops around it. */
const PARTS = [0.25, 0.5, 0.75] as const;

/** The tops of pieces by weight; the entry is a piece of its own. */
function heavyTops(fn: IrFunction, limit: number, tree: ReturnType<typeof dominators>): Set<Block> {
  const { innermost } = loops(fn);
  const tops = new Set<Block>([fn.entry, ...tree.children(fn.entry)]);
  const weights = new Map<Block, number>();
  for (const block of tree.order.toReversed()) {
    let weight = 0;
    for (const instruction of block.instructions) weight += codeBytes(instruction);
    for (const child of tree.children(block)) {
      if (tops.has(child)) continue;
      const own = weights.get(child) ?? 0;
      if (weight + own > limit) tops.add(child);
      else weight += own;
    }
    weights.set(block, weight);
    if (weight >= limit * (PARTS[innermost.get(block)?.depth ?? 0] ?? 1)) tops.add(block);
  }
  return tops;
}

/** A part of a function with one entry. */
export interface Piece {
  /** The block that control enters it by. */
  readonly top: Block;
  /** Its blocks, the top first. */
  readonly blocks: Block[];
}

/**
 * Cuts a function, whose blocks are all reached, into pieces of about `limit` bytes of code, and splits its blocks
 * where that is needed. The first piece is the entry alone.
 */
export function cutIntoPieces(fn: IrFunction, limit: number): readonly Piece[] {
  splitEntry(fn);
  for (const block of fn.blocks.slice())
    if (block !== fn.entry && block.instructions.reduce((sum, one) => sum + codeBytes(one), 0) > limit)
      splitLong(block, limit);
  const tree = dominators(fn);
  const tops = heavyTops(fn, limit, tree);
  const pieceOf = new Map<Block, Block>();
  for (let changed = true; changed;) {
    changed = false;
    for (const block of tree.order)
      pieceOf.set(block, tops.has(block) ? block : (pieceOf.get(tree.immediate(block) ?? block) ?? block));
    for (const block of tree.order) {
      for (const successor of block.successors) {
        if (tops.has(successor) || pieceOf.get(successor) === pieceOf.get(block)) continue;
        tops.add(successor);
        changed = true;
      }
    }
  }
  const pieces = new Map<Block, Piece>();
  for (const block of tree.order) {
    const top = pieceOf.get(block) ?? block;
    const piece = pieces.get(top);
    if (piece === undefined) pieces.set(top, { top, blocks: [block] });
    else piece.blocks.push(block);
  }
  return [...pieces.values()];
}
