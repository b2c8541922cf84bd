// SPDX-License-Identifier: Apache-2.0
// Uses the playground and the explorer in Firefox: a kernel runs, an error is underlined, a link opens again, and
// nobody complains in the console. Chromium does more of it, in `playground-browser.ts`.
import { type FirefoxPage, KEYS, startFirefox } from "./firefox.ts";
import { MISSPELT } from "./tool-page.ts";

/** True: an element has this text in it. */
function has(selector: string, text: string): string {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].some((e) => e.textContent.includes(${JSON.stringify(text)}))`;
}

/** What is tried, by what has to hold. Throws an Error where it does not. */
const CHECKS: Readonly<Record<string, (page: FirefoxPage, url: string) => Promise<void>>> = {
  "a kernel runs": async (page, url) => {
    await page.open(`${url}playground.html#life`);
    await page.until("a frame has a time", has(".mk-time", "ms"));
    const colors = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector(".mk-canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    if (colors < 2) throw new Error(`the picture has ${String(colors)} colours`);
  },
  "threads share memory": async (page) => {
    await page.until("the page is isolated", "crossOriginIsolated");
    await page.until("threads are counted", has(".mk-threads", "thread"));
    const threads = await page.evaluate<string>('document.querySelector(".mk-threads").textContent');
    if (threads.includes("not isolated")) throw new Error(`the page says "${threads}"`);
  },
  "an error is underlined": async (page) => {
    await page.until("the editor is there", 'document.querySelector(".cm-content") !== null');
    await page.evaluate('document.querySelector(".cm-content").focus()');
    await page.press([KEYS.control, "a", KEYS.delete, ...MISSPELT.split("")]);
    await page.until("it is underlined", 'document.querySelector(".cm-lintRange-error") !== null');
  },
  "a link opens again": async (page) => {
    await page.evaluate('[...document.querySelectorAll("button")].find((e) => e.textContent === "Share").click()');
    await page.until("there is a link", 'document.querySelector(".mk-link")?.value.includes("#")');
    const link = await page.evaluate<string>('document.querySelector(".mk-link").value');
    await page.open(link);
    await page.until("its text is there", has(".cm-line", "sqrtt(2.0f)"));
  },
  "the explorer shows WebAssembly": async (page, url) => {
    await page.open(`${url}explorer.html`);
    await page.until("there is a loop", has('[aria-label="WebAssembly"]', "loop"));
  },
};

/** What does not hold in Firefox on the site at an address. */
export async function firefoxProblems(url: string): Promise<readonly string[]> {
  const page = await startFirefox();
  if (page === null) {
    console.log("!! firefox is not here: the playground was not used in it");
    return [];
  }
  const problems: string[] = [];
  try {
    // One check after the other: they use one page.
    for (const [what, check] of Object.entries(CHECKS))
      // oxlint-disable-next-line no-await-in-loop
      await check(page, url).catch((error: unknown) => problems.push(`firefox, ${what}: ${String(error)}`));
    problems.push(...page.complaints().map((text) => `firefox complains, ${text}`));
  } finally {
    await page.close();
  }
  return problems;
}
