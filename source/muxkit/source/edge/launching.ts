// SPDX-License-Identifier: Apache-2.0
// How muxkit/run opens its device, which depends on where it runs: package.json's `imports` say which file it is.
import type { CoreSettings } from "@muxkit/host/launcher";

/** See the file's head. */
export interface Launching {
  /** How the device is opened. Throws a SettingError. */
  readonly settings: () => CoreSettings;
}
