/**
 * The definitions of OpenCL C's built-in functions, in OpenCL C.
 *
 * @packageDocumentation
 */
export { findLibrarySource, type LibrarySource } from "./library.ts";
