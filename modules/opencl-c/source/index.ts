/**
 * The OpenCL C front end: preprocessor, parser, meaning, IR.
 *
 * @packageDocumentation
 */
export { compileOpenCLC, type Compilation } from "./compile.ts";
export { DIAGNOSTICS, type DiagnosticName } from "./diagnostics.table.ts";
export type { FrontEndOptions } from "./options.ts";
export { preprocessToText } from "./preprocess/preprocessor.ts";
