// SPDX-License-Identifier: Apache-2.0
// muxkit icd: OpenCL for native programs. The driver is a package of its own, which this command calls when it is
// installed.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import type { Command } from "./command.ts";

const PACKAGE = "@muxkit/icd";

/** The program of the package, seen from the working directory and from this file; null: it is not installed. */
function findProgram(): string | null {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    for (const folder of createRequire(from).resolve.paths(PACKAGE) ?? []) {
      const program = join(folder, PACKAGE, "dist", "esm", "main.js");
      if (existsSync(program)) return program;
    }
  }
  return null;
}

/** The command. */
export const ICD: Command = {
  usage: "muxkit icd install|uninstall|path|env|run ...",
  summary: "lets native programs use Muxkit through OpenCL's loader",
  runWords: (name, args, { error }) => {
    const program = findProgram();
    if (program === null) {
      error(`${name}: the driver is a package of its own; install it with: npm install ${PACKAGE}\n`);
      return 1;
    }
    // Loaded here only: with it come Node's sockets and streams, which would be a tenth of a warm start of any other
    // command.
    return (
      process
        .getBuiltinModule("node:child_process")
        .spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1
    );
  },
};
