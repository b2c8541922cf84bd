// SPDX-License-Identifier: Apache-2.0
// Events (OpenCL 3.0, 5.11): what has become of a command, and when.
import type { Batch, BatchOwner, Command } from "./batch.ts";
import { CL_COMPLETE, CL_QUEUED } from "./generated/constants.ts";
import { OpenCLError, require, requireBlocking } from "./error.ts";
import { isNews, originOf } from "./failure.ts";
import { ClObject, live } from "./object.ts";
import type { Context } from "./platform.ts";
import type { Window } from "./window.ts";

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

/** The queue of an event, as far as the event needs it. @public */
export interface EventSource {
  /** The queue, for those who hand its commands over; null: the event is no command of a queue. @internal */
  readonly owner: BatchOwner | null;
  /** True: times are measured. */
  readonly profiles: boolean;
  /** Counters that are read around each command. */
  readonly counters: readonly number[];
  /** Hands everything over that comes before the end of the queue. Where an event is given, what comes behind that is no part of what it waits for. */
  flush(until?: Event): void;
  /** Takes note of what is complete; where an event is given, of what matters to it. */
  settle(event?: Event): void;
  /** Blocks until the event is settled. */
  waitFor(event: Event): void;
}

/** Who wants to know that a command got so far. @internal */
export interface Listener {
  /** Status to be told of. */
  readonly status: number;
  /** Whom to tell. */
  readonly call: (event: Event, status: number) => void;
}

/** Who waits for an event beside blocking calls. */
interface Watchers {
  done: Promise<void> | null;
  resolve: (() => void) | null;
  reject: ((error: OpenCLError) => void) | null;
  listeners: Listener[];
}

/** What has become of one command. It is no promise itself: see {@link Event.done}. @public */
export class Event extends ClObject {
  /** CL_EVENT_COMMAND_TYPE. */
  commandType: CommandType;
  /** Of the package itself. @internal */
  readonly queue: EventSource & { readonly context: Context };
  /** CL_EVENT_COMMAND_EXECUTION_STATUS as it was last seen: 3 queued to 0 complete, or an error's number. @internal */
  status: number = CL_QUEUED;
  /** Why the command failed; null when it did not. @internal */
  error: OpenCLError | null = null;
  /** What the queue does for it; null once that is over. @internal */
  command: Command | null;
  /** What the queue's counters have counted; null: nothing was. @internal */
  counts: readonly number[] | null = null;
  /** The batch that the command is in; null before and behind that. @internal */
  batch: Batch | null = null;
  /** Where the command waits to be handed over; null before and behind that. @internal */
  window: Window | null = null;
  /** Its number among all commands: what it waits for has a smaller one. @internal */
  place = 0;
  /** What the command waits for beside its wait list: what fails there does not make it fail. @internal */
  after: readonly Event[] = NO_EVENTS;
  // Most events are looked at by nobody, so what few of them need is made when it is needed.
  #watchers: Watchers | null = null;
  #times: EventTimes | null = null;
  /** True once somebody asked what became of the command. */
  #lookedAt = false;

  /** Made by the clEnqueue functions and clCreateUserEvent. @internal */
  constructor(commandType: CommandType, queue: EventSource & { readonly context: Context }, command: Command | null) {
    super();
    this.commandType = commandType;
    this.queue = queue;
    this.command = command;
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

  /** Of the package itself. @internal */
  get times(): EventTimes {
    this.#times ??= { queued: 0, submit: 0, start: 0, end: 0 };
    return this.#times;
  }

  /** True when the command is complete or has failed. @internal */
  get settled(): boolean {
    return this.status <= CL_COMPLETE;
  }

  /**
   * Resolves when the command is complete, rejects with an {@link OpenCLError} when it fails. The promise is made, and the queue flushed, when this is first asked for.
   */
  get done(): Promise<void> {
    this.#lookedAt = true;
    const watchers = this.#watch();
    if (watchers.done === null) {
      watchers.done = new Promise((resolve, reject) => {
        watchers.resolve = resolve;
        watchers.reject = reject;
      });
      if (this.settled) this.#answer(watchers);
      else this.queue.flush(this);
    }
    return watchers.done;
  }

  /** True when somebody waits for it by promise or callback. @internal */
  get isWatched(): boolean {
    return this.#watchers !== null;
  }

  /** Somebody asks what became of the command. @internal */
  look(): void {
    this.#lookedAt = true;
  }

  /** Calls back when the command has got so far. @internal */
  listen(listener: Listener): void {
    this.#lookedAt = true;
    if (this.status <= listener.status) {
      queueMicrotask(() => {
        listener.call(this, this.status < CL_COMPLETE ? this.status : listener.status);
      });
      return;
    }
    this.#watch().listeners.push(listener);
  }

  /** The command has got further. @internal */
  advance(status: number): void {
    this.status = status;
    if (this.#watchers !== null) this.#tell(this.#watchers, status);
  }

  /** The command has failed, or will never run. @internal */
  fail(error: OpenCLError): void {
    this.error = error;
    this.advance(error.code);
    if (this.#lookedAt) return;
    setTimeout(() => {
      if (!this.#lookedAt && isNews(error)) this.context.notify(error.message);
    });
  }

  #watch(): Watchers {
    this.#watchers ??= { done: null, resolve: null, reject: null, listeners: [] };
    return this.#watchers;
  }

  #tell(watchers: Watchers, status: number): void {
    const due = watchers.listeners.filter((listener) => status <= listener.status);
    if (due.length > 0) {
      watchers.listeners = watchers.listeners.filter((listener) => status > listener.status);
      for (const { call, status: asked } of due)
        queueMicrotask(() => {
          call(this, status < CL_COMPLETE ? status : asked);
        });
    }
    if (this.settled) this.#answer(watchers);
  }

  #answer(watchers: Watchers): void {
    if (this.error === null) watchers.resolve?.();
    else watchers.reject?.(this.error);
    watchers.resolve = null;
    watchers.reject = null;
  }

  /** Gives back what it holds. */
  protected free(): void {
    // An event holds nothing but itself: its command's objects are held by the queue.
  }
}

/** Events of a wait list, checked (CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT). */
export function checkedWaits(call: string, context: Context, waits: readonly Event[]): readonly Event[] {
  for (const event of waits) {
    require(event instanceof Event &&
      event.referenceCount >
        0, "CL_INVALID_EVENT_WAIT_LIST", call, "the wait list holds something that is no event, or was released");
    require(event.context ===
      context, "CL_INVALID_CONTEXT", call, "an event of the wait list belongs to another context");
  }
  return waits;
}

function checkedEvents(call: string, events: readonly Event[]): void {
  require(events.length > 0, "CL_INVALID_VALUE", call, "there is no event to wait for");
  for (const event of events) live(event, Event, "CL_INVALID_EVENT", call);
  require(events.every(
    ({ context }) => context === events[0]?.context,
  ), "CL_INVALID_CONTEXT", call, "the events belong to several contexts");
}

function throwFailure(call: string, events: readonly Event[]): void {
  const failed = events.find(({ error }) => error !== null);
  if (failed === undefined || failed.error === null) return;
  const origin = originOf(failed.error);
  const what = origin === failed.error ? "a command failed" : "a command failed since one that it waits for failed";
  throw new OpenCLError(
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    call,
    `${what}: ${origin.message}`,
    failed.error,
  );
}

/** Blocks, and helps with the work, until all commands are complete. Errors: CL_INVALID_VALUE, CL_INVALID_EVENT, CL_INVALID_CONTEXT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; CL_INVALID_OPERATION in the main thread of a page. @public */
export function clWaitForEvents(events: readonly Event[]): void {
  const call = "clWaitForEvents";
  requireBlocking(call, "await clWaitForEventsAsync(events)");
  checkedEvents(call, events);
  for (const event of events) {
    event.look();
    if (!event.settled) event.queue.waitFor(event);
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
 * Calls `callback` on the event loop when the command gets to a status (CL_SUBMITTED, CL_RUNNING, CL_COMPLETE) or fails; a failure gives the error's number as status.
 * Errors: CL_INVALID_EVENT, CL_INVALID_VALUE.
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
  require(status >= CL_COMPLETE &&
    status < CL_QUEUED &&
    Number.isInteger(status), "CL_INVALID_VALUE", call, `${status} is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE`);
  require(typeof callback === "function", "CL_INVALID_VALUE", call, "a function is needed");
  event.listen({ status, call: callback });
}
