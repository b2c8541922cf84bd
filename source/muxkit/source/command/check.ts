// SPDX-License-Identifier: Apache-2.0
// muxkit check FILE.cl …: what there is to say about OpenCL C files, without running anything.
import type { WordsCommand } from "./command.ts";

/** The command. */
export const CHECK: WordsCommand = {
  usage: "muxkit check FILE.cl … [options]",
  summary: "reports the errors and warnings of OpenCL C files",
  runWords: (name, args, streams, { load }) => load().checkFiles(name, args, streams),
};
