// SPDX-License-Identifier: Apache-2.0
// muxkit vectorize FILE: what the vectoriser knows of functions, as `veczc` prints it.
import type { WordsCommand } from "./command.ts";

/** The command. */
export const VECTORIZE: WordsCommand = {
  usage: "muxkit vectorize FILE.cl|FILE.ir [options]",
  summary: "vectorises functions and prints the result",
  runWords: (name, args, streams, { load }) => load().vectorizeFile(name, args, streams),
};
