// SPDX-License-Identifier: Apache-2.0
// muxkit create-target: a target of the user's own. What it writes is loaded when it is asked for.
import type { ParsedCommand } from "./command.ts";

/** The command. */
export const CREATE_TARGET: ParsedCommand = {
  usage: "muxkit create-target NAME [--into DIR] [--from DIR]",
  summary: "creates a new target: runtime half, compiler half, tests",
  options: { into: { type: "string" }, from: { type: "string" } },
  help: {
    into: "DIR  the folder to create; default: the name of the target",
    from: "DIR  use the packages in this folder of tarballs (npm run pack in a clone writes one), not the registry's",
  },
  run: (parsed, streams, edge) => edge.load().writeTarget(parsed, streams, edge),
};
