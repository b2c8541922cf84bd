// SPDX-License-Identifier: Apache-2.0
// Cuts a function that is too large for engines into functions: V8 takes bodies of at most 7,654,321 bytes with 50,000
// locals (src/wasm/wasm-limits.h), and the time of its optimising compiler grows faster than the code.
//
//   f(x):                          f(x):
//     …                              frame = alloca           values that live across pieces
//     y = …                          br ^next(0)
//     br ^loop(y)        -->       ^next(n):
//   ^loop(i):                        switch n: ^0 n' = call f.0(frame, x); br ^next(n')
//     … y … i …                                ^1 n' = call f.1(frame, x); br ^next(n') …
//
// The pieces (pieces.ts) become functions that return the number of the piece that comes next, and what remains of the
// function calls one after the other. What pieces have in common is in a frame in private memory: a value has a slot
// when another piece uses it, is stored where it is made, and loaded in each block that uses it; so have the parameters
// of tops. Few scalars of the beginning are passed as parameters. Cost: linear in the function.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  I32,
  I8,
  IrFunction,
  Instruction,
  type Module,
  Op,
  PRIVATE,
  type Value,
  arrayType,
  cloneBlocks,
  constantInt,
  createCloneMap,
  pointerType,
  reversePostorder,
} from "@muxkit/ir";

import { type Frame, PART_BYTES, frameOf } from "./piece-frame.ts";
import { type Piece, cutIntoPieces } from "./pieces.ts";

/** Writes the instructions of blocks of one function again, with loads and stores of what is shared. */
class Rewriter {
  private readonly frame: Frame;
  private readonly base: Value;
  /** What has been loaded in the current block. */
  private loaded = new Map<Value, Value>();
  readonly builder: Builder;
  /** True for a value that has been made here. */
  private readonly isOwn: (value: Value) => boolean;

  constructor(frame: Frame, base: Value, block: Block, isOwn: (value: Value) => boolean) {
    this.frame = frame;
    this.base = base;
    this.builder = new Builder(block);
    this.isOwn = isOwn;
  }

  begin(block: Block): void {
    this.builder.block = block;
    this.loaded = new Map();
  }

  /** A value, loaded if it is another piece's. */
  use(value: Value): Value {
    if (value.kind === "constant" || !this.frame.has(value) || this.isOwn(value)) return value;
    let loaded = this.loaded.get(value);
    if (loaded === undefined) {
      loaded = this.frame.load(this.builder, this.base, value);
      this.loaded.set(value, loaded);
    }
    return loaded;
  }

  /** Stores a value that has been made where other pieces look for it. */
  keep(value: Value, now: Value): void {
    if (this.frame.kept.has(value)) this.frame.store(this.builder, this.base, value, now);
  }

  /** Leaves for another piece: its top gets its arguments. All are read before any is written. */
  leave(top: Block, values: readonly Value[]): void {
    const own = values.map((value) => this.use(value));
    top.parameters.forEach((parameter, i) => {
      const value = own[i];
      assert(value !== undefined, "an argument for each parameter");
      this.frame.store(this.builder, this.base, parameter, value);
    });
  }

  /** Stores the result of the function. */
  finish(value: Value): void {
    this.frame.storeResult(this.builder, this.base, this.use(value));
  }
}

/** Makes the function of a piece. `numbers`: that of each top, and of the end. */
function outline(
  fn: IrFunction,
  piece: Piece,
  frame: Frame,
  numbers: ReadonlyMap<Block, number>,
  module: Module,
): IrFunction {
  const number = numbers.get(piece.top) ?? 0;
  let name = `${fn.name}.piece.${number}`;
  // What remains of a function may be cut again.
  while (module.functions.has(name)) name += ".more";
  const own = new IrFunction(name, I32, [
    { type: pointerType(PRIVATE), name: "frame" },
    ...frame.passed.map(({ type }, i) => ({ type, name: `x${i}` })),
  ]);
  own.inline = "never";
  own.isInternal = true;
  module.addFunction(own);
  const [base, ...passed] = own.parameters;
  assert(base !== undefined, "a piece has a frame");
  const map = createCloneMap();
  frame.passed.forEach((value, i) => map.values.set(value, passed[i] as Value));
  const head = own.addBlock("head");
  const copies = cloneBlocks(piece.blocks, own, map);
  const made = new Set<Value>(map.values.values());
  const rewriter = new Rewriter(frame, base, head, (value) => made.has(value));
  rewriter.builder.branch(
    copies[0] as Block,
    ...piece.top.parameters.map((parameter) => {
      // A top that no other piece branches to with arguments is the first one.
      assert(frame.has(parameter), "the parameters of a top are shared");
      return frame.load(new Builder(head), base, parameter);
    }),
  );
  piece.blocks.forEach((original, i) => {
    const copy = copies[i] as Block;
    const instructions = copy.instructions;
    copy.instructions = [];
    rewriter.begin(copy);
    original.parameters.forEach((parameter, k) => rewriter.keep(parameter, copy.parameters[k] as Value));
    instructions.forEach((instruction, k) => {
      instruction.operands = instruction.operands.map((value) => rewriter.use(value));
      if (!instruction.isTerminator) {
        copy.append(instruction);
        rewriter.keep(original.instructions[k] as Instruction, instruction);
      } else if (instruction.op === Op.RET) {
        const [value] = instruction.operands;
        if (value !== undefined) rewriter.finish(value);
        rewriter.builder.return(constantInt(I32, numbers.size));
      } else leaveBy(rewriter, copy, instruction, (successor) => (successor.owner === fn ? numbers : null));
    });
  });
  return own;
}

/**
 * Appends a terminator. Edges to other functions' blocks, for which `numbersOf` has numbers, go through blocks that
 * return the number.
 */
function leaveBy(
  rewriter: Rewriter,
  block: Block,
  terminator: Instruction,
  numbersOf: (successor: Block) => ReadonlyMap<Block, number> | null,
): void {
  const between: { readonly stub: Block; readonly top: Block; readonly values: Value[]; readonly number: number }[] =
    [];
  terminator.successors = terminator.successors.map((successor, i) => {
    const values = terminator.successorArguments[i] ?? [];
    const number = numbersOf(successor)?.get(successor);
    if (number === undefined) {
      terminator.successorArguments[i] = values.map((value) => rewriter.use(value));
      return successor;
    }
    const stub = block.owner.addBlock("leave");
    between.push({ stub, top: successor, values, number });
    terminator.successorArguments[i] = [];
    return stub;
  });
  block.append(terminator);
  for (const { stub, top, values, number } of between) {
    rewriter.begin(stub);
    rewriter.leave(top, values);
    rewriter.builder.return(constantInt(I32, number));
  }
}

/** What remains of the function: its entry, then one piece after the other. */
function callPieces(
  fn: IrFunction,
  frame: Frame,
  numbers: ReadonlyMap<Block, number>,
  functions: readonly IrFunction[],
): void {
  const { entry } = fn;
  const terminator = entry.instructions.pop();
  assert(terminator !== undefined, "a block has a terminator");
  fn.blocks = [entry];
  const made = new Set<Value>([...fn.parameters, ...entry.instructions]);
  const base = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], null);
  base.elementType = arrayType(I8, frame.bytes);
  base.alignment = PART_BYTES;
  base.block = entry;
  entry.instructions.unshift(base);
  const rewriter = new Rewriter(frame, base, entry, (value) => made.has(value));
  for (const value of made) rewriter.keep(value, value);
  const next = fn.addBlock("next");
  const number = next.addParameter(I32, "next");
  const [first] = terminator.successors;
  assert(terminator.op === Op.BR && first !== undefined, "the entry is followed by one piece");
  rewriter.leave(first, terminator.successorArguments[0] ?? []);
  rewriter.builder.branch(next, constantInt(I32, numbers.get(first) ?? 0));
  const done = fn.addBlock("done");
  const cases = functions.map((piece, i): readonly [number, Block] => {
    const call = fn.addBlock(`piece.${i}`);
    const builder = new Builder(call);
    builder.branch(next, builder.call(piece, [base, ...frame.passed]));
    return [i, call];
  });
  new Builder(next).switch(number, done, cases);
  const end = new Builder(done);
  end.return(frame.loadResult(end, base, fn));
}

/** Cuts a function into functions of about `limit` bytes of code, which are added to the module. */
export function cutFunction(fn: IrFunction, module: Module, limit: number): void {
  fn.blocks = reversePostorder(fn);
  for (const block of fn.blocks) block.instructions = block.instructions.filter(({ op }) => op !== Op.DEBUG_VALUE);
  const pieces = cutIntoPieces(fn, limit);
  const [, ...others] = pieces;
  const pieceOf = new Map<Block, Piece>(
    pieces.flatMap((piece) => piece.blocks.map((block) => [block, piece] as const)),
  );
  const frame = frameOf(fn, pieces, pieceOf);
  const numbers = new Map<Block, number>(others.map(({ top }, i) => [top, i]));
  const functions = others.map((piece) => outline(fn, piece, frame, numbers, module));
  callPieces(fn, frame, numbers, functions);
}
