// SPDX-License-Identifier: Apache-2.0
// User events (OpenCL 3.0, 5.11): commands of any queue may wait for them; the application sets their status.
import { muxWaitAll } from "@muxkit/mux";

import { CL_COMPLETE, CL_SUBMITTED } from "./generated/constants.ts";
import { type ErrorName, OpenCLError, ensure } from "./error.ts";
import { ErrorCode } from "./generated/errors.ts";
import { Event, type EventSource } from "./event.ts";
import { fromMux } from "./from-mux.ts";
import { NO_MEMORY } from "./memories.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";
import { blockedForever, releaseFollowers } from "./postponed.ts";

/**
 * The event source of user events, instead of a queue: there is nothing to submit, and only commands that run on this
 * thread can be waited for.
 */
function sourceOf(context: Context): EventSource & { readonly context: Context } {
  const call = "clWaitForEvents";
  return {
    context,
    owner: null,
    memory: NO_MEMORY,
    profiles: false,
    counters: [],
    flush: () => undefined,
    retire: () => undefined,
    waitFor: (event) => {
      // A native kernel may set it.
      for (const device of context.memories?.list.map((memory) => memory.device) ?? [context.device])
        fromMux(call, muxWaitAll(device.open(call).queue));
      if (!event.isComplete) throw blockedForever(call);
    },
    step: () => undefined,
  };
}

/** A user event. @public */
export class UserEvent extends Event {
  /** Made by clCreateUserEvent. @internal */
  constructor(context: Context) {
    super("CL_COMMAND_USER", sourceOf(context), null);
    this.status = CL_SUBMITTED;
    context.use();
  }

  /** Sets the status and releases the commands that wait for the event. @internal */
  setStatus(status: number, error: OpenCLError | null): void {
    this.error = error;
    this.advance(status);
    releaseFollowers(this);
  }

  /** Releases what it holds. */
  protected override free(): void {
    // It can no longer be set, so commands that wait for it fail instead of waiting forever.
    if (!this.isComplete)
      this.setStatus(
        ErrorCode.CL_INVALID_EVENT,
        new OpenCLError("CL_INVALID_EVENT", "clReleaseEvent", "the user event was released before its status was set"),
      );
    this.context.unuse();
  }
}

/** Makes a user event; its status is CL_SUBMITTED until it is set. Errors: CL_INVALID_CONTEXT. @public */
export function clCreateUserEvent(context: Context): UserEvent {
  return new UserEvent(live(context, Context, "CL_INVALID_CONTEXT", "clCreateUserEvent"));
}

function nameOf(status: number): ErrorName {
  const known = Object.entries(ErrorCode).find(([, code]) => code === status);
  return known === undefined ? "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" : (known[0] as ErrorName);
}

/**
 * Sets a user event's status, once: CL_COMPLETE lets the commands that wait for it run, a negative number makes them,
 * and those that wait for them, fail. Errors: CL_INVALID_EVENT for what is no living user event, CL_INVALID_VALUE for
 * any other status, CL_INVALID_OPERATION when it was set before.
 *
 * @public
 */
export function clSetUserEventStatus(event: Event, status: number): void {
  const call = "clSetUserEventStatus";
  const user = live(event as UserEvent, UserEvent, "CL_INVALID_EVENT", call);
  ensure(
    Number.isInteger(status) && status <= CL_COMPLETE,
    "CL_INVALID_VALUE",
    call,
    `${status} is neither CL_COMPLETE nor a negative number`,
  );
  ensure(!user.isComplete, "CL_INVALID_OPERATION", call, `the status was already set to ${user.status}`);
  user.setStatus(
    status,
    status === CL_COMPLETE ? null : new OpenCLError(nameOf(status), call, `the user event was set to ${status}`),
  );
}
