// SPDX-License-Identifier: Apache-2.0
/**
 * Compiles folders of OpenCL C, compares with clang, measures compile time; run tools/corpus/source/main.ts.
 *
 * @packageDocumentation
 */
export { type Case, type CaseVerdict, hashOf, readCases } from "./cases/case.ts";
export { judgeCase } from "./cases/ours.ts";
export { type ClangLine, type Verdicts, differs, linesOf, readVerdicts } from "./cases/verdicts.ts";
export {
  type BesideName,
  type BesideRow,
  type BesideSummary,
  type ColdTime,
  type Tool,
  type Tools,
  besideNames,
  besideSummary,
  besideText,
  compileBeside,
  cpuSecondsIn,
  frontEndSecondsIn,
  openTools,
} from "./beside.ts";
export {
  SPIRV_WAYS,
  type SpirvOutcome,
  type SpirvVerdict,
  type SpirvWay,
  compileBySpirv,
  isWrong,
  missingSpirvTools,
  spirvText,
} from "./by-spirv.ts";
export {
  type Cause,
  type ClangVerdict,
  type Difference,
  type Found,
  type Kind,
  type Place,
  causesOf,
  differencesOf,
} from "./compare.ts";
export { messagesIn } from "./clang.ts";
export type { CompileReply, CompileRequest, KernelTime, Measurement } from "./compile.ts";
export { type Clang, openClangs } from "./judge.ts";
export { MEANT_DIFFERENCES, type MeantCause, type MeantDifference, reasonOf } from "./meant-differences.table.ts";
export { PHASES, type Phase, type PhaseTimes } from "./phase-clock.ts";
export { type Program, readPrograms } from "./programs.ts";
export { type Summary, differencesText, summaryOf, timesText, wrongCauses } from "./report.ts";
export { type Result, type RunOptions, type Side, type Times, compareAll, compileAll } from "./run.ts";
export { type Answer, Service, type ServiceOptions, serve } from "./service.ts";
export { judgeHere } from "./snippets/judge-snippets.ts";
export { type Snippet, type SnippetTable, batchText } from "./snippets/snippet.ts";
export { SNIPPET_TABLES } from "./snippets/tables.ts";
export { type Growth, geometricMean, growthOf, median } from "./statistics.ts";
export { type Message, type Outcome, type Verdict, firstError, normalised } from "./verdict.ts";
