// SPDX-License-Identifier: Apache-2.0
// The host with all parts.
import { ALL_PARTS } from "./all-parts.ts";
import { PlatformOfParts } from "./device.ts";
import type { HostOptions } from "./options.ts";

/** The host: one device, opened any number of times. @public */
export class HostPlatform extends PlatformOfParts {
  /** Options are those of every device that it opens; `target` is the target's number in ids. */
  constructor(options: HostOptions = {}, target: number = 1) {
    super(options, target, ALL_PARTS);
  }
}
