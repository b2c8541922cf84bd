// SPDX-License-Identifier: Apache-2.0
// Visits of the playground on static hosting: the first one isolates the page by a service worker and loads it again,
// once; later ones find it isolated; without service workers it has one thread and says so.
import type { Browser, BrowserContext } from "playwright-core";

import type { FileServer } from "./browser.ts";
import { PLAYGROUND_BYTES } from "./budgets.ts";
import { frameShown } from "./tool-page.ts";

/** ms in which a page that loads itself again and again would do so. */
const QUIET = 1500;

interface Visit {
  /** How often the page was loaded. */
  readonly loads: number;
  /** ms from the start until the first frame is shown. */
  readonly firstFrame: number;
  /** Bytes that the server sent for it. */
  readonly bytes: number;
  readonly isIsolated: boolean;
  readonly cores: number;
  /** What the page says of its threads. */
  readonly threads: string;
  readonly why: string;
}

async function visit(context: BrowserContext, server: FileServer): Promise<Visit> {
  const page = await context.newPage();
  let loads = 0;
  page.on("domcontentloaded", () => loads++);
  const before = server.sent();
  const begin = performance.now();
  await page.goto(`${server.url}playground.html`, { waitUntil: "commit" });
  await frameShown(page);
  const firstFrame = performance.now() - begin;
  const bytes = server.sent() - before;
  await page.waitForTimeout(QUIET);
  const threads = (await page.locator(".mk-threads").textContent()) ?? "";
  const why = (await page.locator(".mk-threads").getAttribute("title")) ?? "";
  const found = await page.evaluate(() => ({
    isIsolated: crossOriginIsolated,
    cores: navigator.hardwareConcurrency,
  }));
  await page.close();
  return { loads, firstFrame, bytes, threads, why, ...found };
}

/** What is wrong with a visit that should end isolated after so many loads. */
function problemsOf(what: string, { loads, isIsolated, threads, cores }: Visit, expected: number): readonly string[] {
  const count = Number.parseInt(threads, 10);
  return [
    ...(loads === expected ? [] : [`${what} loads the page ${String(loads)} times, not ${String(expected)}`]),
    ...(isIsolated ? [] : [`${what} does not end in an isolated page`]),
    ...(count > 1 || cores === 1 ? [] : [`${what} ends with "${threads}" on ${String(cores)} cores`]),
  ];
}

/** Problems of the playground; prints what visits cost. */
export async function playgroundProblems(browser: Browser, server: FileServer): Promise<readonly string[]> {
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(server.url, { waitUntil: "networkidle" });
  const registered = await other.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  await other.close();
  await context.close();

  const fresh = await browser.newContext();
  const first = await visit(fresh, server);
  const second = await visit(fresh, server);
  await fresh.close();

  const blocking = await browser.newContext({ serviceWorkers: "block" });
  const alone = await visit(blocking, server);
  await blocking.close();

  for (const [what, { firstFrame, bytes, threads }] of Object.entries({ first, second, alone }))
    console.log(
      `playground, ${what}: first frame after ${firstFrame.toFixed(0)} ms, ${String(bytes)} bytes, ${threads}`,
    );
  return [
    ...(registered === 0 ? [] : ["the first page registers a service worker, which only the playground needs"]),
    ...problemsOf("the first visit of the playground", first, 2),
    ...problemsOf("the second visit of the playground", second, 1),
    ...(alone.loads === 1 ? [] : [`without service workers the playground is loaded ${String(alone.loads)} times`]),
    ...(alone.threads === "1 thread, not isolated" && alone.why.includes("service worker")
      ? []
      : [`without service workers the playground says "${alone.threads}", "${alone.why}"`]),
    ...[first, second, alone].flatMap(({ bytes }) =>
      bytes > PLAYGROUND_BYTES
        ? [`a visit of the playground costs ${String(bytes)} bytes, more than ${String(PLAYGROUND_BYTES)}`]
        : [],
    ),
  ];
}
