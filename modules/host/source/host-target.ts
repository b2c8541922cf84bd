// SPDX-License-Identifier: Apache-2.0
// The host as a target with all parts.
import type { MuxTarget } from "@muxkit/mux";

import { ALL_PARTS } from "./all-parts.ts";
import { IMAGES } from "./mux-images.ts";
import { addHostParts, pageTarget } from "./mux-target.ts";
import type { HostOptions } from "./options.ts";

/** Makes a target one with all parts. @public */
export function completeTarget(target: MuxTarget): void {
  addHostParts(target, ALL_PARTS, IMAGES);
}

/**
 * Makes the host target: register it with `registerTarget`. Options hold for every device that it opens. Throws a
 * SettingError for a value that an option, or its environment variable, cannot have.
 *
 * @public
 */
export function hostTarget(options: HostOptions = {}): MuxTarget {
  const target = pageTarget(options);
  completeTarget(target);
  return target;
}
