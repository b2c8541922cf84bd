// SPDX-License-Identifier: Apache-2.0
// How programs without compilers open their device in browsers: there is nothing to choose. `launching-node.ts` has the
// same for Node.
import { pageTarget } from "@muxkit/host";
import { type CoreSettings, pageSettings } from "@muxkit/host/launcher";
import type { MuxTarget } from "@muxkit/mux";

/** How the device of `muxkit/run` is opened. */
export function launchSettings(): CoreSettings {
  return pageSettings();
}

/** The host target. */
export function launchTarget(): MuxTarget {
  return pageTarget();
}
