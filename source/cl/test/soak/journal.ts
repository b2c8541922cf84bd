// SPDX-License-Identifier: Apache-2.0
// What was enqueued, in the order in which the commands have their effects on each object; and what has to come of
// each.
import { type Event, OpenCLError, clGetEventProfilingInfo } from "@muxkit/opencl";

/** A command. */
export interface Entry {
  /** What it does, for messages. */
  readonly name: string;
  readonly event: Event;
  /** What it was told to wait for. */
  readonly waits: readonly Event[];
  /** True for a kernel that goes wrong on purpose. */
  readonly isFaulty: boolean;
  /** Whether its times are measured. */
  readonly isTimed: boolean;
  /** How often its callback was called; null: it has none. */
  readonly calls: { count: number } | null;
  /** What it does to what must be there; it has succeeded. */
  readonly effect: () => void;
  /** It has failed, perhaps in the middle. */
  readonly lost: () => void;
  /** True: the host has written the bytes already, whether the command runs or not. */
  readonly isWritten: boolean;
  /** What refused calls after it may have lost, whatever becomes of the command. */
  readonly afterwards: (() => void)[];
}

/** What may have gone wrong although nothing was wrong with the commands. */
export interface Excuses {
  /** An allocation was refused. */
  readonly refused: boolean;
  /** Told of a command that was stopped by its deadline, which a machine that stood still explains. */
  readonly late: (name: string) => void;
}

/** Something is not as it must be. */
export class SoakFailure extends Error {
  override readonly name = "SoakFailure";
}

const TIMES = [
  "CL_PROFILING_COMMAND_QUEUED",
  "CL_PROFILING_COMMAND_SUBMIT",
  "CL_PROFILING_COMMAND_START",
  "CL_PROFILING_COMMAND_END",
] as const;

/** Whether a failure is a deadline's. */
export function isLate(error: OpenCLError | null): boolean {
  return error?.message.includes("longer than its deadline") === true;
}

/** Checks what became of a command, and gives its effect to the model. */
export function settle(entry: Entry, excuses: Excuses): void {
  settleCommand(entry, excuses);
  for (const lose of entry.afterwards) lose();
}

function settleCommand(entry: Entry, excuses: Excuses): void {
  const { name, event, waits, isFaulty, isTimed, calls } = entry;
  if (!event.isComplete) throw new SoakFailure(`${name} is not complete when its queue is`);
  const cause = waits.find(({ error }) => error !== null);
  const { error } = event;
  if (calls !== null && calls.count !== 1)
    throw new SoakFailure(`the callback of ${name} was called ${calls.count} times`);
  if (error === null) {
    if (cause !== undefined)
      throw new SoakFailure(`${name} ran although it waits for what failed: ${cause.error?.message ?? ""}`);
    if (isFaulty) throw new SoakFailure(`${name} succeeded`);
    if (isTimed) {
      const times = TIMES.map((token) => clGetEventProfilingInfo(event, token));
      if (times.some((time, i) => i > 0 && time < (times[i - 1] as number)))
        throw new SoakFailure(`${name} has times ${times.join(", ")}`);
    }
    entry.effect();
    return;
  }
  if (cause !== undefined && error.name === "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST") {
    if (entry.isWritten) entry.lost();
    return;
  }
  if (isLate(error) && !isFaulty) excuses.late(name);
  else if (!isFaulty && !excuses.refused) throw new SoakFailure(`${name} failed: ${error.message}`);
  if (error.name !== "CL_OUT_OF_RESOURCES")
    throw new SoakFailure(`${name} failed with ${error.name}: ${error.message}`);
  entry.lost();
}
