#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable `clc`: nothing but the edge.
import { wantsColor } from "@muxkit/report";

import { COMPILE } from "./command/compile.ts";
import { runCommand } from "./command/main.ts";
import { writeTo } from "./start/output.ts";

const out = writeTo(1, () => process.stdout);
process.exitCode = runCommand("clc", COMPILE, process.argv.slice(2), {
  out,
  bytes: out,
  error: writeTo(2, () => process.stderr),
  isTerminal: process.stderr.isTTY,
  wantsColor: wantsColor(process.env, process.stderr.isTTY),
});
