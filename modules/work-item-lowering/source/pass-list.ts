// SPDX-License-Identifier: Apache-2.0
// The pass list of the lowering: from finalized IR to functions by the kernel ABI.

function row(names: string): readonly string[] {
  return names.split(" ");
}

/** What brings in all code and data of a program. @public */
export const LIBRARY_PASSES: readonly string[] = row(
  "global-dce image-arg-subst replace-printf link-library program-data",
);

/** What uses what is known of the arguments of a launch. */
const KNOWN_ARGUMENTS: readonly string[] = [
  ...row("inline-image-functions inline global-dce simplify-cfg sroa mem2reg simplify"),
  "fix-launch-arguments",
  ...row("simplify simplify-cfg gvn loop-rotate licm simplify-cfg dce loop-unroll"),
];

/** What optimises code before it is lowered, and again after. */
const OPTIMIZE: readonly string[] = [
  ...row("simplify-cfg sroa mem2reg infer-address-space mem2reg simplify gvn"),
  ...row("loop-rotate licm simplify-cfg simplify gvn dce simplify-cfg"),
];

/** What makes values of private variables, and shapes of values plain, before vectors are made of them. @internal */
export const BEFORE_VECTORS: readonly string[] = row("simplify-cfg mem2reg simplify gvn simplify-cfg dce");

/** What optimises the loops over work-items together with what they hold. */
const OPTIMIZE_LOOPS: readonly string[] = [
  ...OPTIMIZE,
  ...row(
    "divide-by-constant split-addresses gvn loop-rotate licm dce step-addresses simplify-cfg dce sink share-addresses",
  ),
];

/**
 * How much is done for code: `full`, or `quick` for code that is needed before the full form pays
 * (docs/decisions/067-compile-budget.md).
 *
 * @public
 */
export type Tier = "full" | "quick";

/** What a tier does between the steps that all code needs. */
interface Effort {
  /** Where something is known of the arguments of the launches. */
  readonly knownArguments: readonly string[];
  /** On functions of one work-item. */
  readonly before: readonly string[];
  /** Before vectors are made. */
  readonly shapes: readonly string[];
  /** On entries, with their loops over work-items. */
  readonly loops: readonly string[];
}

/** The tiers, and what `-cl-opt-disable` leaves. */
const EFFORTS: Readonly<Record<Tier | "none", Effort>> = {
  full: {
    knownArguments: KNOWN_ARGUMENTS,
    before: [...OPTIMIZE, "run-time-unroll", "alias-groups"],
    shapes: BEFORE_VECTORS,
    loops: OPTIMIZE_LOOPS,
  },
  // No pass runs more often than its first run pays, nothing is unrolled, and there are no vectors.
  quick: {
    knownArguments: [
      ...row("inline-image-functions inline global-dce simplify-cfg sroa mem2reg simplify"),
      ...row("fix-launch-arguments simplify"),
    ],
    before: row("simplify-cfg sroa mem2reg"),
    shapes: [],
    loops: row("simplify-cfg mem2reg infer-address-space simplify gvn loop-rotate licm simplify-cfg dce"),
  },
  none: {
    knownArguments: [],
    before: row("simplify-cfg dce"),
    shapes: [],
    loops: row("simplify-cfg mem2reg dce"),
  },
};

/** What the pass list depends on. @public */
export interface PassListOptions {
  /** False: only what code generation needs. */
  readonly optimize: boolean;
  /** How much is done where something is; absent: `full`. */
  readonly tier?: Tier;
  /** True: something is known of the arguments of the launches. */
  readonly hasKnownArguments: boolean;
}

/** The passes of the lowering in order. @public */
export function loweringPassList({ optimize, tier = "full", hasKnownArguments }: PassListOptions): readonly string[] {
  const { knownArguments, before, shapes, loops } = EFFORTS[optimize ? tier : "none"];
  return [
    ...LIBRARY_PASSES,
    ...(hasKnownArguments ? knownArguments : []),
    ...row("inline global-dce"),
    ...before,

    // From here on functions know their work-item.
    ...row("add-work-item-parameters lower-work-item-queries fix-launch-sizes"),
    ...row("kernel-bodies promote-arguments locality-barriers barrier-regions"),
    ...shapes,
    "vectorize-sub-groups",
    // Once more, for kernels whose sub-groups cannot be vectors.
    ...row("locality-barriers barrier-regions"),
    "vectorize",
    "lower-table-addresses",

    // From here on functions run whole work-groups.
    ...row("work-item-loops cancellation-checks inline drop-inlined"),
    // Group operations have become arithmetic by now, and lanes that update one address have been separated.
    ...row("lower-half lower-local-atomics"),
    ...loops,
    "drop-unreached",
  ];
}
