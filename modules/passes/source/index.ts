// SPDX-License-Identifier: Apache-2.0
/**
 * The named passes and what runs them.
 *
 * @packageDocumentation
 */
export { type ArgumentLoad, argumentKey, argumentLoadsOf, isStructArgument } from "./argument-loads.ts";
export {
  EMPTY_CONTEXT,
  type FunctionFrame,
  type FunctionPass,
  type ModulePass,
  type Pass,
  type PassContext,
} from "./pass.ts";
export { PASSES } from "./pass.table.ts";
export { runPasses, type PassRun, type RunOptions, type WorkCount } from "./pass-manager.ts";
export type { AnalysisName, AnalysisResults } from "./analysis.table.ts";
export { Analyses } from "./analyses.ts";
export {
  accessOf,
  mayAlias,
  memoryEffect,
  aliasFacts,
  type Access,
  type MemoryEffect,
  type AliasFacts,
} from "./alias-analysis.ts";
export { countInstructions } from "./instruction-count.ts";
export { inlineFunctions } from "./inline.ts";
export { repairUses, type CopiedValue } from "./ssa-construction.ts";
export { isPrintfQuery, replacePrintf } from "./replace-printf.ts";
export { foldBuiltin } from "./lower-builtins.ts";
export { importFunction, linkBuiltins, scalarReference } from "./link-builtins.ts";
