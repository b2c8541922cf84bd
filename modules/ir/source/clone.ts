// SPDX-License-Identifier: Apache-2.0
// Copies of blocks and functions, for the inliner, region outlining and specialisation.
import { assert, at } from "@muxkit/cargo";

import { type CallingConvention, PLAIN, WORK_ITEM_PARAMETER_COUNT, workItemConvention } from "./calling-convention.ts";
import { Block, Global, IrFunction, Module } from "./function.ts";
import { type Instruction, cloneInstruction } from "./instruction.ts";
import { VOID } from "./type.ts";
import type { Parameter, Value } from "./value.ts";

/** Maps from original values and blocks to their copies. @public */
export interface CloneMap {
  /** The copy of each value; a value without an entry stays itself. */
  readonly values: Map<Value, Value>;
  /** The copy of each block. */
  readonly blocks: Map<Block, Block>;
}

/** An empty map. @public */
export function createCloneMap(): CloneMap {
  return { values: new Map(), blocks: new Map() };
}

function mapValues(list: Value[], { values }: CloneMap): void {
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    const mapped = value === undefined || value.kind === "constant" ? undefined : values.get(value);
    if (mapped !== undefined) list[i] = mapped;
  }
}

function mapInstruction({ operands, successors, successorArguments }: Instruction, map: CloneMap): void {
  mapValues(operands, map);
  for (let i = 0; i < successors.length; i++) {
    const mapped = map.blocks.get(successors[i] as Block);
    if (mapped !== undefined) successors[i] = mapped;
  }
  for (const list of successorArguments) mapValues(list, map);
}

/**
 * Copies blocks to the end of `target`, operands and successors mapped. Successors that are neither copied nor in `map`
 * stay as they are (the caller replaces them). `visit` sees each copy before it is placed and may change it; what it
 * returns is placed.
 *
 * @public
 */
export function cloneBlocks(
  source: readonly Block[],
  target: IrFunction,
  map: CloneMap,
  visit: (copy: Instruction, original: Instruction) => Instruction = (copy) => copy,
): Block[] {
  const made: Block[] = [];
  for (const block of source) {
    const copy = target.addBlock(block.name);
    copy.unroll = block.unroll;
    made.push(copy);
    map.blocks.set(block, copy);
    for (const parameter of block.parameters)
      map.values.set(parameter, copy.addParameter(parameter.type, parameter.name));
  }
  source.forEach((block, i) => {
    const into = made[i];
    assert(into !== undefined, "a copy of each block");
    for (const original of block.instructions) {
      const copy = visit(cloneInstruction(original), original);
      if (original.type !== VOID) map.values.set(original, copy);
      into.append(copy);
    }
  });
  for (const { instructions } of made) for (const copy of instructions) mapInstruction(copy, map);
  return made;
}

/**
 * The convention of a copy that has these parameters of its source: where work-item parameters are missing, a plain
 * one.
 */
function keptConvention({ convention, parameters }: IrFunction, kept: readonly Parameter[]): CallingConvention {
  if (convention.kind !== "work_item" || kept.length === parameters.length) return convention;
  const own = parameters.slice(convention.first, convention.first + WORK_ITEM_PARAMETER_COUNT);
  const [first] = own;
  return first !== undefined && own.every((parameter) => kept.includes(parameter))
    ? workItemConvention(kept.indexOf(first))
    : PLAIN;
}

/**
 * Copies a function under another name; the copy is in no module yet, and `map` has the copies of its values and
 * blocks. Parameters with an entry in `map` are replaced by it (constants, for specialisation).
 *
 * @public
 */
export function cloneFunction(source: IrFunction, name: string, map: CloneMap = createCloneMap()): IrFunction {
  const kept = source.parameters.filter((parameter) => !map.values.has(parameter));
  const copy = new IrFunction(name, source.returnType, kept);
  copy.kernel = source.kernel;
  copy.inline = source.inline;
  copy.isInternal = source.isInternal;
  copy.isOutside = source.isOutside;
  copy.convention = keptConvention(source, kept);
  kept.forEach((parameter, i) => map.values.set(parameter, at(copy.parameters, i)));
  cloneBlocks(source.blocks, copy, map);
  return copy;
}

/** A copy of a module: functions, globals and kernels of its own; types and constants are shared. @public */
export function cloneModule(source: Module): Module {
  const copy = new Module(source.name, source.layout);
  const globals = new Map<Global, Global>();
  for (const global of source.globals.values()) {
    const made = new Global(global.name, global.type, global.addressSpace, global.alignment);
    made.initializer = global.initializer;
    made.linkage = global.linkage;
    globals.set(global, copy.addGlobal(made));
  }
  for (const [old, made] of globals)
    made.relocations = old.relocations.map(({ offset, target, addend }) => ({
      offset,
      addend,
      target: globals.get(target) ?? target,
    }));
  const functions = new Map<IrFunction, IrFunction>();
  for (const fn of source.functions.values()) {
    const made = new IrFunction(fn.name, fn.returnType, fn.parameters);
    made.kernel = fn.kernel;
    made.inline = fn.inline;
    made.isInternal = fn.isInternal;
    made.isOutside = fn.isOutside;
    made.convention = fn.convention;
    functions.set(fn, copy.addFunction(made));
  }
  for (const [old, made] of functions) {
    const map = createCloneMap();
    old.parameters.forEach((parameter, i) => {
      const own = made.parameters[i];
      assert(own !== undefined, "the same parameters");
      map.values.set(parameter, own);
    });
    cloneBlocks(old.blocks, made, map, (instruction) => {
      const { symbol } = instruction;
      if (symbol !== null && symbol.kind === "function") instruction.symbol = functions.get(symbol) ?? symbol;
      if (symbol !== null && symbol.kind === "global") instruction.symbol = globals.get(symbol) ?? symbol;
      return instruction;
    });
  }
  return copy;
}
