// SPDX-License-Identifier: Apache-2.0
// The server's thread that compiles variants of kernels while launches go on: it loads the script of the compiler, with
// what the engine made of it when the driver was installed, and compiles as patiently as the server's first thread.
import { workerData } from "node:worker_threads";

import { type CompileThreadData, runCompileThread } from "muxkit/parts";
import { DiskStore, Scripts, Tiering } from "muxkit/start";

import type { CompilerPart } from "./compiler-part.ts";

/** What the server says to the threads that compile. */
export interface CompileSurroundings {
  /** Where the engine's form of the scripts is kept; empty: nowhere. */
  readonly folder: string;
  /** The `shared` of the first thread's {@link Tiering}. */
  readonly tiering: Int32Array;
}

const data = workerData as CompileThreadData;
const { folder, tiering: shared } = data.more as CompileSurroundings;
const tiering = new Tiering(shared, "serving");
const scripts = new Scripts(import.meta.dirname, folder === "" ? null : new DiskStore(folder), tiering);
runCompileThread(data, scripts.load("compiler-part.cjs") as CompilerPart, (work) => tiering.patiently(work));
