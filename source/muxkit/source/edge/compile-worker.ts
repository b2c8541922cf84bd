// SPDX-License-Identifier: Apache-2.0
// The thread that compiles, of programs that load this package as a library.
import { compilers } from "@muxkit/host-compiler/native";
import { workerData } from "node:worker_threads";

import { runCompileThread } from "./compile-jobs.ts";
import type { CompileThreadData } from "./compile-port.ts";

runCompileThread(workerData as CompileThreadData, { compilers });
