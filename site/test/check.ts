// SPDX-License-Identifier: Apache-2.0
// Checks the site that was built under /muxkit/: links and anchors, what each page costs, and that pages ask no other
// host, throw nothing and do not scroll sideways on phones, in light and in dark.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Browser } from "playwright-core";

import { DOCUMENT_BYTES, FIRST_VIEW_BYTES, INTERACTIVE_MS, LAYOUT_SHIFT } from "./budgets.ts";
import { playgroundUseProblems } from "./playground-browser.ts";
import { explorerProblems } from "./playground-explorer.ts";
import { firefoxProblems } from "./playground-firefox.ts";
import { pictureProblems } from "./playground-pictures.ts";
import { playgroundProblems } from "./playground-visit.ts";
import { serveFolder, startBrowser } from "./browser.ts";

const BASE = "/muxkit/";
const folder = join(import.meta.dirname, "../../out/site");
const PAGES = [
  "",
  "learn/first-kernel.html",
  "guides/",
  "evidence/",
  "evidence/speed.html",
  "reference/api/muxkit.html",
];
/** Pages that are long documents. */
const LONG = /speed|\/api\//u;
const SCREENS = [
  { width: 1280, height: 900, colorScheme: "light" },
  { width: 390, height: 844, colorScheme: "dark" },
] as const;

/** Links that lead to no page or to no anchor of it. */
function deadLinks(): readonly string[] {
  const texts = new Map(
    globSync("**/*.html", { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), "utf8")] as const),
  );
  if (texts.size < 100) return [`only ${String(texts.size)} pages were built`];
  const anchors = new Map(
    [...texts].map(([file, text]) => [file, new Set([...text.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id))]),
  );
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/<a[^>]* href="([^"]+)"/gu)].flatMap(([, href = ""]) => {
      const url = new URL(href, `http://site${BASE}${file}`);
      if (url.host !== "site") return [];
      const path = decodeURIComponent(url.pathname).slice(BASE.length);
      const target = path === "" || path.endsWith("/") ? `${path}index.html` : path.replace(/(?<!\.html)$/u, ".html");
      const known = url.pathname.startsWith(BASE) ? anchors.get(target) : undefined;
      const anchor = decodeURIComponent(url.hash.slice(1));
      return known === undefined || (anchor !== "" && !known.has(anchor)) ? [`${file}: ${href} leads nowhere`] : [];
    }),
  );
}

/** What is wrong with a page on a screen. */
async function problemsOf(browser: Browser, url: string, screen: (typeof SCREENS)[number]): Promise<readonly string[]> {
  const page = await browser.newPage({ viewport: screen, colorScheme: screen.colorScheme });
  const problems: string[] = [];
  let bytes = 0;
  page.on("pageerror", (error) => problems.push(`throws ${error.message}`));
  page.on("request", (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|data:|blob:)/u.test(request.url())) problems.push(`asks ${request.url()}`);
  });
  page.on("response", (response) => {
    bytes += Number(response.headers()["content-length"] ?? 0);
    if (response.status() >= 400) problems.push(`lacks ${response.url()}`);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  const { over, shift, ready, isDark } = await page.evaluate(
    () =>
      new Promise<{ over: number; shift: number; ready: number; isDark: boolean }>((resolve) => {
        let moved = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) moved += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: "layout-shift", buffered: true });
        const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
        const root = document.documentElement;
        setTimeout(() => {
          resolve({
            over: root.scrollWidth - innerWidth,
            shift: moved,
            ready: navigation?.loadEventEnd ?? Infinity,
            isDark: root.classList.contains("dark"),
          });
        }, 100);
      }),
  );
  if (over > 0) problems.push(`is ${String(over)} pixels wider than the screen`);
  if (shift > LAYOUT_SHIFT) problems.push(`moves while it loads: ${shift.toFixed(3)}`);
  if (ready > INTERACTIVE_MS) problems.push(`is ready after ${ready.toFixed(0)} ms`);
  const most = LONG.test(url) ? DOCUMENT_BYTES : FIRST_VIEW_BYTES;
  if (bytes > most) problems.push(`costs ${String(bytes)} bytes, more than ${String(most)}`);
  if (isDark !== (screen.colorScheme === "dark")) problems.push(`is not ${screen.colorScheme}`);
  console.log(`${String(screen.width)} ${url}: ${String(bytes)} bytes, ready after ${ready.toFixed(0)} ms`);
  await page.close();
  return problems.map((problem) => `${url} on ${String(screen.width)} pixels ${problem}`);
}

/** True when the search of the first page finds the page to learn from for a word, before all others. */
async function searchFinds(browser: Browser, url: string): Promise<boolean> {
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill("barrier");
  const isFound = await page
    .locator("#localsearch-list .result")
    .first()
    .filter({ hasText: "Work-groups and barriers" })
    .waitFor({ timeout: 20_000 })
    .then(
      () => true,
      () => false,
    );
  await page.close();
  return isFound;
}

const problems: string[] = [...deadLinks()];
const browser = await startBrowser();
if (browser === null) console.log("!! chromium is not here: pages were not opened");
else {
  const server = await serveFolder(folder, BASE);
  for (const screen of SCREENS)
    for (const path of PAGES)
      // One page at a time, so that its times are its own.
      // oxlint-disable-next-line no-await-in-loop
      problems.push(...(await problemsOf(browser, server.url + path, screen)));
  if (!(await searchFinds(browser, server.url)))
    problems.push('the search does not find "Work-groups and barriers" first');
  problems.push(...(await playgroundProblems(browser, server)));
  problems.push(...(await playgroundUseProblems(browser, `${server.url}playground.html`)));
  problems.push(...(await pictureProblems(browser, `${server.url}playground.html`)));
  problems.push(...(await explorerProblems(browser, `${server.url}explorer.html`)));
  problems.push(...(await firefoxProblems(server.url)));
  await browser.close();
  await server.close();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
