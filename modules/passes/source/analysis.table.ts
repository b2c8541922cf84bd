// SPDX-License-Identifier: Apache-2.0
// The analyses that passes share: how each is computed, and how its result is described as text for comparison.
import {
  type Block,
  type BlockMap,
  type Dominators,
  dominators,
  type Instruction,
  type IrFunction,
  type Liveness,
  liveness,
  type Loop,
  type LoopForest,
  loops,
  predecessors,
  uses,
  type Value,
} from "@muxkit/ir";

import { type AliasFacts, aliasFacts } from "./alias-analysis.ts";

/** Results by the name of the analysis. @public */
export interface AnalysisResults {
  /** For each block, the blocks that branch to it; one entry for each edge. */
  readonly predecessors: BlockMap<readonly Block[]>;
  /** The dominator tree. */
  readonly dominators: Dominators;
  /** Natural loops. */
  readonly loops: LoopForest;
  /** The users of each value. */
  readonly uses: ReadonlyMap<Value, readonly Instruction[]>;
  /** Values that are live at the starts and ends of blocks. */
  readonly liveness: Liveness;
  /** Alias analysis: the memory objects that pointers refer to. */
  readonly aliases: AliasFacts;
}

/** Names of the analyses. @public */
export type AnalysisName = keyof AnalysisResults;

/** One analysis. @public */
export interface AnalysisRow<T> {
  /** Computes it; `get` returns other analyses, cached. */
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

  /** The name of a block or value; `gone` when it is not in the function. */
  of(item: Block | Value): string {
    return this.numbers.get(item) ?? "gone";
  }

  /** Names of several, sorted. */
  list(items: Iterable<Block | Value>): string {
    return [...items]
      .map((item) => this.of(item))
      .toSorted()
      .join(" ");
  }
}

function table<K extends Block | Value>(map: ReadonlyMap<K, Iterable<Block | Value>>, names: Names): string {
  return [...map]
    .flatMap(([key, list]) => {
      const text = names.list(list);
      return text === "" ? [] : [`${names.of(key)}: ${text}`];
    })
    .toSorted()
    .join("\n");
}

function edges(list: readonly (readonly [Block, Block])[], names: Names): string {
  return list
    .map(([from, to]) => `${names.of(from)}-${names.of(to)}`)
    .toSorted()
    .join(" ");
}

function describeLoop({ header, latches, blocks, exits, parent, depth }: Loop, names: Names): string {
  const around = parent === null ? "-" : names.of(parent.header);
  const parts = `latches ${names.list(latches)}; exits ${edges(exits, names)}`;
  return `${names.of(header)} ${depth} in ${around}: ${names.list(blocks)}; ${parts}`;
}

/** Every analysis. */
export const ANALYSES: { readonly [K in AnalysisName]: AnalysisRow<AnalysisResults[K]> } = {
  predecessors: {
    compute: (fn) => predecessors(fn),
    describe: (result, names) =>
      table(new Map(names.fn.blocks.map((block) => [block, result.get(block) ?? []])), names),
  },
  dominators: {
    compute: (fn, get) => dominators(fn, get("predecessors")),
    describe: (result, names) =>
      names.fn.blocks
        .map((block) => {
          const above = result.immediate(block);
          return `${names.of(block)} ${result.position(block)} ${above === null ? "-" : names.of(above)}`;
        })
        .join("\n"),
  },
  loops: {
    compute: (fn, get) => loops(fn, get("dominators"), get("predecessors")),
    describe: (result, names) => {
      const lines = result.loops.map((loop) => describeLoop(loop, names)).toSorted();
      return `${lines.join("\n")}\nirreducible ${edges(result.irreducible, names)}`;
    },
  },
  uses: {
    compute: (fn) => uses(fn),
    describe: (result, names) => table(result, names),
  },
  liveness: {
    compute: (fn) => liveness(fn),
    describe: (result, names) => `${table(result.liveIn, names)}\nout\n${table(result.liveOut, names)}`,
  },
  aliases: {
    compute: (fn) => aliasFacts(fn),
    describe: (result, names) => `private ${names.list(result.unescaped)}\nrestrict ${names.list(result.restricted)}`,
  },
};

/** Names of all analyses. */
export const ANALYSIS_NAMES = Object.keys(ANALYSES) as readonly AnalysisName[];
/** Analyses of the control-flow graph: preserved by passes that change no branch. */
export const GRAPH: readonly AnalysisName[] = ["predecessors", "dominators", "loops"];

/** The text of a result, see {@link AnalysisRow.describe}. */
export function describeAnalysis<K extends AnalysisName>(name: K, result: AnalysisResults[K], names: Names): string {
  return ANALYSES[name].describe(result, names);
}
