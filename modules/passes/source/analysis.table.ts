// SPDX-License-Identifier: Apache-2.0
// The analyses that passes share: how each is computed, and how its result reads, so that two results can be compared.
import {
  type Block, type BlockMap, type Dominators, type Instruction, type IrFunction, type Liveness, type LoopForest, type Value, dominators, liveness, loops, predecessors, uses,
} from "@muxkit/ir";

import { type AliasFacts, aliasFacts } from "./alias-analysis.ts";

/** Results by the name of the analysis. @public */
export interface AnalysisResults {
  /** For each block, the blocks that branch to it; one entry for each edge. */
  readonly predecessors: BlockMap<readonly Block[]>;
  /** Who dominates whom. */
  readonly dominators: Dominators;
  /** Natural loops. */
  readonly loops: LoopForest;
  /** Who uses a value. */
  readonly uses: ReadonlyMap<Value, readonly Instruction[]>;
  /** Which values are alive at the borders of blocks. */
  readonly liveness: Liveness;
  /** What is known of the objects that pointers lead to. */
  readonly aliases: AliasFacts;
}

/** Names of the analyses. @public */
export type AnalysisName = keyof AnalysisResults;

/** One analysis. @public */
export interface AnalysisRow<T> {
  /** Computes it; `get` gives others, cached. */
  readonly compute: (fn: IrFunction, get: <K extends AnalysisName>(name: K) => AnalysisResults[K]) => T;
  /** The result as text, with blocks and values by their position in the function: equal results give equal texts. */
  readonly describe: (result: T, names: Names) => string;
}

/** Numbers blocks and values by their position. @internal */
export class Names {
  private readonly numbers = new Map<Block | Value, string>();
  readonly fn: IrFunction;

  constructor(fn: IrFunction) {
    this.fn = fn;
    let next = 0;
    for (const parameter of fn.parameters) this.numbers.set(parameter, `%${next++}`);
    fn.blocks.forEach((block, i) => {
      this.numbers.set(block, `^${i}`);
      for (const parameter of block.parameters) this.numbers.set(parameter, `%${next++}`);
      for (const instruction of block.instructions) this.numbers.set(instruction, `%${next++}`);
    });
  }

  /** The name of one; what is not in the function is `gone`. */
  of(item: Block | Value): string {
    return this.numbers.get(item) ?? "gone";
  }

  /** Names of several, sorted. */
  list(items: Iterable<Block | Value>): string {
    return [...items].map((item) => this.of(item)).toSorted().join(" ");
  }
}

function table<K extends Block | Value>(map: ReadonlyMap<K, Iterable<Block | Value>>, names: Names): string {
  return [...map].flatMap(([key, list]) => {
    const text = names.list(list);
    return text === "" ? [] : [`${names.of(key)}: ${text}`];
  }).toSorted().join("\n");
}

/** Every analysis. */
export const ANALYSES: { readonly [K in AnalysisName]: AnalysisRow<AnalysisResults[K]> } = {
  predecessors: { compute: (fn) => predecessors(fn), describe: (result, names) => table(new Map(names.fn.blocks.map((block) => [block, result.get(block) ?? []])), names) },
  dominators: {
    compute: (fn, get) => dominators(fn, get("predecessors")),
    describe: (result, names) => names.fn.blocks.map((block) => {
      const above = result.immediate(block);
      return `${names.of(block)} ${result.position(block)} ${above === null ? "-" : names.of(above)}`;
    }).join("\n"),
  },
  loops: {
    compute: (fn, get) => loops(fn, get("dominators"), get("predecessors")),
    describe: (result, names) => result.loops
      .map(({ header, latches, blocks, exits, parent, depth }) => `${names.of(header)} ${depth} in ${parent === null ? "-" : names.of(parent.header)}: ${names.list(blocks)}; latches ${names.list(latches)}; exits ${exits.map(([from, to]) => `${names.of(from)}-${names.of(to)}`).toSorted().join(" ")}`)
      .toSorted().join("\n") + `\nirreducible ${result.irreducible.map(([from, to]) => `${names.of(from)}-${names.of(to)}`).toSorted().join(" ")}`,
  },
  uses: { compute: (fn) => uses(fn), describe: (result, names) => table(result, names) },
  liveness: { compute: (fn) => liveness(fn), describe: (result, names) => `${table(result.liveIn, names)}\nout\n${table(result.liveOut, names)}` },
  aliases: { compute: (fn) => aliasFacts(fn), describe: (result, names) => `private ${names.list(result.unescaped)}\nrestrict ${names.list(result.restricted)}` },
};

/** Names of all analyses. */
export const ANALYSIS_NAMES = Object.keys(ANALYSES) as readonly AnalysisName[];
/** Analyses of the graph alone: kept by what changes no branch. */
export const GRAPH: readonly AnalysisName[] = ["predecessors", "dominators", "loops"];

/** The text of a result, see {@link AnalysisRow.describe}. */
export function describeAnalysis<K extends AnalysisName>(name: K, result: AnalysisResults[K], names: Names): string {
  return ANALYSES[name].describe(result, names);
}
