// SPDX-License-Identifier: Apache-2.0
// The server's thread that compiles variants of kernels while launches go on: it loads the script of the compiler, with
// what the engine made of it when the driver was installed.
import { workerData } from "node:worker_threads";

import { type CompileThreadData, runCompileThread } from "muxkit/parts";
import { DiskStore, Scripts } from "muxkit/start";

import type { CompilerPart } from "./compiler-part.ts";

const data = workerData as CompileThreadData;
const folder = typeof data.more === "string" && data.more !== "" ? data.more : null;
const scripts = new Scripts(import.meta.dirname, folder === null ? null : new DiskStore(folder));
runCompileThread(data, scripts.load("compiler-part.cjs") as CompilerPart);
