// SPDX-License-Identifier: Apache-2.0
/**
 * `@muxkit/vitest/kernels`: what tests of kernels need in any test runner.
 *
 * @packageDocumentation
 */
export { type Difference, difference, ulpDistance } from "./difference.ts";
export { type SeededNumbers, type SweepRange, rangeSweep, seeded } from "./inputs.ts";
export { type MatcherResult, assertWithinUlp, matchers } from "./matchers.ts";
export { KernelTestError, type KernelValues, type RunOptions, runKernel, testDevice } from "./run-kernel.ts";
