// The kernel suite in browsers: a project that installs the packed packages is built by Vite, and its page runs launches of the suite, with what the
// reference left behind, in Chromium and Firefox, isolated from other pages (with threads) and not. `--all` runs every launch there is.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { build } from "vite";

import { BROWSER_NAMES, type BrowserName, findBrowser, startBrowser } from "./browsers/browser.ts";
import type { Message, Plan } from "./browsers/project/report.ts";
import { recordCases } from "./browsers/record.ts";
import { serve } from "./browsers/server.ts";
import { installAll, packAll } from "./packages.ts";

/** What CI runs: tests that between them use every part of the language and of the code generator. */
const SLICE = ["cases", "language", "images", "printf", "memory-model", "pipes", "sub-group-types", "atomics", "jammed-rows", "vector-data"];
/** How many of these launches, evenly spread, run in a page's main thread and in a worker of it. */
const SHARES = { page: 240, worker: 60 };
/** A page that says nothing for so long is given up. */
const SILENCE_MS = 120_000;

type Done = Extract<Message, { readonly kind: "done" }>;

interface Run {
  readonly browser: BrowserName;
  readonly isolated: boolean;
  /** Null: the browser is not installed. */
  readonly done: Done | null;
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** Builds the project as its user would: from tarballs, by Vite. Gives the folder of the result. */
async function buildProject(work: string): Promise<string> {
  const folder = join(work, "consumer");
  const tarballs = join(work, "tarballs");
  mkdirSync(tarballs);
  const complaint = installAll(packAll(tarballs), folder);
  if (complaint !== "") throw new Error(`the tarballs cannot be installed: ${complaint}`);
  cpSync(join(import.meta.dirname, "browsers/project"), folder, { recursive: true });
  const { default: config } = (await import("./browsers/project/vite.config.ts")) as { readonly default: object };
  await build({ ...config, root: folder, configFile: false });
  return join(folder, "dist");
}

/** Shows the page until it is done, fails or falls silent. */
async function show(browser: BrowserName, program: string, project: string, plan: Uint8Array, isolated: boolean, work: string): Promise<Done | string> {
  const { promise: answer, resolve: hear } = Promise.withResolvers<Done | string>();
  let last = "nothing";
  let timer = setTimeout(() => {}, 0);
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => hear(`silent for ${SILENCE_MS / 1000} s; last sign of life: ${last}`), SILENCE_MS);
  };
  const server = await serve(project, plan, isolated, (text) => {
    const message = JSON.parse(text) as Message;
    wait();
    if (message.kind === "done") hear(message);
    else if (message.kind === "error") hear(message.text);
    else last = message.text;
  });
  wait();
  const folder = mkdtempSync(join(work, `${browser}-`));
  const running = startBrowser(browser, program, folder, server.url);
  void running.ended.then((output) => hear(`the browser ended; last sign of life: ${last}\n${output}`));
  const result = await answer;
  clearTimeout(timer);
  running.kill();
  await running.ended;
  server.close();
  return result;
}

/** So many of a list, evenly spread; all where there are fewer. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  return list.filter((_, i) => Math.floor((i * count) / list.length) !== Math.floor(((i - 1) * count) / list.length) || list.length <= count);
}

/** What is wrong with a run. */
function problemsOf({ isolated, page, worker, checks, warnings }: Done, asked: boolean): readonly string[] {
  return [
    ...(isolated === asked ? [] : [`the page is ${isolated ? "" : "not "}isolated`]),
    ...(page.right > 0 && worker.right > 0 ? [] : ["no case ran"]),
    ...page.wrong.map((text) => `page: ${text}`), ...worker.wrong.map((text) => `worker: ${text}`),
    ...warnings,
    ...checks.flatMap(({ name, failure }) => (failure === null ? [] : [`${name}: ${failure}`])),
  ];
}

function row({ browser, isolated, done, problems, seconds }: Run): string {
  const name = `${browser.padEnd(9)} ${isolated ? "isolated    " : "not isolated"}`;
  if (done === null) return `${name}  ${problems.length === 0 ? "skipped: not installed" : "failed"}`;
  const { page, worker, checks } = done;
  const checked = checks.filter(({ failure }) => failure === null).length;
  return `${name}  ${page.threads} threads  page ${page.right}/${page.right + page.wrong.length} in ${page.seconds.toFixed(1)} s  worker ${worker.right}/${worker.right + worker.wrong.length} in ${worker.seconds.toFixed(1)} s  checks ${checked}/${checks.length}  ${seconds.toFixed(1)} s`;
}

const { values } = parseArgs({ options: { all: { type: "boolean", default: false }, tests: { type: "string" }, browser: { type: "string" }, isolated: { type: "string" }, keep: { type: "boolean", default: false } } });
const browsers = BROWSER_NAMES.filter((name) => values.browser === undefined || values.browser === name);
const isolations = [true, false].filter((isolated) => values.isolated === undefined || (values.isolated === "yes") === isolated);
const programs = new Map(browsers.map((name) => [name, findBrowser(name)]));
const work = mkdtempSync(join(tmpdir(), "muxkit-browsers-"));
const runs: Run[] = [];
try {
  const here = browsers.some((name) => programs.get(name) !== null);
  const project = here ? await buildProject(work) : "";
  const recorded = here ? recordCases(values.all ? [] : (values.tests?.split(",") ?? SLICE).map((name) => `${name}.test.ts`), join(work, "recording")) : [];
  const chosen = values.all ? { page: recorded, worker: recorded } : { page: spread(recorded, SHARES.page), worker: spread(recorded, SHARES.worker) };
  const plan = Buffer.from(JSON.stringify(chosen satisfies Plan));
  console.log(`${recorded.length} launches recorded; ${chosen.page.length} for pages, ${chosen.worker.length} for workers, ${(plan.length / 2 ** 20).toFixed(1)} MiB`);
  for (const browser of browsers) {
    const program = programs.get(browser) ?? null;
    for (const isolated of isolations) {
      if (program === null) {
        console.log(`!! ${browser} is not installed: its run is skipped`);
        runs.push({ browser, isolated, done: null, problems: [], seconds: 0 });
        continue;
      }
      const begin = performance.now();
      // One at a time, with the machine for itself.
      // oxlint-disable-next-line no-await-in-loop
      const answer = await show(browser, program, project, plan, isolated, work);
      const seconds = (performance.now() - begin) / 1000;
      const run: Run = typeof answer === "string" ? { browser, isolated, done: null, problems: [answer], seconds } : { browser, isolated, done: answer, problems: problemsOf(answer, isolated), seconds };
      runs.push(run);
      for (const problem of run.problems) console.error(`  ${browser}, ${isolated ? "isolated" : "not isolated"}: ${problem}`);
    }
  }
} finally {
  if (values.keep) console.log(work);
  else rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
for (const run of runs) console.log(row(run));
const failed = runs.filter(({ problems }) => problems.length > 0).length;
const skipped = runs.filter(({ done, problems }) => done === null && problems.length === 0).length;
console.log(`${runs.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
