// SPDX-License-Identifier: Apache-2.0
// The host's build: what WebAssembly supplies to the build of CPU-like targets.
import { type CpuBuildRequest, buildCpuImage } from "@muxkit/compiler-base";
import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import { type ExecutableImage, writeExecutable } from "@muxkit/metadata";
import { generateModule, wasmMachine } from "@muxkit/wasm";

/** What to build. @public */
export interface BuildRequest extends CpuBuildRequest {
  /**
   * Features of the engine that the code may use, see `engineFeatures` of the runtime: `relaxed-simd`, `fused-madd`.
   */
  readonly features: readonly string[];
}

/** Section of the code. */
const SECTION = ".wasm";

/** Bytes of the executable. Throws InternalError when a pass is wrong. @public */
export function buildExecutable(request: BuildRequest): Uint8Array {
  return writeExecutable(buildImage(request));
}

/** The executable. Throws InternalError when a pass is wrong. */
export function buildImage(request: BuildRequest): ExecutableImage {
  return buildCpuImage(request, {
    target: "host",
    machine: wasmMachine(request.features),
    generate: (module, entries) => {
      const { bytes, features, memoryFlagOffset } = generateModule(module, {
        exports: entries,
        sharedMemory: true,
        features: request.features,
      });
      return { name: SECTION, bytes, features, patches: [sharedMemoryPatch(memoryFlagOffset)] };
    },
  });
}
