// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The page: the kernel suite in its main thread, then in a worker, then what is particular to browsers.
import type { RecordedCase } from "./case.ts";
import { runChecks } from "./checks.ts";
import { type Plan, report } from "./report.ts";
import type { SuiteMessage } from "./suite-worker.ts";
import { type SuiteResult, runSuite } from "./suite.ts";

/** ms between two signs of life. */
const SIGN_MS = 1000;

/** Tells the driver how many cases are done, now and then. */
function tellEach(where: string, of: number): (done: number) => void {
  let reported = 0;
  return (done) => {
    if (performance.now() - reported < SIGN_MS) return;
    reported = performance.now();
    void report({ kind: "progress", text: `${where}: ${done} of ${of}` });
  };
}

function inWorker(cases: readonly RecordedCase[], progress: (done: number) => void): Promise<SuiteResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./suite-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<SuiteMessage>) => {
      if ("done" in data) {
        progress(data.done);
        return;
      }
      worker.terminate();
      if ("result" in data) resolve(data.result);
      else reject(new Error(data.error));
    });
    worker.addEventListener("error", ({ message }) => reject(new Error(`the suite's worker failed: ${message}`)));
    // Workers have no origin to aim at.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(cases);
  });
}

/** What was warned of: in a page that is built and served as it should be, nothing is. */
const warnings: string[] = [];
console.warn = (...words: readonly unknown[]) => warnings.push(words.map(String).join(" "));

async function run(): Promise<void> {
  const response = await fetch("/plan.json");
  const plan = (await response.json()) as Plan;
  const page = await runSuite(plan.page, false, tellEach("page", plan.page.length));
  const worker = await inWorker(plan.worker, tellEach("worker", plan.worker.length));
  await report({ kind: "progress", text: "checks" });
  const checks = await runChecks();
  await report({ kind: "done", isolated: globalThis.crossOriginIsolated, page, worker, checks, warnings });
}

addEventListener("error", ({ message }) => void report({ kind: "error", text: message }));
addEventListener("unhandledrejection", ({ reason }) => void report({ kind: "error", text: String(reason) }));
run().catch((error: unknown) =>
  report({ kind: "error", text: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);
