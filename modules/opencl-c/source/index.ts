// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenCL C front end: preprocessor, parser, meaning, IR.
 *
 * @packageDocumentation
 */
export { compileOpenCLC, type Compilation } from "./compile.ts";
export { DIAGNOSTICS, type DiagnosticName, report } from "./diagnostics.table.ts";
export { type FloatOptions, addFloatFlags, floatFlags } from "./float-flags.ts";
export { type FrontEndOptions, libraryOptions } from "./options.ts";
export { preprocessToText } from "./preprocess/preprocessor.ts";
