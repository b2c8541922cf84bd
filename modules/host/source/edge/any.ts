// SPDX-License-Identifier: Apache-2.0
// The environment, as it turns out to be.
import { type System, nodeSystem, webSystem } from "../system.ts";

/** Node's own object; null in browsers, and where a bundler put something else there. */
export const NODE: NodeJS.Process | null =
  typeof globalThis.process?.getBuiltinModule === "function" ? globalThis.process : null;

/** The environment that this code runs in. */
export const SYSTEM: System = NODE === null ? webSystem() : nodeSystem(NODE);
