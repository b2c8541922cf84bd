#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable `muxkit`: nothing but the edge.
import { runProgram } from "./start/run-program.ts";

runProgram(import.meta.dirname, ({ runMain }, args, streams, edge) => runMain(args, streams, edge));
