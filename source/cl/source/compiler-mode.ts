// SPDX-License-Identifier: Apache-2.0
// cl_altera_compiler_mode: how programs of a context are built. What is outside (environment variables, files) is
// handed in.
import type { Result } from "@muxkit/cargo";

import {
  CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_USE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA,
} from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";

/** What an entry of a program library is found by. @public */
export interface LibraryEntry {
  /** First word of the device's name: see {@link deviceWord}. */
  readonly device: string;
  /** The source, all of its texts joined. */
  readonly source: string;
  /** The options as they were passed to clBuildProgram. */
  readonly options: string;
}

/**
 * Programs by device, source and options, which are compiled outside of the host program. Errors are sentences: what,
 * where, what to do.
 *
 * @public
 */
export interface ProgramLibrary {
  /** Where it is, for messages: an absolute path where there are files. */
  readonly root: string;
  /** Adds an entry with instructions to compile it, unless it is there: where it is. */
  add(entry: LibraryEntry): Result<string, string>;
  /** The binary that was compiled for an entry. */
  find(entry: LibraryEntry): Result<Uint8Array, string>;
}

/** What the extension needs of the outside. @public */
export interface CompilerModeEdge {
  /** The value of an environment variable; undefined: it is not set. */
  readonly variable: (name: string) => string | undefined;
  /** Opens the library at a root, which is resolved now; null: at the default root. */
  readonly openLibrary: (root: string | null) => ProgramLibrary;
  /** The binary that the device counts as loaded with; null: none. Error: a sentence. */
  readonly preloadedBinary: () => Result<Uint8Array | null, string>;
}

/** How programs of a context are built. @internal */
export interface CompilerMode {
  /** One of the values of CL_CONTEXT_COMPILER_MODE_ALTERA. */
  readonly value: number;
  /** The library of the two modes that have one; null in the others. */
  readonly library: ProgramLibrary | null;
}

const OFFLINE_DEVICE = "CL_CONTEXT_OFFLINE_DEVICE_ALTERA";
const COMPILER_MODE = "CL_CONTEXT_COMPILER_MODE_ALTERA";
const LIBRARY_ROOT = "CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA";

/** The properties of the extension, as clCreateContext takes them. */
export interface CompilerModeProperties {
  /** See ContextProperties. */
  readonly [COMPILER_MODE]?: number;
  /** See ContextProperties. */
  readonly [LIBRARY_ROOT]?: string;
  /** See ContextProperties. */
  readonly [OFFLINE_DEVICE]?: string;
}

const MODES: readonly number[] = [
  CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_USE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_PRELOADED_BINARY_ONLY_ALTERA,
];
const LIBRARY_MODES: ReadonlySet<number> = new Set([
  CL_CONTEXT_COMPILER_MODE_OFFLINE_CREATE_EXE_LIBRARY_ALTERA,
  CL_CONTEXT_COMPILER_MODE_OFFLINE_USE_EXE_LIBRARY_ALTERA,
]);

let edge: CompilerModeEdge | null = null;
/** The offline device as the first call of the platform found it; undefined before that. */
let offlineDevice: string | null | undefined;

/**
 * Provides the extension cl_altera_compiler_mode with its access to the outside. Without it there is no library, and
 * environment variables are not seen.
 *
 * @public
 */
export function setCompilerModeEdge(outside: CompilerModeEdge | null): void {
  edge = outside;
  offlineDevice = undefined;
}

/** What was handed in. */
export function compilerModeEdge(): CompilerModeEdge | null {
  return edge;
}

/** The variable's value; null: it is not set, or empty. */
function variable(name: string): string | null {
  const value = edge?.variable(name);
  return value === undefined || value === "" ? null : value;
}

/**
 * The name of the device that CL_CONTEXT_OFFLINE_DEVICE_ALTERA requests; null: none. The variable is read when this is
 * first asked.
 */
export function offlineDeviceName(): string | null {
  if (offlineDevice === undefined) offlineDevice = variable(OFFLINE_DEVICE);
  return offlineDevice;
}

/**
 * The first word of a device's name as a C identifier: what CL_CONTEXT_OFFLINE_DEVICE_ALTERA names a device by, and
 * program libraries too.
 *
 * @public
 */
export function deviceWord(deviceName: string): string {
  const [word = ""] = deviceName.trim().split(/\s+/u);
  const name = word.replaceAll(/^\W+|\W+$/gu, "").replaceAll(/\W/gu, "_");
  return /^\d/u.test(name) ? `_${name}` : name;
}

/** The checks of the extension's properties. */
export const COMPILER_MODE_PROPERTIES: {
  readonly [Name in keyof CompilerModeProperties]-?: (call: string, value: unknown) => void;
} = {
  [COMPILER_MODE]: (call, value) => {
    ensure(
      typeof value === "number" && MODES.includes(value),
      "CL_INVALID_PROPERTY",
      call,
      () => `${COMPILER_MODE} is ${MODES.join(", ")}, not ${String(value)}`,
    );
  },
  [LIBRARY_ROOT]: (call, value) => {
    ensure(
      typeof value === "string" && value !== "",
      "CL_INVALID_PROPERTY",
      call,
      `${LIBRARY_ROOT} is the name of a folder`,
    );
  },
  [OFFLINE_DEVICE]: (call, value) => {
    ensure(
      typeof value === "string" && value !== "",
      "CL_INVALID_PROPERTY",
      call,
      `${OFFLINE_DEVICE} is the first word of the name of a device`,
    );
    const name = offlineDeviceName();
    ensure(
      name === value,
      "CL_INVALID_PROPERTY",
      call,
      () =>
        `${OFFLINE_DEVICE} is "${value}" here, and the environment variable ` +
        `${name === null ? "was not set" : `was "${name}"`} when the platform was first ` +
        "called; set it to the same name before the program begins",
    );
  },
};

/** The value of the variable; its default when it is not set. */
function modeOfVariable(call: string): number {
  const text = variable(COMPILER_MODE);
  if (text === null) return CL_CONTEXT_COMPILER_MODE_OFFLINE_ALTERA;
  const value = Number(text);
  ensure(
    MODES.includes(value),
    "CL_INVALID_PROPERTY",
    call,
    `the environment variable ${COMPILER_MODE} is ${MODES.join(", ")}, not "${text}"`,
  );
  return value;
}

/**
 * The mode of a new context: from a property, or else from the environment variable of its name. Properties were
 * checked.
 */
export function compilerModeOf(call: string, properties: CompilerModeProperties | null): CompilerMode {
  const value = properties?.[COMPILER_MODE] ?? modeOfVariable(call);
  if (!LIBRARY_MODES.has(value)) return { value, library: null };
  if (edge === null)
    throw new OpenCLError(
      "CL_INVALID_PROPERTY",
      call,
      "there is no file system for a program library here; pass one to " +
        "setCompilerModeEdge, or use muxkit/opencl in Node",
    );
  return { value, library: edge.openLibrary(properties?.[LIBRARY_ROOT] ?? variable(LIBRARY_ROOT)) };
}
