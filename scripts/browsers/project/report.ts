// SPDX-License-Identifier: Apache-2.0
// What a page reports to the driver: one message at the end, and signs of life before.
import type { RecordedCase } from "./case.ts";
import type { CheckResult } from "./checks.ts";
import type { SuiteResult } from "./suite.ts";

/** What the driver requests of a page. */
export interface Plan {
  /** Cases for the page's main thread. */
  readonly page: readonly RecordedCase[];
  /** Cases for a worker of it. */
  readonly worker: readonly RecordedCase[];
}

/** A sign of life of a page, or what ended it. */
export interface Sign {
  readonly kind: "progress" | "error";
  readonly text: string;
}

/** What the suite's page reports in the end. */
export interface SuiteDone {
  readonly kind: "done";
  readonly isolated: boolean;
  readonly page: SuiteResult;
  readonly worker: SuiteResult;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
}

/** Sends a message to the driver. */
export async function report(message: Sign | SuiteDone): Promise<void> {
  await fetch("/report", { method: "POST", body: JSON.stringify(message) });
}
