// SPDX-License-Identifier: Apache-2.0
// Snippets: programs of one line, made by tables of types, operators and functions, many thousands of them. Each is
// about one rule for one choice of operands.
//
// Clang judges hundreds of snippets in one file, a line each, so that they cost a millisecond; each has names of its
// own, made of its number (`#` in its text). Errors in a line are the verdict on its snippet.

/** A program of one line. */
export interface Snippet {
  /** What it is about, for example `operator +`; differences are grouped by it. */
  readonly rule: string;
  /** Its text, on one line. `#` stands for its number, in names that must not occur twice. */
  readonly text: string;
}

/** A table that makes snippets. */
export interface SnippetTable {
  readonly name: string;
  /** Section of OpenCL C 3.0. */
  readonly section: string;
  /** Versions of the language that it is asked in. */
  readonly versions: readonly string[];
  readonly make: () => Iterable<Snippet>;
}

/** Declarations in front of each snippet. */
export const PRELUDE: string = [
  "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
  "typedef struct { int a; float4 b; } S; typedef struct { int a; } T; typedef union { int a; float b; } U;",
  "typedef enum { E0, E1 } E; typedef int A4[4];",
].join("\n");

/** Lines of the prelude. */
export const PRELUDE_LINES: number = PRELUDE.split("\n").length;

/** A snippet with its number in its names. */
export function textOf({ text }: Snippet, number: number): string {
  return text.replaceAll("#", number.toString());
}

/** A file of snippets: the prelude, then a line for each. */
export function batchText(snippets: readonly Snippet[]): string {
  return `${[PRELUDE, ...snippets.map(textOf)].join("\n")}\n`;
}
