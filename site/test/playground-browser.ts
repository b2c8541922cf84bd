// SPDX-License-Identifier: Apache-2.0
// Uses the playground's page as a reader does: what is typed, mended, completed, shared and stopped.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const ENDLESS = "kernel void f(global int* a) { while (a[0] == 0) a[1]++; }";
const MISSPELT = "kernel void f(global float* a) { a[get_global_id(0)] = sqrtt(2.0f); }";
const PATIENCE = 30_000;

/** Pages that are isolated, by the service worker, and pages that are not. */
const CONTEXTS: Readonly<Record<string, BrowserContextOptions>> = {
  isolated: {},
  "not isolated": { serviceWorkers: "block" },
};

async function typeSource(page: Page, source: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

async function sourceOf(page: Page): Promise<string> {
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

/** What is tried, by what has to hold. */
const CHECKS: Readonly<Record<string, (page: Page, address: string) => Promise<boolean>>> = {
  "a frame has a time": async (page, address) => {
    await page.goto(`${address}#life`);
    await page.locator(".mk-time", { hasText: "ms" }).waitFor({ timeout: PATIENCE });
    return true;
  },
  "an error is underlined and mended": async (page) => {
    await typeSource(page, MISSPELT);
    await page.locator(".cm-lintRange-error").first().waitFor({ timeout: PATIENCE });
    await page.locator(".cm-lintRange-error").first().hover();
    await page.locator(".cm-diagnosticAction").first().click({ timeout: PATIENCE });
    return (await sourceOf(page)).includes("sqrt(2.0f)");
  },
  "built-ins are completed": async (page) => {
    await typeSource(page, "");
    await page.keyboard.type("get_glo", { delay: 30 });
    await page.locator(".cm-tooltip-autocomplete", { hasText: "get_global_id" }).waitFor({ timeout: PATIENCE });
    await page.keyboard.press("Escape");
    return true;
  },
  "a link opens again": async (page, address) => {
    await typeSource(page, MISSPELT.replace("sqrtt", "sqrt"));
    await page.getByRole("button", { name: "Share" }).click();
    await page.locator(".mk-link").waitFor({ timeout: PATIENCE });
    const link = await page.locator(".mk-link").inputValue();
    await page.goto("about:blank");
    await page.goto(`${address}${new URL(link).hash}`);
    await page.locator(".cm-line", { hasText: "sqrt(2.0f)" }).waitFor({ timeout: PATIENCE });
    return true;
  },
  "an endless kernel is stopped": async (page) => {
    await typeSource(page, ENDLESS);
    await page.locator(".mk-error", { hasText: "stopped" }).waitFor({ timeout: PATIENCE });
    return true;
  },
};

/** What does not hold on the page at an address. */
export async function playgroundUseProblems(browser: Browser, address: string): Promise<readonly string[]> {
  const problems: string[] = [];
  // One page at a time, and one check after the other: they use one page.
  /* oxlint-disable no-await-in-loop */
  for (const [name, options] of Object.entries(CONTEXTS)) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (const [what, check] of Object.entries(CHECKS)) {
      const problem = await check(page, address).then(
        (isRight) => (isRight ? "" : "it is not so"),
        (error: unknown) => String(error),
      );
      if (problem !== "") problems.push(`the playground, ${name}, ${what}: ${problem}`);
    }
    await context.close();
  }
  return problems;
}
