// SPDX-License-Identifier: Apache-2.0
// What the thread of Node runs that compiles: the other end of compile-port.ts.
import { type CompileJob, type CompilerLibrary, compileAnswers } from "@muxkit/loader";

import type { CompileThreadData } from "./compile-port.ts";

/** Does jobs as they come, on the thread that `startCompileThread` has started. */
export function runCompileThread(
  { port, sent }: Pick<CompileThreadData, "port" | "sent">,
  library: CompilerLibrary,
): void {
  const answer = compileAnswers(library);
  port.on("message", (job: CompileJob) => {
    port.postMessage(answer(job));
    Atomics.add(sent, 0, 1);
    Atomics.notify(sent, 0);
  });
}
