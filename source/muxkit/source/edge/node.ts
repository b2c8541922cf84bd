// SPDX-License-Identifier: Apache-2.0
// The edge in Node.
import { programStore } from "../cache/cache-folder.ts";
import { useForeignTargets } from "../foreign-targets.ts";
import { NODE_COMPILER_MODE_EDGE } from "../library/compiler-mode-edge.ts";
import { startCompileThread, mostCompileThreads } from "./compile-port.ts";
import type { Edge } from "./edge.ts";

/** See the file's head. */
export const EDGE: Edge = {
  programStore: () => programStore(process.env),
  compilerMode: NODE_COMPILER_MODE_EDGE,
  compileThreads: {
    start: () =>
      startCompileThread(
        new URL(import.meta.url.endsWith(".ts") ? "./compile-worker.ts" : "./compile-worker.js", import.meta.url),
      ),
    most: mostCompileThreads,
  },
  useTargets: () => {
    useForeignTargets(process.env, process.cwd());
  },
};
