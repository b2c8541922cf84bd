// SPDX-License-Identifier: Apache-2.0
/**
 * Finds and loads a compiler at run time, when it is needed; "no compiler" is a legal configuration.
 *
 * @packageDocumentation
 */
export { NO_COMPILER, compilerForDevice, loadCompilerLibrary, type CompilerLibrary } from "./loader.ts";
export { KernelVariants, finalizedProgram, launchFacts, type LaunchCode } from "./kernel-variants.ts";
export { chooseLocalSize } from "./local-size.ts";
export { lateLibrary } from "./late-library.ts";
export { type KeptFile, type ProgramStore, readKeptFile } from "./program-store.ts";
