#!/usr/bin/env node
// The executable `muxc`: nothing but the edge.
import { wantsColor } from "@muxkit/report";

import { runCommand } from "./command/main.ts";
import { PASSES_COMMAND } from "./command/passes.ts";

process.exitCode = runCommand("muxc", PASSES_COMMAND, process.argv.slice(2), {
  out: (text) => {
    process.stdout.write(text);
  },
  error: (text) => {
    process.stderr.write(text);
  },
  wantsColor: wantsColor(process.env, process.stderr.isTTY),
});
