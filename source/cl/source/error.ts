// SPDX-License-Identifier: Apache-2.0
// OpenCL's errors: one class, with the code, its name, the call and the cause.
import { describeBlockingError } from "@muxkit/cargo";

import { ErrorCode } from "./generated/errors.ts";

/** Name of an error code. @public */
export type ErrorName = keyof typeof ErrorCode;

/** What every call of this package throws when it fails. @public */
export class OpenCLError extends Error {
  /** OpenCL's number, negative. */
  readonly code: number;
  /** Its name, for example `CL_INVALID_VALUE`. */
  override readonly name: ErrorName;
  /** The call, for example `clCreateBuffer`. */
  readonly call: string;

  /**
   * Makes one. `message` is one sentence: what, where, what to do. With a call of OpenCL the name is said behind it;
   * operations of APIs above have words of their own.
   */
  constructor(name: ErrorName, call: string, message: string, cause?: unknown) {
    const said = /^cl[A-Z]/u.test(call) ? `${call}: ${message} (${name})` : `${call}: ${message}`;
    super(said, cause === undefined ? undefined : { cause });
    this.name = name;
    this.code = ErrorCode[name];
    this.call = call;
  }
}

/** Throws CL_INVALID_OPERATION where the calling thread must not be made to wait; `instead` is what to do there. */
export function ensureBlocking(call: string, instead: string): void {
  const reason = describeBlockingError(instead);
  if (reason !== null) throw new OpenCLError("CL_INVALID_OPERATION", call, reason);
}

/** Throws an {@link OpenCLError} unless the condition holds. */
export function ensure(
  condition: boolean,
  name: ErrorName,
  call: string,
  message: string | (() => string),
): asserts condition {
  if (!condition) throw new OpenCLError(name, call, typeof message === "string" ? message : message());
}
