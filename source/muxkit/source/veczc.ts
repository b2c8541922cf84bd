#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable `veczc`: nothing but the edge.
import { wantsColor } from "@muxkit/report";

import { runCommand } from "./command/main.ts";
import { VECTORIZE } from "./command/vectorize.ts";

process.exitCode = runCommand("veczc", VECTORIZE, process.argv.slice(2), {
  out: (text) => {
    process.stdout.write(text);
  },
  error: (text) => {
    process.stderr.write(text);
  },
  wantsColor: wantsColor(process.env, process.stderr.isTTY),
});
