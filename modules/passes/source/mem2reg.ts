// SPDX-License-Identifier: Apache-2.0
// mem2reg: private variables that are only loaded and stored whole become values.
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

/** A variable that becomes values; its number is its mark less one. */
interface Variable {
  readonly place: Instruction;
  readonly type: Type;
}

/** The variables whose every use is a plain load or store of their own type; they are marked with their number, from 1 on. */
function promotable(fn: IrFunction): readonly Variable[] {
  const variables: Variable[] = [];
  for (const place of fn.entry.instructions) {
    const type = place.elementType;
    if (place.op === Op.ALLOCA && type !== null && isValueType(type)) variables.push({ place, type });
  }
  if (variables.length === 0) return variables;
  clearMarks(fn);
  variables.forEach(({ place }, i) => {
    place.mark = i + 1;
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
  const kept = variables.filter(({ place }) => place.mark !== 0);
  kept.forEach(({ place }, i) => {
    place.mark = i + 1;
  });
  return kept;
}

/** The number of the variable that an access reads or writes; -1: of none. */
function variableOf(pointer: Value | undefined): number {
  return pointer !== undefined && pointer.kind === "instruction" && pointer.op === Op.ALLOCA ? pointer.mark - 1 : -1;
}

/**
 * Turns the private variables of a function that are only loaded and stored whole into values. What was never stored is zero.
 * Unreachable blocks must be gone.
 */
export function mem2reg(fn: IrFunction, { analyses }: FunctionFrame): boolean {
  const variables = promotable(fn);
  if (variables.length === 0) return false;
  const construction = new Construction(
    fn,
    analyses.get("predecessors"),
    variables.map(({ place, type }) => ({ type, name: place.name })),
  );
  const current: (Value | null)[] = variables.map(() => null);
  const stores: number[] = variables.map(() => 0);
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
        stores[variable] = (stores[variable] ?? 0) + 1;
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
    assert(block !== null, "a load stands in a block");
    // What is stored once, and that in the entry, is known everywhere: so it is with parameters of functions.
    const value =
      (stores[variable] === 1 && block !== fn.entry ? construction.atEndOf(fn.entry, variable) : undefined) ??
      construction.start(block, variable);
    // In a loop that stores only what it loaded, the load would be its own value: it is zero, as at the entry.
    if (resolved(value) !== load) replaceLater(load, value);
    else replaceLater(load, constantZero(load.type));
  }
  construction.fillParameters();
  for (const { instructions } of fn.blocks) {
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (!isGone(instruction)) instructions[kept++] = instruction;
    }
    instructions.length = kept;
  }
  if (!dropTrivialParameters(fn, construction.made)) applyReplacements(fn);
  return true;
}

/** Stores and debug records of promoted variables, and the variables themselves. A debug record of a variable's address has nothing left to show. */
function isGone(instruction: Instruction): boolean {
  if (instruction.op === Op.ALLOCA) return instruction.mark !== 0;
  if (instruction.op === Op.STORE) return variableOf(instruction.operands[1]) >= 0;
  return instruction.op === Op.DEBUG_VALUE && variableOf(instruction.operands[0]) >= 0;
}
