// SPDX-License-Identifier: Apache-2.0
// muxkit explain FILE: how the compiler vectorises kernels, without running them.
import type { WordsCommand } from "./command.ts";

/** The command. */
export const EXPLAIN: WordsCommand = {
  usage: "muxkit explain FILE.cl|FILE.spv|FILE.spvasm|JOB.json [options]",
  summary: "explains how the compiler vectorises kernels",
  runWords: (name, args, streams, { load }) => load().explainFile(name, args, streams),
};
