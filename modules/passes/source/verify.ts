// SPDX-License-Identifier: Apache-2.0
// verify: the verifier as a pass, for pass lists that are written by hand.
import type { Module } from "@muxkit/ir";

import { checkModule } from "./check-module.ts";

/** Throws InternalError with the first broken rule. Changes nothing. */
export function verifyPass(module: Module): boolean {
  checkModule(module, "verify");
  return false;
}
