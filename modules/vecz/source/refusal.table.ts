// SPDX-License-Identifier: Apache-2.0
// Reasons why functions are not vectorised, and what to change in their source.

/** One reason. @public */
export interface RefusalRow {
  /** The obstacle, in the words of the source language. */
  readonly cause: string;
  /** What to change in the source. */
  readonly change: string;
}

/** Why a function is not vectorised. @public */
export type Refusal =
  | "control that never returns"
  | "a value of a type without vectors"
  | "a vector of too many lanes"
  | "too many divergent branches"
  | "too much code";

/** Reasons by name. @public */
export const REFUSALS: Readonly<Record<Refusal, RefusalRow>> = {
  "control that never returns": {
    cause: "Some path through the kernel never ends, or the kernel as a whole does not.",
    change: "Give every loop a condition that ends it.",
  },
  "a value of a type without vectors": {
    cause:
      "A value that differs from work-item to work-item has a type that vectors cannot hold: " +
      "an image, a sampler or an event that each work-item chooses.",
    change: "Choose it by a value that is the same for all work-items of a work-group.",
  },
  "a vector of too many lanes": {
    cause: "The components of a vector type, for all work-items together, are more than 64.",
    change: "Use vector types of fewer components, or scalars: neighbouring work-items make the vectors.",
  },
  "too many divergent branches": {
    cause:
      "Work-items part at hundreds of branches. The code for all of them would be executed one after the other, with " +
      "a choice of every value at each place where they meet again.",
    change: "Look results up in a table, or split the kernel by what its work-items do.",
  },
  "too much code": {
    cause: "The kernel is so large that its instructions for vectors would not fit into any cache.",
    change: "Write loops where statements repeat, or split the kernel.",
  },
};
