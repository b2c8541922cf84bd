// SPDX-License-Identifier: Apache-2.0
// muxkit check FILE.cl …: what there is to say about OpenCL C files, without running anything.
import { type Command, DIAGNOSTICS_HELP } from "./command.ts";

/** The command. */
export const CHECK: Command = {
  usage: "muxkit check FILE.cl … [options]",
  summary: "reports the errors and warnings of OpenCL C files",
  options: { diagnostics: { type: "string" }, options: { type: "string" } },
  help: { diagnostics: DIAGNOSTICS_HELP, options: "TEXT  build options, for example -DN=4 or -Werror" },
  run: (parsed, streams, edge) => edge.load().checkFiles(parsed, streams, edge),
};
