// SPDX-License-Identifier: Apache-2.0
// What devices have beside memory, launches and transfers. A program's target says which of it there is, and bundles of
// programs that need none have none of it.
import type { PrintfCall } from "@muxkit/metadata";
import type { MuxSampler } from "@muxkit/mux";
import type { PrintfReader } from "@muxkit/printf";

import type { BatchContents, LoweredLaunch } from "./batch-contents.ts";
import type { Board } from "./board.ts";
import type { Clock } from "./clock.ts";
import type { DeviceCore } from "./device-core.ts";
import type { DeviceMemory } from "./device-memory.ts";
import type { Executor } from "./execute.ts";
import type { MemoryViews } from "./memory-views.ts";
import type { NativePart } from "./native-part.ts";
import type { ImageRange } from "./objects.ts";
import type { PrintfAreas } from "./printf-areas.ts";
import type { RangeTrace } from "./range-trace.ts";
import type { RedZones } from "./red-zones.ts";

/** printf in kernels. */
export interface PrintfPart {
  /** What reads the records of calls. */
  readonly readers: (calls: readonly PrintfCall[]) => readonly PrintfReader[];
  /** The areas of the threads of a device. */
  readonly areas: (memory: DeviceMemory, board: Board, threads: number, print: (text: string) => void) => PrintfAreas;
}

/** Launches that other code takes over. */
export interface TakeoverPart {
  /**
   * Looks after those of a dispatch, before it begins: returns what releases all that they took when it is complete;
   * null: there are none.
   */
  readonly begin: (core: DeviceCore, contents: BatchContents) => (() => void) | null;
  /** Runs one. */
  readonly succession: NonNullable<Executor["succession"]>;
}

/** The parts of a device; null: it has none. */
export interface HostParts {
  readonly printf: PrintfPart | null;
  /** What kernels get for an image. */
  readonly describeImage: ((range: ImageRange) => Uint8Array) | null;
  /** What kernels get for a sampler. */
  readonly samplerBytes: ((sampler: MuxSampler) => Uint8Array) | null;
  /** Zones around memory objects. */
  readonly redZones: ((views: MemoryViews) => RedZones) | null;
  /** Notes for a trace; null where nothing is traced. */
  readonly traceRanges: ((threads: number, isShared: boolean, clock: Clock) => RangeTrace | null) | null;
  /**
   * Lets those who watch launches stop them: returns what tells them that these have ended; null: nobody watches.
   */
  readonly watchLaunches: ((core: DeviceCore, launches: readonly LoweredLaunch[]) => (() => void) | null) | null;
  /** Launches that other code takes over. */
  readonly takeover: TakeoverPart | null;
  /** Tries vectors and single work-items: called where a launch is about to begin, and where it is complete. */
  readonly ways: {
    readonly begin: (core: DeviceCore, launch: LoweredLaunch) => void;
    readonly end: (core: DeviceCore, launch: LoweredLaunch, items: number) => void;
  } | null;
  /** Native code. */
  readonly native: NativePart | null;
}

/** Nothing but memory, launches and transfers. */
export const NO_PARTS: HostParts = {
  printf: null,
  describeImage: null,
  samplerBytes: null,
  redZones: null,
  traceRanges: null,
  watchLaunches: null,
  takeover: null,
  ways: null,
  native: null,
};
