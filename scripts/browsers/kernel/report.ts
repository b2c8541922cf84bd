// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// What a page with one kernel reports.
import type { CheckResult } from "../project/checks.ts";

/** What is reported in the end. */
export interface KernelDone {
  readonly kind: "done";
  readonly isolated: boolean;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
}

const warnings: string[] = [];
console.warn = (...words: readonly unknown[]) => warnings.push(words.map(String).join(" "));

/** Elements of the arrays. */
export const COUNT: number = 1 << 20;
/** What the kernel reads. */
export const data: Float32Array<ArrayBuffer> = Float32Array.from({ length: COUNT }, (_, i) => i % 1000);
/** What it reads and writes. */
export const result: Float32Array<ArrayBuffer> = new Float32Array(COUNT).fill(1);

/** Reports what somebody expects of the result, of threads and of an error's sentence. */
export async function report(threads: number, failure: unknown, sentence: RegExp): Promise<void> {
  const wrong = result.findIndex((value, i) => value !== 2 * (i % 1000) + 1);
  const expected = crossOriginIsolated ? navigator.hardwareConcurrency : 1;
  const text = failure instanceof Error ? failure.message : String(failure);
  const checks: readonly CheckResult[] = [
    { name: "the result is right", failure: wrong < 0 ? null : `element ${wrong} is ${String(result[wrong])}` },
    {
      name: "threads are there exactly where the page is isolated",
      failure: threads === expected ? null : `${threads} threads, not ${expected}`,
    },
    { name: "an error says what is wrong", failure: sentence.test(text) ? null : text },
  ];
  const done: KernelDone = { kind: "done", isolated: crossOriginIsolated, checks, warnings };
  await fetch("/report", { method: "POST", body: JSON.stringify(done) });
}

const tell = (text: string): void => {
  void fetch("/report", { method: "POST", body: JSON.stringify({ kind: "error", text }) });
};
addEventListener("error", ({ message }) => tell(message));
addEventListener("unhandledrejection", ({ reason }) => tell(String(reason)));
