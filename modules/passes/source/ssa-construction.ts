// SPDX-License-Identifier: Apache-2.0
// SSA construction in a finished control-flow graph, on demand and without dominance frontiers: M. Braun et al.,
// "Simple and Efficient Construction of Static Single Assignment Form" (CC 2013). Block parameters play the role of
// phis.
//
// A client writes the value of each variable at the end of the blocks that define it, then requests values at the
// starts of blocks. `find` walks up single predecessors to a block that has a value; at a join it makes a parameter and
// records it before its arguments are looked up, which ends the recursion around loops. `fillParameters` is the
// worklist that adds the arguments: a lookup may make more parameters. Those whose arguments are all one value (trivial
// phis) are dropped at the end (block-parameters.ts). A variable without a value on a path is zero.
//
// `repairUses` restores SSA form after blocks were duplicated: a value with several definitions is a variable, each
// definition a write, and each use outside of the original's home a lookup.
//
// Cost: one lookup per (block, variable) pair that is reached, in a flat table while that is small.
import { assert, filled } from "@muxkit/cargo";
import {
  type Block,
  type BlockMap,
  type Instruction,
  type IrFunction,
  NO_OPERANDS,
  Op,
  type Parameter,
  type Type,
  type Value,
  clearMarks,
  constantZero,
  listOf,
  predecessors,
} from "@muxkit/ir";

import { dropTrivialParameters } from "./block-parameters.ts";

/** A variable with several definitions. */
export interface ConstructedVariable {
  readonly type: Type;
  /** Name of the block parameters that are made for it. */
  readonly name: string;
}

/** Largest table that is kept as an array. */
const MOST_FLAT = 1 << 14;

/** Values by block and variable: an array, or a map where most of an array would stay empty. */
class ValueTable {
  private readonly flat: (Value | undefined)[] | null;
  private readonly sparse = new Map<number, Value>();

  constructor(size: number) {
    this.flat = size <= MOST_FLAT ? filled<Value | undefined>(size, undefined) : null;
  }

  get(key: number): Value | undefined {
    return this.flat === null ? this.sparse.get(key) : this.flat[key];
  }

  set(key: number, value: Value): void {
    if (this.flat === null) this.sparse.set(key, value);
    else this.flat[key] = value;
  }
}

/**
 * Computes reaching definitions per block and makes parameters on demand. Blocks' marks are their positions until it is
 * done.
 */
export class Construction {
  /** Parameters that were made, with their variables' numbers. */
  readonly made: Parameter[] = [];
  private readonly variableOf: number[] = [];
  /** Their positions in their blocks: a block may get one for each variable. */
  private readonly positionOf: number[] = [];
  private readonly before: BlockMap<readonly Block[]>;
  private readonly variables: readonly ConstructedVariable[];
  private readonly blockCount: number;
  /** Values by block and variable. */
  private readonly atEnd: ValueTable;
  private readonly starts: ValueTable;

  /** `before` are the predecessors of the function's blocks. */
  constructor(fn: IrFunction, before: BlockMap<readonly Block[]>, variables: readonly ConstructedVariable[]) {
    const { blocks } = fn;
    for (let i = 0; i < blocks.length; i++) (blocks[i] as Block).mark = i;
    this.blockCount = blocks.length;
    this.before = before;
    this.variables = variables;
    this.atEnd = new ValueTable(blocks.length * variables.length);
    this.starts = new ValueTable(blocks.length * variables.length);
  }

  private key(block: Block, variable: number): number {
    return block.mark * this.variables.length + variable;
  }

  /** Defines the value of a variable at the end of a block. */
  write(block: Block, variable: number, value: Value): void {
    this.atEnd.set(this.key(block, variable), value);
  }

  /** The value that was written for the end of a block; undefined: none. */
  atEndOf(block: Block, variable: number): Value | undefined {
    return this.atEnd.get(this.key(block, variable));
  }

  /** The value at the start of a block: a walk up single predecessors, a new parameter at joins. */
  private find(start: Block, variable: number): Value {
    const row = this.variables[variable];
    assert(row !== undefined, "a variable of this number");
    let block = start;
    let found: Value | undefined;
    let length = 0;
    while (found === undefined) {
      const preds = this.before.get(block);
      const only = preds?.[0];
      // Unreachable blocks may form a cycle of single predecessors.
      if (preds === undefined || only === undefined || length > this.blockCount) found = constantZero(row.type);
      else if (preds.length > 1) found = this.join(block, variable, row);
      else {
        found = this.known(only, variable);
        block = only;
        length++;
      }
    }
    // Every block of the chain starts with this value too.
    block = start;
    for (let i = 0; i <= length; i++) {
      this.starts.set(this.key(block, variable), found);
      const only = this.before.get(block)?.[0];
      if (only === undefined || this.atEnd.get(this.key(only, variable)) !== undefined) break;
      block = only;
    }
    return found;
  }

  private join(block: Block, variable: number, { type, name }: ConstructedVariable): Parameter {
    this.positionOf.push(block.parameters.length);
    const parameter = block.addParameter(type, name);
    this.made.push(parameter);
    this.variableOf.push(variable);
    // Recorded before its arguments are looked up: a lookup around a loop comes back here.
    this.starts.set(this.key(block, variable), parameter);
    return parameter;
  }

  /** The value at the end of a block, if it was written or looked up before. */
  private known(block: Block, variable: number): Value | undefined {
    const key = this.key(block, variable);
    return this.atEnd.get(key) ?? this.starts.get(key);
  }

  /** The value of a variable at the start of a block. */
  start(block: Block, variable: number): Value {
    return this.starts.get(this.key(block, variable)) ?? this.find(block, variable);
  }

  /** Adds the arguments of every new parameter; looking them up may make more parameters. */
  fillParameters(): void {
    for (let i = 0; i < this.made.length; i++) {
      const parameter = this.made[i];
      const variable = this.variableOf[i];
      const position = this.positionOf[i];
      const block = parameter?.block;
      assert(
        variable !== undefined && position !== undefined && block !== undefined && block !== null,
        "a parameter that was made for a variable",
      );
      const preds = this.before.get(block) ?? [];
      for (let at = 0; at < preds.length; at++) {
        const pred = preds[at] as Block;
        const value = this.known(pred, variable) ?? this.find(pred, variable);
        const { successors, successorArguments } = pred.terminator;
        for (let edge = 0; edge < successors.length; edge++) {
          if (successors[edge] !== block) continue;
          const list = successorArguments[edge] ?? NO_OPERANDS;
          if (list.length === 0) successorArguments[edge] = listOf(value);
          else list[position] = value;
        }
      }
    }
  }
}

/** A value that has copies in other blocks: a use needs the definition that reaches it. @public */
export interface CopiedValue {
  /** The value. */
  readonly original: Instruction | Parameter;
  /** Its copies. */
  readonly copies: readonly (Instruction | Parameter)[];
  /** Blocks in which the original still reaches its uses. */
  readonly home: ReadonlySet<Block>;
}

/**
 * Restores SSA form after blocks were copied: a use outside of a value's home takes the reaching definition, through
 * new block parameters where several reach it. Debug values of such values are dropped there, and definitions in blocks
 * that left the function are ignored. Trivial parameters are removed, among the new ones and `candidates`.
 *
 * @public
 */
export function repairUses(
  fn: IrFunction,
  values: readonly CopiedValue[],
  candidates: readonly Parameter[] = [],
): void {
  if (values.length === 0) {
    dropTrivialParameters(fn, candidates);
    return;
  }
  const construction = new Construction(
    fn,
    predecessors(fn),
    values.map(({ original }) => ({ type: original.type, name: original.name })),
  );
  clearMarks(fn);
  values.forEach(({ original, copies }, i) => {
    for (const value of [original, ...copies]) {
      const { block } = value;
      if (block !== null && fn.blocks[block.mark] === block) construction.write(block, i, value);
    }
    original.mark = i + 1;
  });
  const isForeign = (value: Value, block: Block): value is Instruction | Parameter =>
    value.kind !== "constant" &&
    value.mark !== 0 &&
    value.block !== null &&
    values[value.mark - 1]?.home.has(block) === false;
  const replace = (list: Value[], block: Block): void => {
    for (let i = 0; i < list.length; i++) {
      const value = list[i] as Value;
      if (isForeign(value, block)) list[i] = construction.start(block, value.mark - 1);
    }
  };
  for (const block of fn.blocks) {
    const { instructions } = block;
    let kept = 0;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      const { op, operands, successorArguments } = instruction;
      if (op === Op.DEBUG_VALUE && operands[0] !== undefined && isForeign(operands[0], block)) continue;
      instructions[kept++] = instruction;
      replace(operands, block);
      for (let edge = 0; edge < successorArguments.length; edge++) replace(successorArguments[edge] as Value[], block);
    }
    instructions.length = kept;
  }
  construction.fillParameters();
  dropTrivialParameters(fn, [...construction.made, ...candidates]);
}
