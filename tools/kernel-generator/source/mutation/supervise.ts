// SPDX-License-Identifier: Apache-2.0
// Hunts in processes of their own, each kernel with a deadline: a wrong compiler may make code that never ends, or
// never end itself, and then that is what shows it.
import { fork } from "node:child_process";
import { once } from "node:events";

import type { Hunt } from "./hunt.ts";
import type { HuntMessage } from "./hunt-job.ts";

/**
 * Milliseconds that a kernel may take by all ways: a right one takes less than a second, and code that can be cancelled
 * is.
 */
const MOST_MS = 120_000;

/** What to run, and how long it may take. */
export interface HuntJob {
  /** Program that reports each kernel and the result, as `hunt-job.ts` does. */
  readonly program: string;
  readonly words: readonly string[];
  readonly mostMs?: number;
}

/** Runs a hunt. A kernel that does not end in time, and a process that ends without a result, have found the mutant. */
export async function superviseHunt({ program, words, mostMs = MOST_MS }: HuntJob): Promise<Hunt> {
  const child = fork(program, words, { execArgv: ["--conditions=source"] });
  let [kernels, seed] = [0, 0];
  let result: Hunt | null = null;
  let late = false;
  const stop = (): void => {
    late = true;
    child.kill("SIGKILL");
  };
  let timer = setTimeout(stop, mostMs);
  child.on("message", (message) => {
    const told = message as HuntMessage;
    clearTimeout(timer);
    if ("result" in told) ({ result } = told);
    else {
      ({ kernel: kernels, seed } = told);
      timer = setTimeout(stop, mostMs);
    }
  });
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  if (result !== null) return result;
  if (late) return { kernels, seed, shown: "does not end" };
  if (kernels === 0) throw new Error(`a hunt ended with ${code} before its first kernel: ${words.join(" ")}`);
  return { kernels, seed, shown: `the process ended with ${code}` };
}
