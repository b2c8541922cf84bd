// SPDX-License-Identifier: Apache-2.0
// Loops with more sums than there are registers, one loop for each part of the sums: what the parts share is loaded once more in each, which costs less than a sum that is read and written in every round.
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

/** Rounds of a loop that reads no more than what stays near when it is read again. */
const FEW_ROUNDS = 64;
/** Address spaces that hold little. */
const SMALL_SPACES: ReadonlySet<number> = new Set([LOCAL, PRIVATE, CONSTANT]);

/** Puts a block in front of another one. */
function blockBefore(fn: IrFunction, name: string, other: Block): Block {
  const made = fn.addBlock(name);
  fn.blocks.splice(fn.blocks.indexOf(other), 0, ...fn.blocks.splice(-1));
  return made;
}

/** Writes the parts of one loop: the last one takes the place of the loop. */
class LoopSplitter {
  private readonly fn: IrFunction;
  private readonly loop: OneBlockLoop;
  private readonly facts: AliasFacts;
  private readonly layout: DataLayout;
  /** The loop's parameters, and what they begin with. */
  private readonly parameters: readonly Parameter[];
  private readonly initial: readonly Value[];
  /** What is used behind the loop, and what gives it now. */
  private readonly replaced = new Map<Value, Value>();

  constructor(fn: IrFunction, loop: OneBlockLoop, layout: DataLayout) {
    this.fn = fn;
    this.loop = loop;
    this.layout = layout;
    this.facts = aliasFacts(fn);
    this.parameters = loop.block.parameters;
    this.initial = loop.before.terminator.successorArguments[0] ?? [];
  }

  /** What some parameters are given where the loop begins, or in its next round. */
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
      loop: { block, before, behind },
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
    this.dropRecords();
    this.bringLoads(parts.slice(1), between);
    if (new Set(predecessors(fn).get(behind)).size === 1) this.bringStores(between);
  }

  private enter(from: Block, head: Block, part: LoopPart): void {
    if (from === this.loop.before) from.instructions.pop();
    new Builder(from).branch(head, ...this.given(part, this.initial));
  }

  /** Records of variables keep no value: those of what no part has made in its old place go. */
  private dropRecords(): void {
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

  /** Moves loads of what a later part begins with to right in front of it, past the loops before, which write nothing. */
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

  /** Moves stores of what a part leaves to right behind it, where nothing on the way reads or writes what they write. */
  private bringStores(between: readonly Block[]): void {
    const { behind, block } = this.loop;
    const heads = between.map((after) => (predecessors(this.fn).get(after) ?? [])[0]);
    const late = new Set<Value>([
      ...behind.parameters,
      ...behind.instructions,
      ...block.parameters,
      ...block.instructions,
    ]);
    const moved = between.map(() => 0);
    for (const store of behind.instructions.slice()) {
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
      const place = value.block === null ? -1 : heads.indexOf(value.block);
      const to = between[place];
      if (to === undefined) continue;
      const at = behind.instructions.indexOf(store);
      const passed = [
        to.instructions.slice(moved[place]),
        ...heads.slice(place + 1).map((head) => head?.instructions ?? []),
        ...between.slice(place + 1).map(({ instructions }) => instructions),
        block.instructions,
        behind.instructions.slice(0, at),
      ].flat();
      if (passed.some((one) => this.conflicts(one, store, true))) continue;
      behind.instructions.splice(at, 1);
      store.block = to;
      to.instructions.splice(moved[place] ?? 0, 0, store);
      moved[place] = (moved[place] ?? 0) + 1;
    }
  }

  /** True when an access must not change places with an instruction. */
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
function usedOutside(fn: IrFunction, { block, back }: OneBlockLoop): Set<Value> {
  const users = uses(fn);
  const leaving = new Set(block.terminator.successorArguments.flatMap((list, edge) => (edge === back ? [] : list)));
  return new Set<Value>(
    [...block.parameters, ...block.instructions].filter(
      (value) => leaving.has(value) || (users.get(value) ?? []).some((user) => user.block !== block),
    ),
  );
}

/** Splits the innermost loops of a vector form whose sums do not fit the registers; gives how many loops the most split one has become (1: none was). @public */
export function splitLoops(fn: IrFunction, machine: MachineTarget): number {
  let most = 1;
  for (const loop of loops(fn).loops) {
    const before = predecessors(fn);
    const shape = oneBlockLoop(loop, before.get(loop.header) ?? []);
    if (shape === null) continue;
    const isShort = tripCount(loop, before, FEW_ROUNDS) !== null;
    const mayReload = ({ operands: [pointer] }: Instruction): boolean =>
      isShort || (pointer !== undefined && SMALL_SPACES.has(scalarOf(pointer.type).addressSpace));
    const parts = new PartFinder(shape, usedOutside(fn, shape), machine).find(mayReload);
    if (parts === null) continue;
    new LoopSplitter(fn, shape, machine.layout).write(parts);
    most = Math.max(most, parts.length);
  }
  return most;
}
