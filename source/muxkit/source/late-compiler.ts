// SPDX-License-Identifier: Apache-2.0
// The host's compiler, registered with the OpenCL package.
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import { type CompilerLibrary, type ProgramStore, lateLibrary } from "@muxkit/loader";
import { setCompilers } from "@muxkit/opencl";

/**
 * Provides devices with the host's compiler, which `load` returns when it is needed; stored programs do without.
 */
export function useHostCompiler(load: () => CompilerLibrary, store: ProgramStore | null): void {
  setCompilers(lateLibrary([HOST_COMPILER_FACTS], load, store));
}
