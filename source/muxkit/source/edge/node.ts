// SPDX-License-Identifier: Apache-2.0
// The edge in Node.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { programStore } from "../cache/cache-folder.ts";
import { useForeignTargets } from "../foreign-targets.ts";
import { DEVICE_VARIABLE, useGpus } from "../gpu-targets.ts";
import { NODE_COMPILER_MODE_EDGE } from "../library/compiler-mode-edge.ts";
import { startCompileThread, mostCompileThreads } from "./compile-port.ts";
import type { Edge } from "./edge.ts";

/** Node's collector is a function of contexts that are made under a flag, which changes nothing else. */
function collectGarbage(): void {
  const { Bun: bun } = globalThis as { readonly Bun?: { readonly gc: (now: boolean) => unknown } };
  if (bun !== undefined) {
    bun.gc(true);
    return;
  }
  const own: unknown = Reflect.get(globalThis, "gc");
  if (typeof own === "function") {
    own();
    return;
  }
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : null");
  if (typeof collect === "function") collect();
}

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
  collectGarbage,
  useTargets: () => {
    useForeignTargets(process.env, process.cwd());
  },
  useGpus: () => useGpus(process.env, process.cwd()),
  chosenDevice: () => process.env[DEVICE_VARIABLE],
};
