// SPDX-License-Identifier: Apache-2.0
/**
 * The definitions of OpenCL C's built-in functions: written in OpenCL C, baked to IR.
 *
 * @packageDocumentation
 */
export { type BuiltinLibrary, builtinLibrary } from "./library.ts";
