// SPDX-License-Identifier: Apache-2.0
// How programs without compilers open their device in Node: as variables of the environment choose, with all parts.
// `launching-web.ts` has the same for browsers.
import { hostTarget, launcherSettings } from "@muxkit/host";
import type { CoreSettings } from "@muxkit/host/launcher";
import type { MuxTarget } from "@muxkit/mux";

/** How the device of `muxkit/run` is opened. Throws a SettingError. */
export function launchSettings(): CoreSettings {
  return launcherSettings();
}

/** The host target. Throws a SettingError. */
export function launchTarget(): MuxTarget {
  return hostTarget();
}
