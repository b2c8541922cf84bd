// SPDX-License-Identifier: Apache-2.0
// The host's compiler for programs of Node that load it when it is needed.
import type { CompilerLibrary, ProgramStore } from "@muxkit/loader";
import { setCompilerModeEdge } from "@muxkit/opencl";

import type { CompileThreads } from "./host-library.ts";
import { useHostCompiler } from "./late-compiler.ts";
import { NODE_COMPILER_MODE_EDGE } from "./library/compiler-mode-edge.ts";

/**
 * Provides devices with the compiler that `load` returns when a program is not in the store. `threads` have
 * the same one; null: everything is compiled by the calling thread. What that compiles runs by `compiling`.
 */
export function useNodeCompiler(
  load: () => CompilerLibrary,
  store: ProgramStore | null,
  threads: CompileThreads | null,
  compiling?: <T>(work: () => T) => T,
): void {
  setCompilerModeEdge(NODE_COMPILER_MODE_EDGE);
  useHostCompiler(load, store, threads, compiling);
}
