// SPDX-License-Identifier: Apache-2.0
// What is vectorised in a kernel, and how: data that the planners make and the wrapper follows.
import type { IrFunction } from "@muxkit/ir";
import type { JammedFunction, IndexSetSplit, VectorVariants, VectorizeResult, Vectorized } from "@muxkit/vecz";

/** What decided how many work-items run at once. */
export type VectorChoiceReason =
  | "sub-groups"
  | "not asked"
  | "work-items go on alone"
  | "too few work-items"
  | "refused"
  | "cost"
  | "forced"
  | "types";

/** Rows of a body or region that run together, in vectors. */
export interface JamPlan {
  readonly rows: number;
  /** Dimension in which they follow one another. */
  readonly axis: number;
  /** Writes the test that says whether all of them go the same way; null: they do. */
  readonly writeTest: JammedFunction["writeTest"];
  /** For all of them at once. */
  readonly forms: VectorVariants;
}

/** Says how vector forms came about, or why there are none. */
export interface VectorRemark {
  readonly fn: IrFunction;
  readonly result: VectorizeResult;
  /** The form under a mask; null where none is needed. */
  readonly masked: Vectorized | null;
  /** False when its cost spoke against it. */
  readonly isTaken: boolean;
  /** Why it has its width. */
  readonly reason: VectorChoiceReason;
  /** Estimated costs of a work-item, see `costOf`. */
  readonly scalarCost: number;
  readonly vectorCost: number;
  /** How rows are jammed; null: they are not. */
  readonly jam: JamPlan | null;
}

/** What is vectorised, and how. */
export interface VectorPlan {
  readonly forms: ReadonlyMap<IrFunction, VectorVariants>;
  /** Where work-items may wait at different barriers: forms whose last parameter is the mask of those that run. All forms of such a kernel give a vector of results. */
  readonly masked: ReadonlyMap<IrFunction, Vectorized>;
  /** Rows that run together; their forms are of the same width as those in `forms`, or narrower. */
  readonly jams: ReadonlyMap<IrFunction, JamPlan>;
  /** Ranges of each row outside of which all work-items do the same. */
  readonly ranges: ReadonlyMap<IrFunction, IndexSetSplit>;
  /** Dimension that is vectorised. */
  readonly axis: number;
  readonly remarks: readonly VectorRemark[];
  /** Why functions that there is no remark of run work-item by work-item. */
  readonly whyNone: VectorChoiceReason;
  /** Lanes of the widest form; 1: there is none. */
  readonly width: number;
  /** What is vectorised by sub-groups instead; null: the kernel has none. */
  readonly subGroups: SubGroupPlan | null;
}

/**
 * How many work-items run at once: `never` one, `auto` what pays, `always` several wherever that is possible; or so many lanes where there are that many work-items,
 * and so many rows of them where rows can be jammed (absent: where it pays).
 *
 * @public
 */
export type VectorizationChoice = "never" | "always" | "auto" | { readonly width: number; readonly rows?: number };

/** How sub-groups lie: along rows of x; across rows; or either, as the launch has it. */
export type Lie = "rows" | "across" | "either";

/** Forms of one function. */
export interface SubGroupForms {
  /** For sub-groups of which all work-items run. */
  readonly whole: Vectorized;
  /** With a mask of those that run as its last parameter; null: there are no such sub-groups. */
  readonly masked: Vectorized | null;
}

/** Vector forms of all functions of a kernel. */
export interface SubGroupPlan {
  /** Work-items of a sub-group. */
  readonly width: number;
  readonly lie: Lie;
  readonly forms: ReadonlyMap<IrFunction, SubGroupForms>;
  readonly remarks: readonly VectorRemark[];
}

/** No vector forms at all. */
export const SCALAR_PLAN: VectorPlan = {
  forms: new Map(),
  masked: new Map(),
  jams: new Map(),
  ranges: new Map(),
  axis: 0,
  remarks: [],
  whyNone: "not asked",
  width: 1,
  subGroups: null,
};

/** A function of a kernel: its body, or a region. Hidden parameters stand at `hiddenAt`. */
export interface VectorSource {
  readonly fn: IrFunction;
  readonly hiddenAt: number;
}

/** Low bits of a number that are zero. */
export function trailingZeros(value: number): number {
  return value === 0 ? 31 : 31 - Math.clz32(value & -value);
}
