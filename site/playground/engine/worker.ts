// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
// The worker of the playground. One script serves two threads: one runs kernels, one answers what is typed.
import { check } from "./check.ts";
import type { AnswerMessage, RequestMessage, RequestName, Requests } from "./protocol.ts";
import { Runner } from "./runner.ts";

type Answers = { readonly [K in RequestName]: (ask: Requests[K]["ask"]) => Promise<Requests[K]["answer"]> };

const runner = new Runner();

const ANSWERS: Answers = {
  open: (ask) => runner.open(ask),
  load: (ask) => Promise.resolve(runner.load(ask)),
  frame: (ask) => runner.frame(ask),
  compare: (ask) => runner.compare(ask),
  check: ({ source }) => Promise.resolve({ findings: check(source) }),
  // The playground does without it, and what it needs to print stages is not small.
  explore: async (ask) => (await import("./explore.ts")).explore(ask),
};

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

async function answer({ id, name, ask }: RequestMessage): Promise<AnswerMessage> {
  try {
    return { id, answer: await (ANSWERS[name] as (asked: unknown) => Promise<unknown>)(ask) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

let before: Promise<void> = Promise.resolve();

scope.addEventListener("message", ({ data }: MessageEvent<RequestMessage>) => {
  before = before.then(async () => {
    const message = await answer(data);
    // Workers have no origin to aim at.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    scope.postMessage(message);
  });
});
