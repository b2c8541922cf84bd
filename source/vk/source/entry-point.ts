// SPDX-License-Identifier: Apache-2.0
// What stands between a program and the implementation of an entry point: validation, where it is on.
import { reportError } from "./debug-utils.ts";
import { VulkanError } from "./error.ts";
import { VkHandle } from "./handle.ts";
import { checkHazards, findsHazards, noteCompletion } from "./hazards/check-hazards.ts";
import { checkCall } from "./validation/check-call.ts";
import { noteOf } from "./validation/note-call.ts";
import { hold } from "./validation/held.ts";

/** True where the first argument's instance was made without validation. */
function isUnchecked(first: unknown): boolean {
  return first instanceof VkHandle && !first.validates;
}

/** The entry point that programs call. */
export function entryPoint<A extends readonly unknown[], R>(
  name: string,
  call: (...parameters: A) => R,
): (...parameters: A) => R {
  const note = noteOf(name);
  return (...parameters) => {
    // Taking it apart as a list would call the iterator.
    // oxlint-disable-next-line typescript/prefer-destructuring
    const first = parameters[0];
    if (isUnchecked(first)) return call(...parameters);
    try {
      checkCall(name, parameters);
      const isHazardous = findsHazards(first);
      if (isHazardous) checkHazards(name, parameters);
      const result = call(...parameters);
      note?.(parameters);
      if (isHazardous) noteCompletion(name, parameters, result);
      return result;
    } catch (error) {
      if (error instanceof VulkanError) reportError(error, parameters);
      throw error;
    }
  };
}

/**
 * The same for a wait that leaves the event loop free. It is checked as the call that blocks, whose parameters
 * `asBlocking` makes of its own; `held` are the objects that nobody may change while it waits.
 */
export function waitingEntryPoint<A extends readonly unknown[], R>(
  { name, blocking }: { readonly name: string; readonly blocking: string },
  call: (...parameters: A) => Promise<R>,
  asBlocking: (...parameters: A) => readonly unknown[],
  held: (...parameters: A) => readonly VkHandle[],
): (...parameters: A) => Promise<R> {
  return async (...parameters) => {
    const [first] = parameters;
    if (isUnchecked(first)) return call(...parameters);
    const own = asBlocking(...parameters);
    let release: (() => void) | null = null;
    try {
      checkCall(blocking, own, name);
      release = hold(name, held(...parameters));
      const result = await call(...parameters);
      if (findsHazards(first)) noteCompletion(blocking, own, result);
      return result;
    } catch (error) {
      if (error instanceof VulkanError) reportError(error, parameters);
      throw error;
    } finally {
      release?.();
    }
  };
}
