// SPDX-License-Identifier: Apache-2.0
// Convergence points: where work-items of a kernel wait for one another. Group collectives become a barrier between
// variables:
//
//     %r = group_reduce %v        store %v, %operand; barrier; %r = load %result
//
// A loop in which work-items of a sub-group converge gets one latch, with a barrier for those that finish an iteration
// together. Points are numbered in the order in which work-items are let continue: of a sub-group, those that converge
// first, then of the work-group; within one rank in the order of the convergence analysis (ir/source/convergence.ts).
import { assert } from "@muxkit/cargo";
import {
  type Block,
  I1,
  I8,
  Instruction,
  type IrFunction,
  type Module,
  NON_UNIFORM,
  Op,
  PRIVATE,
  VOID,
  alignmentOf,
  constantInt,
  convergence,
  isGroupOperation,
  pointerType,
  predecessors,
  replaceUses,
  type Type,
  type Value,
} from "@muxkit/ir";

/** A group collective that is computed while all wait at its barrier. */
export interface Collective {
  readonly instruction: Instruction;
  /** Variables that hold the operands of each work-item. */
  readonly operands: readonly Instruction[];
  /** Variable that gets its result. */
  readonly result: Instruction;
}

/** Collectives whose result is the same for all work-items of a scope. */
const UNIFORM_RESULTS: ReadonlySet<number> = new Set([Op.GROUP_ALL, Op.GROUP_ANY, Op.GROUP_REDUCE, Op.GROUP_BROADCAST]);

/** True for collectives whose result is uniform in the work-group. */
export function isUniformResult({ op, scope }: Instruction): boolean {
  return scope === "work_group" && UNIFORM_RESULTS.has(op);
}

/** A barrier, and the group collective that it belongs to. */
export interface ConvergencePoint {
  readonly barrier: Instruction;
  readonly operation: Collective | null;
}

/**
 * Which work-items wait for one another one by one: those of a work-group alone where the lanes of a vector are a
 * sub-group, which needs no waiting.
 */
export type ConvergenceScope = "work_group" | "sub_group";

/** True for an instruction at which work-items wait for one another. */
export function isConvergencePoint({ op, scope }: Instruction, least: ConvergenceScope): boolean {
  return (
    (isGroupOperation(op) || op === Op.BARRIER) &&
    scope !== "work_item" &&
    (scope === "work_group" || least === "sub_group")
  );
}

/** True when work-items of a kernel wait for one another. */
export function hasConvergencePoint(fn: IrFunction, least: ConvergenceScope): boolean {
  return fn.blocks.some((block) => block.instructions.some((instruction) => isConvergencePoint(instruction, least)));
}

/** True when the work-items of sub-groups wait for one another. */
export function usesSubGroups(fn: IrFunction): boolean {
  return fn.blocks.some((block) =>
    block.instructions.some(({ op, scope }) => (isGroupOperation(op) || op === Op.BARRIER) && scope === "sub_group"),
  );
}

/** A barrier that is in no block yet. */
export function makeBarrier(
  scope: Instruction["scope"],
  flags: number,
  location: Instruction["location"],
): Instruction {
  const barrier = new Instruction(Op.BARRIER, VOID, [], location);
  barrier.scope = scope;
  barrier.flags = flags;
  return barrier;
}

function branchTo(target: Block, values: readonly Value[], location: Instruction["location"]): Instruction {
  const branch = new Instruction(Op.BR, VOID, [], location);
  branch.successors = [target];
  branch.successorArguments = [[...values]];
  return branch;
}

/**
 * Gives every loop in which work-items converge one latch, with a barrier for those that finish an iteration together.
 */
function joinIterations(fn: IrFunction): void {
  for (const { header, latches } of convergence(fn).loops) {
    const latchBlock = fn.addBlock(`${header.name}.again`);
    const values = header.parameters.map((parameter) => latchBlock.addParameter(parameter.type, parameter.name));
    for (const latch of latches) {
      const { terminator } = latch;
      terminator.successors = terminator.successors.map((block) => (block === header ? latchBlock : block));
    }
    const location = latches[0]?.terminator.location ?? null;
    latchBlock.append(makeBarrier("sub_group", NON_UNIFORM, location));
    latchBlock.append(branchTo(header, values, location));
  }
}

/** A variable that is not in the entry block yet. */
function makeVariable(fn: IrFunction, type: Type, module: Module): Instruction {
  const variable = new Instruction(Op.ALLOCA, pointerType(PRIVATE), [], null);
  variable.elementType = type;
  variable.alignment = alignmentOf(module.layout, type);
  variable.block = fn.entry;
  return variable;
}

/** Bits are kept as bytes, 0 or 1, of which vectors can be loaded and stored. */
function heldType(type: Type): Type {
  return type === I1 ? I8 : type;
}

function within(instruction: Instruction, block: Block): Instruction {
  instruction.block = block;
  return instruction;
}

function access(operands: Value[], type: Type, variable: Instruction, { location, block }: Instruction): Instruction {
  const made = new Instruction(type === VOID ? Op.STORE : Op.LOAD, type, operands, location);
  made.alignment = variable.alignment;
  made.block = block;
  return made;
}

/** Replaces every group collective by a barrier between variables. */
function separate(fn: IrFunction, module: Module, least: ConvergenceScope): Map<Instruction, Collective> {
  const found = new Map<Instruction, Collective>();
  const loaded = new Map<Value, Value>();
  const variables: Instruction[] = [];
  const variableOf = (type: Type): Instruction => {
    const made = makeVariable(fn, type, module);
    variables.push(made);
    return made;
  };
  for (const block of fn.blocks) {
    const isSeparated = (instruction: Instruction): boolean =>
      isGroupOperation(instruction.op) && isConvergencePoint(instruction, least);
    if (!block.instructions.some(isSeparated)) continue;
    const rewritten: Instruction[] = [];
    for (const instruction of block.instructions) {
      if (!isSeparated(instruction)) {
        rewritten.push(instruction);
        continue;
      }
      // The size of clusters is a constant of the operation.
      const given = instruction.op === Op.GROUP_REDUCE ? instruction.operands.slice(0, 1) : instruction.operands;
      const operands = given.map((value) => {
        const variable = variableOf(heldType(value.type));
        let stored = loaded.get(value) ?? value;
        if (value.type === I1)
          rewritten.push((stored = within(new Instruction(Op.ZEXT, I8, [stored], instruction.location), block)));
        rewritten.push(access([stored, variable], VOID, variable, instruction));
        return variable;
      });
      const result = variableOf(heldType(instruction.type));
      const barrier = makeBarrier(instruction.scope, instruction.flags & NON_UNIFORM, instruction.location);
      barrier.block = block;
      const load = access([result], heldType(instruction.type), result, instruction);
      rewritten.push(barrier, load);
      found.set(barrier, { instruction, operands, result });
      if (instruction.type === I1) {
        const bit = within(new Instruction(Op.NE, I1, [load, constantInt(I8, 0)], instruction.location), block);
        rewritten.push(bit);
        loaded.set(instruction, bit);
      } else loaded.set(instruction, load);
    }
    block.instructions = rewritten;
  }
  fn.entry.instructions.unshift(...variables);
  replaceUses(fn, loaded);
  return found;
}

/** Convergence points come in this order: of a sub-group, of those that come together first, then of the work-group. */
function rank({ scope, flags }: Instruction): number {
  if (scope !== "sub_group") return 2;
  return (flags & NON_UNIFORM) === 0 ? 1 : 0;
}

/**
 * Makes every convergence point of a kernel a barrier; returns them in the order in which work-items are let continue.
 */
export function prepareConvergencePoints(
  fn: IrFunction,
  module: Module,
  least: ConvergenceScope,
): readonly ConvergencePoint[] {
  for (const block of fn.blocks)
    block.instructions = block.instructions.filter(({ op, scope }) => op !== Op.BARRIER || scope !== "work_item");
  if (least === "sub_group") joinIterations(fn);
  const operations = separate(fn, module, least);
  const before = predecessors(fn);
  const order = new Map(convergence(fn).order.map((block, i) => [block, i]));
  const place = ({ block }: Instruction): number => {
    assert(block !== null && before.has(block), "a barrier is in the function");
    return order.get(block) ?? 0;
  };
  const barriers = fn.blocks.flatMap((block) =>
    block.instructions.filter((instruction) => instruction.op === Op.BARRIER && isConvergencePoint(instruction, least)),
  );
  // Sorting is stable: barriers of one block keep their order.
  return barriers
    .toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b))
    .map((barrier) => ({ barrier, operation: operations.get(barrier) ?? null }));
}
