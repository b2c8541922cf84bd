// SPDX-License-Identifier: Apache-2.0
// The host's lowering for tools that run its passes by name, one by one.
import type { DataLayout } from "@muxkit/ir";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";
import type { Pass } from "@muxkit/passes";
import { WASM_MACHINE } from "@muxkit/wasm";
import {
  LoweringState,
  type Specialization,
  type VectorizationChoice,
  loweringPassList,
  loweringPasses,
} from "@muxkit/work-item-lowering";

/** What tools lower a module for. @public */
export interface HostLoweringOptions {
  /** Sizes of the module. */
  readonly layout: DataLayout;
  /** Launches that the code is for; null: any. */
  readonly specialization: Specialization | null;
  /** How kernels are vectorised. */
  readonly vectorization: VectorizationChoice;
  /** False for `-cl-opt-disable`. */
  readonly optimize: boolean;
}

/** The passes of a lowering. @public */
export interface HostLowering {
  /** The machine that they lower for: WebAssembly, or a plain one for other data layouts. */
  readonly machine: MachineTarget;
  /** The passes, for `PassContext.passes`; they share a state, so each module takes new ones. */
  readonly passes: readonly Pass[];
  /** Their names, with those of other packages between them, in the order in which a build runs them. */
  readonly list: readonly string[];
}

/** The passes that lower one module. @public */
export function hostLowering({ layout, specialization, vectorization, optimize }: HostLoweringOptions): HostLowering {
  const machine = layout.sizeBits === WASM_MACHINE.layout.sizeBits ? WASM_MACHINE : genericMachine(layout);
  const state = new LoweringState({
    machine,
    optimize,
    specialization,
    vectorization: () => vectorization,
    programLayout: null,
    layoutBase: null,
  });
  return {
    machine,
    passes: loweringPasses(state),
    list: loweringPassList({ optimize, hasKnownArguments: false }),
  };
}
