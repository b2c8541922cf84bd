// SPDX-License-Identifier: Apache-2.0
// User events (OpenCL 3.0, 5.11): commands of any queue wait for them; the user says when they are complete.
import { muxWaitAll } from "@muxkit/mux";

import { CL_COMPLETE, CL_SUBMITTED } from "./generated/constants.ts";
import { type ErrorName, OpenCLError, require } from "./error.ts";
import { ErrorCode } from "./generated/errors.ts";
import { Event, type EventSource } from "./event.ts";
import { fromMux } from "./from-mux.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";
import { blockedForEver, releaseFollowers } from "./postponed.ts";

/** What stands where other events have their queue: there is nothing to hand over, and nothing to wait for but other commands of this thread. */
function sourceOf(context: Context): EventSource & { readonly context: Context } {
  const call = "clWaitForEvents";
  return {
    context,
    owner: null,
    profiles: false,
    counters: [],
    flush: () => undefined,
    settle: () => undefined,
    waitFor: (event) => {
      // A native kernel may set it.
      fromMux(call, muxWaitAll(context.device.open(call).queue));
      if (!event.settled) throw blockedForEver(call);
    },
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

  /** Ends it, and lets go whoever waits for it. @internal */
  settle(status: number, error: OpenCLError | null): void {
    this.error = error;
    this.advance(status);
    releaseFollowers(this);
  }

  /** Gives back what it holds. */
  protected override free(): void {
    // Nobody can set it any more, so what waits for it fails instead of waiting for ever.
    if (!this.settled)
      this.settle(
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
 * Sets a user event's status, once: CL_COMPLETE lets the commands that wait for it run, a negative number makes them, and those that wait for them, fail.
 * Errors: CL_INVALID_EVENT for what is no living user event, CL_INVALID_VALUE for any other status, CL_INVALID_OPERATION when it was set before.
 *
 * @public
 */
export function clSetUserEventStatus(event: Event, status: number): void {
  const call = "clSetUserEventStatus";
  const user = live(event as UserEvent, UserEvent, "CL_INVALID_EVENT", call);
  require(Number.isInteger(status) &&
    status <= CL_COMPLETE, "CL_INVALID_VALUE", call, `${status} is neither CL_COMPLETE nor a negative number`);
  require(!user.settled, "CL_INVALID_OPERATION", call, `the status was set to ${user.status} before`);
  user.settle(
    status,
    status === CL_COMPLETE ? null : new OpenCLError(nameOf(status), call, `the user event was set to ${status}`),
  );
}
