// SPDX-License-Identifier: Apache-2.0
// dce: dead code elimination, for instructions, block parameters and stores to private variables.
//
// Two marking phases, then a sweep:
//   1. a variable is read if anything but a plain write uses its address; it is zero until the first write;
//   2. live are terminators, volatile accesses, instructions with effects (but not writes to variables that are never
//      read), and what those markValue: a worklist goes from live values to their operands, and from a live block
//      parameter to the arguments of every edge into its block. So a parameter that feeds only itself around a loop is
//      dead;
//   3. what is not live is removed, with the arguments of dead parameters.
// Debug values are no uses; one is removed with its value.
//
// This is the optimistic mark and sweep of Cytron et al. 1991 (section 7.1), without the removal of dead branches.
// Cost: linear in instructions and edges.
import { type Instruction, type IrFunction, Op, VOLATILE, type Value, clearMarks, hasEffect } from "@muxkit/ir";

import { isPureCall } from "./builtin-facts.ts";
import { variableOf } from "./alias-analysis.ts";
import { removeParameters } from "./block-parameters.ts";

/** Mark of a live value. */
const LIVE = 1;
/** Mark of a variable that is read. */
const READ = 2;

/** True when an instruction must stay although its result is not used. */
function mustStay(instruction: Instruction): boolean {
  if (instruction.isTerminator) return true;
  if ((instruction.flags & VOLATILE) !== 0) return true;
  if (instruction.op === Op.DEBUG_VALUE) return true;
  if (instruction.op === Op.CALL_BUILTIN && isPureCall(instruction)) return false;
  return hasEffect(instruction.op, "w") || hasEffect(instruction.op, "c") || hasEffect(instruction.op, "t");
}

/** The private variable that a plain store, fill or copy writes; null for everything else. */
function writtenVariable(instruction: Instruction): Instruction | null {
  if ((instruction.flags & VOLATILE) !== 0) return null;
  if (instruction.op === Op.STORE) return variableOf(instruction.operands[1]);
  return instruction.op === Op.MEMORY_FILL || instruction.op === Op.MEMORY_COPY
    ? variableOf(instruction.operands[0])
    : null;
}

function read(value: Value): void {
  const variable = variableOf(value);
  if (variable !== null) variable.mark = READ;
}

/** Marks the variables that are read or whose address escapes. */
function markRead(fn: IrFunction): void {
  for (const { instructions } of fn.blocks) {
    for (let at = 0; at < instructions.length; at++) {
      const instruction = instructions[at] as Instruction;
      const { op, operands, successorArguments } = instruction;
      if (op === Op.ADDRESS || op === Op.DEBUG_VALUE) continue;
      const written = writtenVariable(instruction) === null ? -1 : op === Op.STORE ? 1 : 0;
      for (let i = 0; i < operands.length; i++) if (i !== written) read(operands[i] as Value);
      for (let edge = 0; edge < successorArguments.length; edge++)
        for (const value of successorArguments[edge] as Value[]) read(value);
    }
  }
}

/** A debug value whose operand is dead. */
function isDeadDebugValue(instruction: Instruction): boolean {
  const [value] = instruction.operands;
  return (
    instruction.op === Op.DEBUG_VALUE &&
    value !== undefined &&
    value.kind !== "constant" &&
    !(value.kind === "parameter" && value.owner !== null) &&
    value.mark !== LIVE
  );
}

/**
 * Fills with zeros, in the entry, of variables that nothing has written: they are zero there. Inlining writes them for
 * the variables of a callee.
 */
function fillsOfNewVariables({ entry: { instructions } }: IrFunction): ReadonlySet<Instruction> {
  const found = new Set<Instruction>();
  if (!instructions.some(({ op }) => op === Op.MEMORY_FILL)) return found;
  const written = new Set<Instruction>();
  for (const instruction of instructions) {
    const { op, operands, flags } = instruction;
    if (op === Op.ADDRESS || op === Op.DEBUG_VALUE || op === Op.LOAD) continue;
    const [, value] = operands;
    const variable = op === Op.MEMORY_FILL && (flags & VOLATILE) === 0 ? variableOf(operands[0]) : null;
    const isZero = value?.kind === "constant" && value.low === 0;
    if (variable !== null && isZero && !written.has(variable)) found.add(instruction);
    else
      for (const operand of operands) {
        const other = variableOf(operand);
        if (other !== null) written.add(other);
      }
  }
  return found;
}

/** Marks live values with a worklist. Arguments are live where their parameter is. */
function markLive(fn: IrFunction): void {
  const work: Value[] = [];
  const markValue = (value: Value): void => {
    if (value.kind === "constant" || value.mark === LIVE) return;
    value.mark = LIVE;
    work.push(value);
  };
  const before = incomingEdges(fn);
  const needless = fillsOfNewVariables(fn);
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (!mustStay(instruction) || needless.has(instruction)) continue;
      const variable = writtenVariable(instruction);
      if (variable === null || variable.mark !== 0) markValue(instruction);
    }
  }
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (next.kind === "instruction") {
      const { op, operands } = next;
      if (op !== Op.DEBUG_VALUE) for (let i = 0; i < operands.length; i++) markValue(operands[i] as Value);
    } else if (next.kind === "parameter" && next.block !== null) {
      const position = next.block.parameters.indexOf(next);
      for (const list of before[next.block.mark] ?? []) {
        const argument = list[position];
        if (argument !== undefined) markValue(argument);
      }
    }
  }
}

/** For each block, by its mark, the argument lists of the edges into it. */
function incomingEdges(fn: IrFunction): (readonly Value[])[][] {
  const before: (readonly Value[])[][] = fn.blocks.map((block, i) => {
    block.mark = i;
    return [];
  });
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((successor, i) => {
      const list = successorArguments[i];
      if (list !== undefined && list.length > 0) before[successor.mark]?.push(list);
    });
  }
  return before;
}

/** Removes unused results, block parameters that feed only themselves, and writes to variables that are never read. */
export function deadCodeElimination(fn: IrFunction): boolean {
  clearMarks(fn);
  markRead(fn);
  markLive(fn);
  let changed = false;
  for (const block of fn.blocks) {
    const { instructions } = block;
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (instruction.mark === LIVE && !isDeadDebugValue(instruction)) instructions[kept++] = instruction;
    }
    if (kept !== instructions.length) changed = true;
    instructions.length = kept;
  }
  if (fn.blocks.some(({ parameters }) => parameters.some(({ mark }) => mark !== LIVE))) {
    changed = true;
    removeParameters(fn, (parameter) => parameter.mark !== LIVE);
  }
  return changed;
}
