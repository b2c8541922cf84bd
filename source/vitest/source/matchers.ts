// SPDX-License-Identifier: Apache-2.0
// Matchers for `expect.extend`, of Vitest and of Jest, and an assertion for node:test.
import { AssertionError } from "node:assert";

import type { TypedArray } from "muxkit";

import { difference } from "./difference.ts";

/** What a matcher returns. @public */
export interface MatcherResult {
  /** True: it holds. */
  readonly pass: boolean;
  /** What is wrong. */
  readonly message: () => string;
}

function result(actual: TypedArray, expected: TypedArray, ulp: number, width: number | null): MatcherResult {
  const found = difference(actual, expected, { ulp, width });
  return {
    pass: found === null,
    message: () => found?.message ?? `no element differs by more than ${ulp} ULP, and some should`,
  };
}

/** `expect.extend(matchers)` adds them; `import "@muxkit/vitest"` does it for Vitest. @public */
export const matchers: {
  /** Every element is equal: the same number, or both NaN; zeros are equal. `width` shows rows and columns. */
  readonly toEqualBuffer: (actual: TypedArray, expected: TypedArray, width?: number) => MatcherResult;
  /** No element is more than so many units in the last place away. */
  readonly toBeWithinUlp: (actual: TypedArray, expected: TypedArray, ulp: number, width?: number) => MatcherResult;
} = {
  toEqualBuffer: (actual, expected, width) => result(actual, expected, 0, width ?? null),
  toBeWithinUlp: (actual, expected, ulp, width) => result(actual, expected, ulp, width ?? null),
};

/**
 * Throws an AssertionError with the differences unless no element is more than `ulp` units in the last place away from
 * its expected value: for node:test, and wherever there is no `expect`.
 *
 * @public
 */
export function assertWithinUlp(actual: TypedArray, expected: TypedArray, ulp: number = 0, width?: number): void {
  const { pass, message } = result(actual, expected, ulp, width ?? null);
  if (!pass) throw new AssertionError({ message: message(), actual, expected, operator: "assertWithinUlp" });
}
