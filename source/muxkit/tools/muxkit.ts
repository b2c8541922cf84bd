// SPDX-License-Identifier: Apache-2.0
// The program `muxkit` from its sources. The published one loads bundled scripts (source/cli.ts); what they contain is
// the same.
import { join } from "node:path";

import { COMPILER_PART } from "../source/compiler-part.ts";
import { programStore } from "../source/cache/cache-folder.ts";
import { runMain, wantsColor } from "../source/program-part.ts";
import { writeTo } from "../source/start/output.ts";

const out = writeTo(1, () => process.stdout);
process.exitCode = runMain(
  process.argv.slice(2),
  {
    out,
    bytes: out,
    error: writeTo(2, () => process.stderr),
    isTerminal: process.stderr.isTTY,
    wantsColor: wantsColor(process.env, process.stderr.isTTY),
  },
  {
    load: () => COMPILER_PART,
    store: programStore(process.env),
    built: () => undefined,
    clone: join(import.meta.dirname, "..", "..", ".."),
  },
);
