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
export type AccessKind = "uniform" | "contiguous" | "strided" | "combined" | "looked up" | "gathered" | "one by one";

/** Kinds by name. @public */
export const ACCESS_KINDS: Readonly<Record<AccessKind, AccessRow>> = {
  uniform: { cause: "All work-items have the same address.", cost: "One scalar access for all of them.", change: null },
  contiguous: {
    cause: "Neighbours have neighbouring elements: an index is an id plus a uniform value.",
    cost: "One vector access.",
    change: null,
  },
  strided: {
    cause: "Neighbours' elements are a small constant number of elements apart, or in descending order.",
    cost: "Wide accesses, of which shuffles pick the elements.",
    change:
      "let neighbouring work-items use neighbouring elements: keep each member in an array of its own, " +
      "or let the dimension that is contiguous in memory be x",
  },
  combined: {
    cause: "Atomic operations of all work-items on one address, by which ints are combined.",
    cost: "One atomic operation for all of them, and a reduction; a scan where the result is used.",
    change: null,
  },
  "looked up": {
    cause: "The elements are those of a small table in constant memory.",
    cost: "A permutation of the table, which is kept in registers.",
    change: null,
  },
  gathered: {
    cause:
      "The distance between the addresses is not known: the index is loaded, multiplied by a number that is not a " +
      "constant, or computed by division or masks that a test beforehand cannot follow.",
    cost: "One access for each work-item.",
    change:
      "make the index an id plus a value that is the same for all work-items; " +
      "when it is a product with a variable, add the id of x instead of multiplying it",
  },
  "one by one": {
    cause: "Other atomic operations, volatile accesses, functions without a vector variant, and printf.",
    cost: "The operation and a branch for each work-item.",
    change:
      "do it once for each work-group: sum up in local memory or by work_group_reduce_add first; " +
      "drop volatile where no other work-item writes",
  },
};
