// SPDX-License-Identifier: Apache-2.0
// The host's compiler for programs that load this package as a library: it is loaded with it, and what it makes is kept
// on disk where there is one.
import { compilers } from "#compilers";
import { EDGE } from "#edge";

import { setCompilerModeEdge } from "@muxkit/opencl";

import { useHostCompiler } from "./late-compiler.ts";

let isReady = false;

/** Provides devices with the compiler, once. */
export function useOwnCompiler(): void {
  if (isReady) return;
  setCompilerModeEdge(EDGE.compilerMode);
  EDGE.useTargets();
  useHostCompiler(() => ({ compilers }), EDGE.programStore(), EDGE.compileThreads);
  isReady = true;
}
