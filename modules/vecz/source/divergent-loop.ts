// SPDX-License-Identifier: Apache-2.0
// A loop that lanes leave in different iterations: it runs as long as any lane is active, and each lane keeps what it
// had when it left (Karrenberg and Hack 2011, "loop exit" and "live-out" masks; here block parameters instead of phis).
//
// before                          after, for all lanes
//   ^loop(%i):                      ^loop(%i, %active, %left, %kept):
//     ...                             ...                        (the body, linearised under %active)
//     cond_br %c, ^loop, ^exit        %on = and %active, %c
//                                     %left1 = or %left, not %c  (lanes that have left, by target)
//                                     %kept1 = select %active, %v, %kept
//                                     cond_br any(%on), ^loop(%next, %on, ...), ^end(...)
//
// Phases: `enter` (block parameters: the loop's own, the mask of active lanes, and what lanes keep), the body through
// `LinearHost.sequence`, `close` (the back edge), `leave` (what lanes kept goes to the loop's targets). A counter that
// every lane leaves with is not selected: it goes up by one addition while its lane is active (trip-counts.ts). Cost:
// linear in the loop's blocks plus the values that are live out of it.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type Builder,
  I1,
  type Instruction,
  type IrFunction,
  type Loop,
  Op,
  type Parameter,
  type Type,
  type Value,
  constantZero,
} from "@muxkit/ir";

import type { BlockArguments, Edge, Sink } from "./block-arguments.ts";
import { someOn } from "./memory.ts";
import type { Packets } from "./packets.ts";
import { type LaneTripCount, laneTripCount, stepTripCount } from "./trip-counts.ts";

/** A way out of a loop. */
export interface Leaving {
  readonly from: Block;
  readonly to: Block;
  readonly edge: Edge;
}

/** What lanes that take an edge keep. */
interface EdgeValue {
  readonly edge: Edge;
  readonly value: Value;
}

/** A divergent loop while one iteration of it is written. */
export interface LoopFrame {
  readonly loop: Loop;
  /** Lanes that are still in it at the point that has been written; null: no single value holds them. */
  remaining: Value | null;
  /** How many tests are open around what is written; only outside of them can the loop be left. */
  depth: number;
  /** Leaves the loop for good when a condition that all lanes share holds (or does not: `whenTrue` false). */
  readonly leave: (condition: Value, whenTrue: boolean, way: Leaving) => void;
}

/** What writes the blocks of a loop's body. */
export interface LinearHost {
  readonly packets: Packets;
  readonly blockArguments: BlockArguments;
  readonly out: IrFunction;
  /** The innermost divergent loop that is being written. */
  frame: LoopFrame | null;
  /** Writes the blocks of `allowed`, from `entry` on, one after the other. */
  readonly sequence: (
    entry: Block,
    stop: Block | null,
    mask: Value | null,
    allowed: ReadonlySet<Block>,
    sink: Sink,
    own: Loop | null,
  ) => void;
}

/** Writes one divergent loop. */
export class DivergentLoop {
  private readonly host: LinearHost;
  private readonly packets: Packets;
  private readonly args: BlockArguments;
  private readonly builder: Builder;
  private readonly loop: Loop;
  /** Blocks after the loop that lanes leave it for. */
  private readonly targets: readonly Block[];
  /** Values of the loop that are used after it. */
  private readonly liveOuts: readonly (Instruction | Parameter)[];
  /** For each target, the parameters that hold a counter of the loop. */
  private readonly counts: ReadonlyMap<Block, readonly (LaneTripCount | null)[]>;
  /** Types of what lanes keep: for each target its mask and its parameters, then the values that are live out. */
  private readonly keptTypes: readonly Type[];
  private readonly head: Block;
  private readonly end: Block;
  /** Edges out of the loop, and back to its header, of the iteration that is written. */
  private readonly exits: Leaving[] = [];
  private readonly back: Edge[] = [];
  /** Lanes that began the iteration. */
  private active: Value;
  /** What lanes have kept when the iteration begins. */
  private kept: readonly Value[] = [];

  constructor(host: LinearHost, loop: Loop) {
    this.host = host;
    this.packets = host.packets;
    this.args = host.blockArguments;
    this.builder = host.packets.builder;
    this.loop = loop;
    this.targets = [...new Set(loop.exits.map(([, to]) => to))];
    this.liveOuts = this.findLiveOuts();
    this.active = host.packets.allOn;
    this.head = host.out.addBlock(loop.header.name);
    this.end = host.out.addBlock(`${loop.header.name}.left`);
    this.keptTypes = [
      ...this.targets.flatMap((target) => [
        this.maskType,
        ...target.parameters.flatMap((parameter) => this.args.typesOf(parameter)),
      ]),
      ...this.liveOuts.flatMap((value) => this.liveOutTypes(value)),
    ];
    this.counts = new Map(
      this.targets.map((target) => [
        target,
        target.parameters.map((parameter, i) =>
          this.args.isFirst(parameter) ? null : laneTripCount(this.packets.divergence, loop, target, i),
        ),
      ]),
    );
  }

  /** Writes the loop from where the builder is, for the lanes of a mask (null: all), and sends its exits on. */
  write(mask: Value | null, send: Sink): void {
    const headers = this.enter(mask);
    const left = this.keptTypes.map((type) => this.end.addParameter(type, "left"));
    this.builder.block = this.head;
    this.body(headers);
    this.close();
    this.builder.block = this.end;
    this.leave(left, mask, send);
  }

  private get maskType(): Type {
    return this.packets.vectorOf(I1);
  }

  private findLiveOuts(): readonly (Instruction | Parameter)[] {
    const { blocks } = this.loop;
    const found = new Set<Instruction | Parameter>();
    const look = (value: Value): void => {
      if (value.kind !== "constant" && value.block !== null && blocks.has(value.block)) found.add(value);
    };
    for (const block of this.packets.divergence.fn.blocks) {
      if (blocks.has(block)) continue;
      for (const { op, operands, successorArguments } of block.instructions) {
        if (op !== Op.DEBUG_VALUE) operands.forEach(look);
        for (const list of successorArguments) list.forEach(look);
      }
    }
    return [...found];
  }

  /**
   * True for values of which all lanes that leave at once have the same: they are kept by lane 0. Targets that are
   * outside of a divergent loop around this one say nothing of it: that loop keeps what its lanes leave with.
   */
  private isFirstOutside(value: Value): boolean {
    const { targets, packets } = this;
    return targets.length === 0 || targets.some((target) => packets.divergence.shapeAt(value, target) !== null);
  }

  private liveOutTypes(value: Value): readonly Type[] {
    return this.isFirstOutside(value) ? [value.type] : this.packets.listTypes(value);
  }

  /** Branches to the loop's first iteration; the header's parameters, which are not bound yet. */
  private enter(mask: Value | null): (readonly Value[])[] {
    const { builder, packets, args, head, maskType } = this;
    const { header } = this.loop;
    const given = header.parameters.map((parameter) => args.pack(parameter, parameter));
    /** Trip counts begin with what their counters begin with, everything else with zero. */
    const begins = (target: Block): readonly Value[] =>
      target.parameters.flatMap((parameter, i): readonly Value[] => {
        const counter = this.counts.get(target)?.[i]?.counter;
        const [first] = counter === undefined ? [] : (given[header.parameters.indexOf(counter)] ?? []);
        return first === undefined ? args.typesOf(parameter).map((type) => constantZero(type)) : [packets.splat(first)];
      });
    const start = [
      ...this.targets.flatMap((target) => [constantZero(maskType), ...begins(target)]),
      ...this.liveOuts.flatMap((value) => this.liveOutTypes(value)).map((type) => constantZero(type)),
    ];
    builder.branch(head, ...given.flat(), mask ?? packets.allOn, ...start);
    const headers = args.addParameters(head, header);
    this.active = head.addParameter(maskType, "active");
    this.kept = this.keptTypes.map((type) => head.addParameter(type, "taken"));
    return headers;
  }

  /** Writes one iteration, and collects the edges out of it. */
  private body(headers: readonly (readonly Value[])[]): void {
    const { host, loop, packets, back, exits } = this;
    const outer = host.frame;
    host.frame = {
      loop,
      remaining: this.active,
      depth: 0,
      leave: (condition, whenTrue, way) => this.leaveTogether(condition, whenTrue, way),
    };
    for (const value of this.liveOuts) packets.forget(value);
    this.args.bindAll(loop.header, headers);
    const sink: Sink = (from, to, edge) => {
      if (to === loop.header) back.push(edge);
      else if (!loop.blocks.has(to)) exits.push({ from, to, edge });
      else return false;
      return true;
    };
    host.sequence(loop.header, null, this.active, loop.blocks, sink, loop);
    host.frame = outer;
  }

  /** All lanes agree to leave: a real branch out of the loop, with what they keep then. */
  private leaveTogether(condition: Value, whenTrue: boolean, way: Leaving): void {
    const { builder, end } = this;
    const on = this.host.out.addBlock("stay");
    const values = this.keptAfter([...this.exits, way], false);
    if (whenTrue) builder.conditionalBranch(condition, end, on, values, []);
    else builder.conditionalBranch(condition, on, end, [], values);
    builder.block = on;
  }

  private maskOf({ mask }: Edge): Value {
    return mask ?? this.active;
  }

  /**
   * What lanes keep after those of some edges, in the order in which they are written, have left with their values.
   * All lanes that arrive at a branch may keep what it leaves with: those that stay, or leave later, keep something
   * else before it is looked at. So no select waits for the condition of its branch, and one value needs one select.
   */
  private keptFrom(leaving: readonly EdgeValue[], isFirst: boolean, held: Value): Value {
    const [first] = leaving;
    if (first === undefined) return held;
    if (!isFirst && leaving.every(({ value }) => value === first.value))
      return this.args.select(this.active, false, first.value, held);
    let kept = held;
    for (const { edge, value } of leaving) {
      const arrived = isFirst || edge.parting === undefined ? edge.mask : edge.parting.arrived;
      kept = this.args.select(arrived ?? this.active, isFirst, value, kept);
    }
    return kept;
  }

  /** What lanes keep once those of some edges have left; `isEnd`: at the end of the iteration. */
  private keptAfter(leaving: readonly Leaving[], isEnd: boolean): Value[] {
    const before = this.kept.values();
    const held = (): Value => {
      const { value } = before.next();
      assert(value !== undefined, "something for each target and value");
      return value;
    };
    const result: Value[] = [];
    for (const target of this.targets) {
      const own = leaving.filter(({ to }) => to === target);
      let union = held();
      for (const { edge } of own) union = this.builder.same(Op.OR, union, this.maskOf(edge));
      result.push(union);
      target.parameters.forEach((parameter, i) => {
        const count = this.counts.get(target)?.[i] ?? null;
        if (count === null) result.push(...this.keptArgument(parameter, i, own, held));
        else result.push(this.keptCount(count, own, held(), isEnd));
      });
    }
    for (const value of this.liveOuts) result.push(...this.keptLiveOut(value, leaving, held, isEnd));
    return result;
  }

  /**
   * A trip count after this point: one step further where lanes leave with the stepped counter, or stay in the loop.
   */
  private keptCount(count: LaneTripCount, own: readonly Leaving[], held: Value, isEnd: boolean): Value {
    // Lanes that leave for elsewhere do not look at it.
    if (own.every(({ from }) => count.isStepped(from)))
      return isEnd || own.length > 0 ? stepTripCount(this.builder, held, this.active, count.step) : held;
    const on = this.args.either([
      ...own.flatMap(({ from, edge }) => (count.isStepped(from) ? [{ ...edge, mask: this.maskOf(edge) }] : [])),
      ...(isEnd ? this.back.map((edge) => ({ ...edge, mask: this.maskOf(edge) })) : []),
    ]);
    return on === null ? held : stepTripCount(this.builder, held, on, count.step);
  }

  private keptArgument(
    parameter: Parameter,
    index: number,
    own: readonly Leaving[],
    held: () => Value,
  ): readonly Value[] {
    const isFirst = this.args.isFirst(parameter);
    return this.args.typesOf(parameter).map((_, part) => {
      const leaving = own.map(({ edge }) => {
        const value = edge.values[index]?.[part];
        assert(value !== undefined, "a value for each parameter");
        return { edge, value };
      });
      return this.keptFrom(leaving, isFirst, held());
    });
  }

  private keptLiveOut(
    value: Instruction | Parameter,
    leaving: readonly Leaving[],
    held: () => Value,
    isEnd: boolean,
  ): readonly Value[] {
    const { packets } = this;
    const isFirst = this.isFirstOutside(value);
    // Lanes that leave before the value is computed keep nothing of it.
    const list = !isEnd && !packets.isSet(value) ? null : isFirst ? [packets.first(value)] : packets.list(value, value);
    return this.liveOutTypes(value).map((_, part) => {
      const now = list?.[part];
      const values = now === undefined ? [] : leaving.map(({ edge }) => ({ edge, value: now }));
      return this.keptFrom(values, isFirst, held());
    });
  }

  /** The end of an iteration: back to the header while any lane stays. */
  private close(): void {
    const { builder, head, end, back } = this;
    const kept = this.keptAfter(this.exits, true);
    const [again] = back;
    if (again === undefined) builder.branch(end, ...kept);
    else {
      const on = this.maskOf(again);
      builder.conditionalBranch(someOn(builder, on), head, end, [...again.values.flat(), on, ...kept], kept);
    }
  }

  /** Sends lanes to the blocks that they left for, with what they kept. */
  private leave(left: readonly Value[], mask: Value | null, send: Sink): void {
    const { targets, packets, loop } = this;
    let next = 0;
    const take = (count: number): Value[] => left.slice(next, (next += count));
    for (const target of targets) {
      const [on] = take(1);
      assert(on !== undefined, "a mask for each target");
      const values = target.parameters.map((parameter) => take(this.args.typesOf(parameter).length));
      const from = loop.exits.find(([, to]) => to === target)?.[0] ?? loop.header;
      send(from, target, { mask: targets.length === 1 ? mask : on, values });
    }
    for (const value of this.liveOuts) {
      const list = take(this.liveOutTypes(value).length);
      const [only] = list;
      if (this.isFirstOutside(value) && only !== undefined) packets.setFirst(value, only);
      else packets.setList(value, list);
    }
  }
}
