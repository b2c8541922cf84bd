// SPDX-License-Identifier: Apache-2.0
// Commands in this process, and what they answer.
import type { Streams } from "../source/command/command.ts";
import { COMPILE } from "../source/command/compile.ts";
import { main, runCommand } from "../source/command/main.ts";

/** What a command wrote, and its exit code. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Calls a command with streams that keep what is written. */
export function answerOf(command: (streams: Streams) => number, wantsColor: boolean = false): Answer {
  let out = "";
  let error = "";
  const code = command({
    wantsColor,
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

/** `clc` with arguments. */
export function clc(...args: readonly string[]): Answer {
  return answerOf((streams) => runCommand("clc", COMPILE, args, streams));
}

/** `muxkit` with arguments. */
export function muxkit(...args: readonly string[]): Answer {
  return answerOf((streams) => main(args, streams));
}
