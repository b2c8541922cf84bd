// SPDX-License-Identifier: Apache-2.0
// Linearizer: the control flow of a function for all lanes. Branches on which lanes agree (uniform branches) stay
// branches; where lanes diverge, the blocks up to the point where they converge again are written one after the other
// under masks (if-conversion, predication).
//
// After Moll and Hack, "Partial Control-Flow Linearization" (PLDI 2018), by regions with one entry and one exit
// (linear-regions.ts) instead of by deferred edges. Works on the source function and its divergence analysis; writes a
// new function through the packetizer.
//
// before                            after
//   cond_br %c, ^a, ^b   (divergent)   ...%c as a mask...
//   ^a: ... br ^join(%x)               br any(%c), ^some.on, ^some.end     (only around costly blocks, stores, loops)
//   ^b: ... br ^join(%y)               ^some.on: ... under %c
//   ^join(%v):                         ... under not %c
//                                      %v = select %c, %x, %y
//
// Phases, recursive by regions: `region` writes what lies between two uniform points with real branches; `linear`
// writes a region in which lanes diverge; `sequence` orders its blocks by the dominator tree, collects the edges into
// each, joins their masks and selects the arguments. Divergent loops: divergent-loop.ts; masks of branches:
// divergent-branch.ts; arguments: block-arguments.ts. Cost: linear in blocks and edges, times the depth of regions.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type Builder,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  VOID,
  type Value,
  hasEffect,
} from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";
import { Frequencies } from "./frequency.ts";
import { BlockArguments, type Edge, type Sink } from "./block-arguments.ts";
import { sendByTerminator } from "./divergent-branch.ts";
import { DivergentLoop, type LinearHost, type LoopFrame } from "./divergent-loop.ts";
import { LinearRegions, blocksBetween } from "./linear-regions.ts";
import { someOn } from "./memory.ts";
import type { Packetizer } from "./packetize.ts";
import type { Packets } from "./packets.ts";

/** Writes the blocks of a function for all lanes. */
export class Linearizer implements LinearHost {
  readonly packets: Packets;
  readonly blockArguments: BlockArguments;
  private readonly packetizer: Packetizer;
  private readonly divergence: Divergence;
  private readonly regions: LinearRegions;
  private readonly builder: Builder;
  readonly out: IrFunction;
  frame: LoopFrame | null = null;
  /** Blocks that end with a test for lanes that are on. */
  readonly tests: Set<Block> = new Set();
  /** How often blocks behind such tests are likely to run. */
  readonly chances: Map<Block, number> = new Map();
  private readonly frequencies: Frequencies;

  constructor(packetizer: Packetizer, out: IrFunction) {
    this.packetizer = packetizer;
    this.packets = packetizer.packets;
    this.blockArguments = new BlockArguments(this.packets);
    this.divergence = this.packets.divergence;
    this.builder = this.packets.builder;
    this.out = out;
    this.regions = new LinearRegions(this.divergence);
    this.frequencies = new Frequencies(this.divergence.fn, this.divergence.forest);
  }

  /** Writes the whole function from where the builder stands. `mask`: lanes that are on at its beginning; null: all. */
  write(mask: Value | null): void {
    this.region(this.divergence.fn.entry, null, mask);
  }

  /** Writes what lies between two blocks; the entry's parameters are bound. The result: the exit's arguments. */
  private region(entry: Block, exit: Block | null, mask: Value | null): readonly (readonly Value[])[] {
    const { builder, divergence } = this;
    const inside = blocksBetween(entry, exit);
    const starts = new Map<Block, Block>();
    const written = new Set<Block>();
    let end: { readonly block: Block; readonly values: (readonly Value[])[] } | null = null;
    const blockOf = (source: Block): Block => {
      if (source === exit) {
        if (end === null) {
          const made = this.out.addBlock(source.name);
          end = { block: made, values: this.blockArguments.addParameters(made, source) };
        }
        return end.block;
      }
      let made = starts.get(source);
      if (made === undefined) {
        made = this.out.addBlock(source.name);
        starts.set(source, made);
        this.blockArguments.bindAll(source, this.blockArguments.addParameters(made, source));
      }
      return made;
    };
    const saved = this.packets.here;
    const first = this.regions.exitOf(entry);
    const linear = first === null ? new Set<Block>() : blocksBetween(entry, first);
    // A loop that begins here needs a block for its back edge; one that is linearised as a whole makes its own.
    const comesBack = divergence.forest.loops.some(
      (loop) =>
        loop.header === entry &&
        loop.latches.every((latch) => inside.has(latch)) &&
        ![...loop.blocks].every((block) => linear.has(block)),
    );
    if (comesBack) {
      const values = entry.parameters.map((parameter) => this.blockArguments.pack(parameter, parameter));
      const made = blockOf(entry);
      builder.branch(made, ...values.flat());
      builder.block = made;
    }
    for (const block of divergence.dominators.order) {
      if (!inside.has(block) || written.has(block)) continue;
      if (block !== entry) {
        const start = starts.get(block);
        assert(start !== undefined, () => `block ${block.name} is reached before it is written`);
        builder.block = start;
      }
      const close = this.regions.exitOf(block);
      if (close !== null) {
        for (const other of blocksBetween(block, close)) written.add(other);
        const values = this.linear(block, close, mask);
        builder.branch(blockOf(close), ...values.flat());
        continue;
      }
      this.instructions(block, mask);
      this.packets.here = block;
      this.branch(block, blockOf);
    }
    this.packets.here = saved;
    if (exit === null) return [];
    const target = blockOf(exit);
    builder.block = target;
    return (end as { readonly values: (readonly Value[])[] } | null)?.values ?? [];
  }

  private branch(block: Block, blockOf: (source: Block) => Block): void {
    const { builder } = this;
    const { terminator } = block;
    if (terminator.op === Op.RET) {
      const [value] = terminator.operands;
      builder.location = terminator.location;
      if (value === undefined) builder.return();
      else
        builder.return(
          this.packets.shape(value) === null || this.returnsVector
            ? this.packets.flat(value)
            : this.packets.first(value),
        );
      return;
    }
    const copy = new Instruction(
      terminator.op,
      VOID,
      terminator.operands.map((value) => this.packets.first(value)),
      terminator.location,
    );
    copy.lanes = terminator.lanes;
    copy.flags = terminator.flags;
    copy.successorArguments = terminator.successors.map((_, edge) =>
      this.blockArguments.valuesOf(terminator, edge).flat(),
    );
    copy.successors = terminator.successors.map(blockOf);
    builder.insert(copy);
  }

  private get returnsVector(): boolean {
    return this.out.returnType !== this.divergence.fn.returnType;
  }

  private instructions(block: Block, mask: Value | null): void {
    const { packets, packetizer } = this;
    const saved = packets.here;
    packets.here = block;
    packetizer.mask = mask;
    for (const instruction of block.instructions) if (!instruction.isTerminator) packetizer.write(instruction);
    packets.here = saved;
  }

  /** Writes a linearised region. The result: its exit's arguments. */
  private linear(entry: Block, exit: Block, mask: Value | null): readonly (readonly Value[])[] {
    const allowed = blocksBetween(entry, exit);
    const edges: Edge[] = [];
    this.sequence(entry, exit, mask, allowed, (_, to, edge) => {
      if (to !== exit) return false;
      edges.push(edge);
      return true;
    });
    return this.blockArguments.selectArguments(exit, edges);
  }

  /** Writes the blocks of `allowed`, from `entry` on, one after the other. */
  sequence(
    entry: Block,
    stop: Block | null,
    mask: Value | null,
    allowed: ReadonlySet<Block>,
    sink: Sink,
    own: Loop | null = null,
  ): void {
    const { divergence, builder } = this;
    const incoming = new Map<Block, Edge[]>();
    const send: Sink = (from, to, edge) => {
      if (sink(from, to, edge)) return true;
      const list = incoming.get(to);
      if (list === undefined) incoming.set(to, [edge]);
      else list.push(edge);
      return true;
    };
    const written = new Set<Block>();
    // Loops without branches of their own: lanes enter or leave them by edges that are linearised.
    const loopOf = (block: Block): Loop | null =>
      divergence.forest.loops.find(
        (loop) => loop.header === block && loop !== own && [...loop.blocks].every((one) => allowed.has(one)),
      ) ?? null;
    const first = loopOf(entry);
    if (first !== null) {
      for (const block of first.blocks) written.add(block);
      new DivergentLoop(this, first).write(mask, send);
    } else {
      written.add(entry);
      this.instructions(entry, mask);
      sendByTerminator(this, entry, mask, send);
    }
    for (const block of divergence.dominators.order) {
      const edges = incoming.get(block);
      if (edges === undefined || !allowed.has(block) || written.has(block)) continue;
      const loop = loopOf(block);
      const exit = this.regions.unitFrom(block, allowed, stop);
      const unit = exit !== null ? blocksBetween(block, exit) : (loop?.blocks ?? new Set([block]));
      for (const other of unit) written.add(other);
      const on = this.blockArguments.either(edges);
      const values = this.blockArguments.selectArguments(block, edges);
      const closing = on !== null && this.needsTest(unit) ? this.test(on, this.chanceOf(block)) : null;
      this.blockArguments.bindAll(block, values);
      if (exit !== null) send(block, exit, { mask: on, values: this.region(block, exit, on) });
      else if (loop !== null) new DivergentLoop(this, loop).write(on, send);
      else {
        this.instructions(block, on);
        sendByTerminator(this, block, on, send);
      }
      if (closing === null) continue;
      builder.branch(closing);
      builder.block = closing;
      if (this.frame !== null) this.frame.depth--;
    }
  }

  /** How likely some lane runs a block, if lanes are independent of one another. */
  private chanceOf(block: Block): number {
    return 1 - (1 - this.frequencies.of(block)) ** this.packets.width;
  }

  /** Continues only when some lane is on. The result: the block where both ways join. */
  private test(mask: Value, chance: number): Block {
    const { builder, out } = this;
    const on = out.addBlock("some.on");
    this.chances.set(on, chance);
    const closing = out.addBlock("some.end");
    builder.conditionalBranch(someOn(builder, mask), on, closing);
    this.tests.add(builder.block);
    builder.block = on;
    if (this.frame !== null) this.frame.depth++;
    return closing;
  }

  /** True for blocks that must not be executed when no lane is on, or that cost more than the test. */
  private needsTest(blocks: ReadonlySet<Block>): boolean {
    let size = 0;
    for (const block of blocks) {
      for (const { op } of block.instructions) {
        if (op !== Op.STORE && (hasEffect(op, "r") || hasEffect(op, "w") || hasEffect(op, "t"))) return true;
        if (op === Op.STORE) return true;
        size++;
      }
      if (this.divergence.forest.innermost.get(block)?.header === block) return true;
    }
    return size > this.packets.machine.limits.predicatedInstructions;
  }
}
