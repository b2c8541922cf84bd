// mem2reg: private variables that are only loaded and stored whole become values.
// Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013), run over a finished graph: no dominance frontiers needed.
import { assert } from "@muxkit/cargo";
import {
  type Block, type Instruction, type IrFunction, Op, type Parameter, type Type, VOLATILE, type Value, applyReplacements, clearMarks, constantZero, replaceLater, resolved, scalarOf,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";
import { dropTrivialParameters } from "./parameters.ts";

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
  for (const block of fn.blocks) {
    for (const user of block.instructions) {
      const { operands } = user;
      for (let i = 0; i < operands.length; i++) {
        const operand = operands[i];
        if (operand === undefined || operand.kind !== "instruction" || operand.mark === 0 || user.op === Op.DEBUG_VALUE) continue;
        const type = variables[operand.mark - 1]?.type;
        const loads = user.op === Op.LOAD && user.type === type;
        const stores = user.op === Op.STORE && i === 1 && operands[0]?.type === type;
        if ((user.flags & VOLATILE) !== 0 || !(loads || stores)) operand.mark = 0;
      }
      for (const list of user.successorArguments) for (const value of list) if (value.kind === "instruction") value.mark = 0;
    }
  }
  const kept = variables.filter(({ place }) => place.mark !== 0);
  kept.forEach(({ place }, i) => {
    place.mark = i + 1;
  });
  return kept;
}

/** Builds the values of variables block by block; parameters are made on demand. Blocks are marked with their position. */
class Construction {
  /** Parameters that were made, with their variables' numbers. */
  readonly made: Parameter[] = [];
  private readonly variableOf: number[] = [];
  private readonly before: ReadonlyMap<Block, readonly Block[]>;
  private readonly variables: readonly Variable[];
  /** Values by block and variable. */
  private readonly atEnd = new Map<number, Value>();
  private readonly starts = new Map<number, Value>();

  constructor(before: ReadonlyMap<Block, readonly Block[]>, variables: readonly Variable[]) {
    this.before = before;
    this.variables = variables;
  }

  private key(block: Block, variable: number): number {
    return block.mark * this.variables.length + variable;
  }

  write(block: Block, variable: number, value: Value): void {
    this.atEnd.set(this.key(block, variable), value);
  }

  /** The value at the start of a block: a walk up single predecessors, a new parameter at joins. */
  private find(start: Block, variable: number): Value {
    const row = this.variables[variable];
    assert(row !== undefined, "a variable of this number");
    const chain: Block[] = [];
    let block = start;
    let found: Value | undefined;
    while (found === undefined) {
      chain.push(block);
      const preds: readonly Block[] = this.before.get(block) ?? [];
      const [only] = preds;
      // Blocks that nothing reaches may go round in a circle.
      if (only === undefined || chain.length > this.before.size) found = constantZero(row.type);
      else if (preds.length > 1) {
        const parameter = block.addParameter(row.type, row.place.name);
        this.made.push(parameter);
        this.variableOf.push(variable);
        found = parameter;
      } else {
        found = this.atEnd.get(this.key(only, variable)) ?? this.starts.get(this.key(only, variable));
        block = only;
      }
    }
    // What holds at the start of a block without a store of its own holds at its end too.
    for (const passed of chain) {
      const key = this.key(passed, variable);
      this.starts.set(key, found);
      if (!this.atEnd.has(key)) this.atEnd.set(key, found);
    }
    return found;
  }

  /** The value at the start of a block, remembered. */
  start(block: Block, variable: number): Value {
    return this.starts.get(this.key(block, variable)) ?? this.find(block, variable);
  }

  /** Gives every new parameter its arguments; asking for them may make more parameters. */
  fillParameters(): void {
    for (let i = 0; i < this.made.length; i++) {
      const parameter = this.made[i];
      const variable = this.variableOf[i];
      const block = parameter?.block;
      assert(parameter !== undefined && variable !== undefined && block !== undefined && block !== null, "a parameter that was made for a variable");
      const position = block.parameters.indexOf(parameter);
      for (const pred of this.before.get(block) ?? []) {
        const value = this.atEnd.get(this.key(pred, variable)) ?? this.start(pred, variable);
        const { successors, successorArguments } = pred.terminator;
        for (let edge = 0; edge < successors.length; edge++) {
          const list = successorArguments[edge];
          if (successors[edge] === block && list !== undefined) list[position] = value;
        }
      }
    }
  }
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
  fn.blocks.forEach((block, i) => {
    block.mark = i;
  });
  const construction = new Construction(analyses.get("predecessors"), variables);
  const current: (Value | null)[] = Array.from(variables, () => null);
  const touched: number[] = [];
  const loads: { readonly load: Instruction; readonly block: Block; readonly variable: number }[] = [];
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
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
      } else if (known === null || known === undefined) loads.push({ load: instruction, block, variable });
      else replaceLater(instruction, known);
    }
    for (const variable of touched) {
      const value = current[variable];
      if (value !== null && value !== undefined) construction.write(block, variable, value);
      current[variable] = null;
    }
    touched.length = 0;
  }
  for (const { load, block, variable } of loads) {
    const value = construction.start(block, variable);
    // In a loop that stores only what it loaded, the load would be its own value: it is zero, as at the entry.
    if (resolved(value) !== load) replaceLater(load, value);
    else replaceLater(load, constantZero(load.type));
  }
  construction.fillParameters();
  for (const block of fn.blocks) block.instructions = block.instructions.filter((instruction) => !isGone(instruction));
  applyReplacements(fn);
  dropTrivialParameters(fn, construction.made);
  return true;
}

/** Stores and debug records of promoted variables, and the variables themselves. A debug record of a variable's address has nothing left to show. */
function isGone(instruction: Instruction): boolean {
  if (instruction.op === Op.ALLOCA) return instruction.mark !== 0;
  if (instruction.op === Op.STORE) return variableOf(instruction.operands[1]) >= 0;
  return instruction.op === Op.DEBUG_VALUE && variableOf(instruction.operands[0]) >= 0;
}
