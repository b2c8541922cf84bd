// SPDX-License-Identifier: Apache-2.0
// Broken invariants: an InternalError is a defect of the kit, never of its user.

/** A broken invariant: a defect of the kit. Please report it with the message. @public */
export class InternalError extends Error {
  /** Where the invariant broke, innermost last: pass, function, block, instruction. */
  readonly trail: readonly string[];

  /** Makes one; `cause` keeps what led here. */
  constructor(message: string, trail: readonly string[] = [], cause?: unknown) {
    super(
      trail.length === 0 ? message : `${message} (in ${trail.join(", ")})`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "InternalError";
    this.trail = trail;
  }
}

/** Throws an {@link InternalError} unless the condition holds. A function as message is called only then. @public */
export function assert(condition: boolean, message: string | (() => string)): asserts condition {
  if (!condition) throw new InternalError(typeof message === "string" ? message : message());
}

/** For the case that the type checker proves away. @public */
export function unreachable(value: never, message: string = "a case that cannot be"): never {
  throw new InternalError(`${message}: ${String(value)}`);
}

/** The element at `index`, which exists by construction; an {@link InternalError} when it does not. @public */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new InternalError(`no element ${index} of ${list.length}`);
  return value;
}
