// SPDX-License-Identifier: Apache-2.0
// Runs each entry of the gallery in the site's page, and compares what is shown after some frames with a recorded
// picture (tables: with a recorded text) of `recorded/`. Pictures are recorded at a width of 128 pixels.
//
// Tolerance: a pixel differs where pixelmatch says so at its threshold of 0.1 (of the distance between black and white
// as eyes see it); 2 % of the pixels may.
//
// `node --conditions=source site/test/playground-pictures.ts --accept` records what is shown now; look at it then.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { decode } from "fast-png";
import pixelmatch from "pixelmatch";
import type { Browser, Page } from "playwright-core";

import { ENTRIES } from "../playground/gallery/entries.ts";
import type { Entry } from "../playground/model/setup.ts";
import type { Playground } from "../playground/view/playground.ts";
import { serveFolder, startBrowser } from "./browser.ts";
import { bytesOf, frameShown } from "./tool-page.ts";

const RECORDED = join(import.meta.dirname, "recorded");
const WIDTH = 128;
const THRESHOLD = 0.1;
const SHARE = 0.02;

/** Frames until there is something to see; others: 24, or 1 where a picture stands still. */
const FRAMES: Readonly<Record<string, number>> = {
  boids: 120,
  flame: 12,
  fluid: 120,
  life: 200,
  "n-body": 100,
  "path-tracer": 10,
  "ray-marcher": 3,
  "reaction-diffusion": 100,
  "sort-race": 150,
  voronoi: 4,
  wave: 100,
};

interface Shown {
  /** A PNG; null: a table is shown. */
  readonly picture: Buffer | null;
  readonly text: string;
}

/** What the page shows of an entry after so many frames. */
async function shownOf(page: Page, name: string, frames: number): Promise<Shown> {
  const { picture, text } = await page.evaluate(
    async ([entry, count, width]) => {
      const place = document.querySelector<HTMLElement & { readonly tool: Playground }>(".tool-place");
      const canvas = document.querySelector<HTMLCanvasElement>(".mk-canvas");
      if (place === null || canvas === null) throw new Error("the page has no playground");
      await place.tool.open(entry);
      await place.tool.settle(count);
      const problem = document.querySelector<HTMLElement>(".mk-error");
      if (problem !== null && !problem.hidden) throw new Error(problem.textContent ?? "");
      if (canvas.hidden) {
        const rows = [...document.querySelectorAll<HTMLTableRowElement>(".mk-table tr")];
        return {
          picture: "",
          text: rows.map(({ cells }) => [...cells].map((c) => c.textContent).join(" ")).join("\n"),
        };
      }
      const small = document.createElement("canvas");
      small.width = width;
      small.height = Math.round((canvas.height * width) / canvas.width);
      const context = small.getContext("2d");
      if (context === null) throw new Error("there is no canvas");
      context.imageSmoothingQuality = "high";
      context.drawImage(canvas, 0, 0, small.width, small.height);
      return { picture: small.toDataURL("image/png"), text: "" };
    },
    [name, frames, WIDTH] as const,
  );
  return { picture: picture === "" ? null : bytesOf(picture), text };
}

/** Share of pixels that differ; 1: the sizes do. */
function differing(shown: Uint8Array, recorded: Uint8Array): number {
  const [a, b] = [decode(shown), decode(recorded)];
  if (a.width !== b.width || a.height !== b.height || a.channels !== 4 || b.channels !== 4) return 1;
  const [one, other] = [new Uint8Array(a.data), new Uint8Array(b.data)];
  return pixelmatch(one, other, undefined, a.width, a.height, { threshold: THRESHOLD }) / (a.width * a.height);
}

/** What an entry's picture has to do with the recorded one; empty: it agrees. */
async function entryProblem(page: Page, { name, setup }: Entry, accepts: boolean): Promise<string> {
  const { picture, text } = await shownOf(page, name, FRAMES[name] ?? (setup.animates ? 24 : 1));
  const file = join(RECORDED, picture === null ? `${name}.txt` : `${name}.png`);
  if (accepts) writeFileSync(file, picture ?? `${text}\n`);
  if (!existsSync(file)) return `${name} has no recorded picture; record it with --accept`;
  const recorded = readFileSync(file);
  if (picture === null)
    return text === recorded.toString("utf8").trimEnd() ? "" : `${name} shows another table than ${file}`;
  const share = differing(picture, recorded);
  return share <= SHARE ? "" : `${name} differs from ${file} in ${(100 * share).toFixed(1)} % of the pixels`;
}

/** Entries of the playground at an address that do not look as recorded. */
export async function pictureProblems(browser: Browser, address: string, accepts = false): Promise<readonly string[]> {
  mkdirSync(RECORDED, { recursive: true });
  const page = await browser.newPage({ reducedMotion: "reduce" });
  const problems: string[] = [];
  await page.goto(address);
  await frameShown(page);
  // One entry after the other: they share a page.
  /* oxlint-disable no-await-in-loop */
  for (const entry of ENTRIES) {
    const problem = await entryProblem(page, entry, accepts).catch(
      (error: unknown) => `${entry.name}: ${String(error)}`,
    );
    if (problem !== "") problems.push(problem);
  }
  await page.close();
  return problems;
}

if (import.meta.main) {
  const browser = await startBrowser();
  if (browser === null) throw new Error("chromium is not here");
  const server = await serveFolder(join(import.meta.dirname, "../../out/site"), "/muxkit/");
  const address = `${server.url}playground.html`;
  const problems = await pictureProblems(browser, address, process.argv.includes("--accept"));
  for (const problem of problems) console.error(problem);
  console.log(`${String(ENTRIES.length - problems.length)} of ${String(ENTRIES.length)} entries look as recorded`);
  process.exitCode = problems.length === 0 ? 0 : 1;
  await browser.close();
  await server.close();
}
