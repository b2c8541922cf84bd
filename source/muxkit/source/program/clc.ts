#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The executable `clc` as it is published: nothing but the edge. From the sources, ../clc.ts is.
import { runProgram } from "../start/run-program.ts";

runProgram(import.meta.dirname, ({ runClc }, args, streams, edge) => runClc(args, streams, edge));
