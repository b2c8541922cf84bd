// SPDX-License-Identifier: Apache-2.0
// Uses the explorer's page as a reader does: lines that are linked, masks, remarks, widths, passes and errors.
import type { Browser, Page } from "playwright-core";

import { PATIENCE, listen, typeSource } from "./tool-page.ts";

const PANES = ["IR", "Vectorised IR", "WebAssembly"] as const;
const MASKED = `kernel void f(global int* a, global const int* b) {
  int i = get_global_id(0);
  if (b[i] > 3)
    a[i] = b[i] * 5;
}`;

const lines = (name: (typeof PANES)[number]): string => `.mk-lines[aria-label="${name}"]`;

/** Waits for a text in a pane. */
function seen(page: Page, pane: (typeof PANES)[number], text: string | RegExp): Promise<void> {
  return page
    .locator(`${lines(pane)} > div`, { hasText: text })
    .first()
    .waitFor({ timeout: PATIENCE, state: "attached" });
}

/** Lines of a pane that are marked, as text. */
function marked(page: Page, pane: (typeof PANES)[number]): Promise<readonly string[]> {
  return page.locator(`${lines(pane)} > .mk-linked`).allTextContents();
}

/** Throws an Error that says what does not hold. */
function hold(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(what);
}

/** What is tried, by what has to hold. */
const CHECKS: Readonly<Record<string, (page: Page, address: string) => Promise<void>>> = {
  "all stages are shown": async (page, address) => {
    await page.goto(address);
    await seen(page, "IR", "@saxpy(");
    await seen(page, "Vectorised IR", "func @saxpy.v16");
    await seen(page, "WebAssembly", "(func $saxpy");
  },
  "a line of the source marks what comes from it": async (page) => {
    await typeSource(page, MASKED);
    await seen(page, "WebAssembly", "(func $f");
    await page.locator(".cm-line", { hasText: "* 5" }).hover();
    const [ir = [], vectors = [], wasm = []] = await Promise.all(PANES.map((pane) => marked(page, pane)));
    hold(
      ir.some((text) => / mul /u.test(text)),
      `IR of the line: ${ir.join("\n")}`,
    );
    hold(
      vectors.some((text) => text.includes("masked_store")),
      `vectorised IR of the line: ${vectors.join("\n")}`,
    );
    hold(
      wasm.some((text) => text.includes("v128.store")) && !wasm.some((text) => text.includes(".gt_s")),
      `WebAssembly of the line: ${wasm.join("\n")}`,
    );
  },
  "a line of WebAssembly marks the source": async (page) => {
    await page
      .locator(`${lines("WebAssembly")} > div`, { hasText: "i32x4.gt_s" })
      .first()
      .hover();
    const source = await page.locator(".cm-line.mk-linked").allTextContents();
    hold(source.length === 1 && (source[0] ?? "").includes("b[i] > 3"), `the source's line: ${source.join("\n")}`);
  },
  "masks are marked": async (page) => {
    const masks = await page.locator(`${lines("Vectorised IR")} .mk-mask`).allTextContents();
    const stores = await page
      .locator(`${lines("Vectorised IR")} > div`, { hasText: "masked_store" })
      .locator(".mk-mask")
      .count();
    hold(masks.length > 1 && stores > 0, `masks: ${masks.join(" ")}`);
  },
  "the width can be chosen": async (page) => {
    await page.getByLabel("Work-items at once").selectOption("4");
    await seen(page, "Vectorised IR", "func @f.v4");
  },
  "what cannot be vectorised says why": async (page) => {
    await typeSource(page, "kernel void f(global int16* a) { a[get_global_id(0)] *= 3; }");
    await page.getByLabel("Work-items at once").selectOption("16");
    await seen(page, "Vectorised IR", "not vectorised");
    await page.locator(".mk-remarks li", { hasText: "kernel f" }).waitFor({ timeout: PATIENCE });
  },
  "a remark leads to its line": async (page) => {
    await page.getByLabel("Work-items at once").selectOption("0");
    await typeSource(page, MASKED);
    const place = page.locator(".mk-remarks a", { hasText: "4" }).first();
    await place.waitFor({ timeout: PATIENCE });
    await place.hover();
    const source = await page.locator(".cm-line.mk-linked").allTextContents();
    hold((source[0] ?? "").includes("* 5"), `the source's line: ${source.join("\n")}`);
  },
  "passes say what they change": async (page) => {
    await page.getByRole("button", { name: "vectorize", exact: true }).first().click();
    const added = await page.locator(".mk-passes .mk-added").allTextContents();
    hold(
      added.some((text) => text.includes("x i32>")),
      `the vectoriser adds ${String(added.length)} lines`,
    );
  },
  "errors are named": async (page) => {
    await typeSource(page, MASKED.replace("* 5", "* five"));
    await page.locator(".cm-lintRange-error").first().waitFor({ timeout: PATIENCE });
    await page.locator(".mk-remarks li", { hasText: "errors" }).waitFor({ timeout: PATIENCE });
  },
};

/** What does not hold on the explorer's page at an address. */
export async function explorerProblems(browser: Browser, address: string): Promise<readonly string[]> {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const problems: string[] = [];
  listen(page, "the explorer", problems);
  // One check after the other: they use one page.
  for (const [what, check] of Object.entries(CHECKS))
    // oxlint-disable-next-line no-await-in-loop
    await check(page, address).catch((error: unknown) =>
      problems.push(`the explorer, ${what}: ${error instanceof Error ? error.message : String(error)}`),
    );
  await page.close();
  return problems;
}
