// SPDX-License-Identifier: Apache-2.0
// What tests do with the pages of the playground and of the explorer.
import type { Page } from "playwright-core";

/** The longest time in ms that a page may take for what it is asked. */
export const PATIENCE = 30_000;

/** A program with a name that there is not, for which there is a near one. */
export const MISSPELT = "kernel void f(global float* a) { a[get_global_id(0)] = sqrtt(2.0f); }";

/** Puts a text in place of what the editor has. */
export async function typeSource(page: Page, source: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

/** Waits until the playground has shown how long a frame takes. */
export function frameShown(page: Page): Promise<void> {
  return page.locator(".mk-time", { hasText: "ms" }).waitFor({ timeout: PATIENCE });
}

/** The bytes of a file that an address holds, as canvases make them. */
export function bytesOf(address: string): Buffer {
  return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
}

/** Adds what a page throws, and what it complains of in the console unless that has `expected` in it. */
export function listen(page: Page, name: string, problems: string[], expected: string | null = null): void {
  page.on("pageerror", (error) => problems.push(`${name} throws ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (/warning|error/u.test(message.type()) && (expected === null || !text.includes(expected)))
      problems.push(`${name} complains: ${text}`);
  });
}
