// SPDX-License-Identifier: Apache-2.0
// Control flow for all lanes: branches on which all lanes agree stay branches; where lanes part, blocks follow one another under masks.
// After Moll and Hack, "Partial Control-Flow Linearization" (2018), by regions with one entry and one exit instead of by deferred edges.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type Builder,
  I1,
  Instruction,
  type IrFunction,
  type Loop,
  Op,
  type Parameter,
  type Type,
  VOID,
  type Value,
  constantInt,
  constantZero,
  hasEffect,
} from "@muxkit/ir";

import type { Divergence } from "./divergence.ts";
import { LinearRegions, blocksBetween } from "./linear-regions.ts";
import { someOn } from "./memory.ts";
import { roundCount, stepCount } from "./trip-counts.ts";
import type { Packetizer } from "./packetize.ts";
import type { Packets } from "./packets.ts";

/** A way into a block: lanes that take it (null: all), and for each parameter of the block what it is given. */
interface Edge {
  readonly mask: Value | null;
  readonly values: readonly (readonly Value[])[];
}

/** Receives an edge; true when it goes where the receiver waits for it. */
type Sink = (from: Block, to: Block, edge: Edge) => boolean;

/** A loop that lanes leave one by one, while one iteration is written. */
interface LoopFrame {
  readonly loop: Loop;
  /** Lanes that are still in it at the point that has been written; null: not known as one value. */
  remaining: Value | null;
  /** How many tests lie around what is written; only outside of them can the loop be left. */
  depth: number;
  /** Leaves the loop for good when a condition that all lanes share holds (or does not: `whenTrue` false). */
  readonly leave: (condition: Value, whenTrue: boolean, way: Leaving) => void;
}

/** A way out of a loop. */
interface Leaving {
  readonly from: Block;
  readonly to: Block;
  readonly edge: Edge;
}

/** Instructions that are run for nothing rather than tested for. */
const CHEAP = 10;

/** Writes the blocks of a function for all lanes. */
export class Linearizer {
  private readonly packets: Packets;
  private readonly packetizer: Packetizer;
  private readonly divergence: Divergence;
  private readonly regions: LinearRegions;
  private readonly builder: Builder;
  private readonly out: IrFunction;
  private frame: LoopFrame | null = null;
  /** Blocks that end with a test for lanes that are on. */
  readonly tests: Set<Block> = new Set();

  constructor(packetizer: Packetizer, out: IrFunction) {
    this.packetizer = packetizer;
    this.packets = packetizer.packets;
    this.divergence = this.packets.divergence;
    this.builder = this.packets.builder;
    this.out = out;
    this.regions = new LinearRegions(this.divergence);
  }

  /** Writes the whole function from where the builder stands. `mask`: lanes that are on at its beginning; null: all. */
  write(mask: Value | null): void {
    this.region(this.divergence.fn.entry, null, mask);
  }

  // Parameters of blocks

  /** True when a parameter is kept by lane 0. */
  private isFirst(parameter: Parameter): boolean {
    return this.divergence.shapeOf(parameter) !== null;
  }

  private typesOf(parameter: Parameter): readonly Type[] {
    return this.isFirst(parameter) ? [parameter.type] : this.packets.listTypes(parameter);
  }

  /** What a parameter is given for a value. */
  private give(parameter: Parameter, value: Value): readonly Value[] {
    return this.isFirst(parameter) ? [this.packets.first(value)] : this.packets.list(value, parameter);
  }

  private take(parameter: Parameter, list: readonly Value[]): void {
    const [only] = list;
    assert(only !== undefined, "a parameter is given something");
    if (this.isFirst(parameter)) this.packets.setFirst(parameter, only);
    else this.packets.setList(parameter, list);
  }

  private takeAll(block: Block, values: readonly (readonly Value[])[]): void {
    block.parameters.forEach((parameter, i) => this.take(parameter, values[i] ?? []));
  }

  private addParameters(target: Block, source: Block): (readonly Value[])[] {
    return source.parameters.map((parameter) =>
      this.typesOf(parameter).map((type) => target.addParameter(type, parameter.name)),
    );
  }

  private valuesOf(terminator: Instruction, edge: number): (readonly Value[])[] {
    const target = terminator.successors[edge];
    assert(target !== undefined, "an edge leads somewhere");
    return target.parameters.map((parameter, i) => {
      const value = terminator.successorArguments[edge]?.[i];
      assert(value !== undefined, "a value for each parameter");
      return this.give(parameter, value);
    });
  }

  // Blocks in which lanes stay together

  /** Writes what lies between two blocks; the entry's parameters have been taken. Gives what the exit's parameters are given. */
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
          end = { block: made, values: this.addParameters(made, source) };
        }
        return end.block;
      }
      let made = starts.get(source);
      if (made === undefined) {
        made = this.out.addBlock(source.name);
        starts.set(source, made);
        this.takeAll(source, this.addParameters(made, source));
      }
      return made;
    };
    const saved = this.packets.here;
    const first = this.regions.exitOf(entry);
    const linear = first === null ? new Set<Block>() : blocksBetween(entry, first);
    // A loop that begins here needs a block to come back to; one that is linearised as a whole makes its own.
    const comesBack = divergence.forest.loops.some(
      (loop) =>
        loop.header === entry &&
        loop.latches.every((latch) => inside.has(latch)) &&
        ![...loop.blocks].every((block) => linear.has(block)),
    );
    if (comesBack) {
      const values = entry.parameters.map((parameter) =>
        this.isFirst(parameter) ? [this.packets.first(parameter)] : this.packets.list(parameter, parameter),
      );
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
    copy.successorArguments = terminator.successors.map((_, edge) => this.valuesOf(terminator, edge).flat());
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

  // Blocks in which lanes part

  /** Writes a linearised region; gives what its exit's parameters are given. */
  private linear(entry: Block, exit: Block, mask: Value | null): readonly (readonly Value[])[] {
    const allowed = blocksBetween(entry, exit);
    const edges: Edge[] = [];
    this.sequence(entry, exit, mask, allowed, (_, to, edge) => {
      if (to !== exit) return false;
      edges.push(edge);
      return true;
    });
    return this.blend(exit, edges);
  }

  /** Writes the blocks of `allowed`, from `entry` on, one behind the other. */
  private sequence(
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
    // Loops that keep no branches of their own, since lanes come to them or leave them by ways that others share.
    const loopOf = (block: Block): Loop | null =>
      divergence.forest.loops.find(
        (loop) => loop.header === block && loop !== own && [...loop.blocks].every((one) => allowed.has(one)),
      ) ?? null;
    const first = loopOf(entry);
    if (first !== null) {
      for (const block of first.blocks) written.add(block);
      this.loop(first, mask, send);
    } else {
      written.add(entry);
      this.instructions(entry, mask);
      this.part(entry, mask, send);
    }
    for (const block of divergence.dominators.order) {
      const edges = incoming.get(block);
      if (edges === undefined || !allowed.has(block) || written.has(block)) continue;
      const loop = loopOf(block);
      const exit = this.regions.unitFrom(block, allowed, stop);
      const unit = exit !== null ? blocksBetween(block, exit) : (loop?.blocks ?? new Set([block]));
      for (const other of unit) written.add(other);
      const on = this.either(edges);
      const values = this.blend(block, edges);
      const closing = on !== null && this.needsTest(unit) ? this.test(on) : null;
      this.takeAll(block, values);
      if (exit !== null) send(block, exit, { mask: on, values: this.region(block, exit, on) });
      else if (loop !== null) this.loop(loop, on, send);
      else {
        this.instructions(block, on);
        this.part(block, on, send);
      }
      if (closing === null) continue;
      builder.branch(closing);
      builder.block = closing;
      if (this.frame !== null) this.frame.depth--;
    }
  }

  /** Goes on only when some lane is on; gives the block where both ways meet. */
  private test(mask: Value): Block {
    const { builder, out } = this;
    const on = out.addBlock("some.on");
    const closing = out.addBlock("some.end");
    builder.conditionalBranch(someOn(builder, mask), on, closing);
    this.tests.add(builder.block);
    builder.block = on;
    if (this.frame !== null) this.frame.depth++;
    return closing;
  }

  /** True for blocks that must not, or had better not, be run for no lane. */
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
    return size > CHEAP;
  }

  /** Lanes that come by any of the edges. */
  private either(edges: readonly Edge[]): Value | null {
    let result: Value | null = null;
    for (const [i, { mask }] of edges.entries()) {
      if (mask === null) return null;
      result = i === 0 || result === null ? mask : this.builder.same(Op.OR, result, mask);
    }
    return result;
  }

  /** What a block's parameters are given when lanes come by several edges. */
  private blend(block: Block, edges: readonly Edge[]): readonly (readonly Value[])[] {
    const { builder } = this;
    const [first, ...rest] = edges;
    assert(first !== undefined, () => `an edge to ${block.name}`);
    return block.parameters.map((parameter, i) =>
      (first.values[i] ?? []).map((start, part) => {
        let result = start;
        for (const { mask, values } of rest) {
          const value = values[i]?.[part];
          if (value === undefined || value === result || mask === null) continue;
          result = builder.select(
            this.isFirst(parameter) ? someOn(builder, mask) : this.widened(mask, value.type),
            value,
            result,
          );
        }
        return result;
      }),
    );
  }

  /** A mask with a bit for each lane of a type that holds several components a work-item. */
  private widened(mask: Value, type: Type): Value {
    return this.packets.widenMask(mask, type.count / this.packets.width);
  }

  private and(mask: Value | null, condition: Value): Value {
    return mask === null ? condition : this.builder.same(Op.AND, mask, condition);
  }

  private not(condition: Value): Value {
    return this.builder.same(Op.XOR, condition, this.packets.allOn);
  }

  /** Sends lanes on by the end of a block. */
  private part(block: Block, mask: Value | null, send: Sink): void {
    const { packets, builder } = this;
    const { terminator } = block;
    packets.here = block;
    builder.location = terminator.location;
    const { successors } = terminator;
    const [only] = successors;
    if (terminator.op === Op.UNREACHABLE) return;
    assert(only !== undefined, "control goes on in a linearised region");
    if (successors.length === 1) {
      send(block, only, { mask, values: this.valuesOf(terminator, 0) });
      return;
    }
    const [condition] = terminator.operands;
    assert(condition !== undefined, "a branch has a condition");
    if (this.leaveTogether(block, mask, condition, send)) return;
    const masks =
      terminator.op === Op.COND_BR ? this.twoWays(condition, mask) : this.manyWays(terminator, condition, mask);
    const { frame } = this;
    const stays =
      frame === null
        ? []
        : successors.flatMap((target, i) =>
            frame.loop.blocks.has(target) && target !== frame.loop.header ? [masks[i]] : [],
          );
    if (frame !== null && frame.loop.blocks.has(block) && successors.some((target) => !frame.loop.blocks.has(target))) {
      const [stay] = stays;
      // Those that are left are one value while all that were there had this choice.
      frame.remaining = mask === frame.remaining && stays.length === 1 ? (stay ?? null) : null;
    }
    successors.forEach((target, edge) => {
      send(block, target, { mask: masks[edge] ?? null, values: this.valuesOf(terminator, edge) });
    });
  }

  /** All lanes that are still in a loop agree to leave it or to stay: a real branch. */
  private leaveTogether(block: Block, mask: Value | null, condition: Value, send: Sink): boolean {
    const { frame, packets } = this;
    const { terminator } = block;
    if (
      frame === null ||
      frame.depth > 0 ||
      terminator.op !== Op.COND_BR ||
      mask === null ||
      mask !== frame.remaining ||
      packets.shape(condition) !== 0
    )
      return false;
    const outside = terminator.successors.map((target) => !frame.loop.blocks.has(target));
    const leaving = outside.indexOf(true);
    const to = terminator.successors[leaving];
    if (to === undefined || outside.every((leaves) => leaves)) return false;
    const staying = 1 - leaving;
    const target = terminator.successors[staying];
    assert(target !== undefined, "one of two ways stays");
    frame.leave(packets.first(condition), leaving === 0, {
      from: block,
      to,
      edge: { mask, values: this.valuesOf(terminator, leaving) },
    });
    send(block, target, { mask, values: this.valuesOf(terminator, staying) });
    return true;
  }

  private twoWays(condition: Value, mask: Value | null): (Value | null)[] {
    const vector = this.packets.vector(condition);
    return [this.and(mask, vector), this.and(mask, this.not(vector))];
  }

  private manyWays(terminator: Instruction, condition: Value, mask: Value | null): (Value | null)[] {
    const { builder, packets } = this;
    const vector = packets.vector(condition);
    const cases = terminator.lanes.map((number) =>
      builder.compare(Op.EQ, vector, packets.splat(constantInt(condition.type, number))),
    );
    let any: Value | null = null;
    for (const one of cases) any = any === null ? one : builder.same(Op.OR, any, one);
    const others = any === null ? mask : this.and(mask, this.not(any));
    return [others, ...cases.map((one) => this.and(mask, one))];
  }

  // Loops that lanes leave one by one

  /** Values of a loop that are used behind it. */
  private liveOuts(loop: Loop): readonly (Instruction | Parameter)[] {
    const found = new Set<Instruction | Parameter>();
    const look = (value: Value): void => {
      if (value.kind !== "constant" && value.block !== null && loop.blocks.has(value.block)) found.add(value);
    };
    for (const block of this.divergence.fn.blocks) {
      if (loop.blocks.has(block)) continue;
      for (const { op, operands, successorArguments } of block.instructions) {
        if (op !== Op.DEBUG_VALUE) operands.forEach(look);
        for (const list of successorArguments) list.forEach(look);
      }
    }
    return [...found];
  }

  /** Writes a loop that runs until no lane is left in it; each lane keeps what it had when it left. */
  private loop(loop: Loop, mask: Value | null, send: Sink): void {
    const { builder, out, packets } = this;
    const { header } = loop;
    const targets = [...new Set(loop.exits.map(([, to]) => to))];
    const [behind] = targets;
    const outs = this.liveOuts(loop);
    /** True for values of which all lanes that leave at once have the same: they are kept by lane 0. */
    const staysFirst = (value: Value): boolean =>
      behind === undefined || this.divergence.shapeAt(value, behind) !== null;
    const outTypes = (value: Value): readonly Type[] => (staysFirst(value) ? [value.type] : packets.listTypes(value));
    const head = out.addBlock(header.name);
    const end = out.addBlock(`${header.name}.left`);
    const given = header.parameters.map((parameter) =>
      this.isFirst(parameter) ? [packets.first(parameter)] : packets.list(parameter, parameter),
    );
    const maskType = packets.vectorOf(I1);
    // What lanes take along, in the order of the loop's parameters: for each target its mask and its parameters, then values used behind the loop.
    const takenTypes = [
      ...targets.flatMap((target) => [maskType, ...target.parameters.flatMap((parameter) => this.typesOf(parameter))]),
      ...outs.flatMap(outTypes),
    ];
    const counts = new Map(
      targets.map((target) => [
        target,
        target.parameters.map((parameter, i) =>
          this.isFirst(parameter) ? null : roundCount(this.divergence, loop, target, i),
        ),
      ]),
    );
    /** Counts begin with what counters begin with. */
    const begins = (target: Block): readonly Value[] =>
      target.parameters.flatMap((parameter, i): readonly Value[] => {
        const counter = counts.get(target)?.[i]?.counter;
        const [first] = counter === undefined ? [] : (given[header.parameters.indexOf(counter)] ?? []);
        return first === undefined ? this.typesOf(parameter).map((type) => constantZero(type)) : [packets.splat(first)];
      });
    const start = [
      ...targets.flatMap((target) => [constantZero(maskType), ...begins(target)]),
      ...outs.flatMap(outTypes).map((type) => constantZero(type)),
    ];
    builder.branch(head, ...given.flat(), mask ?? packets.allOn, ...start);
    const headers = this.addParameters(head, header);
    const active = head.addParameter(maskType, "active");
    let taken: readonly Value[] = takenTypes.map((type) => head.addParameter(type, "taken"));
    const left = takenTypes.map((type) => end.addParameter(type, "left"));
    builder.block = head;
    const pending: Leaving[] = [];
    const back: Edge[] = [];
    const outer = this.frame;
    /** What is taken along once the lanes of these edges have left. */
    const after = (leaving: readonly Leaving[], isEnd: boolean): Value[] => {
      const result: Value[] = [];
      let next = 0;
      const held = (): Value => {
        const value = taken[next++];
        assert(value !== undefined, "something for each target and value");
        return value;
      };
      for (const target of targets) {
        const mine = leaving.filter(({ to }) => to === target);
        let union = held();
        for (const { edge } of mine) union = builder.same(Op.OR, union, edge.mask ?? active);
        result.push(union);
        target.parameters.forEach((parameter, i) => {
          const count = counts.get(target)?.[i] ?? null;
          if (count !== null) {
            const on = this.either([
              ...mine.flatMap(({ from, edge }) =>
                count.isStepped(from) ? [{ ...edge, mask: edge.mask ?? active }] : [],
              ),
              ...(isEnd ? back.map((edge) => ({ ...edge, mask: edge.mask ?? active })) : []),
            ]);
            result.push(on === null ? held() : stepCount(builder, held(), on, count.step));
            return;
          }
          this.typesOf(parameter).forEach((_, part) => {
            let value = held();
            for (const { edge } of mine) {
              const other = edge.values[i]?.[part];
              assert(other !== undefined, "a value for each parameter");
              const on = edge.mask ?? active;
              value = builder.select(
                this.isFirst(parameter) ? someOn(builder, on) : this.widened(on, other.type),
                other,
                value,
              );
            }
            result.push(value);
          });
        });
      }
      for (const value of outs) {
        const isFirst = staysFirst(value);
        const list =
          !isEnd && !packets.isSet(value) ? null : isFirst ? [packets.first(value)] : packets.list(value, value);
        outTypes(value).forEach((_, part) => {
          let kept = held();
          const now = list?.[part];
          if (now !== undefined)
            for (const { edge } of leaving)
              kept = builder.select(
                isFirst ? someOn(builder, edge.mask ?? active) : this.widened(edge.mask ?? active, now.type),
                now,
                kept,
              );
          result.push(kept);
        });
      }
      return result;
    };
    this.frame = {
      loop,
      remaining: active,
      depth: 0,
      leave: (condition, whenTrue, way) => {
        const on = out.addBlock("stay");
        const values = after([...pending, way], false);
        if (whenTrue) builder.conditionalBranch(condition, end, on, values, []);
        else builder.conditionalBranch(condition, on, end, [], values);
        builder.block = on;
      },
    };
    for (const value of outs) packets.forget(value);
    this.takeAll(header, headers);
    this.sequence(
      header,
      null,
      active,
      loop.blocks,
      (from, to, edge) => {
        if (to === header) back.push(edge);
        else if (!loop.blocks.has(to)) pending.push({ from, to, edge });
        else return false;
        return true;
      },
      loop,
    );
    this.frame = outer;
    taken = after(pending, true);
    const [again] = back;
    if (again === undefined) builder.branch(end, ...taken);
    else {
      const on = again.mask ?? active;
      builder.conditionalBranch(someOn(builder, on), head, end, [...again.values.flat(), on, ...taken], taken);
    }
    builder.block = end;
    let next = 0;
    const leftOf = (count: number): Value[] => left.slice(next, (next += count));
    for (const target of targets) {
      const [on] = leftOf(1);
      assert(on !== undefined, "a mask for each target");
      const values = target.parameters.map((parameter) => leftOf(this.typesOf(parameter).length));
      const from = loop.exits.find(([, to]) => to === target)?.[0] ?? header;
      send(from, target, { mask: targets.length === 1 ? mask : on, values });
    }
    for (const value of outs) {
      const list = leftOf(outTypes(value).length);
      const [only] = list;
      if (staysFirst(value) && only !== undefined) packets.setFirst(value, only);
      else packets.setList(value, list);
    }
  }
}
