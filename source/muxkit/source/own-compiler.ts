// The host's compiler for programs that load this package as a library: it is loaded with it, and what it makes is kept on disk.
import { compilers } from "@muxkit/host-compiler";

import { setCompilerModeEdge } from "@muxkit/opencl";

import { programStore } from "./cache/cache-folder.ts";
import { useHostCompiler } from "./late-compiler.ts";
import { NODE_COMPILER_MODE_EDGE } from "./library/compiler-mode-edge.ts";

let isReady = false;

/** Gives devices the compiler, once. */
export function useOwnCompiler(): void {
  if (isReady) return;
  isReady = true;
  setCompilerModeEdge(NODE_COMPILER_MODE_EDGE);
  useHostCompiler(() => ({ compilers }), programStore(process.env));
}
