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
  ...row("split-addresses gvn loop-rotate licm simplify-cfg dce sink share-addresses"),
];

/** What the pass list depends on. @public */
export interface PassListOptions {
  /** False: only what code generation needs. */
  readonly optimize: boolean;
  /** True: something is known of the arguments of the launches. */
  readonly hasKnownArguments: boolean;
}

/** The passes of the lowering in order. @public */
export function loweringPassList({ optimize, hasKnownArguments }: PassListOptions): readonly string[] {
  return [
    ...LIBRARY_PASSES,
    ...(optimize && hasKnownArguments ? KNOWN_ARGUMENTS : []),
    ...row("inline global-dce"),
    ...(optimize ? [...OPTIMIZE, "alias-groups"] : row("simplify-cfg dce")),

    // From here on functions know their work-item.
    ...row("add-work-item-parameters lower-work-item-queries fix-launch-sizes"),
    ...row("kernel-bodies locality-barriers barrier-regions"),
    ...(optimize ? BEFORE_VECTORS : []),
    "vectorize-sub-groups",
    // Once more, for kernels whose sub-groups cannot be vectors.
    ...row("locality-barriers barrier-regions"),
    "vectorize",

    // From here on functions run whole work-groups.
    ...row("work-item-loops cancellation-checks inline drop-inlined"),
    // Group operations have become arithmetic by now, and lanes that update one address have been separated.
    ...row("lower-half lower-local-atomics"),
    ...(optimize ? OPTIMIZE_LOOPS : row("simplify-cfg mem2reg dce")),
    "drop-unreached",
  ];
}
