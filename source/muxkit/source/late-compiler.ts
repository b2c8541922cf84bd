// SPDX-License-Identifier: Apache-2.0
// The host's compiler, registered with the OpenCL package.
import type { CompilerLibrary, ProgramStore } from "@muxkit/loader";
import { setCompilers } from "@muxkit/opencl";

import { type CompileThreads, hostLibrary } from "./host-library.ts";

/** Provides devices with the host's compiler. Parameters and errors: those of {@link hostLibrary}. */
export function useHostCompiler(
  load: () => CompilerLibrary,
  store: ProgramStore | null,
  threads: CompileThreads | null,
  compiling?: <T>(work: () => T) => T,
): void {
  setCompilers(hostLibrary(load, store, threads, compiling));
}
