// SPDX-License-Identifier: Apache-2.0
// What is known of a function: each analysis is computed when it is first asked for and kept until a pass that does not
// keep it changes the function.
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

  /** The result of an analysis, computed when it is not there. */
  get<K extends AnalysisName>(name: K): AnalysisResults[K] {
    // What lies under a name is what that name's row computes.
    const known = this.results[name] as AnalysisResults[K] | null;
    if (known !== null) return known;
    const made: AnalysisResults[K] = ANALYSES[name].compute(this.fn, this.getter);
    this.results[name] = made;
    return made;
  }

  /** Drops what is not in the list. */
  keepOnly(kept: readonly AnalysisName[]): void {
    for (const name of ANALYSIS_NAMES) if (!kept.includes(name)) this.results[name] = null;
  }

  /** Computes everything that is not there yet: what the check of the next pass compares. */
  computeAll(): void {
    for (const name of ANALYSIS_NAMES) this.get(name);
  }

  /** Computes each cached analysis anew and compares. Throws InternalError for the first that is no longer true. */
  check(pass: string): void {
    const names = new Names(this.fn);
    const fresh = new Analyses(this.fn);
    for (const name of ANALYSIS_NAMES) {
      if (this.results[name] === null) continue;
      const cached = this.describe(name, names);
      const now = fresh.describe(name, names);
      if (cached !== now)
        throw new InternalError(
          `pass ${pass} says that it keeps ${name} of @${this.fn.name}, but it was\n${cached}\nand is\n${now}`,
          [pass, this.fn.name],
        );
    }
  }

  private describe(name: AnalysisName, names: Names): string {
    return describeAnalysis(name, this.get(name), names);
  }
}
