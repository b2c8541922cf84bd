// SPDX-License-Identifier: Apache-2.0
/**
 * Lowering of kernels for CPU-like targets: from finalized IR to functions that run the work-groups of a launch by the
 * kernel ABI.
 *
 * @packageDocumentation
 */
export { LOWERING_PASSES, loweringPasses } from "./lowering-pass.table.ts";
export { LIBRARY_PASSES, type PassListOptions, type Tier, loweringPassList } from "./pass-list.ts";
export type { LoweringPass } from "./lowering-pass.ts";
export { type LoweringRequest, LoweringState } from "./lowering-state.ts";
export { type LoweredKernel, type LowerRequest, type LoweredProgram, lowerProgram } from "./lower-program.ts";
export type { Specialization } from "./specialization.ts";
export {
  type SubGroupVariants,
  type SubGroupPlacement,
  type SubGroupPlan,
  type UnrollAndJamPlan,
  type VectorChoiceReason,
  type VectorPlan,
  type VectorRemark,
  type VectorizationChoice,
} from "./vector/vector-plan.ts";
export { fixLaunchArguments, inlineImageFunctions } from "./passes/fix-launch-arguments.ts";
export { linkLibrary } from "./passes/expand-libcalls.ts";
