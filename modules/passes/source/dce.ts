// dce: removes instructions, block parameters and functions that nothing needs.
import { type Instruction, type IrFunction, type Module, Op, type Parameter, VOLATILE, type Value, hasEffect } from "@muxkit/ir";

import { removeParameters } from "./mem2reg.ts";

/** True when an instruction must stay although nobody reads its result. */
function mustStay(instruction: Instruction): boolean {
  if (instruction.isTerminator) return true;
  if ((instruction.flags & VOLATILE) !== 0) return true;
  if (instruction.op === Op.DEBUG_VALUE) return true;
  return hasEffect(instruction.op, "w") || hasEffect(instruction.op, "c") || hasEffect(instruction.op, "t");
}

/** Stores to, and fills of, private variables that are never read. */
function deadStores(fn: IrFunction): Set<Instruction> {
  const variables = new Set<Value>();
  const derived = new Map<Value, Value>();
  for (const instruction of fn.entry.instructions) if (instruction.op === Op.ALLOCA) variables.add(instruction);
  if (variables.size === 0) return new Set();
  const writes: Instruction[] = [];
  const read = new Set<Value>();
  const rootOf = (value: Value | undefined): Value | undefined => (value === undefined ? undefined : variables.has(value) ? value : derived.get(value));
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op === Op.ADDRESS) {
        const root = rootOf(instruction.operands[0]);
        if (root !== undefined) derived.set(instruction, root);
        continue;
      }
      const isWrite = (instruction.op === Op.STORE || instruction.op === Op.MEMORY_FILL) && (instruction.flags & VOLATILE) === 0;
      const at = instruction.op === Op.STORE ? 1 : 0;
      if (isWrite && rootOf(instruction.operands[at]) !== undefined) writes.push(instruction);
      instruction.operands.forEach((operand, i) => {
        if (isWrite && i === at) return;
        if (instruction.op === Op.DEBUG_VALUE) return;
        const root = rootOf(operand);
        if (root !== undefined) read.add(root);
      });
      for (const list of instruction.successorArguments) {
        for (const value of list) {
          const root = rootOf(value);
          if (root !== undefined) read.add(root);
        }
      }
    }
  }
  const dead = new Set<Instruction>();
  for (const write of writes) {
    const root = rootOf(write.operands[write.op === Op.STORE ? 1 : 0]);
    if (root !== undefined && !read.has(root)) dead.add(write);
  }
  return dead;
}

/**
 * Removes what nothing needs: unread results, parameters of blocks that feed only themselves, writes to private variables that are never read.
 * Blocks must be in an order where an address comes after its base (every order the other passes leave).
 *
 * @public
 */
export function deadCodeElimination(fn: IrFunction): boolean {
  const dropped = deadStores(fn);
  const live = new Set<Value>();
  const work: Instruction[] = [];
  const incoming = new Map<Parameter, Value[]>();
  const need = (value: Value): void => {
    if (value.kind === "constant" || live.has(value)) return;
    live.add(value);
    if (value.kind === "instruction") work.push(value);
    else for (const argument of incoming.get(value) ?? []) need(argument);
  };
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((successor, i) => {
      successor.parameters.forEach((parameter, position) => {
        const value = successorArguments[i]?.[position];
        if (value === undefined) return;
        const list = incoming.get(parameter);
        if (list === undefined) incoming.set(parameter, [value]);
        else list.push(value);
      });
    });
  }
  for (const block of fn.blocks) for (const instruction of block.instructions) if (mustStay(instruction) && !dropped.has(instruction)) {
    live.add(instruction);
    work.push(instruction);
  }
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (next.op === Op.DEBUG_VALUE) continue;
    for (const operand of next.operands) need(operand);
  }
  let changed = false;
  for (const block of fn.blocks) {
    const kept = block.instructions.filter((instruction) => live.has(instruction) && !isLostRecord(instruction, live));
    if (kept.length !== block.instructions.length) changed = true;
    block.instructions = kept;
  }
  const dead = new Set<Parameter>();
  for (const block of fn.blocks) for (const parameter of block.parameters) if (!live.has(parameter)) dead.add(parameter);
  if (dead.size > 0) changed = true;
  removeParameters(fn, dead);
  return changed;
}

/** A debug record whose value is gone. */
function isLostRecord(instruction: Instruction, live: ReadonlySet<Value>): boolean {
  const value = instruction.operands[0];
  return instruction.op === Op.DEBUG_VALUE && value !== undefined && value.kind !== "constant" && !(value.kind === "parameter" && value.owner !== null) && !live.has(value);
}

/** Removes functions that no kernel reaches. Without a kernel nothing is removed: the module is a library. @public */
export function globalDeadCodeElimination(module: Module): boolean {
  const { kernels } = module;
  if (kernels.length === 0) return false;
  const reached = new Set<IrFunction>(kernels);
  const work = [...kernels];
  for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
    for (const block of fn.blocks) {
      for (const { symbol } of block.instructions) {
        if (symbol !== null && symbol.kind === "function" && !reached.has(symbol)) {
          reached.add(symbol);
          work.push(symbol);
        }
      }
    }
  }
  let changed = false;
  for (const [name, fn] of module.functions) {
    if (!reached.has(fn)) {
      module.functions.delete(name);
      changed = true;
    }
  }
  return changed;
}
