// SPDX-License-Identifier: Apache-2.0
// The host's compiler, registered with the OpenCL package.
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { type CompilePort, type CompilerLibrary, type ProgramStore, lateLibrary } from "@muxkit/loader";
import { setCompilers } from "@muxkit/opencl";

/**
 * Provides devices with the host's compiler, which `load` returns when it is needed; stored programs do without.
 * `startThread` starts a thread with the same one; null: everything is compiled by the calling thread. What that
 * compiles runs by `compiling`.
 */
export function useHostCompiler(
  load: () => CompilerLibrary,
  store: ProgramStore | null,
  startThread: (() => CompilePort) | null,
  compiling: <T>(work: () => T) => T = (work) => work(),
): void {
  setCompilers(
    lateLibrary([HOST_COMPILER_FACTS], load, store, {
      compiling,
      ...(startThread === null ? {} : { startThread }),
    }),
  );
}
