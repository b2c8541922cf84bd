// SPDX-License-Identifier: Apache-2.0
// Prepares a function for execution: numbers a slot of the frame for each value, and looks up slots, rules and edges of
// each instruction once, so that a step at run time is a call with numbers.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  type Instruction,
  type IrFunction,
  type LaneOperation,
  OPS,
  type Parameter,
  VOID,
  type Value,
  convergence,
  laneOperation,
  hasNonUniformGroupOperation,
} from "@muxkit/ir";

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
  /**
   * On a back edge whose iterations converge: the position of the end of the iteration, after every block of the loop;
   * null elsewhere.
   */
  readonly latch: number | null;
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
  /** Number in the order in which work-items converge; 0 in functions without convergence points. */
  readonly order: number;
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

/** Numbers of blocks and of ends of iterations. */
interface Positions {
  readonly orderOf: ReadonlyMap<Block, number>;
  readonly latchOf: (from: Block, to: Block) => number | null;
}

/** Loops nest less deep than this. */
const DEEPEST = 4096;

function positionsOf(fn: IrFunction): Positions {
  if (!hasNonUniformGroupOperation(fn)) return { orderOf: new Map(), latchOf: () => null };
  const { order, loops } = convergence(fn);
  const orderOf = new Map(order.map((block, i) => [block, i]));
  const headers = new Map(loops.map((loop) => [loop.header, loop]));
  return {
    orderOf,
    latchOf: (from, to) => {
      const loop = headers.get(to);
      if (loop?.latches.includes(from) !== true) return null;
      // After the last block of the loop, before the next block, and an inner loop's before that of the outer loop.
      return (
        Math.max(...[...loop.blocks].map((block) => orderOf.get(block) ?? 0)) +
        1 -
        Math.min(loop.depth, DEEPEST - 1) / DEEPEST
      );
    },
  };
}

/** Makes a function with blocks ready to run. */
export function prepare(fn: IrFunction, machine: Machine): PreparedFunction {
  const slots = new Slots();
  const ofParameter = (parameter: Parameter): number => slots.of(parameter);
  const parameters = fn.parameters.map(ofParameter);
  const positions = positionsOf(fn);
  const blocks = new Map<Block, PreparedBlock>(
    fn.blocks.map((block) => [block, { steps: [], order: positions.orderOf.get(block) ?? 0 }]),
  );
  const blockOf = (block: Block): PreparedBlock => {
    const found = blocks.get(block);
    assert(found !== undefined, () => `@${fn.name} branches out of itself`);
    return found;
  };
  const edge = (instruction: Instruction, target: Block, i: number): Edge => ({
    target: blockOf(target),
    from: (instruction.successorArguments[i] ?? []).map((value) => slots.of(value)),
    to: target.parameters.map(ofParameter),
    latch: instruction.block === null ? null : positions.latchOf(instruction.block, target),
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
        compute:
          first === undefined || instruction.type === VOID
            ? null
            : laneOperation(
                instruction.op,
                laneBits(machine.layout, instruction.type),
                laneBits(machine.layout, first.type),
              ),
        edges: instruction.successors.map((target, i) => edge(instruction, target, i)),
      });
    }
  }
  return { fn, template: slots.template, parameters, entry: blockOf(fn.entry) };
}
