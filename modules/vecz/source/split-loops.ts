// SPDX-License-Identifier: Apache-2.0
// Loop distribution (fission) by register pressure, the rewrite: a loop with more reductions than registers becomes
// several loops. What they share is loaded again in each, which costs less than spilling an accumulator in every
// iteration.
//
//   ^loop(%k, %s0, ..., %s23):          ^loop(%k, %s0, ..., %s11): ... cond_br ^loop, ^next
//     ... cond_br ^loop, ^end     =>    ^next: br ^loop2(0, %s12, ..., %s23)
//                                       ^loop2(%k, %s12, ..., %s23): ... cond_br ^loop2, ^end
//
// Phases: find innermost loops of one block, group their reductions (loop-parts.ts), clone the block for each part,
// then move loads of start values down and stores of results up to their loop (alias analysis of `passes`), so that
// live ranges do not span the other loops. Cost: linear in the loop for each part.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  CONSTANT,
  type DataLayout,
  Instruction,
  type IrFunction,
  LOCAL,
  Op,
  PRIVATE,
  type Parameter,
  type Value,
  VOID,
  cloneInstruction,
  loops,
  predecessors,
  replaceUses,
  scalarOf,
  tripCount,
  uses,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { type AliasFacts, accessOf, mayAlias, memoryEffect, aliasFacts } from "@muxkit/passes";

import { type LoopPart, type OneBlockLoop, PartFinder, oneBlockLoop } from "./loop-parts.ts";

/** Iterations of a loop whose data stay in the cache when they are read again. */
const FEW_ITERATIONS = 64;
/** Address spaces whose data stay in the cache. */
const SMALL_SPACES: ReadonlySet<number> = new Set([LOCAL, PRIVATE, CONSTANT]);

/** Inserts a block before another one. */
function blockBefore(fn: IrFunction, name: string, other: Block): Block {
  const made = fn.addBlock(name);
  fn.blocks.splice(fn.blocks.indexOf(other), 0, ...fn.blocks.splice(-1));
  return made;
}

/** Writes the parts of one loop; the last one replaces the loop. */
class LoopSplitter {
  private readonly fn: IrFunction;
  private readonly loop: OneBlockLoop;
  private readonly facts: AliasFacts;
  private readonly layout: DataLayout;
  /** The loop's parameters, and their start values. */
  private readonly parameters: readonly Parameter[];
  private readonly initial: readonly Value[];
  /** Values that are live out of the loop, and their replacements. */
  private readonly replaced = new Map<Value, Value>();

  constructor(fn: IrFunction, loop: OneBlockLoop, layout: DataLayout) {
    this.fn = fn;
    this.loop = loop;
    this.layout = layout;
    this.facts = aliasFacts(fn);
    this.parameters = loop.block.parameters;
    this.initial = loop.before.terminator.successorArguments[0] ?? [];
  }

  /** The arguments of a part's parameters, out of those of all parameters. */
  private given({ parameters }: LoopPart, values: readonly Value[]): Value[] {
    return parameters.map((parameter) => {
      const value = values[this.parameters.indexOf(parameter)];
      assert(value !== undefined, "a value for each parameter");
      return value;
    });
  }

  /** One part in a block of its own, and the block that follows. */
  private writePart(part: LoopPart): { readonly head: Block; readonly after: Block } {
    const {
      fn,
      loop: { block, back },
    } = this;
    const head = blockBefore(fn, block.name, block);
    const after = blockBefore(fn, `${block.name}.next`, block);
    head.unroll = block.unroll;
    const map = new Map<Value, Value>(
      part.parameters.map((parameter) => [parameter, head.addParameter(parameter.type, parameter.name)]),
    );
    const mapped = (value: Value): Value => map.get(value) ?? value;
    for (const instruction of part.instructions) {
      const copy = cloneInstruction(instruction);
      copy.operands = instruction.operands.map(mapped);
      head.append(copy);
      map.set(instruction, copy);
    }
    const branch = cloneInstruction(block.terminator);
    branch.operands = block.terminator.operands.map(mapped);
    branch.successors = block.terminator.successors.map((_, edge) => (edge === back ? head : after));
    branch.successorArguments = branch.successors.map((_, edge) =>
      edge === back ? this.given(part, block.terminator.successorArguments[back] ?? []).map(mapped) : [],
    );
    head.append(branch);
    for (const output of part.outputs) this.replaced.set(output, mapped(output));
    return { head, after };
  }

  private keepPart(part: LoopPart): void {
    const { block, back } = this.loop;
    const { terminator } = block;
    terminator.successorArguments = terminator.successorArguments.map((list, edge) =>
      edge === back ? this.given(part, list) : list,
    );
    block.parameters = [...part.parameters];
    block.instructions = [...part.instructions, terminator];
  }

  write(parts: readonly LoopPart[]): void {
    const {
      fn,
      loop: { block, before, after: exit },
    } = this;
    const last = parts.at(-1);
    assert(last !== undefined, "a loop has parts");
    const between: Block[] = [];
    let from = before;
    for (const part of parts.slice(0, -1)) {
      const { head, after } = this.writePart(part);
      this.enter(from, head, part);
      between.push(after);
      from = after;
    }
    this.enter(from, block, last);
    this.keepPart(last);
    replaceUses(fn, this.replaced);
    this.dropDebugValues();
    this.bringLoads(parts.slice(1), between);
    if (new Set(predecessors(fn).get(exit)).size === 1) this.bringStores(between);
  }

  private enter(from: Block, head: Block, part: LoopPart): void {
    if (from === this.loop.before) from.instructions.pop();
    new Builder(from).branch(head, ...this.given(part, this.initial));
  }

  /** Debug values keep no value alive: those of values that no part computes any more are removed. */
  private dropDebugValues(): void {
    const { block } = this.loop;
    const has = new Set<Value>([...block.parameters, ...block.instructions]);
    for (const one of this.fn.blocks) {
      one.instructions = one.instructions.filter(
        ({ op, operands: [value] }) =>
          op !== Op.DEBUG_VALUE ||
          value === undefined ||
          value.kind === "constant" ||
          value.block !== block ||
          has.has(value),
      );
    }
  }

  /** Moves loads of a later part's start values down to it, past the earlier loops, which write nothing. */
  private bringLoads(parts: readonly LoopPart[], between: readonly Block[]): void {
    const { before } = this.loop;
    const users = uses(this.fn);
    parts.forEach((part, i) => {
      const to = between[i];
      if (to === undefined) return;
      for (const value of new Set(this.given(part, this.initial))) {
        if (
          value.kind !== "instruction" ||
          value.op !== Op.LOAD ||
          value.block !== before ||
          (users.get(value) ?? []).some(({ block }) => block !== to)
        )
          continue;
        const at = before.instructions.indexOf(value);
        const access = accessOf(value, this.layout);
        if (
          access === null ||
          memoryEffect(value) !== "reads" ||
          before.instructions.slice(at).some((one) => this.conflicts(one, value, false))
        )
          continue;
        before.instructions.splice(at, 1);
        value.block = to;
        to.instructions.splice(-1, 0, value);
      }
    });
  }

  /** Moves stores of a part's results up to it, where nothing in between may alias them. */
  private bringStores(between: readonly Block[]): void {
    const { after: exit, block } = this.loop;
    const heads = between.map((after) => (predecessors(this.fn).get(after) ?? [])[0]);
    const late = new Set<Value>([...exit.parameters, ...exit.instructions, ...block.parameters, ...block.instructions]);
    const moved = between.map(() => 0);
    for (const store of exit.instructions.slice()) {
      const [value, pointer] = store.operands;
      if (
        store.op !== Op.STORE ||
        memoryEffect(store) !== "writes" ||
        value === undefined ||
        value.kind === "constant" ||
        pointer === undefined ||
        late.has(pointer)
      )
        continue;
      const position = value.block === null ? -1 : heads.indexOf(value.block);
      const to = between[position];
      if (to === undefined) continue;
      const at = exit.instructions.indexOf(store);
      const passed = [
        to.instructions.slice(moved[position]),
        ...heads.slice(position + 1).map((head) => head?.instructions ?? []),
        ...between.slice(position + 1).map(({ instructions }) => instructions),
        block.instructions,
        exit.instructions.slice(0, at),
      ].flat();
      if (passed.some((one) => this.conflicts(one, store, true))) continue;
      exit.instructions.splice(at, 1);
      store.block = to;
      to.instructions.splice(moved[position] ?? 0, 0, store);
      moved[position] = (moved[position] ?? 0) + 1;
    }
  }

  /** True when an access must not be reordered with an instruction. */
  private conflicts(other: Instruction, access: Instruction, writes: boolean): boolean {
    const effect = memoryEffect(other);
    if (
      effect === "anything" ||
      (other.type === VOID && effect === "none" && !other.isTerminator && other.op !== Op.DEBUG_VALUE)
    )
      return true;
    if (effect === "none" || (effect === "reads" && !writes)) return false;
    const [left, right] = [accessOf(other, this.layout), accessOf(access, this.layout)];
    return left === null || right === null || mayAlias(left, right, this.facts);
  }
}

/** Values of a block that are used elsewhere. */
function usedOutside(users: ReadonlyMap<Value, readonly Instruction[]>, { block, back }: OneBlockLoop): Set<Value> {
  const leaving = new Set(block.terminator.successorArguments.flatMap((list, edge) => (edge === back ? [] : list)));
  return new Set<Value>(
    [...block.parameters, ...block.instructions].filter(
      (value) => leaving.has(value) || (users.get(value) ?? []).some((user) => user.block !== block),
    ),
  );
}

/**
 * Splits the innermost loops of a vector variant whose reductions do not fit the machine's registers. The result: how
 * many loops the one that was split most has become; 1: none was split.
 *
 * @public
 */
export function splitLoops(fn: IrFunction, machine: MachineTarget): number {
  let most = 1;
  // Of the function as it is: found once for all loops, until one of them is split.
  let before = predecessors(fn);
  let users: ReadonlyMap<Value, readonly Instruction[]> | null = null;
  for (const loop of loops(fn).loops) {
    const shape = oneBlockLoop(loop, before.get(loop.header) ?? []);
    if (shape === null) continue;
    const isShort = tripCount(loop, before, FEW_ITERATIONS) !== null;
    const mayReload = ({ operands: [pointer] }: Instruction): boolean =>
      isShort || (pointer !== undefined && SMALL_SPACES.has(scalarOf(pointer.type).addressSpace));
    users ??= uses(fn);
    const parts = new PartFinder(shape, usedOutside(users, shape), machine).find(mayReload);
    if (parts === null) continue;
    new LoopSplitter(fn, shape, machine.layout).write(parts);
    before = predecessors(fn);
    users = null;
    most = Math.max(most, parts.length);
  }
  return most;
}
