// A function made ready to run: every value has a slot in the frame, every instruction knows its slots.
import { assert } from "@muxkit/cargo";
import { type Block, type Instruction, type IrFunction, type LaneOperation, OPS, type Parameter, VOID, type Value, laneOperation } from "@muxkit/ir";

import type { Machine } from "./machine.ts";
import { type Execute, RULES } from "./rules.ts";
import { type Register, constantRegister, laneBits } from "./register.ts";

/** An edge: where it leads, and which slots it copies. */
export interface Edge {
  readonly target: PreparedBlock;
  /** Slots that are read, all of them before any is written. */
  readonly from: readonly number[];
  /** Slots of the target's parameters. */
  readonly to: readonly number[];
}

/** An instruction with its slots. */
export interface Step {
  readonly instruction: Instruction;
  readonly execute: Execute;
  /** Where the result goes. */
  readonly slot: number;
  /** Where the operands are. */
  readonly operands: readonly number[];
  /** What it computes lane by lane; null for other instructions. */
  readonly compute: LaneOperation | null;
  readonly edges: readonly Edge[];
}

/** A block's instructions. */
export interface PreparedBlock {
  readonly steps: Step[];
}

/** A function's slots and blocks. */
export interface PreparedFunction {
  readonly fn: IrFunction;
  /** What a new frame holds: constants in their slots, zeros elsewhere. */
  readonly template: readonly Register[];
  /** Slots of the parameters. */
  readonly parameters: readonly number[];
  readonly entry: PreparedBlock;
}

class Slots {
  readonly template: Register[] = [];
  private readonly numbers: Map<Value, number> = new Map();

  of(value: Value): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const slot = this.template.length;
    this.numbers.set(value, slot);
    const lanes = value.type.kind === "vector" ? Array.from({ length: value.type.count }, () => 0n) : 0n;
    this.template.push(value.kind === "constant" ? constantRegister(value) : lanes);
    return slot;
  }
}

/** Makes a function with blocks ready to run. */
export function prepare(fn: IrFunction, machine: Machine): PreparedFunction {
  const slots = new Slots();
  const ofParameter = (parameter: Parameter): number => slots.of(parameter);
  const parameters = fn.parameters.map(ofParameter);
  const blocks = new Map<Block, PreparedBlock>(fn.blocks.map((block) => [block, { steps: [] }]));
  const blockOf = (block: Block): PreparedBlock => {
    const found = blocks.get(block);
    assert(found !== undefined, () => `@${fn.name} branches out of itself`);
    return found;
  };
  const edge = (instruction: Instruction, target: Block, i: number): Edge => ({
    target: blockOf(target),
    from: (instruction.successorArguments[i] ?? []).map((value) => slots.of(value)),
    to: target.parameters.map(ofParameter),
  });
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      const row = OPS[instruction.op];
      assert(row !== undefined, () => `${instruction.op} is no op`);
      const first = instruction.operands[0];
      blockOf(block).steps.push({
        instruction,
        execute: RULES[row.rule],
        slot: instruction.type === VOID ? -1 : slots.of(instruction),
        operands: instruction.operands.map((value) => slots.of(value)),
        compute: first === undefined || instruction.type === VOID ? null : laneOperation(instruction.op, laneBits(machine.layout, instruction.type), laneBits(machine.layout, first.type)),
        edges: instruction.successors.map((target, i) => edge(instruction, target, i)),
      });
    }
  }
  return { fn, template: slots.template, parameters, entry: blockOf(fn.entry) };
}
