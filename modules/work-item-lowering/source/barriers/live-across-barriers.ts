// SPDX-License-Identifier: Apache-2.0
// Values that are live across barriers. Cheap ones are rematerialised: computed again in each block that uses them,
// from the function's parameters and from uniform values, up to a small depth. The others are demoted to variables (the
// inverse of mem2reg), so that no SSA value is live across a barrier; mem2reg promotes the variables again within each
// region.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Instruction,
  type IrFunction,
  type Module,
  Op,
  PRIVATE,
  VOID,
  type Value,
  alignmentOf,
  hasEffect,
  pointerType,
} from "@muxkit/ir";

import type { EdgeArgument, CoalescedValues } from "./coalesce.ts";

/**
 * SpillFrames of variables do not keep values alive, so those in other blocks than their value's go before barriers
 * part the blocks.
 */
export function dropDistantDebugValues(fn: IrFunction): void {
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter(
      ({ op, operands: [value] }) =>
        op !== Op.DEBUG_VALUE ||
        value === undefined ||
        value.kind === "constant" ||
        value.block === null ||
        value.block === block,
    );
  }
}

/** Deepest chain of instructions that is rematerialised instead of spilled. */
const CHEAP_DEPTH = 4;

/**
 * True for values that every region can compute again from the function's parameters and from what is available there.
 */
export function isRematerialisable(value: Value, isAvailable: (value: Value) => boolean, depth: number = 0): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter" && value.owner !== null) return true;
  if (depth > 0 && isAvailable(value)) return true;
  if (value.kind === "parameter" || value.op === Op.ALLOCA || depth > CHEAP_DEPTH || !hasEffect(value.op, "s"))
    return false;
  return value.operands.every((operand) => isRematerialisable(operand, isAvailable, depth + 1));
}

/** Moves values that are live across barriers into variables; returns the variables with a value of each. */
export function demote(fn: IrFunction, groups: readonly CoalescedValues[], module: Module): Map<Instruction, Value> {
  const made = new Map<Instruction, Value>();
  const users = usingBlocks(fn, groups);
  for (const { values, entries } of groups) {
    const [first] = values;
    if (first === undefined) continue;
    const variable = new Instruction(
      Op.ALLOCA,
      pointerType(PRIVATE),
      [],
      first.kind === "instruction" ? first.location : null,
    );
    variable.elementType = first.type;
    variable.alignment = alignmentOf(module.layout, first.type);
    variable.block = fn.entry;
    fn.entry.instructions.unshift(variable);
    made.set(variable, first);
    for (const value of values)
      keepIn(variable, value, users.get(value) ?? [], value.kind === "parameter" ? entries.get(value) : undefined);
  }
  return made;
}

function access(variable: Instruction, block: Block, value: Value | null): Instruction {
  const made =
    value === null
      ? new Instruction(Op.LOAD, variable.elementType ?? VOID, [variable], null)
      : new Instruction(Op.STORE, VOID, [value, variable], null);
  made.alignment = variable.alignment;
  made.block = block;
  return made;
}

/** For each value, the blocks that use or define it, in their order. */
function usingBlocks(fn: IrFunction, groups: readonly CoalescedValues[]): ReadonlyMap<Value, readonly Block[]> {
  const users = new Map<Value, Block[]>(groups.flatMap(({ values }) => values.map((value) => [value, []])));
  for (const block of fn.blocks) {
    const note = (value: Value): void => {
      const list = users.get(value);
      if (list !== undefined && list.at(-1) !== block) list.push(block);
    };
    block.parameters.forEach(note);
    for (const instruction of block.instructions) {
      note(instruction);
      instruction.operands.forEach(note);
      for (const list of instruction.successorArguments) list.forEach(note);
    }
  }
  return users;
}

/**
 * Stores a value to a variable where it is defined, or on the edges that bring it, and loads it in all other blocks
 * that use it.
 */
function keepIn(
  variable: Instruction,
  value: Value,
  users: readonly Block[],
  entries: readonly EdgeArgument[] | undefined,
): void {
  if (value.kind === "constant") return;
  const home = value.block;
  assert(home !== null, "a value that is live across a barrier has a block");
  for (const { from, edge, index } of entries ?? []) {
    const given = from.terminator.successorArguments[edge]?.[index];
    if (given !== undefined) from.instructions.splice(-1, 0, access(variable, from, given));
  }
  for (const block of users) {
    const rewritten: Instruction[] = [];
    for (const instruction of block.instructions) {
      const uses =
        instruction.operands.includes(value) || instruction.successorArguments.some((list) => list.includes(value));
      if (uses && block !== home) {
        const load = access(variable, block, null);
        rewritten.push(load);
        instruction.operands = instruction.operands.map((operand) => (operand === value ? load : operand));
        instruction.successorArguments = instruction.successorArguments.map((list) =>
          list.map((operand) => (operand === value ? load : operand)),
        );
      }
      rewritten.push(instruction);
      if (instruction === value) rewritten.push(access(variable, block, value));
    }
    if (block === home && value.kind === "parameter" && entries === undefined)
      rewritten.unshift(access(variable, block, value));
    block.instructions = rewritten;
  }
}

/** Computes values anew in every block that uses them but does not define them. */
export function rematerialise(
  fn: IrFunction,
  values: ReadonlySet<Value>,
  isAvailable: (value: Value) => boolean,
): void {
  for (const block of fn.blocks) {
    const copies = new Map<Value, Value>();
    const made: Instruction[] = [];
    const copyOf = (value: Value): Value => {
      if (value.kind !== "instruction" || value.block === block || (isAvailable(value) && !values.has(value)))
        return value;
      const known = copies.get(value);
      if (known !== undefined) return known;
      const copy = new Instruction(value.op, value.type, value.operands.map(copyOf), value.location);
      copy.symbol = value.symbol;
      copy.flags = value.flags;
      copy.offset = value.offset;
      copy.scale = value.scale;
      copy.lanes = value.lanes;
      copy.block = block;
      copies.set(value, copy);
      made.push(copy);
      return copy;
    };
    const replace = (value: Value): Value =>
      values.has(value) && value.kind === "instruction" && value.block !== block ? copyOf(value) : value;
    for (const instruction of block.instructions) {
      instruction.operands = instruction.operands.map(replace);
      instruction.successorArguments = instruction.successorArguments.map((list) => list.map(replace));
    }
    block.instructions.unshift(...made);
  }
}
