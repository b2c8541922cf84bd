// SPDX-License-Identifier: Apache-2.0
// A command buffer on its way, as data: how far it is, and what it waits for.
import type { Result } from "@muxkit/cargo";
import type { MuxCommandBuffer, MuxError, MuxFailure } from "@muxkit/mux";

import type { Command } from "./commands.ts";
import type { Handle } from "./driver.ts";
import type { GraphPart } from "./graphs.ts";
import type { LimitedLaunch } from "./limited-launch.ts";
import type { CudaMuxCommandBuffer, CudaMuxFence, CudaMuxSemaphore } from "./objects.ts";

/**
 * `waiting`: nothing of it was started. `draining`: its next command needs the host, when all before it is done.
 * `asking`: a function of the user's says when it is over. `started`: all of it was started. `complete`: it is over.
 */
export type Phase = "waiting" | "draining" | "asking" | "started" | "complete";

/** A stream, and what it got last. */
export interface Lane {
  readonly stream: Handle;
  last: Dispatch | null;
  /** The pass of the scheduler that found it busy: what is behind in the stream cannot be done either. */
  busyPass: number;
}

/** What follows on the host when the work before it is done. */
export type Tail = () => Result<void, MuxFailure>;

/** What a dispatch is made of. */
export interface DispatchParts {
  readonly commandBuffer: CudaMuxCommandBuffer;
  readonly graphs: ReadonlyMap<number, GraphPart> | null;
  readonly fence: CudaMuxFence | null;
  readonly waits: readonly CudaMuxSemaphore[];
  readonly signals: readonly CudaMuxSemaphore[];
  readonly callback: ((commandBuffer: MuxCommandBuffer, error: MuxError | null) => void) | null;
  readonly completed: () => void;
}

/** Names that a message lists. */
const MOST_NAMES = 3;

/** A dispatch. */
export class Dispatch {
  readonly parts: DispatchParts;
  readonly commands: readonly Command[];
  /** True: some of it reads what the host has, or calls it. */
  readonly needsHost: boolean;
  phase: Phase = "waiting";
  /** The next command. */
  next = 0;
  /** Where it runs; null: it was not started. */
  lane: Lane | null = null;
  /** Comes when what was started is done; null: nothing has been recorded. */
  event: Handle | null = null;
  /** True when something was started since the last event. */
  hasWork = false;
  /** What the host does when that is done. */
  tails: Tail[] = [];
  /** True when one of the tails, or a copy to pinned memory, changes what the host sees. */
  hasEffects = false;
  failure: MuxFailure | null = null;
  question: (() => boolean) | null = null;
  /** Dispatches that it comes after. */
  readonly sources: Dispatch[] = [];
  /** Semaphores that nothing signals yet. */
  open: CudaMuxSemaphore[] = [];
  /** Its launches that something may end, in the order of the commands, and how many were started. */
  limited: readonly LimitedLaunch[] = [];
  limitedAt = 0;
  /** Those that may be running. */
  running: LimitedLaunch[] = [];
  /** True while a thread waits for its event. */
  isWatched = false;

  constructor(parts: DispatchParts) {
    this.parts = parts;
    this.commands = parts.commandBuffer.commands;
    this.needsHost = parts.commandBuffer.needsHost;
    for (const semaphore of parts.waits) {
      if (semaphore.outcome === "failed") this.failure = PREVENTED_MARK;
      else if (semaphore.outcome === "idle") this.open.push(semaphore);
    }
    this.resolve();
  }

  /** Finds who signals the semaphores that nothing signalled. */
  resolve(): void {
    if (this.open.length === 0) return;
    this.open = this.open.filter(({ dispatch, outcome }) => {
      if (outcome !== "idle") return false;
      if (dispatch !== null && dispatch !== this) this.sources.push(dispatch);
      return dispatch === null;
    });
  }

  /** True when all that it comes after is over. */
  get comesFirst(): boolean {
    for (const { phase } of this.sources) if (phase !== "complete") return false;
    return true;
  }

  /** True when it can be started: what it comes after is in streams, and the host has done what it needs. */
  get canStart(): boolean {
    if (this.open.length > 0) return false;
    for (const { phase, hasEffects } of this.sources) {
      if (phase === "complete") continue;
      if (phase !== "started" || (this.needsHost && hasEffects)) return false;
    }
    return true;
  }

  /** True when somebody has to look at the clock for a launch that runs. */
  get needsClock(): boolean {
    for (const { needsClock } of this.running) if (needsClock) return true;
    return false;
  }

  /** The kernels that it runs, for messages. */
  get kernels(): string {
    const names = new Set<string>();
    for (const command of this.commands) {
      if (command.kind === "launch") names.add(command.kernel.name);
      if (command.kind === "group") for (const { kernel } of command.launches) names.add(kernel.name);
    }
    const list = [...names].slice(0, MOST_NAMES).map((name) => `"${name}"`);
    if (names.size > MOST_NAMES) list.push("others");
    if (list.length === 0) return "";
    return `${list.length === 1 ? "kernel" : "one of the kernels"} ${list.join(", ")}`;
  }
}

/** Stands for a failure of what a dispatch waits for, which the scheduler words. */
export const PREVENTED_MARK: MuxFailure = { code: 11, message: "something that this work waits for has failed" };
