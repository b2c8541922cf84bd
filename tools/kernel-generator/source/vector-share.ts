// SPDX-License-Identifier: Apache-2.0
// How many random kernels run several work-items at once when that is forced, and what keeps the others from it.
import type { KernelReport } from "@muxkit/compiler";
import { build } from "@muxkit/kernel-suite";

import { OPTIONS, generate } from "./generate/program.ts";
import { render } from "./tree.ts";

/** Of random kernels, what must be vectorised when that is forced. */
export const LEAST_SHARE = 0.95;

/** Vectorisation statistics of some kernels. */
export interface VectorShare {
  readonly kernels: number;
  /** Kernels all of whose regions run several work-items at once. */
  readonly vectorised: number;
  /** Why regions of the others do not, with the seeds of their kernels. */
  readonly reasons: ReadonlyMap<string, readonly number[]>;
}

/** Why the regions of a kernel that run one by one do so. */
function reasonsOf({ regions }: KernelReport): ReadonlySet<string> {
  return new Set(regions.filter(({ width }) => width === 1).map(({ refusal, reason }) => refusal?.reason ?? reason));
}

/** Builds the kernels of seeds with `-cl-wfv=always`, for launches of any size. */
export function vectorShare(first: number, last: number): VectorShare {
  const reasons = new Map<string, number[]>();
  let vectorised = 0;
  for (let seed = first; seed <= last; seed++) {
    const found = new Set<string>();
    build(render(generate(seed).tree), {
      options: `${OPTIONS} -cl-wfv=always`,
      verifyEach: false,
      report: (report) => reasonsOf(report).forEach((reason) => found.add(reason)),
    });
    if (found.size === 0) vectorised++;
    for (const reason of found) reasons.set(reason, [...(reasons.get(reason) ?? []), seed]);
  }
  return { kernels: last - first + 1, vectorised, reasons };
}

/** The share as text, the commonest reasons first. */
export function describeShare({ kernels, vectorised, reasons }: VectorShare): string {
  const rows = [...reasons]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(
      ([reason, seeds]) =>
        `${seeds.length} kernel${seeds.length === 1 ? "" : "s"}: ${reason} (seeds ` +
        `${seeds.slice(0, 5).join(", ")}${seeds.length > 5 ? ", …" : ""})\n`,
    );
  return (
    `${vectorised} of ${kernels} random kernels ` +
    `(${((100 * vectorised) / kernels).toFixed(1)} %) run several work-items at once ` +
    `when that is forced\n${rows.join("")}`
  );
}
