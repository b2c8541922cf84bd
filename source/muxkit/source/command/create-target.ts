// SPDX-License-Identifier: Apache-2.0
// muxkit create-target: a target of the user's own. What it writes is loaded when it is asked for.
import type { ParsedCommand } from "./command.ts";

/** The command. */
export const CREATE_TARGET: ParsedCommand = {
  usage: "muxkit create-target NAME [--into DIR]",
  summary: "creates a new target: runtime half, compiler half, tests",
  options: { into: { type: "string" } },
  help: { "into DIR": "the folder to create; default: the name of the target" },
  run: (parsed, streams, edge) => edge.load().writeTarget(parsed, streams, edge),
};
