// SPDX-License-Identifier: Apache-2.0
// Names of inputs and outputs.
import { statSync } from "node:fs";

/** Standard input as an input, and standard output as an output. */
export const STANDARD = "-";

/** What a program from standard input is called among files. */
export const UNNAMED = "program.cl";

/** True for what can only be a folder. */
export function isFolder(path: string): boolean {
  return path.endsWith("/") || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
