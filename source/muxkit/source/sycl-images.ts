// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/sycl/images`: images for programs of `muxkit/sycl/runtime` in browsers, with all other parts of the
 * processor. The bundlers' plugins import it where kernels take images.
 *
 * @packageDocumentation
 */
import { launchTarget } from "#launching";
import { completeTarget } from "@muxkit/host";

import { registerOnce } from "./registered-targets.ts";

completeTarget(registerOnce({}, launchTarget).target);

/** What plugins import. @public */
export const IMAGES = true;
