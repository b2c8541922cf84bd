// SPDX-License-Identifier: Apache-2.0
// Node's device: as its variables choose, with all parts.
import { launcherSettings } from "@muxkit/host";

import type { Launching } from "./launching.ts";

/** See launching.ts. */
export const LAUNCHING: Launching = { settings: () => launcherSettings() };
