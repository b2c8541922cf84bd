// SPDX-License-Identifier: Apache-2.0
// What decides about vectorised variants: the launch, and what follows from it for the parameters of functions.
import { type IrFunction, workItemIndex } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import type { ParameterFacts, VectorVariants, Vectorized } from "@muxkit/vecz";

import type { Specialization } from "../specialization.ts";
import { type VectorizationChoice, trailingZeros } from "./vector-plan.ts";

/** What decides about axes and widths. */
export interface VectorLaunch {
  readonly machine: MachineTarget;
  readonly specialization: Specialization | null;
  /** True when lanes may span work-groups, along x. */
  readonly isFlat: boolean;
  /** True when work-items may wait at different barriers. */
  readonly hasState: boolean;
  readonly choice: VectorizationChoice;
  /** Simplifies a function that is in no module. */
  readonly tidy: (fn: IrFunction) => void;
}

/**
 * Facts about the parameters of a body or region when `width` work-items along an axis are lanes: how they differ from
 * lane to lane, and which low bits are zero in the first one.
 */
export function factsOf(
  fn: IrFunction,
  width: number,
  axis: number,
  specialization: Specialization | null,
): ReadonlyMap<number, ParameterFacts> {
  const facts = new Map<number, ParameterFacts>();
  const zeros = Math.log2(width);
  facts.set(workItemIndex(fn, "local", axis), { shape: 1, lowZeros: zeros });
  if (specialization?.zeroOffset === true)
    facts.set(workItemIndex(fn, "base", axis), {
      shape: 0,
      lowZeros: trailingZeros(specialization.localSize[axis] ?? 1),
    });
  const [x, y] = specialization?.localSize ?? [1, 1];
  const isAligned =
    specialization !== null && specialization.uniformGroups && (specialization.localSize[axis] ?? 1) % width === 0;
  facts.set(workItemIndex(fn, "linear"), { shape: [1, x, x * y][axis] ?? 1, lowZeros: isAligned ? zeros : 0 });
  return facts;
}

/** Assumed share of vectors that pass their test. */
const PASSING = 0.8;

/**
 * Estimated cost of one work-item in vectorised variants. `alone`: its cost where vectors that fail their test run one
 * by one instead of in the general variant.
 */
export function costOfItem(
  { general, tested }: VectorVariants,
  masked: Vectorized | null,
  alone: number = Infinity,
): number {
  if (masked !== null) return ((general.cost + masked.cost) / 2 + general.lines) / general.width;
  const failing = Math.min(general.cost, alone * general.width);
  return (
    ((tested === null ? general.cost : PASSING * tested.cost + (1 - PASSING) * failing) + general.lines) / general.width
  );
}

/** True when vectors that fail their test should run one by one, since the general variant costs more. */
export function isGeneralDear({ general, tested }: VectorVariants, alone: number): boolean {
  return tested !== null && general.cost > alone * general.width;
}

/**
 * Estimated cost of one work-item in the variant that most vectors run: the one behind the test, where there is one.
 */
export function usualCostOfItem({ general, tested }: VectorVariants): number {
  return ((tested ?? general).cost + general.lines) / general.width;
}
