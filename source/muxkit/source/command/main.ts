// The programs of this package with the compiler at hand.
import { COMPILER_PART } from "../compiler-part.ts";
import type { Command, Streams } from "./command.ts";
import * as program from "./program.ts";

const load = (): typeof COMPILER_PART => COMPILER_PART;

/** Runs the program `muxkit`; gives the exit code: 0, 1 for a failure, 2 for wrong arguments. Nothing that it builds is kept. */
export function main(args: readonly string[], streams: Streams): number {
  return program.runMain(args, streams, load, null);
}

/** Runs one command; errors that the user can mend are told behind its name. */
export function runCommand(name: string, command: Command, args: readonly string[], streams: Streams): number {
  return program.runCommand(name, command, args, streams, load);
}
