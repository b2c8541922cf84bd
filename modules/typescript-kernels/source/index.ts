// SPDX-License-Identifier: Apache-2.0
/**
 * Kernels written in TypeScript: a subset of the language, translated to OpenCL C and to JavaScript for debugging.
 *
 * @packageDocumentation
 */
export { mayHaveKernels, translate, type TranslateRequest, type Translation } from "./translate.ts";
export { DIAGNOSTICS } from "./diagnostics.table.ts";
export { rewrite, type RewriteOptions, type RuntimePart, type RewrittenFile } from "./rewrite.ts";
export type { SourceMap } from "./source-map.ts";
