// SPDX-License-Identifier: Apache-2.0
// Uses the playground's page as a reader does: what is typed, mended, completed, shared, stopped, zoomed and filtered.
import { type DecodedPng, decode, encode } from "fast-png";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import type { Playground } from "../playground/view/playground.ts";
import { MISSPELT, PATIENCE, bytesOf, frameShown, listen, typeSource } from "./tool-page.ts";

const ENDLESS = "kernel void f(global int* a) { while (a[0] == 0) a[1]++; }";

/** Pages that are isolated, by the service worker, and pages that are not. */
const CONTEXTS: Readonly<Record<string, BrowserContextOptions>> = {
  isolated: {},
  "not isolated": { serviceWorkers: "block" },
};

async function sourceOf(page: Page): Promise<string> {
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

/** The picture as a PNG in an address. */
function pictureOf(page: Page): Promise<string> {
  return page.locator(".mk-canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
}

/** Its pixels: red, green, blue and alpha. */
function pixelsOf(picture: string): DecodedPng {
  return decode(bytesOf(picture));
}

/** Red, green and blue in the middle of the rows, at a share of the width. */
function colorAt({ data, width, height }: DecodedPng, share: number): readonly number[] {
  const at = 4 * ((height >> 1) * width + Math.floor(share * width));
  return Array.from(data.subarray(at, at + 3));
}

/** How much neighbours differ on average. */
function grainOf({ data }: DecodedPng): number {
  let sum = 0;
  for (let i = 4; i < data.length; i += 4) sum += Math.abs((data[i] ?? 0) - (data[i - 4] ?? 0));
  return sum / (data.length / 4);
}

/** Waits until there is another picture. */
async function otherPicture(page: Page, before: string): Promise<string> {
  for (const begin = performance.now(); performance.now() - begin < PATIENCE;) {
    // oxlint-disable-next-line no-await-in-loop
    const picture = await pictureOf(page);
    if (picture !== before) return picture;
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(50);
  }
  throw new Error("the picture stays as it was");
}

async function openEntry(page: Page, address: string, name: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${address}#${name}`);
  await frameShown(page);
}

/** A PNG, red on the left and blue on the right. */
function halves(): Buffer {
  const data = new Uint8Array(4 * 90 * 60);
  for (let i = 0; i < 90 * 60; i++) data.set(i % 90 < 45 ? [230, 20, 20, 255] : [20, 20, 230, 255], 4 * i);
  return Buffer.from(encode({ width: 90, height: 60, channels: 4, data }));
}

/** What is tried, by what has to hold. */
const CHECKS: Readonly<Record<string, (page: Page, address: string) => Promise<boolean>>> = {
  "a frame has a time": async (page, address) => {
    await page.goto(`${address}#life`);
    await frameShown(page);
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
  "wheel, drag and keys move the view": async (page, address) => {
    await openEntry(page, address, "mandelbrot");
    const first = await pictureOf(page);
    const box = await page.locator(".mk-canvas").boundingBox();
    if (box === null) throw new Error("there is no picture");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -400);
    const nearer = await otherPicture(page, first);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3, { steps: 3 });
    await page.mouse.up();
    const moved = await otherPicture(page, nearer);
    await page.locator(".mk-canvas").press("+");
    await otherPicture(page, moved);
    return true;
  },
  "an own picture is filtered": async (page, address) => {
    await openEntry(page, address, "filters");
    const before = await pictureOf(page);
    await page.locator(".mk-file").setInputFiles({ name: "halves.png", mimeType: "image/png", buffer: halves() });
    const after = pixelsOf(await otherPicture(page, before));
    const [left, right] = [colorAt(after, 0.25), colorAt(after, 0.75)];
    return (left[0] ?? 0) > 200 && (left[2] ?? 255) < 60 && (right[2] ?? 0) > 200 && (right[0] ?? 255) < 60;
  },
  "a file that is no picture is refused": async (page) => {
    await page.locator(".mk-file").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no") });
    await page.locator(".mk-error", { hasText: "no picture" }).waitFor({ timeout: PATIENCE });
    return true;
  },
  "the path tracer's grain goes": async (page, address) => {
    await openEntry(page, address, "path-tracer");
    const settle = (frames: number): Promise<void> =>
      page
        .locator(".tool-place")
        .evaluate((place, count) => (place as HTMLElement & { tool: Playground }).tool.settle(count), frames);
    await settle(1);
    const coarse = await pictureOf(page);
    await settle(12);
    const fine = await pictureOf(page);
    return grainOf(pixelsOf(fine)) < 0.6 * grainOf(pixelsOf(coarse));
  },
  "the explorer takes the text over": async (page, address) => {
    await openEntry(page, address, "saxpy");
    await page.getByRole("button", { name: "Explore" }).click();
    await page.locator('.mk-lines[aria-label="IR"] > div', { hasText: "@saxpy(" }).waitFor({ timeout: PATIENCE });
    await page.locator(".cm-line", { hasText: "result[i] = a * x[i] + y[i];" }).waitFor({ timeout: PATIENCE });
    await openEntry(page, address, "saxpy");
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
    // Playwright says itself that it blocks service workers.
    listen(page, `the playground, ${name},`, problems, "blocked by Playwright");
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
