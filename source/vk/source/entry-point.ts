// SPDX-License-Identifier: Apache-2.0
// What stands between a program and the implementation of an entry point: validation, where it is on.
import { reportError } from "./debug-utils.ts";
import { VulkanError } from "./error.ts";
import { VkHandle } from "./handle.ts";
import { checkHazards, findsHazards, noteCompletion } from "./hazards/check-hazards.ts";
import { checkCall } from "./validation/check-call.ts";

/** True where the first argument's instance was made without validation. */
function isUnchecked(first: unknown): boolean {
  return first instanceof VkHandle && !first.validates;
}

/** The entry point that programs call. */
export function entryPoint<A extends readonly unknown[], R>(
  name: string,
  call: (...parameters: A) => R,
): (...parameters: A) => R {
  return (...parameters) => {
    // Taking it apart as a list would call the iterator.
    // oxlint-disable-next-line typescript/prefer-destructuring
    const first = parameters[0];
    if (isUnchecked(first)) return call(...parameters);
    try {
      checkCall(name, parameters);
      if (!findsHazards(first)) return call(...parameters);
      checkHazards(name, parameters);
      const result = call(...parameters);
      noteCompletion(name, parameters, result);
      return result;
    } catch (error) {
      if (error instanceof VulkanError) reportError(error, parameters);
      throw error;
    }
  };
}
