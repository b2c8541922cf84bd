// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/sycl`: SYCL with the processor and its compiler ready.
 *
 * @packageDocumentation
 */
import { compilers } from "#compilers";
import { EDGE } from "#edge";
import { setCompilers } from "@muxkit/sycl";

import { hostLibrary } from "./host-library.ts";
import { registerHost } from "./register-host.ts";

EDGE.useTargets();
setCompilers(hostLibrary(() => ({ compilers }), EDGE.programStore(), EDGE.compileThreads));
registerHost({});

export * from "@muxkit/kernel-library";
export * from "@muxkit/sycl";
// Both have them.
export type { AccessMode, Dimensions } from "@muxkit/sycl";
export { LocalAccessor } from "@muxkit/sycl";
