// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/sycl/runtime`: SYCL on the processor, and nothing that compiles: modules are executables that were built
 * before. What plugins make of translated files is based on it.
 *
 * @packageDocumentation
 */
import { launchTarget } from "#launching";

import { registerOnce } from "./registered-targets.ts";

registerOnce({}, launchTarget);

export * from "@muxkit/kernel-library";
export * from "@muxkit/sycl";
// Both have them.
export type { AccessMode, Dimensions } from "@muxkit/sycl";
export { LocalAccessor } from "@muxkit/sycl";
