/**
 * Finds and loads a compiler at run time; "no compiler" is a legal configuration.
 *
 * @packageDocumentation
 */
export { NO_COMPILER, compilerForDevice, loadCompilerLibrary, type CompilerLibrary } from "./loader.ts";
