// SPDX-License-Identifier: Apache-2.0
// mem2reg: promotes private variables to SSA values. A variable is promotable when every use is a plain load or store
// of its own type; what was never stored is zero.
//
// Phases:
//   1. promotable allocas are numbered through their marks;
//   2. one walk over the blocks resolves loads that a store of their block precedes, and records the last value of each
//      block;
//   3. loads that come first in their block take the value at its start: SSA construction makes block parameters, on
//      demand, at joins in the iterated dominance frontiers of the stores (ssa-construction.ts);
//   4. stores, debug values and the allocas are removed, and parameters whose arguments are all one value are dropped.
//
// Cost: linear in instructions and in what dominance frontiers hold. Blocks must be reachable.
import { assert } from "@muxkit/cargo";
import {
  type Instruction,
  type IrFunction,
  Op,
  type Type,
  VOLATILE,
  type Value,
  applyReplacements,
  clearMarks,
  constantZero,
  replaceLater,
  resolved,
  scalarOf,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";
import { dropTrivialParameters } from "./block-parameters.ts";
import { Construction } from "./ssa-construction.ts";

/** True for types that a value can have. */
function isValueType(type: Type): boolean {
  const { kind } = scalarOf(type);
  return kind === "int" || kind === "float" || kind === "pointer" || kind === "opaque";
}

/** A promotable variable; its number is the mark of its alloca minus one. */
interface Variable {
  readonly alloca: Instruction;
  readonly type: Type;
}

/** The promotable variables. Their allocas are marked with their numbers, from 1 on. */
function promotable(fn: IrFunction): readonly Variable[] {
  const variables: Variable[] = [];
  for (const alloca of fn.entry.instructions) {
    const type = alloca.elementType;
    if (alloca.op === Op.ALLOCA && type !== null && isValueType(type)) variables.push({ alloca, type });
  }
  if (variables.length === 0) return variables;
  clearMarks(fn);
  variables.forEach(({ alloca }, i) => {
    alloca.mark = i + 1;
  });
  for (const { instructions } of fn.blocks) {
    for (let at = 0; at < instructions.length; at++) {
      const user = instructions[at] as Instruction;
      const { operands, successorArguments } = user;
      for (let i = 0; i < operands.length; i++) {
        const operand = operands[i] as Value;
        if (operand.kind !== "instruction" || operand.mark === 0 || user.op === Op.DEBUG_VALUE) continue;
        const type = variables[operand.mark - 1]?.type;
        const loads = user.op === Op.LOAD && user.type === type;
        const stores = user.op === Op.STORE && i === 1 && operands[0]?.type === type;
        if ((user.flags & VOLATILE) !== 0 || !(loads || stores)) operand.mark = 0;
      }
      for (let edge = 0; edge < successorArguments.length; edge++)
        for (const value of successorArguments[edge] as Value[]) if (value.kind === "instruction") value.mark = 0;
    }
  }
  const kept = variables.filter(({ alloca }) => alloca.mark !== 0);
  kept.forEach(({ alloca }, i) => {
    alloca.mark = i + 1;
  });
  return kept;
}

/** The number of the variable that an access reads or writes; -1: of none. */
function variableOf(pointer: Value | undefined): number {
  return pointer !== undefined && pointer.kind === "instruction" && pointer.op === Op.ALLOCA ? pointer.mark - 1 : -1;
}

/**
 * Turns the private variables of a function that are only loaded and stored whole into values. What was never stored is
 * zero. Unreachable blocks must be gone.
 */
export function mem2reg(fn: IrFunction, { analyses }: FunctionFrame): boolean {
  const variables = promotable(fn);
  if (variables.length === 0) return false;
  const construction = new Construction(
    analyses.get("predecessors"),
    analyses.get("dominators"),
    variables.map(({ alloca, type }) => ({ type, name: alloca.name })),
  );
  const current: (Value | null)[] = variables.map(() => null);
  const touched: number[] = [];
  const loads: Instruction[] = [];
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let at = 0; at < instructions.length; at++) {
      const instruction = instructions[at] as Instruction;
      const isLoad = instruction.op === Op.LOAD;
      if (!isLoad && instruction.op !== Op.STORE) continue;
      const variable = variableOf(instruction.operands[isLoad ? 0 : 1]);
      if (variable < 0) continue;
      const known = current[variable];
      if (!isLoad) {
        const [stored] = instruction.operands;
        assert(stored !== undefined, "a store has a value");
        if (known === null) touched.push(variable);
        current[variable] = stored;
      } else if (known === null || known === undefined) loads.push(instruction);
      else replaceLater(instruction, known);
    }
    for (const variable of touched) {
      const value = current[variable];
      if (value !== null && value !== undefined) construction.write(block, variable, value);
      current[variable] = null;
    }
    touched.length = 0;
  }
  for (const load of loads) {
    const { block } = load;
    const variable = variableOf(load.operands[0]);
    assert(block !== null, "a load is in a block");
    const value = construction.start(block, variable);
    // In a loop that stores only what it loaded, the load would be its own value: it is zero, the value at the entry.
    if (resolved(value) !== load) replaceLater(load, value);
    else replaceLater(load, constantZero(load.type));
  }
  construction.fillParameters();
  for (const { instructions } of fn.blocks) {
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (!isPromoted(instruction)) instructions[kept++] = instruction;
    }
    instructions.length = kept;
  }
  if (!dropTrivialParameters(fn, construction.made)) applyReplacements(fn);
  return true;
}

/** True for the stores, debug values and allocas of promoted variables. */
function isPromoted(instruction: Instruction): boolean {
  if (instruction.op === Op.ALLOCA) return instruction.mark !== 0;
  if (instruction.op === Op.STORE) return variableOf(instruction.operands[1]) >= 0;
  return instruction.op === Op.DEBUG_VALUE && variableOf(instruction.operands[0]) >= 0;
}
