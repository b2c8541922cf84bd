// SPDX-License-Identifier: Apache-2.0
// What is vectorised in a kernel, and how: data that planners make and the loops over work-items follow.
import type { IrFunction } from "@muxkit/ir";
import type { JammedFunction, IndexSetSplit, VectorVariants, VectorizeResult, Vectorized } from "@muxkit/vecz";

/** What decided how many work-items run at once. @public */
export type VectorChoiceReason =
  | "sub-groups"
  | "not asked"
  | "sub-groups run alone"
  | "too few work-items"
  | "refused"
  | "cost"
  | "forced"
  | "types";

/** Rows of a body or region that run together, in vectors: unroll-and-jam over the rows. @public */
export interface UnrollAndJamPlan {
  /** How many rows. */
  readonly rows: number;
  /** Dimension in which they follow one another. */
  readonly axis: number;
  /** Writes the test for whether all of them take the same branches; null: they do. */
  readonly writeTest: JammedFunction["writeTest"];
  /** Variants for all of them at once. */
  readonly variants: VectorVariants;
}

/** How the vectorised variants of a function came about, or why there are none. @public */
export interface VectorRemark {
  /** The function: a body or a region. */
  readonly fn: IrFunction;
  /** What the vectoriser returned. */
  readonly result: VectorizeResult;
  /** The variant under a mask; null where none is needed. */
  readonly masked: Vectorized | null;
  /** False when its cost spoke against it. */
  readonly isTaken: boolean;
  /** True when vectors that fail their test run one by one: the general variant costs more. */
  readonly runsFailingAlone: boolean;
  /** Why it has its width. */
  readonly reason: VectorChoiceReason;
  /** Estimated cost of a work-item that runs alone, see `costOf`. */
  readonly scalarCost: number;
  /** Estimated cost of a work-item in the vectorised variant. */
  readonly vectorCost: number;
  /** How rows are jammed; null: they are not. */
  readonly unrollAndJam: UnrollAndJamPlan | null;
}

/** What is vectorised, and how. @public */
export interface VectorPlan {
  /** Variants of each function that has any. */
  readonly variants: ReadonlyMap<IrFunction, VectorVariants>;
  /** Functions whose estimates do not decide: the runtime may have their work-items run one by one. */
  readonly unsure: ReadonlySet<IrFunction>;
  /** Functions of which vectors that fail their test run one by one, not in the general variant. */
  readonly failingAlone: ReadonlySet<IrFunction>;
  /**
   * Where work-items may wait at different barriers: variants whose last parameter is the mask of those that run. All
   * variants of such a kernel return a vector of results.
   */
  readonly masked: ReadonlyMap<IrFunction, Vectorized>;
  /** Rows that run together; their variants are of the same width as those in `variants`, or narrower. */
  readonly unrollAndJamPlans: ReadonlyMap<IrFunction, UnrollAndJamPlan>;
  /** Ranges of each row outside of which all work-items do the same. */
  readonly ranges: ReadonlyMap<IrFunction, IndexSetSplit>;
  /** Dimension that is vectorised: the innermost loop over work-items. */
  readonly axis: number;
  /** How all this came about, function by function. */
  readonly remarks: readonly VectorRemark[];
  /** Why functions without a remark run work-item by work-item. */
  readonly whyNone: VectorChoiceReason;
  /** Lanes of the widest variant; 1: there is none. */
  readonly width: number;
  /** What is vectorised by sub-groups instead; null: nothing. */
  readonly subGroups: SubGroupPlan | null;
}

/**
 * How many work-items run at once: `never` one, `auto` what pays, `always` several wherever that is possible; or so
 * many lanes where there are that many work-items, and so many rows of them where rows can be jammed (absent: where it
 * pays).
 *
 * @public
 */
export type VectorizationChoice = "never" | "always" | "auto" | { readonly width: number; readonly rows?: number };

/**
 * How sub-groups are placed in a work-group: along rows of x; across the ends of rows; or either, as the launch has it.
 *
 * @public
 */
export type SubGroupPlacement = "rows" | "across" | "either";

/** Variants of one function whose lanes are a sub-group. @public */
export interface SubGroupVariants {
  /** For sub-groups of which all work-items run. */
  readonly whole: Vectorized;
  /** With a mask of those that run as its last parameter; null: there are no such sub-groups. */
  readonly masked: Vectorized | null;
}

/** Sub-groups as vectors: variants of all functions of a kernel. @public */
export interface SubGroupPlan {
  /** Work-items of a sub-group. */
  readonly width: number;
  /** Where they are. */
  readonly placement: SubGroupPlacement;
  /** Variants of each function. */
  readonly variants: ReadonlyMap<IrFunction, SubGroupVariants>;
  /** How they came about. */
  readonly remarks: readonly VectorRemark[];
}

/** No vectorised variants at all. */
export const SCALAR_PLAN: VectorPlan = {
  variants: new Map(),
  unsure: new Set(),
  failingAlone: new Set(),
  masked: new Map(),
  unrollAndJamPlans: new Map(),
  ranges: new Map(),
  axis: 0,
  remarks: [],
  whyNone: "not asked",
  width: 1,
  subGroups: null,
};

/** Low bits of a number that are zero. */
export function trailingZeros(value: number): number {
  return value === 0 ? 31 : 31 - Math.clz32(value & -value);
}
