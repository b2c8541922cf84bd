// SPDX-License-Identifier: Apache-2.0
// A machine for passes that run before a target is known, and for tools: 128-bit vectors, sixteen of them, all ops
// native.
import type { DataLayout } from "@muxkit/ir";

import type { MachineTarget, UnrollingLimits } from "./machine-target.ts";

/**
 * Unrolling for machines that predict branches and execute out of order: it pays where constants fold, not to hide
 * latencies. @public
 */
export const CAUTIOUS_UNROLLING: UnrollingLimits = {
  instructions: 256,
  arrayInstructions: 1536,
  iterations: 64,
  copies: 1,
  rowCopies: 1,
  copiedInstructions: 0,
};

/** A plain machine with the sizes of a data layout. @public */
export function genericMachine(layout: DataLayout): MachineTarget {
  return {
    name: "generic",
    layout,
    registers: { vectorBytes: 16, vectors: 16, scalars: 16, maskLaneBytes: 4 },
    costs: {
      ops: {},
      spill: 3,
      iteration: 4,
      cacheLine: 4,
      gatherLane: 8,
      gatherKnownLane: 3,
      scatterLane: 3,
      scatterKnownLane: 3,
      atomicLane: 4,
      narrowOps: {},
    },
    support: {},
    halves: layout.nativeF16 ? "arithmetic" : "none",
    resizeFactor: 2,
    stack: { alignment: 16, intrinsics: { getStack: "target.get_stack", setStack: "target.set_stack" } },
    limits: {
      mostLanes: 16,
      subGroupSize: 8,
      twoRegisterInstructions: 160,
      streamInstructions: 32,
      cacheLineBytes: 64,
      predicatedInstructions: 10,
      stridedElements: 8,
      divergentBranches: 256,
      vectorOperations: 1 << 17,
      selectedLanes: 16,
      tableBytes: 64,
    },
    unrolling: CAUTIOUS_UNROLLING,
  };
}
