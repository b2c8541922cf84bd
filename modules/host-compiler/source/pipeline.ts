// SPDX-License-Identifier: Apache-2.0
// The host's build: what WebAssembly supplies to the build of CPU-like targets, unless native code is asked for.
import { type CpuBackend, type CpuBuildRequest, buildCpuImage } from "@muxkit/compiler-base";
import type { Module } from "@muxkit/ir";
import { sharedMemoryPatch } from "@muxkit/kernel-abi";
import { type CodeSection, type ExecutableImage, writeExecutable } from "@muxkit/metadata";
import { generateModule, wasmMachine } from "@muxkit/wasm";

/** What to build. @public */
export interface BuildRequest extends CpuBuildRequest {
  /**
   * Features of the engine that the code may use, see `engineFeatures` of the runtime: `relaxed-simd`, `fused-madd`.
   */
  readonly features: readonly string[];
  /** Makes machine code in place of WebAssembly; absent, null: nothing does. */
  readonly native?: CpuBackend | null;
}

/** Section of the code. */
const SECTION = ".wasm";

/**
 * Bytes of the executable. Throws InternalError when a pass is wrong, and EngineLimitError for code that no engine
 * takes.
 *
 * @public
 */
export function buildExecutable(request: BuildRequest): Uint8Array {
  return writeExecutable(buildImage(request));
}

/** The code of a lowered module for engines with some features. */
export function generateCode(module: Module, entries: readonly string[], engine: readonly string[]): CodeSection {
  const { bytes, features, memoryFlagOffset } = generateModule(module, {
    exports: entries,
    sharedMemory: true,
    features: engine,
  });
  return { name: SECTION, bytes, features, patches: [sharedMemoryPatch(memoryFlagOffset)] };
}

/** The executable. Throws InternalError when a pass is wrong. */
export function buildImage(request: BuildRequest): ExecutableImage {
  const { features, native = null } = request;
  return buildCpuImage(
    request,
    native ?? {
      target: "host",
      machine: wasmMachine(features),
      generate: (module, entries) => generateCode(module, entries, features),
    },
  );
}
