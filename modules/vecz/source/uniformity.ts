// SPDX-License-Identifier: Apache-2.0
// Uniformity of a whole work-group, whichever of its work-items become one vector: values that are the same for all of
// them, and branches that all of them take the same way. It is the divergence analysis with all ids varying.
import type { Block, DataLayout, Instruction, IrFunction, Loop, Parameter, Value } from "@muxkit/ir";

import { Divergence } from "./divergence.ts";
import { normalize } from "./normalize.ts";
import { UNIFORM, VARYING } from "./shape.ts";

/** How many work-items the analysis compares: with two it knows whether any differ. */
const COMPARED = 2;

/** The result: what all work-items of a group have in common. @public */
export class Uniformity {
  private readonly divergence: Divergence;

  /** Made by {@link findUniformity}. */
  constructor(divergence: Divergence) {
    this.divergence = divergence;
  }

  /** True when a value, used in a block, is the same for all work-items that reach it together. */
  isShared(value: Value, where: Block): boolean {
    return this.divergence.shapeAt(value, where) === 0;
  }

  /** A test for values of a block that are the same for all work-items there and in all of some other blocks. */
  sharedIn(places: readonly Block[]): (value: Value, home: Block) => boolean {
    const { innermost } = this.divergence.forest;
    // What a value is elsewhere depends on the loops that it has left: one block of each loop tells for all.
    const byLoop = new Map<Loop | undefined, Block>();
    for (const block of places) byLoop.set(innermost.get(block), block);
    const distinct = [...byLoop.values()];
    return (value, home) =>
      this.isShared(value, home) &&
      (innermost.get(home) === undefined || distinct.every((where) => this.isShared(value, where)));
  }

  /**
   * True when all work-items reach each of these blocks equally often and in the same order: no divergent branch leads
   * to one before its paths converge again.
   */
  isCommon(isConvergencePoint: (block: Block) => boolean): boolean {
    const { branches, postdominators } = this.divergence;
    for (const block of branches) {
      const stop = postdominators.immediate(block);
      const seen = new Set<Block>();
      const work = block.successors.filter((successor) => successor !== stop);
      for (let next = work.pop(); next !== undefined; next = work.pop()) {
        if (seen.has(next)) continue;
        if (isConvergencePoint(next)) return false;
        seen.add(next);
        for (const successor of next.successors) if (successor !== stop) work.push(successor);
      }
    }
    return true;
  }
}

/**
 * Analyses a function; null when its control flow is irreducible or need not end. `varying`: the parameters that differ
 * between work-items, all others are the same for the whole group. `common`: variables that hold the same value for all
 * work-items wherever they are read. The function is normalised first: one return, one latch for each loop.
 *
 * @public
 */
export function findUniformity(
  fn: IrFunction,
  layout: DataLayout,
  varying: readonly Parameter[],
  common: ReadonlySet<Instruction>,
): Uniformity | null {
  const exit = normalize(fn);
  if (exit === null) return null;
  const parameters = new Map(varying.map((parameter) => [parameter, { shape: VARYING, lowZeros: 0 }]));
  const divergence = new Divergence(fn, exit, {
    width: COMPARED,
    layout,
    axis: 0,
    parameters,
    assumed: new Map([...common].map((variable) => [variable, UNIFORM])),
    interleaved: new Set<Value>(),
    isSubGroup: false,
  });
  return divergence.isTractable ? new Uniformity(divergence) : null;
}
