// SPDX-License-Identifier: Apache-2.0
// Builds that compile nothing, and what builds store for later ones (cl_altera_compiler_mode).
import { type BuiltProgram, loadBinary } from "./built-program.ts";
import { deviceWord, type LibraryEntry } from "./compiler-mode.ts";
import { CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA } from "./generated/constants.ts";
import { OpenCLError } from "./error.ts";
import type { Device } from "./platform.ts";
import type { Program } from "./program.ts";

function entryOf({ source, options }: Program, device: Device): LibraryEntry {
  return { device: deviceWord(device.info.deviceName), source, options: options.get(device) ?? "" };
}

/** Records in the program the error of a failed build, and throws it. */
function fail(program: Program, device: Device, call: string, message: string): never {
  program.logs.set(device, `${message}\n`);
  program.statuses.set(device, "CL_BUILD_ERROR");
  throw new OpenCLError("CL_BUILD_PROGRAM_FAILURE", call, message);
}

/**
 * The code that a build yields in the context's mode: what the device was loaded with, or what the library has; null:
 * it is compiled.
 */
export function builtByMode(program: Program, device: Device, call: string): BuiltProgram | null {
  const {
    preloaded,
    compilerMode: { library, value },
  } = program.context;
  if (preloaded !== null) return preloaded;
  const isStored = program.hasSource && program.il === null;
  if (library === null || value === CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA || !isStored)
    return null;
  const found = library.find(entryOf(program, device));
  return found.ok ? loadBinary(device, found.value, call) : fail(program, device, call, found.error);
}

/** Where the context makes a library, the build gets an entry there. */
export function addToLibrary(program: Program, device: Device, call: string): void {
  const { library, value } = program.context.compilerMode;
  if (library === null || value !== CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA || program.il !== null)
    return;
  const added = library.add(entryOf(program, device));
  if (!added.ok) fail(program, device, call, added.error);
  program.logs.set(
    device,
    `${program.logs.get(device) ?? ""}a stub was built; compile the program in ${added.value}\n`,
  );
}
