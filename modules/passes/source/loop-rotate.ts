// SPDX-License-Identifier: Apache-2.0
// loop-rotate: turns loops that test at the top into guarded loops that test at the bottom, and gives every loop a
// preheader. Then a loop body executes at least once per entry, which licm, loop-unroll and trip counts rely on.
//
//   entry:                        entry:
//     br header(0)                  br guard
//   header(i):                    guard:                          (copy of the header: the first test)
//     c = lt i, n                   cg = lt 0, n
//     cond_br c, body, exit         cond_br cg, preheader, exit
//   body:                  -->    preheader:
//     j = add i, 1                  br body(0)
//     br header(j)                body(i):
//                                   j = add i, 1
//                                   br header
//                                 header:                         (the last test)
//                                   c = lt j, n
//                                   cond_br c, body(j), exit
//
// Phases, per loop, outer before inner:
//   1. the header is cloned as the guard, and the edges from outside go to the guard; the header stays as the last
//      test;
//   2. the edge from the guard to the body gets a block, the preheader; if the body has other predecessors, the edge
//      from the header gets a block of its own first, which becomes the new header;
//   3. a loop that is not rotated (the header does not test, is too large, holds a call, a variable or a convergent op)
//      only gets a preheader.
// At the end SSA form is repaired once for all values that now have two definitions (ssa-construction.ts).
//
// Cost: at most 24 instructions are copied per loop; the repair is one walk over the function.
// Compare Muchnick 1997, section 18.5 (loop inversion), and LLVM's LoopRotate.
import { assert } from "@muxkit/cargo";
import {
  Block,
  BlockMap,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  VOID,
  cloneBlocks,
  createCloneMap,
  hasEffect,
  NO_OPERANDS,
  listOf,
} from "@muxkit/ir";

import { branchBlock } from "./loop-shape.ts";
import type { FunctionFrame } from "./pass.ts";
import { type CopiedValue, repairUses } from "./ssa-construction.ts";

/** Most instructions of a header that are copied into the guard. */
const MOST_COPIED = 24;

/** A loop whose blocks grow while others are rotated. */
interface OpenLoop {
  readonly loop: Loop;
  readonly blocks: Set<Block>;
  readonly parent: OpenLoop | null;
}

/** True when a header may be duplicated: it is small and has no alloca, call or convergent op. */
function isCopyable(header: Block): boolean {
  return (
    header.instructions.length <= MOST_COPIED &&
    header.instructions.every(({ op }) => op !== Op.ALLOCA && op !== Op.CALL && !hasEffect(op, "c"))
  );
}

/** The edge of the header that stays in the loop; -1: the header has no exit test, or the loop is rotated already. */
function stayingEdge({ loop, blocks }: OpenLoop): number {
  const { terminator } = loop.header;
  if (terminator.op !== Op.COND_BR || loop.latches.includes(loop.header)) return -1;
  const [yes, no] = terminator.successors.map((block) => blocks.has(block));
  if (yes === no) return -1;
  return yes === true ? 0 : 1;
}

/** Adds a block to a loop and to all loops around it. */
function join(block: Block, open: OpenLoop | null): void {
  for (let next = open; next !== null; next = next.parent) next.blocks.add(block);
}

/** Rotates loops one by one. The lists of predecessors are kept up to date, SSA form is repaired at the end. */
class Rotation {
  readonly copied: CopiedValue[] = [];
  /** Guards, and headers that became the last test. */
  readonly tests: Block[] = [];
  private readonly fn: IrFunction;
  private readonly before: BlockMap<Block[]>;

  constructor(fn: IrFunction, before: BlockMap<readonly Block[]>) {
    this.fn = fn;
    this.before = new BlockMap(fn);
    for (const block of fn.blocks) this.before.set(block, (before.get(block) ?? []).slice());
  }

  /** Changes the target of an edge. */
  private redirect(from: Block, edge: number, to: Block): void {
    const { successors } = from.terminator;
    const old = successors[edge];
    successors[edge] = to;
    if (old !== undefined) this.unlink(from, old);
    this.link(from, to);
  }

  private link(from: Block, to: Block): void {
    const list = this.before.get(to);
    if (list === undefined) this.before.set(to, [from]);
    else list.push(from);
  }

  private unlink(from: Block, to: Block): void {
    const list = this.before.get(to);
    list?.splice(list.indexOf(from), 1);
  }

  /** Splits an edge with a block that only branches on; the edge's arguments move to that branch. */
  private split(from: Block, edge: number, name: string): Block {
    const target = from.successors[edge] ?? from;
    const made = branchBlock(this.fn, name, target, from.terminator, edge);
    this.redirect(from, edge, made);
    this.link(made, target);
    from.terminator.successorArguments[edge] = [];
    this.fn.blocks.splice(this.fn.blocks.indexOf(from) + 1, 0, made);
    return made;
  }

  /** Predecessors of a loop's header outside of the loop. */
  private outside({ loop, blocks }: OpenLoop): Block[] {
    return [...new Set(this.before.get(loop.header) ?? [])].filter((block) => !blocks.has(block));
  }

  rotate(open: OpenLoop, edge: number): void {
    const { fn } = this;
    const { header } = open.loop;
    let body = header.successors[edge] ?? header;
    if ((this.before.get(body)?.length ?? 0) > 1) {
      body = this.split(header, edge, "body");
      join(body, open);
    }
    const outside = this.outside(open);
    const map = createCloneMap();
    const [guard] = cloneBlocks([header], fn, map);
    assert(guard !== undefined, "a copy of the header");
    guard.unroll = 0;
    for (const successor of guard.successors) this.link(guard, successor);
    // The guard takes the edges that entered the loop; the loop's header is its body now.
    for (const block of outside)
      block.successors.forEach((successor, i) => {
        if (successor === header) this.redirect(block, i, guard);
      });
    fn.blocks.pop();
    fn.blocks.splice(fn.blocks.indexOf(header), 0, guard);
    join(guard, open.parent);
    body.unroll = header.unroll;
    header.unroll = 0;
    join(this.split(guard, edge, "preheader"), open.parent);
    const home = new Set([header]);
    for (const original of [...header.parameters, ...header.instructions]) {
      const copy = map.values.get(original);
      if (copy !== undefined && copy.kind !== "constant" && original.type !== VOID)
        this.copied.push({ original, copies: [copy], home });
    }
    this.tests.push(guard, header);
  }

  /** Adds a preheader to a loop; false: it has one. */
  addPreheader(open: OpenLoop): boolean {
    const { fn } = this;
    const { header } = open.loop;
    const outside = this.outside(open);
    const [first] = outside;
    if (first === undefined || (outside.length === 1 && first.successors.length === 1)) return false;
    const made = new Block(fn, "preheader");
    const jump = new Instruction(Op.BR, VOID, NO_OPERANDS, first.terminator.location);
    jump.successors = listOf(header);
    jump.successorArguments = listOf(header.parameters.map(({ type, name }) => made.addParameter(type, name)));
    made.append(jump);
    for (const block of outside)
      block.successors.forEach((successor, i) => {
        if (successor === header) this.redirect(block, i, made);
      });
    this.link(made, header);
    fn.blocks.splice(fn.blocks.indexOf(header), 0, made);
    join(made, open.parent);
    return true;
  }
}

/** Rotates the loops of a function whose header holds the exit test, and adds a preheader to every loop. */
export function loopRotate(fn: IrFunction, { analyses }: FunctionFrame): boolean {
  const forest = analyses.get("loops");
  if (forest.loops.length === 0) return false;
  const opened = new Map<Loop, OpenLoop>();
  for (const loop of forest.loops)
    opened.set(loop, {
      loop,
      blocks: new Set(loop.blocks),
      parent: loop.parent === null ? null : (opened.get(loop.parent) ?? null),
    });
  const rotation = new Rotation(fn, analyses.get("predecessors"));
  let changed = false;
  for (const open of opened.values()) {
    const edge = isCopyable(open.loop.header) ? stayingEdge(open) : -1;
    if (edge >= 0) rotation.rotate(open, edge);
    changed = edge >= 0 || rotation.addPreheader(open) || changed;
  }
  // A guard or last test with one predecessor needs no parameters.
  repairUses(
    fn,
    rotation.copied,
    rotation.tests.flatMap(({ parameters }) => parameters),
  );
  return changed;
}
