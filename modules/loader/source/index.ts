// SPDX-License-Identifier: Apache-2.0
/**
 * Finds and loads a compiler at run time, when it is needed; "no compiler" is a legal configuration.
 *
 * @packageDocumentation
 */
export { NO_COMPILER, compilerForDevice, loadCompilerLibrary, type CompilerLibrary } from "./loader.ts";
export { type KernelSource, binaryKernels, finalizedProgram } from "./binary-program.ts";
export type { KernelTraits } from "./kernel-traits.ts";
export { KernelVariants, launchFacts, type LaunchCode } from "./kernel-variants.ts";
export { chooseLocalSize } from "./local-size.ts";
export { rangeFault } from "./number-range.ts";
export { type Value, packValue } from "./pack-value.ts";
export { compileAnswers } from "./compile-answers.ts";
export {
  type CompileAnswer,
  type CompileJob,
  type CompilePort,
  CompileThread,
  type ProgramRecipe,
} from "./compile-thread.ts";
export { COMPILE_SETTINGS } from "./settings.table.ts";
export { type LateOptions, lateLibrary } from "./late-library.ts";
export { type KeptFile, type ProgramStore, readKeptFile } from "./program-store.ts";
