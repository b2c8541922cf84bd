// SPDX-License-Identifier: Apache-2.0
// Events (OpenCL 3.0, 5.11): the status of a command, and its times.
//
// An event is a state machine whose status only decreases: CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a
// negative error. `advance` sets a later status and calls the callbacks for it and for the statuses that were skipped,
// as microtasks, so that no code of the application runs while commands move. Promise and callbacks are created on
// demand, since most events are never watched.
//
// The dependency graph of commands is stored in the events: `command.waits` are the edges that pass failures on,
// `after` those that only order. `sequence` is a topological order of it. An error that nobody has observed is reported
// to the context's callback in a later task, and only the first of those with one origin.
//
// Cost: a change of status is linear in the callbacks of the event.
import type { Submission, SubmissionOwner, Command } from "./submission.ts";
import { CL_COMPLETE, CL_QUEUED } from "./generated/constants.ts";
import { OpenCLError, ensure, ensureBlocking } from "./error.ts";
import { isFirstReport, originOf } from "./failure.ts";
import { ClObject, live } from "./object.ts";
import type { Context } from "./platform.ts";
import type { PendingList } from "./pending-list.ts";

/** No wait list. */
export const NO_EVENTS: readonly Event[] = [];

/** What a command does. @public */
export type CommandType =
  | "CL_COMMAND_NDRANGE_KERNEL"
  | "CL_COMMAND_READ_BUFFER"
  | "CL_COMMAND_WRITE_BUFFER"
  | "CL_COMMAND_COPY_BUFFER"
  | "CL_COMMAND_FILL_BUFFER"
  | "CL_COMMAND_READ_BUFFER_RECT"
  | "CL_COMMAND_WRITE_BUFFER_RECT"
  | "CL_COMMAND_COPY_BUFFER_RECT"
  | "CL_COMMAND_MIGRATE_MEM_OBJECTS"
  | "CL_COMMAND_NATIVE_KERNEL"
  | "CL_COMMAND_TASK"
  | "CL_COMMAND_USER"
  | "CL_COMMAND_SVM_FREE"
  | "CL_COMMAND_SVM_MEMCPY"
  | "CL_COMMAND_SVM_MEMFILL"
  | "CL_COMMAND_SVM_MAP"
  | "CL_COMMAND_SVM_UNMAP"
  | "CL_COMMAND_SVM_MIGRATE_MEM"
  | "CL_COMMAND_READ_IMAGE"
  | "CL_COMMAND_WRITE_IMAGE"
  | "CL_COMMAND_COPY_IMAGE"
  | "CL_COMMAND_FILL_IMAGE"
  | "CL_COMMAND_COPY_IMAGE_TO_BUFFER"
  | "CL_COMMAND_COPY_BUFFER_TO_IMAGE"
  | "CL_COMMAND_MAP_IMAGE"
  | "CL_COMMAND_MAP_BUFFER"
  | "CL_COMMAND_UNMAP_MEM_OBJECT"
  | "CL_COMMAND_MARKER"
  | "CL_COMMAND_BARRIER"
  | "CL_COMMAND_COMMAND_BUFFER_KHR"
  | "CL_COMMAND_MEMFILL_INTEL"
  | "CL_COMMAND_MEMCPY_INTEL"
  | "CL_COMMAND_MIGRATEMEM_INTEL"
  | "CL_COMMAND_MEMADVISE_INTEL";

/** Times of a command in ns, on one clock; 0 before the command got so far. @public */
export interface EventTimes {
  /** When it was enqueued. */
  queued: number;
  /** When the device got it. */
  submit: number;
  /** When it began. */
  start: number;
  /** When it was complete. */
  end: number;
}

/** What an event needs from its queue. @public */
export interface EventSource {
  /** The queue, for the code that submits its commands; null: the event does not belong to a queue. @internal */
  readonly owner: SubmissionOwner | null;
  /** Number of its device's memory in the context; -1: it has no device. @internal */
  readonly memory: number;
  /** True: times are measured. */
  readonly profiles: boolean;
  /** Counters that are read around each command. */
  readonly counters: readonly number[];
  /** Submits everything that was enqueued. When `until` is passed, nothing after it delays it. */
  flush(until?: Event): void;
  /** Retires the submissions that are complete, or, when `event` is passed, the submission of that event. */
  retire(event?: Event): void;
  /** Blocks until the event is complete. */
  waitFor(event: Event): void;
  /** Blocks until the event, which nothing holds back, is complete or nearer to that. @internal */
  step(event: Event): void;
}

/** A callback for a status of a command. @internal */
export interface Listener {
  /** The status that triggers the callback. */
  readonly status: number;
  /** The callback. */
  readonly call: (event: Event, status: number) => void;
}

/** Promises and callbacks that wait for an event. */
interface Watchers {
  done: Promise<void> | null;
  resolve: (() => void) | null;
  reject: ((error: OpenCLError) => void) | null;
  listeners: Listener[];
}

/** The status of one command. It is not itself a promise: see {@link Event.done}. @public */
export class Event extends ClObject {
  /** CL_EVENT_COMMAND_TYPE. */
  commandType: CommandType;
  /** For this package only. @internal */
  readonly queue: EventSource & { readonly context: Context };
  /**
   * CL_EVENT_COMMAND_EXECUTION_STATUS as last observed: 3 (queued) to 0 (complete), or a negative error code.
   *
   * @internal
   */
  status: number = CL_QUEUED;
  /** Why the command failed; null: it has not failed. @internal */
  error: OpenCLError | null = null;
  /** What the command does; null once it is complete. @internal */
  command: Command | null;
  /** The values of the queue's counters; null: nothing was counted. @internal */
  counts: readonly number[] | null = null;
  /** The submission that holds the command; null before it is submitted and after it is complete. @internal */
  submission: Submission | null = null;
  /** The pending list that holds the command; null when it is in none. @internal */
  pending: PendingList | null = null;
  /** Its number in the order of enqueueing: everything that it waits for has a smaller one. @internal */
  sequence = 0;
  /** What the command waits for in addition to its wait list: failures there do not make it fail. @internal */
  after: readonly Event[] = NO_EVENTS;
  /** True: when the command begins and ends is measured. @internal */
  isMeasured: boolean;
  // Most events are never queried, so what few of them need is created on demand.
  #watchers: Watchers | null = null;
  #times: EventTimes | null = null;
  /** True once the application has queried the status of the command. */
  #isObserved = false;

  /** Made by the clEnqueue functions and clCreateUserEvent. @internal */
  constructor(commandType: CommandType, queue: EventSource & { readonly context: Context }, command: Command | null) {
    super();
    this.commandType = commandType;
    this.queue = queue;
    this.command = command;
    this.isMeasured = queue.profiles;
  }

  /** The error for a released one. */
  protected get invalid(): "CL_INVALID_EVENT" {
    return "CL_INVALID_EVENT";
  }

  /** Kind, for messages. */
  protected get kind(): string {
    return "event";
  }

  /** CL_EVENT_CONTEXT. */
  get context(): Context {
    return this.queue.context;
  }

  /** For this package only. @internal */
  get times(): EventTimes {
    this.#times ??= { queued: 0, submit: 0, start: 0, end: 0 };
    return this.#times;
  }

  /** True when the command is complete or has failed. @internal */
  get isComplete(): boolean {
    return this.status <= CL_COMPLETE;
  }

  /**
   * Resolves when the command is complete, rejects with an {@link OpenCLError} when it fails. The first access creates
   * the promise and flushes the queue.
   */
  get done(): Promise<void> {
    this.#isObserved = true;
    const watchers = this.#watch();
    if (watchers.done === null) {
      watchers.done = new Promise((resolve, reject) => {
        watchers.resolve = resolve;
        watchers.reject = reject;
      });
      if (this.isComplete) this.#resolve(watchers);
      else this.queue.flush(this);
    }
    return watchers.done;
  }

  /** True when a promise or a callback waits for the event. @internal */
  get isWatched(): boolean {
    return this.#watchers !== null;
  }

  /** Notes that the application queries the status of the command. @internal */
  markObserved(): void {
    this.#isObserved = true;
  }

  /**
   * Asks for the times of this command on a queue that measures none. The submission ends with it, as with all that is
   * watched, so no submission measures more than it has queries. False: the device has the command already, so its
   * times stay unknown.
   *
   * @internal
   */
  measure(): boolean {
    if (this.isMeasured) return true;
    if (this.submission !== null || this.status !== CL_QUEUED) return false;
    this.isMeasured = true;
    this.#watch();
    return true;
  }

  /** Registers a callback for a status. @internal */
  addListener(listener: Listener): void {
    this.#isObserved = true;
    if (this.status <= listener.status) {
      queueMicrotask(() => {
        listener.call(this, this.status < CL_COMPLETE ? this.status : listener.status);
      });
      return;
    }
    this.#watch().listeners.push(listener);
  }

  /** Sets a later status. @internal */
  advance(status: number): void {
    this.status = status;
    if (this.#watchers !== null) this.#notify(this.#watchers, status);
  }

  /** Completes the event with an error: the command has failed, or will never run. @internal */
  fail(error: OpenCLError): void {
    this.error = error;
    this.advance(error.code);
    if (this.#isObserved) return;
    setTimeout(() => {
      if (!this.#isObserved && isFirstReport(error)) this.context.notify(error.message);
    });
  }

  #watch(): Watchers {
    this.#watchers ??= { done: null, resolve: null, reject: null, listeners: [] };
    return this.#watchers;
  }

  #notify(watchers: Watchers, status: number): void {
    const due = watchers.listeners.filter((listener) => status <= listener.status);
    if (due.length > 0) {
      watchers.listeners = watchers.listeners.filter((listener) => status > listener.status);
      for (const { call, status: requested } of due)
        queueMicrotask(() => {
          call(this, status < CL_COMPLETE ? status : requested);
        });
    }
    if (this.isComplete) this.#resolve(watchers);
  }

  #resolve(watchers: Watchers): void {
    if (this.error === null) watchers.resolve?.();
    else watchers.reject?.(this.error);
    watchers.resolve = null;
    watchers.reject = null;
  }

  /** Releases what it holds. */
  protected free(): void {
    // An event holds nothing: the queue holds the objects of its command.
  }
}

/** Events of a wait list, checked (CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT). */
export function checkedWaits(call: string, context: Context, waits: readonly Event[]): readonly Event[] {
  for (const event of waits) {
    ensure(
      event instanceof Event && event.referenceCount > 0,
      "CL_INVALID_EVENT_WAIT_LIST",
      call,
      "the wait list contains a value that is not an event, or an event that was released",
    );
    ensure(
      event.context === context,
      "CL_INVALID_CONTEXT",
      call,
      "an event of the wait list belongs to another context",
    );
  }
  return waits;
}

function checkedEvents(call: string, events: readonly Event[]): void {
  ensure(events.length > 0, "CL_INVALID_VALUE", call, "the list of events is empty");
  for (const event of events) live(event, Event, "CL_INVALID_EVENT", call);
  ensure(
    events.every(({ context }) => context === events[0]?.context),
    "CL_INVALID_CONTEXT",
    call,
    "the events belong to different contexts",
  );
}

function throwFailure(call: string, events: readonly Event[]): void {
  const failed = events.find(({ error }) => error !== null);
  if (failed === undefined || failed.error === null) return;
  const origin = originOf(failed.error);
  const what = origin === failed.error ? "a command failed" : "a command failed because one that it waits for failed";
  throw new OpenCLError(
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    call,
    `${what}: ${origin.message}`,
    failed.error,
  );
}

/**
 * Blocks, and helps with the work, until all commands are complete. Errors: CL_INVALID_VALUE, CL_INVALID_EVENT,
 * CL_INVALID_CONTEXT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; CL_INVALID_OPERATION in the main thread of a page.
 *
 * @public
 */
export function clWaitForEvents(events: readonly Event[]): void {
  const call = "clWaitForEvents";
  ensureBlocking(call, "await clWaitForEventsAsync(events)");
  checkedEvents(call, events);
  for (const event of events) {
    event.markObserved();
    if (!event.isComplete) event.queue.waitFor(event);
  }
  throwFailure(call, events);
}

/** The same without blocking the thread. @public */
export async function clWaitForEventsAsync(events: readonly Event[]): Promise<void> {
  const call = "clWaitForEventsAsync";
  checkedEvents(call, events);
  await Promise.allSettled(events.map(({ done }) => done));
  throwFailure(call, events);
}

/**
 * Calls `callback` on the event loop when the command gets to a status (CL_SUBMITTED, CL_RUNNING, CL_COMPLETE) or
 * fails; a failure sets the error's number as status. Errors: CL_INVALID_EVENT, CL_INVALID_VALUE.
 *
 * @public
 */
export function clSetEventCallback(
  event: Event,
  status: number,
  callback: (event: Event, status: number) => void,
): void {
  const call = "clSetEventCallback";
  live(event, Event, "CL_INVALID_EVENT", call);
  ensure(
    status >= CL_COMPLETE && status < CL_QUEUED && Number.isInteger(status),
    "CL_INVALID_VALUE",
    call,
    `${status} is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE`,
  );
  ensure(typeof callback === "function", "CL_INVALID_VALUE", call, "the callback is not a function");
  event.addListener({ status, call: callback });
}
