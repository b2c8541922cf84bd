#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable `veczc` as it is published: nothing but the edge. From the sources, ../veczc.ts is.
import { runProgram } from "../start/run-program.ts";

runProgram(import.meta.dirname, ({ runVeczc }, args, streams, edge) => runVeczc(args, streams, edge));
