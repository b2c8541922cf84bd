// SPDX-License-Identifier: Apache-2.0
// What this package takes from the system around it, apart from what devices do: package.json's `imports` say which
// file gives it where.
import type { ProgramStore } from "@muxkit/loader";
import type { CompilerModeEdge } from "@muxkit/opencl";

import type { CompileThreads } from "../host-library.ts";

/** See the file's head. */
export interface Edge {
  /** Where built programs are kept; null: nowhere. */
  readonly programStore: () => ProgramStore | null;
  /** Files and variables of cl_altera_compiler_mode; null: there are none. */
  readonly compilerMode: CompilerModeEdge | null;
  /** Threads that compile; null: there are none. */
  readonly compileThreads: CompileThreads | null;
  /** Collects what nobody refers to, where code may ask for that. */
  readonly collectGarbage: () => void;
  /** Loads the targets that the environment names. Throws a SettingError. */
  readonly useTargets: () => void;
  /** Registers the GPUs of this machine, once: why there is none, as a sentence, which is empty where there are. */
  readonly useGpus: () => string;
  /** The device that the environment chooses; undefined: it chooses none. */
  readonly chosenDevice: () => string | undefined;
}
