// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/sycl/printf`: what kernels of `muxkit/sycl/runtime` print. The bundlers' plugins import it where kernels
 * print.
 *
 * @packageDocumentation
 */
import { launchTarget } from "#launching";
import { PRINTF, addHostParts } from "@muxkit/host";

import { registerOnce } from "./registered-targets.ts";

addHostParts(registerOnce({}, launchTarget).target, { printf: PRINTF });

export { PRINTF } from "@muxkit/host";
