// SPDX-License-Identifier: Apache-2.0
// What every start of the programs `muxkit`, `clc` and `veczc` needs.
import { wantsColor } from "@muxkit/report";

import type { Edge, Streams } from "./command/command.ts";
import { COMPILE } from "./command/compile.ts";
import { runCommand, runMain } from "./command/program.ts";
import { VECTORIZE } from "./command/vectorize.ts";

/** See the file's head. */
export interface ProgramPart {
  readonly runMain: typeof runMain;
  readonly runClc: typeof runClc;
  readonly runVeczc: typeof runVeczc;
  readonly wantsColor: typeof wantsColor;
}

/** Runs the program `clc`; gives the exit code: 0, 1 for a failure, 2 for wrong arguments. */
function runClc(args: readonly string[], streams: Streams, edge: Edge): number {
  return runCommand("clc", COMPILE, args, streams, edge);
}

/** Runs the program `veczc`; gives the exit code likewise. */
function runVeczc(args: readonly string[], streams: Streams, edge: Edge): number {
  return runCommand("veczc", VECTORIZE, args, streams, edge);
}

export { runClc, runMain, runVeczc, wantsColor };
