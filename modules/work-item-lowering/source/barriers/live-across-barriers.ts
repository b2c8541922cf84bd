// SPDX-License-Identifier: Apache-2.0
// Values that live across barriers: which they are, which of them are computed again, and how the others become variables.
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

import type { Given, KeptTogether } from "./coalesce.ts";

/** SpillFrames of variables do not keep values alive, so those in other blocks than their value's go before barriers part the blocks. */
export function dropDistantRecords(fn: IrFunction): void {
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

/** Most instructions that are computed again rather than kept. */
const CHEAP_DEPTH = 4;

/** True for values that every region can compute again from the function's parameters and from what it has at hand. */
export function isRecomputable(value: Value, isAtHand: (value: Value) => boolean, depth: number = 0): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter" && value.owner !== null) return true;
  if (depth > 0 && isAtHand(value)) return true;
  if (value.kind === "parameter" || value.op === Op.ALLOCA || depth > CHEAP_DEPTH || !hasEffect(value.op, "s"))
    return false;
  return value.operands.every((operand) => isRecomputable(operand, isAtHand, depth + 1));
}

/** Moves values that live across barriers into variables, so that no value crosses one; gives the variables with a value of each. Variables are promoted again within each region. */
export function demote(fn: IrFunction, groups: readonly KeptTogether[], module: Module): Map<Instruction, Value> {
  const made = new Map<Instruction, Value>();
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
      keepIn(fn, variable, value, value.kind === "parameter" ? entries.get(value) : undefined);
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

/** Writes a value to a variable where it is made, or on the branches that bring it, and reads it there in all other blocks. */
function keepIn(fn: IrFunction, variable: Instruction, value: Value, entries: readonly Given[] | undefined): void {
  if (value.kind === "constant") return;
  const home = value.block;
  assert(home !== null, "a value that lives across a barrier has a block");
  for (const { from, edge, index } of entries ?? []) {
    const given = from.terminator.successorArguments[edge]?.[index];
    if (given !== undefined) from.instructions.splice(-1, 0, access(variable, from, given));
  }
  for (const block of fn.blocks) {
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

/** Computes recomputable values anew in every block that uses them but does not define them. */
export function recompute(fn: IrFunction, values: ReadonlySet<Value>, isAtHand: (value: Value) => boolean): void {
  for (const block of fn.blocks) {
    const copies = new Map<Value, Value>();
    const made: Instruction[] = [];
    const copyOf = (value: Value): Value => {
      if (value.kind !== "instruction" || value.block === block || (isAtHand(value) && !values.has(value)))
        return value;
      const known = copies.get(value);
      if (known !== undefined) return known;
      const copy = new Instruction(value.op, value.type, value.operands.map(copyOf), value.location);
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
