// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/run`: kernels in TypeScript over arrays, one call each, for pages: a bundle with a kernel has half the bytes
 * of one with queues and buffers (`muxkit/sycl`).
 *
 * ```ts
 * import { kernel, run, type Accessor, type Item, type float } from "muxkit/run";
 *
 * const saxpy = kernel((item: Item<1>, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
 *   const i = item.getId(0);
 *   y[i] = a * x[i] + y[i];
 * });
 * await run(saxpy, 1024, 2, x, y);
 * ```
 *
 * @packageDocumentation
 */
export * from "@muxkit/kernel-library";
export { RunError } from "./run/error.ts";
export { type RunMemory, memory, ready, run } from "./run/run.ts";
export { type Places, type Shaped, shaped } from "./run/places.ts";
export {
  type RunArgument,
  type RunArguments,
  type RunConstant,
  RunKernel,
  type RunKernelOptions,
  RunUnit,
  kernel,
  specConstant,
  translationUnit,
} from "./run/unit.ts";
