// SPDX-License-Identifier: Apache-2.0
// What a dispatch was called with, in the batch's terms: kept with its command buffer, which is in flight once at a
// time, and filled anew by each dispatch, so that dispatching again allocates nothing.
import type { BatchFailure, DispatchSettings } from "./batch.ts";
import * as L from "./control-layout.ts";
import { type HostError, hostError } from "./host-error.ts";
import type { HostFence, HostSemaphore } from "./objects.ts";

/** What a dispatch may have. @public */
export interface DispatchOptions {
  /** Semaphores to wait for before the first command. */
  readonly waits?: readonly HostSemaphore[];
  /** Semaphores to signal after the callback. */
  readonly signals?: readonly HostSemaphore[];
  /** Fence to set after the semaphores; null is none. */
  readonly fence?: HostFence | null;
  /** Longest run time of each launch in ms that has no deadline of its own; 0: the device's. */
  readonly deadline?: number;
  /** Called on the host thread after the last command, before semaphores and fence. */
  readonly callback?: ((failure: HostError | null) => void) | null;
  /** Called on the host thread after everything. */
  readonly completed?: (failure: HostError | null) => void;
}

const CODES: Readonly<Record<number, HostError["code"]>> = {
  [L.ERROR_DEPENDENCY]: "fence_failure",
  [L.ERROR_CODE]: "out_of_memory",
};

function errorOf(failure: BatchFailure | null): HostError | null {
  return failure === null ? null : hostError(CODES[failure.code] ?? "failure", failure.message, failure.command);
}

function putSlots(list: number[], semaphores: readonly HostSemaphore[] | undefined): void {
  const count = semaphores?.length ?? 0;
  for (let i = 0; i < count; i++) list[i] = semaphores?.[i]?.slot ?? 0;
  // A list that keeps its length keeps its storage.
  if (list.length !== count) list.length = count;
}

/** See the file's head. */
export class DispatchRecord implements DispatchSettings {
  readonly waits: number[] = [];
  readonly signals: number[] = [];
  fence = 0;
  deadline = 0;
  part = 0;
  callback: ((failure: BatchFailure | null) => void) | null = null;
  #fence: HostFence | null = null;
  #callback: DispatchOptions["callback"] = null;
  #completed: DispatchOptions["completed"];

  readonly done = (failure: BatchFailure | null): void => {
    // What is called may dispatch the command buffer again.
    const [fence, completed] = [this.#fence, this.#completed];
    this.#forget();
    const error = errorOf(failure);
    if (fence !== null) {
      fence.failure = error;
      fence.isComplete = true;
    }
    completed?.(error);
  };

  readonly #call = (failure: BatchFailure | null): void => {
    this.#callback?.(errorOf(failure));
  };

  /** Takes what a dispatch was called with. */
  fill(options: DispatchOptions, part: number): void {
    const { fence = null, callback = null } = options;
    putSlots(this.waits, options.waits);
    putSlots(this.signals, options.signals);
    this.fence = fence?.slot ?? 0;
    this.deadline = options.deadline ?? 0;
    this.part = part;
    this.callback = callback === null ? null : this.#call;
    this.#fence = fence;
    this.#callback = callback;
    this.#completed = options.completed;
  }

  /** It has been dispatched: what the fence says of earlier dispatches is past. */
  begin(): void {
    if (this.#fence === null) return;
    this.#fence.failure = null;
    this.#fence.isComplete = false;
    this.#fence.isLookedAt = false;
  }

  #forget(): void {
    this.#fence = null;
    this.#callback = null;
    this.#completed = undefined;
  }
}
