// SPDX-License-Identifier: Apache-2.0
// The optimisation report of a kernel, for performance work: widths, memory accesses, obstacles. Data; text
// is made of it at the edge.
import { groupBy } from "@muxkit/cargo";

/** A location in a program's source. @public */
export interface SourceLocation {
  /** File. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
}

/** How an access to memory is made for the work-items that run at once. @public */
export type AccessWay = "uniform" | "contiguous" | "strided" | "combined" | "looked up" | "gathered" | "one by one";

/** One access to memory, atomic operation or call. @public */
export interface AccessReport {
  /** `load`, `store`, `call NAME` or the name of an operation. */
  readonly what: string;
  /** How it is made. */
  readonly way: AccessWay;
  /** Where; null when it comes from no line of the program. */
  readonly place: SourceLocation | null;
  /** What to change in the source to make it faster; null: nothing. */
  readonly advice: string | null;
}

/** Why work-items of a region run one by one. @public */
export interface RefusalReport {
  /** The obstacle, as a sentence. */
  readonly reason: string;
  /** What to change in the source. */
  readonly advice: string;
  /** Where; null when no line can be named. */
  readonly place: SourceLocation | null;
}

/** What operations of one kind cost, by the estimate. @public */
export interface CostReport {
  /** The operations in words: `gathered loads of private memory`, `calls of exp`, `spills of vector registers`. */
  readonly what: string;
  /** Their part of the estimate, from 0 to 1. */
  readonly share: number;
  /** Where such operations are, the dearest first; empty when they come from no line of the program. */
  readonly places: readonly SourceLocation[];
}

/** The report of the code between two barriers; a kernel without barriers has one region. @public */
export interface RegionReport {
  /** Work-items at once. */
  readonly width: number;
  /** Rows of work-items that run together, so that what they share is done once. */
  readonly rows: number;
  /** Why so many. */
  readonly reason: string;
  /** Why not several; null: they are several, or only the cost model decided against it. */
  readonly refusal: RefusalReport | null;
  /** True: a second variant without masks runs for vectors that pass a test. */
  readonly isTested: boolean;
  /** Accesses to memory, in the order of the code. */
  readonly accesses: readonly AccessReport[];
  /**
   * What costs most where several work-items run at once, the dearest first; where the cost model decided against
   * several, what would cost most then.
   */
  readonly costs: readonly CostReport[];
  /** Loops that work-items leave in different iterations, so that a vector runs as long as its last one. */
  readonly divergentLoops: readonly SourceLocation[];
}

/** The report of one kernel. @public */
export interface KernelReport {
  /** Name. */
  readonly kernel: string;
  /** Work-items at once, in the widest region. */
  readonly width: number;
  /** Dimension whose neighbours run at once: 0 is x. */
  readonly dimension: number;
  /** True: vectors continue across work-group boundaries. */
  readonly spansGroups: boolean;
  /** Its regions. */
  readonly regions: readonly RegionReport[];
  /** Why it is WebAssembly where machine code was wanted; absent: it is what was wanted. */
  readonly nativeRefusal?: string;
}

/**
 * The report on the code between two barriers: how many work-items run at once and why, or what prevents it.
 *
 * @public
 */
export interface KernelRemark {
  /** One sentence or a few. */
  readonly text: string;
  /** The source location of the obstacle; null: there is none, or no line can be named. */
  readonly place: SourceLocation | null;
}

/** The kinds of access that are worth a look, each with the lines that have it. */
function slowAccesses(accesses: readonly AccessReport[]): string {
  const slow = groupBy(
    accesses.filter(({ advice, place }) => advice !== null && place !== null),
    ({ way }) => way,
  );
  return [...slow]
    .map(([way, list]) => {
      const lines = [...new Set(list.map(({ place }) => place?.line))];
      return `; ${way}: line${lines.length === 1 ? "" : "s"} ${lines.join(", ")}`;
    })
    .join("");
}

/** Lines in words; empty: there are none. */
function linesText(places: readonly SourceLocation[]): string {
  const lines = [...new Set(places.map(({ line }) => line))].toSorted((a, b) => a - b);
  return lines.length === 0 ? "" : `line${lines.length === 1 ? "" : "s"} ${lines.join(", ")}`;
}

/** What costs most in a region, and its divergent loops, in words; empty: nothing stands out. @public */
export function costText({ width, costs, divergentLoops }: RegionReport): string {
  const parts = costs.map(({ what, share, places }) => {
    const lines = linesText(places);
    return `${what} ${Math.round(share * 100)} %${lines === "" ? "" : ` (${lines})`}`;
  });
  const vectors = width === 1 ? "what would cost most in vectors" : "what costs most";
  const dear = parts.length === 0 ? [] : [`${vectors}: ${parts.join(", ")}`];
  const loops =
    divergentLoops.length === 0
      ? []
      : [
          `work-items leave the loop${divergentLoops.length === 1 ? "" : "s"} of ${linesText(divergentLoops)} in ` +
            "different iterations: a vector runs as long as its last one",
        ];
  return [...dear, ...loops].join("; ");
}

/** The report of a kernel as sentences, one for each region. @public */
export function remarksOf({ kernel, dimension, regions, nativeRefusal }: KernelReport): readonly KernelRemark[] {
  const ofRegions = regions.map((region, i): KernelRemark => {
    const { width, rows, reason, refusal, accesses } = region;
    const what =
      regions.length === 1 ? `kernel ${kernel}` : `kernel ${kernel}, region ${i} of ${regions.length} between barriers`;
    if (refusal !== null)
      return { text: `${what}: one work-item at a time. ${refusal.reason} ${refusal.advice}`, place: refusal.place };
    const number =
      width === 1
        ? "one work-item at a time"
        : `${width} work-items along ${"xyz"[dimension] ?? "x"} at once${rows === 1 ? "" : `, ${rows} rows together`}`;
    const costs = costText(region);
    return {
      text: `${what}: ${number}: ${reason}${slowAccesses(accesses)}${costs === "" ? "" : `; ${costs}`}`,
      place: null,
    };
  });
  if (nativeRefusal === undefined) return ofRegions;
  const text = `kernel ${kernel}: runs as WebAssembly, since there is no machine code for it: ${nativeRefusal}`;
  return [...ofRegions, { text, place: null }];
}
