// SPDX-License-Identifier: Apache-2.0
/**
 * The definitions of OpenCL C's built-in functions: written in OpenCL C, baked to IR.
 *
 * @packageDocumentation
 */
export { findLibraryFunction, libraryLayout } from "./library.ts";
