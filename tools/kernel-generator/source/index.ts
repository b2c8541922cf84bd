// SPDX-License-Identifier: Apache-2.0
/**
 * Random kernels, run by every way there is and by other OpenCL implementations.
 *
 * @packageDocumentation
 */
export { type GeneratedProgram, type Launch, KERNEL, OPTIONS, generate } from "./generate/program.ts";
export type { Input } from "./generate/launch.ts";
export { type Random, randomFrom } from "./generate/random.ts";
export { type Finding, checkSeed, reduceDisagreement } from "./check-seeds.ts";
export { type Disagreement, disagreement, launchOf, outcomesOf } from "./compare.ts";
export { binaryFailure } from "./binaries/check.ts";
export { readBinaries } from "./binaries/corpus.ts";
export { type BinaryInput, binaryInput } from "./binaries/inputs.ts";
export { frontEndFailure } from "./front-end/check.ts";
export { type Corpus, type FrontEndInput, frontEndInput } from "./front-end/inputs.ts";
export { reduceText } from "./front-end/reduce-text.ts";
export { mutated } from "./mutation/load.ts";
export { type Mutant, MUTANTS } from "./mutation/mutants.table.ts";
export { superviseHunt } from "./mutation/supervise.ts";
export { readPage } from "./mutation/page.ts";
export { type NativeFinding, type Verdict, checkNatively, verdictOf, writtenBuffers } from "./native-check.ts";
export {
  type NativeCase,
  type NativeImplementation,
  type NativeOutcome,
  nativeImplementations,
  runCases,
  runNatively,
} from "./native.ts";
export { type Reduction, reduce } from "./reduce.ts";
export { SPIRV_WAYS, type SpirvOutcome, checkSpirv } from "./spirv-check.ts";
export { type Settings, readSettings } from "./options.ts";
export { LEAST_SHARE, type VectorShare, describeShare, vectorShare } from "./vector-share.ts";
export { type Block, type Expression, type Statement, render } from "./tree.ts";
