// SPDX-License-Identifier: Apache-2.0
// What a dispatch writes before its head starts: counters at their start, limits, semaphores and the fence.
import type { BatchContents } from "./batch-contents.ts";
import { type Board, setDouble } from "./board.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import { leastClaim } from "./launch-cost.ts";
import { lock, unlock } from "./lock.ts";

/** What of a dispatch's settings is written to the nodes. */
export interface DispatchLimits {
  /** Longest run time of each NDRange in ms; 0: the device's. */
  readonly deadline: number;
  /** The part of the device that the batch runs on; 0: the whole device. */
  readonly part: number;
}

/** Slots of the control block that a dispatch waits for and signals. */
export interface DispatchSlots {
  readonly waits: readonly number[];
  readonly signals: readonly number[];
  /** 0 for none. */
  readonly fence: number;
}

/** Sets every node back to its start; true when a launch has a deadline. */
export function resetNodes(core: DeviceCore, contents: BatchContents, { deadline, part }: DispatchLimits): boolean {
  const { board, settings } = core;
  const { words } = board;
  for (const node of contents.nodes) {
    const base = L.nodeBase(node);
    words[base + L.NODE_STATE] = L.STATE_WAITING;
    words[base + L.NODE_PENDING] = words[base + L.NODE_PENDING_AT_START] as number;
    words[base + L.NODE_ERROR] = 0;
    words[base + L.NODE_ORIGIN] = 0;
    words[base + L.NODE_CANCELLED] = 0;
    words[base + L.NODE_CLAIMERS] = 0;
    words[base + L.NODE_STARTED] = 0;
    words[base + L.NODE_CLAIM] = 0;
    words[base + L.NODE_CLAIM + 1] = 0;
    words[base + L.NODE_CANCEL_TIME] = 0;
    words[base + L.NODE_PART] = part;
  }
  let limited = false;
  for (const lowered of contents.launches) {
    const { node, launch, block } = lowered;
    const base = L.nodeBase(node);
    const limit = launch.deadline || deadline || settings.deadline;
    words[base + L.NODE_LIMIT] = limit;
    limited ||= limit > 0;
    words[base + L.NODE_MIN_CLAIM] = leastClaim(launch);
    settings.parts.ways?.begin(core, lowered);
    core.code.use(launch.kernel.code.slot);
    if (launch.printf !== null) core.printf.begin(block.address, launch.kernelName, launch.printf);
  }
  for (const { node, isParallel, launches } of contents.sequences) {
    const base = L.nodeBase(node);
    const limit = deadline || settings.deadline;
    words[base + L.NODE_LIMIT] = limit;
    limited ||= limit > 0;
    words[base + L.NODE_MIN_CLAIM] = 1;
    words[base + L.SEQUENCE_NEXT] = 0;
    words[base + L.SEQUENCE_SHARED] = 0;
    setDouble(board, base + L.NODE_TOTAL, isParallel ? launches.length : 1);
  }
  for (const { launch } of contents.prepared) core.code.use(launch.kernel.code.slot);
  return limited;
}

/**
 * Makes the head wait for semaphores that are not signalled yet, and the fence pending. A semaphore that failed makes
 * the batch fail. `waiters` has a slot for each wait, `signalEdge` is the list of semaphores that the tail signals.
 */
export function linkSemaphores(
  { words }: Board,
  head: number,
  { waits, signals, fence }: DispatchSlots,
  waiters: readonly number[],
  signalEdge: number,
): void {
  const base = L.nodeBase(head);
  lock(words);
  if (fence !== 0) words[L.FENCES + fence] = L.FENCE_PENDING;
  for (let i = 0; i < signals.length; i++) {
    const semaphore = signals[i] as number;
    words[L.EDGES + signalEdge + i] = semaphore;
    words[L.SEMAPHORES + semaphore * L.SEMAPHORE_WORDS + L.SEMAPHORE_STATE] = 0;
  }
  for (let i = 0; i < waits.length; i++) {
    const semaphore = L.SEMAPHORES + (waits[i] as number) * L.SEMAPHORE_WORDS;
    const state = words[semaphore + L.SEMAPHORE_STATE] as number;
    if (state === 1) continue;
    if (state === 2) {
      words[base + L.NODE_ERROR] = L.ERROR_DEPENDENCY;
      continue;
    }
    const waiter = waiters[i] as number;
    const at = L.WAITERS + waiter * L.WAITER_WORDS;
    words[at + L.WAITER_NEXT] = words[semaphore + L.SEMAPHORE_WAITERS] as number;
    words[at + L.WAITER_NODE] = head;
    words[semaphore + L.SEMAPHORE_WAITERS] = waiter;
    words[base + L.NODE_PENDING] = (words[base + L.NODE_PENDING] as number) + 1;
  }
  unlock(words);
}
