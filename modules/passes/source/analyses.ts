// SPDX-License-Identifier: Apache-2.0
// Cached analyses of one function: computed at the first request, kept until a pass that does not preserve them changes
// the function.
import { InternalError } from "@muxkit/cargo";
import type { IrFunction } from "@muxkit/ir";

import {
  ANALYSES,
  ANALYSIS_NAMES,
  type AnalysisName,
  type AnalysisResults,
  Names,
  describeAnalysis,
} from "./analysis.table.ts";

/** The cached analyses of one function. @public */
export class Analyses {
  private readonly fn: IrFunction;
  private readonly results: Record<AnalysisName, AnalysisResults[AnalysisName] | null>;
  private readonly getter = <K extends AnalysisName>(name: K): AnalysisResults[K] => this.get(name);

  /** Nothing is computed yet. */
  constructor(fn: IrFunction) {
    this.fn = fn;
    this.results = { predecessors: null, dominators: null, loops: null, uses: null, liveness: null, aliases: null };
  }

  /** The result of an analysis, computed at the first request. */
  get<K extends AnalysisName>(name: K): AnalysisResults[K] {
    // The entry of a name is what that name's row computes.
    const known = this.results[name] as AnalysisResults[K] | null;
    if (known !== null) return known;
    const made: AnalysisResults[K] = ANALYSES[name].compute(this.fn, this.getter);
    this.results[name] = made;
    return made;
  }

  /** Drops the results that are not in the list. */
  keepOnly(kept: readonly AnalysisName[]): void {
    for (const name of ANALYSIS_NAMES) if (!kept.includes(name)) this.results[name] = null;
  }

  /** Computes every analysis, so that the check after the next pass has something to compare. */
  computeAll(): void {
    for (const name of ANALYSIS_NAMES) this.get(name);
  }

  /** Recomputes each cached analysis and compares. Throws InternalError for the first that is out of date. */
  check(pass: string): void {
    const names = new Names(this.fn);
    const fresh = new Analyses(this.fn);
    for (const name of ANALYSIS_NAMES) {
      if (this.results[name] === null) continue;
      const cached = this.describe(name, names);
      const now = fresh.describe(name, names);
      if (cached !== now)
        throw new InternalError(
          `pass ${pass} declares that it keeps ${name} of @${this.fn.name}, but it was\n${cached}\nand is\n${now}`,
          [pass, this.fn.name],
        );
    }
  }

  private describe(name: AnalysisName, names: Names): string {
    return describeAnalysis(name, this.get(name), names);
  }
}
