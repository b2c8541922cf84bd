// SPDX-License-Identifier: Apache-2.0
// One NDRange as numbers: the dispatch block, the arena that it needs, and how its groups are claimed.
import { err, ok, type Result } from "@muxkit/cargo";
import { type DispatchValues } from "@muxkit/kernel-abi";
import type { ArgumentMetadata, Size3, VariantMetadata } from "@muxkit/metadata";
import type { MuxKernel } from "@muxkit/mux";
import type { PrintfReader } from "@muxkit/printf";

import type { Code } from "./code-store.ts";
import type { HostKernel } from "./objects.ts";
import type { TriedWays } from "./way-choice.ts";

const MAX_GROUPS: number = 2 ** 52;

/** A part of a range. */
export interface LaunchPart {
  /** The first group of the range. */
  readonly first: Size3;
  readonly count: Size3;
  /** True: the number of groups that kernels see is that of the part. Absent: false. */
  readonly isCounted?: boolean;
}

/** The range of a launch. */
export interface LaunchRange {
  readonly dimensions: number;
  readonly globalSize: Size3;
  readonly globalOffset: Size3;
  readonly localSize: Size3;
  /** The part to run; null runs all (docs/decisions/039-instrumentation-hooks.md). */
  readonly part: LaunchPart | null;
}

/** Code of a kernel for a launch. */
export interface KernelCode {
  readonly code: Code;
  /** Index of the function among the module's exports. */
  readonly functionIndex: number;
  readonly variant: VariantMetadata;
}

/** What a kernel cost in earlier launches, to distinguish small launches from large ones. */
export interface Cost {
  /** ns a work-item; a guess before the first run. */
  perItem: number;
  /** True once it was measured. */
  measured: boolean;
  /** What vectors and single work-items took, where the code offers both. */
  ways?: TriedWays;
}

/**
 * Called each time that a launch is dispatched, with a function that stops it and says how far it was: one that waits
 * never starts, one that runs ends at its next check. What it returns is called when the launch has ended; true: its
 * deadline had passed.
 *
 * @public
 */
export type LaunchWatch = (stop: () => "waiting" | "running" | "ended") => (isExpired: boolean) => void;

/** Other code that may be ready while a launch runs; see MuxSuccessor. @public */
export interface LaunchSuccessor {
  /** The launch runs so many ms before it is asked. */
  readonly after: number;
  /** Asked until it returns a kernel, or that there will be none, with the ms that the launch still takes. */
  readonly ask: (remaining: number) => HostKernel | MuxKernel | "later" | "never";
}

/** A launch that is ready to be lowered to a command node. */
export interface Launch {
  readonly kernelName: string;
  readonly kernel: KernelCode;
  readonly range: LaunchRange;
  readonly groups: Size3;
  readonly first: Size3;
  readonly count: Size3;
  /** Groups of the part. */
  readonly total: number;
  readonly itemsPerGroup: number;
  /** Bytes of local arguments, each aligned to 128. */
  readonly localArgumentBytes: number;
  readonly liveOffset: number;
  readonly privateOffset: number;
  readonly arenaBytes: number;
  /** What the packed arguments are. */
  readonly parameters: readonly ArgumentMetadata[];
  /** Packed arguments; the batch copies them into device memory. */
  readonly args: Uint8Array;
  /** Address of the program-scope data, 0 for none. */
  readonly programData: number;
  readonly cost: Cost;
  /** What the program's calls of printf print; null: it has none. */
  readonly printf: readonly PrintfReader[] | null;
  /** Longest run time in ms; 0: the device's. */
  readonly deadline: number;
  /** Called at each dispatch with what stops it; null: nobody stops it. */
  readonly watch: LaunchWatch | null;
  /** Other code for the groups that have not begun; null: none will come. */
  readonly successor: LaunchSuccessor | null;
}

/** Groups of a whole range in each dimension; a ragged last one counts. */
export function groupCounts(range: LaunchRange): Size3 {
  const { globalSize, localSize } = range;
  return [
    Math.ceil(globalSize[0] / localSize[0]),
    Math.ceil(globalSize[1] / localSize[1]),
    Math.ceil(globalSize[2] / localSize[2]),
  ];
}

/** Checks that a part is inside its range and that its groups can be counted; the error is a sentence. */
export function partOf(
  range: LaunchRange,
  groups: Size3,
): Result<{ readonly first: Size3; readonly count: Size3; readonly total: number }, string> {
  const first: Size3 = range.part?.first ?? [0, 0, 0];
  const count: Size3 = range.part?.count ?? groups;
  for (let i = 0; i < 3; i++) {
    const dimension = i as 0 | 1 | 2;
    if (first[dimension] + count[dimension] > groups[dimension]) {
      return err(
        `the part runs groups ${first[dimension]} to ${first[dimension] + count[dimension]} in dimension ` +
          `${i}, but the range has ${groups[dimension]}`,
      );
    }
  }
  const total = count[0] * count[1] * count[2];
  if (total > MAX_GROUPS) return err(`the launch has ${total} work-groups; ${MAX_GROUPS} are the most`);
  return ok({ first, count, total });
}

/** The fields of a launch's dispatch block. */
export function dispatchValues(launch: Launch): DispatchValues {
  return {
    ...launch.range,
    groupCount: launch.range.part?.isCounted === true ? launch.count : launch.groups,
    rangeStart: launch.first,
    rangeCount: launch.count,
    liveOffset: launch.liveOffset,
    privateOffset: launch.privateOffset,
    programData: launch.programData,
  };
}
