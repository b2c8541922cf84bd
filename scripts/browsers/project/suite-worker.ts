// SPDX-License-Identifier: Apache-2.0
// The kernel suite in a worker of the page, where calls may block.
import type { RecordedCase } from "./case.ts";
import { type SuiteResult, runSuite } from "./suite.ts";

/** What the page receives: signs of life, and the end. */
export type SuiteMessage = { readonly done: number } | { readonly result: SuiteResult } | { readonly error: string };

/** What there is in a worker. */
interface Scope {
  addEventListener(type: "message", listener: (event: { readonly data: readonly RecordedCase[] }) => void): void;
  postMessage(message: SuiteMessage): void;
}

const scope = globalThis as unknown as Scope;
scope.addEventListener("message", ({ data }) => {
  // Workers have no origin to aim at.
  // oxlint-disable unicorn/require-post-message-target-origin
  void runSuite(data, true, (done) => scope.postMessage({ done })).then(
    (result) => scope.postMessage({ result }),
    (error: unknown) => scope.postMessage({ error: String(error) }),
  );
  // oxlint-enable unicorn/require-post-message-target-origin
});
