// What a page tells the driver: one message at the end, and signs of life before.
import type { RecordedCase } from "./case.ts";
import type { CheckResult } from "./checks.ts";
import type { SuiteResult } from "./suite.ts";

/** What the driver asks of a page. */
export interface Plan {
  /** Cases for the page's main thread. */
  readonly page: readonly RecordedCase[];
  /** Cases for a worker of it. */
  readonly worker: readonly RecordedCase[];
}

/** A message of a page. */
export type Message =
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "done"; readonly isolated: boolean; readonly page: SuiteResult; readonly worker: SuiteResult; readonly checks: readonly CheckResult[]; readonly warnings: readonly string[] };

/** Sends a message to the driver. */
export async function report(message: Message): Promise<void> {
  await fetch("/report", { method: "POST", body: JSON.stringify(message) });
}
