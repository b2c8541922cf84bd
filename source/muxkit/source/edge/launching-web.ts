// SPDX-License-Identifier: Apache-2.0
// A page's device: nothing to choose.
import { pageSettings } from "@muxkit/host/launcher";

import type { Launching } from "./launching.ts";

/** See launching.ts. */
export const LAUNCHING: Launching = { settings: () => pageSettings() };
