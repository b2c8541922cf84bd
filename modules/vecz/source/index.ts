// SPDX-License-Identifier: Apache-2.0
/**
 * The whole-function SPMD vectoriser: a function that runs one work-item becomes one that runs several at once.
 *
 * @packageDocumentation
 */
export { Uniformity, findUniformity } from "./uniformity.ts";
export { UNIFORM, VARYING, type Shape } from "./shape.ts";
export type { DivergenceRequest, ParameterFacts } from "./divergence.ts";
export { ACCESS_KINDS, type AccessKind, type AccessRow } from "./access.table.ts";
export { REFUSALS, type Refusal, type RefusalRow } from "./refusal.table.ts";
export type { VectorCall } from "./packetize.ts";
export {
  vectorize,
  type AccessRemark,
  type TestedVariant,
  type VectorVariants,
  type Vectorized,
  type VectorizeRequest,
  type VectorizeResult,
} from "./vectorize.ts";
export { unrollAndJam, type JammedFunction, type UnrollAndJamRequest } from "./unroll-and-jam.ts";
export { makeReducible } from "./reducible.ts";
export { splitLoops } from "./split-loops.ts";
export {
  splitIndexSet,
  type IndexRange,
  type IndexSetSplit,
  type IndexSetSplitRequest,
} from "./index-set-splitting.ts";
export { isSmallTable } from "./table-lookups.ts";
export { printAnalyses } from "./print-analyses.ts";
export { chooseWidth } from "./width.ts";
export { type Costs, costOf, costsOf } from "./cost.ts";
export { Frequencies, type Known } from "./frequency.ts";
export type { OperationCost, OperationCosts } from "./operation-costs.ts";
