// SPDX-License-Identifier: Apache-2.0
// Kinds of vectorised memory accesses, and what would make each faster: the text of remarks and of docs/vectoriser.md.

/** One kind. @public */
export interface AccessRow {
  /** When an access is of this kind. */
  readonly cause: string;
  /** What it costs. */
  readonly cost: string;
  /** What to change in the source to make it faster; null: nothing. */
  readonly change: string | null;
}

/** The kind of an access, as remarks name it. @public */
export type AccessKind = "uniform" | "contiguous" | "strided" | "gathered" | "one by one";

/** Kinds by name. @public */
export const ACCESS_WAYS: Readonly<Record<AccessKind, AccessRow>> = {
  uniform: { cause: "All work-items have the same address.", cost: "One scalar access for all of them.", change: null },
  contiguous: { cause: "Neighbours have neighbouring elements: an index is an id plus something that they share.", cost: "One vector access.", change: null },
  strided: {
    cause: "Neighbours' elements lie apart by the same few elements, or in falling order.",
    cost: "Wide accesses, of which shuffles pick the elements.",
    change: "let neighbouring work-items use neighbouring elements: keep each member in an array of its own, or let the dimension that is contiguous in memory be x",
  },
  gathered: {
    cause: "Nothing is known of how the addresses differ: the index is loaded, computed by division or masks, or multiplied by a number that is not a constant.",
    cost: "An access a work-item.",
    change: "make the index an id plus something that is the same for all work-items; when it is a product with a variable, let the id of x be the factor that is added",
  },
  "one by one": {
    cause: "Atomic operations, volatile accesses, functions without vector form and printf.",
    cost: "The operation, under a branch, a work-item.",
    change: "do it once a work-group: sum up in local memory or by work_group_reduce_add first; drop volatile where no one else writes",
  },
};
