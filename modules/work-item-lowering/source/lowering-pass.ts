// SPDX-License-Identifier: Apache-2.0
// What a pass of the lowering is: a pass over a module that reads and completes the lowering's state.
import type { Module } from "@muxkit/ir";
import type { PassContext } from "@muxkit/passes";

import type { LoweringState } from "./lowering-state.ts";

/** A named pass of the lowering. @public */
export interface LoweringPass {
  /** Registry name, also the name of its tests' folder. */
  readonly name: string;
  /** One sentence: what it does. */
  readonly doc: string;
  /** Changes the module in place; true when it changed anything. */
  readonly run: (module: Module, state: LoweringState, context: PassContext) => boolean;
}
