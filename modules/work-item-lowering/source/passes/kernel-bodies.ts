// SPDX-License-Identifier: Apache-2.0
// `kernel-bodies`: the body of each kernel becomes a function of its own, which later passes cut, vectorise and call.
import type { Module } from "@muxkit/ir";

import type { LoweringState } from "../lowering-state.ts";

/** See {@link LoweringState.separate}. */
export function kernelBodies(module: Module, state: LoweringState): boolean {
  return state.separate(module).length > 0;
}
