// SPDX-License-Identifier: Apache-2.0
// Shows a page in a browser until it reports that it is done.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

import { type BrowserName, startBrowser } from "./browser.ts";
import type { Sign } from "./project/report.ts";
import { serve } from "./server.ts";

/** A page that sends nothing for so long has failed. */
const SILENCE_MS = 120_000;

/** What is shown, and in which browser. */
export interface Showing {
  readonly browser: BrowserName;
  /** The browser's program. */
  readonly program: string;
  /** Folder of the built page. */
  readonly page: string;
  /** What the page finds as `/plan.json`. */
  readonly plan: Uint8Array;
  readonly isolated: boolean;
  /** Folder for what the browser writes. */
  readonly work: string;
}

/**
 * Shows a page until it is done, fails or falls silent: what it reports last, or what went wrong. The caller says what
 * its page reports.
 */
export async function showPage<Done extends { readonly kind: "done" }>({
  browser,
  program,
  page,
  plan,
  isolated,
  work,
}: Showing): Promise<Done | string> {
  let finish = (_done: Done | string): void => {};
  const answer = new Promise<Done | string>((resolve) => {
    finish = resolve;
  });
  let last = "nothing";
  let timer = setTimeout(() => {}, 0);
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => finish(`silent for ${SILENCE_MS / 1000} s; last sign of life: ${last}`), SILENCE_MS);
  };
  const server = await serve(page, plan, isolated, (text) => {
    const message = JSON.parse(text) as Sign | Done;
    wait();
    if (message.kind === "done") finish(message);
    else if (message.kind === "error") finish(message.text);
    else last = message.text;
  });
  wait();
  const folder = mkdtempSync(join(work, `${browser}-`));
  const running = startBrowser(browser, program, folder, server.url);
  void running.ended.then((output) => finish(`the browser ended; last sign of life: ${last}\n${output}`));
  const result = await answer;
  clearTimeout(timer);
  running.kill();
  await running.ended;
  server.close();
  return result;
}
