// SPDX-License-Identifier: Apache-2.0
/**
 * The whole-function SPMD vectoriser: a function that runs one work-item becomes one that runs several at once.
 *
 * @packageDocumentation
 */
export { Agreement, findAgreement } from "./agreement.ts";
export { UNIFORM, VARYING, type Shape } from "./shape.ts";
export type { DivergenceRequest, ParameterFacts } from "./divergence.ts";
export { ACCESS_WAYS, type AccessKind, type AccessRow } from "./access.table.ts";
export { REFUSALS, type Refusal, type RefusalRow } from "./refusal.table.ts";
export type { VectorCall } from "./packetize.ts";
export {
  vectorize,
  type AccessRemark,
  type VectorForms,
  type Vectorized,
  type VectorizeRequest,
  type VectorizeResult,
} from "./vectorize.ts";
export { jamRows, type Jammed, type JamRequest } from "./jam.ts";
export { splitLoops } from "./split-loops.ts";
export { findRowRange, type Places, type RowRange, type RowRangeRequest } from "./row-range.ts";
export { printAnalyses } from "./print-analyses.ts";
export { chooseWidth } from "./width.ts";
export { costOf } from "./cost.ts";
