// SPDX-License-Identifier: Apache-2.0
// Settings of launchers where there are variables of an environment.
import { ALL_PARTS } from "./all-parts.ts";
import type { CoreSettings } from "./device-core.ts";
import { coreSettings, type HostOptions } from "./options.ts";

/**
 * How a launcher (`@muxkit/host/launcher`) opens its device, by options and variables, with all parts. Throws a
 * SettingError for a value that an option cannot have.
 *
 * @public
 */
export function launcherSettings(options: HostOptions = {}): CoreSettings {
  return coreSettings(options, ALL_PARTS);
}
