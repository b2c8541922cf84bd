// SPDX-License-Identifier: Apache-2.0
// What the thread of Node runs that compiles: the other end of compile-port.ts. It makes native code of what it has
// compiled, too: code that the engine would first run unoptimised is slower, for many launches, than what runs until
// then. The engine gives that native code to every thread that loads equal bytes.
import { optimizeCode } from "@muxkit/host";
import { type CompileJob, type CompilerLibrary, compileAnswers } from "@muxkit/loader";

import type { CompileThreadData } from "./compile-port.ts";

/** Executables whose native code is held, for launches that have not come yet. */
const MOST_HELD = 8;

/** Native code of an executable; none where the engine has no room for it now. Devices that load it report that. */
function nativeCode(executable: Uint8Array): ReturnType<typeof optimizeCode> {
  try {
    return optimizeCode(executable);
  } catch {
    return [];
  }
}

/** Does jobs as they come, each by `compiling`, on the thread that `startCompileThread` has started. */
export function runCompileThread(
  { port, sent }: Pick<CompileThreadData, "port" | "sent">,
  library: CompilerLibrary,
  compiling: <T>(work: () => T) => T = (work) => work(),
): void {
  const answer = compileAnswers(library);
  const held: ReturnType<typeof optimizeCode>[] = [];
  port.on("message", (job: CompileJob) => {
    const done = compiling(() => answer(job));
    if (typeof done.made !== "string" && "binary" in done.made && held.push(nativeCode(done.made.binary)) > MOST_HELD)
      held.shift();
    port.postMessage(done);
    Atomics.add(sent, 0, 1);
    Atomics.notify(sent, 0);
  });
}
