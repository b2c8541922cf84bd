// SPDX-License-Identifier: Apache-2.0
// muxkit compile FILE.cl …: programs ahead of time, as `clc` does it.
import type { Command } from "./command.ts";

/** The command. */
export const COMPILE: Command = {
  usage: "muxkit compile FILE.cl … [options]",
  summary: "compiles programs ahead of time: binaries, code, ES modules",
  runWords: (name, args, streams, { load, loadNative }) => load().runClc(name, args, streams, loadNative),
};
