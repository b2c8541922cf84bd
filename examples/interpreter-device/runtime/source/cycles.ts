// SPDX-License-Identifier: Apache-2.0
// What a launch would cost on the machine, in cycles: the interpreter calls a hook before each instruction, and a table
// has the cycles of those that take more than one.
import { type Instruction, Op, laneCount } from "@muxkit/ir";

/** Cycles of one lane of an op; of all others: 1. */
const CYCLES: ReadonlyMap<number, number> = new Map([
  [Op.MUL, 3],
  [Op.FMUL, 4],
  [Op.FDIV, 16],
  [Op.LOAD, 20],
  [Op.STORE, 20],
]);

/** What a launch took. */
export interface LaunchCycles {
  /** The kernel. */
  readonly kernel: string;
  /** Cycles of all work-items. */
  readonly cycles: number;
  /** How often each op was executed, by its number. */
  readonly counts: ReadonlyMap<number, number>;
}

/** Counts the cycles of one launch. */
export class CycleCounter {
  private readonly counts = new Map<number, number>();
  private cycles = 0;

  /** Called before each instruction. */
  readonly count = ({ op, type }: Instruction): void => {
    this.counts.set(op, (this.counts.get(op) ?? 0) + 1);
    this.cycles += (CYCLES.get(op) ?? 1) * laneCount(type);
  };

  /** What was counted. */
  report(kernel: string): LaunchCycles {
    return { kernel, cycles: this.cycles, counts: this.counts };
  }
}
