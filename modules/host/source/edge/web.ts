// SPDX-License-Identifier: Apache-2.0
// The environment of bundles for browsers.
import { type System, webSystem } from "../system.ts";

/** Node's own object. */
export const NODE: NodeJS.Process | null = null;

/** The environment that this code runs in. */
export const SYSTEM: System = /* @__PURE__ */ webSystem();
