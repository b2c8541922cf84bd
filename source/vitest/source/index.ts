// SPDX-License-Identifier: Apache-2.0
/**
 * Unit tests of OpenCL C kernels: importing it adds `toEqualBuffer` and `toBeWithinUlp` to Vitest's `expect`. Other
 * test runners import `@muxkit/vitest/kernels`.
 *
 * @packageDocumentation
 */
import type { TypedArray } from "muxkit";
import { expect } from "vitest";

import { matchers } from "./matchers.ts";

expect.extend(matchers);

/** The matchers of buffers, for declarations of `expect`. @public */
export interface BufferMatchers<R = unknown> {
  /** Every element is equal: the same number, or both NaN; zeros are equal. `width` shows rows and columns. */
  toEqualBuffer(expected: TypedArray, width?: number): R;
  /** No element is more than so many units in the last place away. */
  toBeWithinUlp(expected: TypedArray, ulp: number, width?: number): R;
}

declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends BufferMatchers<R> {}
}

export * from "./kernels.ts";
