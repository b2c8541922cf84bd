// SPDX-License-Identifier: Apache-2.0
// muxkit check FILE …: what there is to say about programs in files, without running anything.
import type { WordsCommand } from "./command.ts";

/** The command. */
export const CHECK: WordsCommand = {
  usage: "muxkit check FILE … [options]",
  summary: "reports the errors and warnings of files of OpenCL C, SPIR-V, LLVM bitcode or IR",
  runWords: (name, args, streams, { load }) => load().checkFiles(name, args, streams),
};
