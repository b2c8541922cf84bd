// SPDX-License-Identifier: Apache-2.0
// What cl_altera_compiler_mode needs of Node: environment variables and files.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { err, ok } from "@muxkit/cargo";
import type { CompilerModeEdge } from "@muxkit/opencl";

import { ProgramFolder } from "./program-folder.ts";

/** Where a program library is when nobody says so, in the folder that is current when the context is made. */
export const DEFAULT_LIBRARY_ROOT = "muxkit_program_library";
/** Names the file that devices are said to have been loaded with. */
export const PRELOADED_VARIABLE = "MUXKIT_PRELOADED_BINARY";

/** See the file's head. */
export const NODE_COMPILER_MODE_EDGE: CompilerModeEdge = {
  variable: (name) => process.env[name],
  openLibrary: (root) => new ProgramFolder(resolve(root ?? DEFAULT_LIBRARY_ROOT)),
  preloadedBinary: () => {
    const { [PRELOADED_VARIABLE]: file = "" } = process.env;
    if (file === "") return ok(null);
    try {
      return ok(new Uint8Array(readFileSync(file)));
    } catch (error) {
      return err(
        `${PRELOADED_VARIABLE} names a file that cannot be read: ` +
          (error instanceof Error ? error.message : String(error)),
      );
    }
  },
};
