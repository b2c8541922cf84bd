// SPDX-License-Identifier: Apache-2.0
// Executables as bytes: read, then loaded.
import { err, type Result } from "@muxkit/cargo";
import { isVerifiedCode, readExecutable } from "@muxkit/metadata";

import type { CodeError } from "./code-store.ts";
import type { DeviceCore } from "./device-core.ts";
import { compileOptimized } from "./engine.ts";
import { LoadedExecutable, codeOf, isOurs, wantedSections } from "./loaded-executable.ts";
import { type WasmModule, webAssembly } from "./web-assembly.ts";

/** Reads and compiles an executable; see {@link LoadedExecutable.load}. */
export function loadExecutable(
  core: DeviceCore,
  bytes: Uint8Array,
  sameProgram: LoadedExecutable | null,
): Result<LoadedExecutable, CodeError> {
  const read = readExecutable(bytes);
  return read.ok
    ? LoadedExecutable.load(core, read.value, sameProgram, { isVerified: () => isVerifiedCode(bytes) })
    : err({ code: "invalid_binary", message: read.error.message });
}

/**
 * Has the engine make native code of what an executable runs here, with its optimising compiler, whatever the size: for
 * a thread that has time. As long as the result is held, devices of this process with shared memory load the executable
 * with this native code, at once. Empty for executables that this target cannot run; `muxCreateExecutable` says why.
 *
 * @public
 */
export function optimizeCode(executable: Uint8Array): readonly WasmModule[] {
  const read = readExecutable(executable);
  if (!read.ok || read.value.target !== "host") return [];
  const { value: image } = read;
  const wanted = wantedSections(image);
  return image.code.flatMap((section) => {
    const bytes = isOurs(section) && wanted.has(section.name) ? codeOf(section, true) : null;
    return bytes === null || !webAssembly.validate(bytes) ? [] : [compileOptimized(bytes)];
  });
}
