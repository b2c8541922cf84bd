// SPDX-License-Identifier: Apache-2.0
/**
 * Lowering of kernels for CPU-like targets: from finalized IR to functions that run the work-groups of a launch by the kernel ABI.
 *
 * @packageDocumentation
 */
export { fixArguments, inlineImageFunctions, saysAnything } from "./launch-arguments.ts";
export { addCancellation, hasLongLoop } from "./cancellation-checks.ts";
export {
  HIDDEN_COUNT,
  type HiddenName,
  type HiddenValues,
  addHiddenParameters,
  fixHiddenValues,
  hiddenPosition,
} from "./work-item-parameters.ts";
export { partWalks, type WalkFrame } from "./barriers/locality-barriers.ts";
export { lowerLocalAtomics } from "./lower-local-atomics.ts";
export {
  type GlobalPlacement,
  type ProgramLayout,
  layOutProgram,
  lowerQueries,
  placeGlobals,
  usedLocals,
} from "./lower-work-item-queries.ts";
export { type MeetingScope, hasMeeting, usesSubGroups } from "./barriers/convergence.ts";
export { type Region, type RegionPlan, cutAtBarriers, ids } from "./barriers/regions.ts";
export type { RecordPlace } from "./barriers/spill-frame.ts";
export type { SharedSlot } from "./barriers/spill-slots.ts";
export type { PlacedOperation } from "./barriers/group-collectives.ts";
export { lowerSoft } from "./expand-libcalls.ts";
export { type KnownArgument, type Specialization, knownLaunch } from "./specialization.ts";
export { type SubGroupLaunch, fitsVector, planSubGroups } from "./vector/sub-groups.ts";
export { type VectorLaunch, knowsNoGroup, planVectors } from "./vector/plan-vectors.ts";
export type { FormListener } from "./vector/called-variants.ts";
export {
  type JamPlan,
  type Lie,
  SCALAR_PLAN,
  type SubGroupForms,
  type SubGroupPlan,
  type VectorChoiceReason,
  type VectorPlan,
  type VectorRemark,
  type VectorSource,
  type VectorizationChoice,
} from "./vector/vector-plan.ts";
export { type WrappedKernel, writeWrapper } from "./loops/kernel-entry.ts";
