// SPDX-License-Identifier: Apache-2.0
// The programs of this package with the compiler at hand. Nothing that they build is kept.
import { COMPILER_PART } from "../compiler-part.ts";
import { NATIVE_PART } from "../native-part.ts";
import type { Command, Edge, Streams } from "./command.ts";
import * as program from "./program.ts";

const EDGE: Edge = { load: () => COMPILER_PART, loadNative: () => NATIVE_PART, store: null, built: () => undefined };

/** Runs the program `muxkit`; gives the exit code: 0, 1 for a failure, 2 for wrong arguments. */
export function main(args: readonly string[], streams: Streams): number {
  return program.runMain(args, streams, EDGE);
}

/** Runs one command; errors that the user can mend are told after its name. */
export function runCommand(name: string, command: Command, args: readonly string[], streams: Streams): number {
  return program.runCommand(name, command, args, streams, EDGE);
}
