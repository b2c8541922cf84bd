// SPDX-License-Identifier: Apache-2.0
// The kernel suite in browsers: a project that installs the packed packages is built by Vite, and its page runs
// launches of the suite, with what the reference leaves in memory, in Chromium and Firefox, isolated from other pages
// (with threads) and not. `--all` runs every launch there is. The example page is built and used too (`--only example`,
// `--only suite`), and pages with one TypeScript kernel, by the plugins of both bundlers (`--only run-esbuild`,
// `run-vite`, `sycl-esbuild`, `sycl-vite`), whose bytes are counted.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { build as bundle } from "esbuild";
import { kernels as esbuildKernels } from "muxkit/esbuild";
import { kernels as viteKernels } from "muxkit/vite";
import { build } from "vite";

import { BROWSER_NAMES, type BrowserName, findBrowser } from "./browsers/browser.ts";
import type { ExampleDone } from "./browsers/example/drive.ts";
import type { KernelDone } from "./browsers/kernel/report.ts";
import type { CheckResult } from "./browsers/project/checks.ts";
import type { Plan, SuiteDone } from "./browsers/project/report.ts";
import { recordCases } from "./browsers/record.ts";
import { showPage } from "./browsers/show.ts";
import { installAll, packAll } from "./packages.ts";

/** What CI runs: tests that between them use every part of the language and of the code generator. */
const SLICE = [
  "cases",
  "language",
  "images",
  "printf",
  "memory-model",
  "pipes",
  "sub-group-types",
  "atomics",
  "unroll-and-jam",
  "vector-data",
];
/** How many of these launches, evenly spread, run in a page's main thread and in a worker of it. */
const SHARES = { page: 240, worker: 60 };
/** Bytes of a page with one kernel, its worker included, compressed by gzip. */
const MOST_BYTES = { run: 40_000, sycl: 78_000 };
const EXAMPLE = resolve(import.meta.dirname, "../examples/browser");

interface Run {
  readonly browser: BrowserName;
  readonly isolated: boolean;
  readonly page: PageName;
  /** What it has shown; null: the browser is not installed. */
  readonly summary: string | null;
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** Installs the packages as their user would, from tarballs, into a folder. */
function installPackages(work: string, folder: string): void {
  const tarballs = join(work, "tarballs");
  mkdirSync(tarballs);
  const complaint = installAll(packAll(tarballs), folder);
  if (complaint !== "") throw new Error(`the tarballs cannot be installed: ${complaint}`);
}

/** Builds the suite's project in a folder with the packages. Gives the folder of the result. */
async function buildSuite(folder: string): Promise<string> {
  cpSync(join(import.meta.dirname, "browsers/project"), folder, { recursive: true });
  const { default: config } = (await import("./browsers/project/vite.config.ts")) as { readonly default: object };
  await build({ ...config, root: folder, configFile: false });
  return join(folder, "dist");
}

/**
 * Builds the example in a folder of its own within one that has the packages: its files as they are, and next to them
 * the script that uses the page.
 */
async function buildExample(packages: string): Promise<string> {
  const folder = join(packages, "example");
  cpSync(EXAMPLE, folder, { recursive: true, filter: (path) => !/\/(?:node_modules|dist)$/u.test(path) });
  cpSync(join(import.meta.dirname, "browsers/example"), folder, { recursive: true });
  const index = join(folder, "index.html");
  writeFileSync(
    index,
    readFileSync(index, "utf8").replace("</body>", '<script type="module" src="./drive.ts"></script></body>'),
  );
  await build({ root: folder, configFile: join(EXAMPLE, "vite.config.ts"), logLevel: "error" });
  return join(folder, "dist");
}

/** A page with a script. */
function htmlOf(script: string): string {
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
}

/** Builds a page with one kernel by a bundler's plugin. */
async function buildKernel(packages: string, name: "run" | "sycl", bundler: "esbuild" | "vite"): Promise<string> {
  const folder = join(packages, `${name}-${bundler}`);
  cpSync(join(import.meta.dirname, "browsers/kernel"), folder, { recursive: true });
  const dist = join(folder, "dist");
  if (bundler === "vite") {
    writeFileSync(join(folder, "index.html"), htmlOf(`./${name}.ts`));
    await build({
      root: folder,
      configFile: false,
      logLevel: "error",
      build: { target: "es2022" },
      plugins: [viteKernels({ declarations: false })],
    });
    return dist;
  }
  await bundle({
    entryPoints: [join(folder, `${name}.ts`)],
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "error",
    plugins: [esbuildKernels({ declarations: false })],
  });
  writeFileSync(join(dist, "index.html"), htmlOf(`./${name}.js`));
  return dist;
}

/** What a page downloads: its scripts, compressed one by one. */
function bytesOf(folder: string): { readonly gzip: number; readonly brotli: number } {
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(folder, name)));
  const sum = (compress: (one: Buffer) => Buffer): number =>
    scripts.reduce((all, one) => all + compress(one).length, 0);
  return { gzip: sum((one) => gzipSync(one, { level: 9 })), brotli: sum((one) => brotliCompressSync(one)) };
}

/** So many of a list, evenly spread; all where there are fewer. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  return list.filter(
    (_, i) =>
      Math.floor((i * count) / list.length) !== Math.floor(((i - 1) * count) / list.length) || list.length <= count,
  );
}

/** What is wrong with checks of a page. */
function problemsOf(
  checks: readonly CheckResult[],
  warnings: readonly string[],
  isolated: boolean,
  expected: boolean,
): readonly string[] {
  return [
    ...(isolated === expected ? [] : [`the page is ${isolated ? "" : "not "}isolated`]),
    ...warnings,
    ...checks.flatMap(({ name, failure }) => (failure === null ? [] : [`${name}: ${failure}`])),
  ];
}

function passed(checks: readonly CheckResult[]): string {
  return `checks ${checks.filter(({ failure }) => failure === null).length}/${checks.length}`;
}

/** The result of a page that has finished. */
interface Answer {
  readonly summary: string;
  readonly problems: readonly string[];
}

type Where = Omit<Parameters<typeof showPage>[0], "page" | "plan">;

/** The pages there are. */
interface Page {
  /** Builds it in a folder with the packages; what it has to do. */
  readonly prepare: (packages: string, work: string) => Promise<{ readonly page: string; readonly plan: Uint8Array }>;
  readonly show: (where: Where, page: string, plan: Uint8Array) => Promise<Answer | string>;
}

/** A page with one kernel. */
function kernelPage(name: "run" | "sycl", bundler: "esbuild" | "vite"): Page {
  return {
    prepare: async (packages) => ({ page: await buildKernel(packages, name, bundler), plan: new Uint8Array(0) }),
    show: async (where, built, plan) => {
      const done = await showPage<KernelDone>({ ...where, page: built, plan });
      if (typeof done === "string") return done;
      const { gzip, brotli } = bytesOf(built);
      return {
        summary: `${passed(done.checks)}  ${gzip} bytes by gzip, ${brotli} by brotli`,
        problems: [
          ...(gzip <= MOST_BYTES[name] ? [] : [`${gzip} bytes by gzip; at most ${MOST_BYTES[name]} are allowed`]),
          ...problemsOf(done.checks, done.warnings, done.isolated, where.isolated),
        ],
      };
    },
  };
}

const PAGE_NAMES = ["suite", "example", "run-esbuild", "run-vite", "sycl-esbuild", "sycl-vite"] as const;

type PageName = (typeof PAGE_NAMES)[number];

const PAGES: Readonly<Record<PageName, Page>> = {
  "run-esbuild": kernelPage("run", "esbuild"),
  "run-vite": kernelPage("run", "vite"),
  "sycl-esbuild": kernelPage("sycl", "esbuild"),
  "sycl-vite": kernelPage("sycl", "vite"),
  suite: {
    prepare: async (packages, folder) => {
      const page = await buildSuite(packages);
      const recorded = recordCases(
        values.all ? [] : (values.tests?.split(",") ?? SLICE).map((name) => `${name}.test.ts`),
        join(folder, "recording"),
      );
      const chosen = values.all
        ? { page: recorded, worker: recorded }
        : { page: spread(recorded, SHARES.page), worker: spread(recorded, SHARES.worker) };
      const plan = Buffer.from(JSON.stringify(chosen satisfies Plan));
      console.log(
        `${recorded.length} launches recorded; ${chosen.page.length} for pages, ` +
          `${chosen.worker.length} for workers, ${(plan.length / 2 ** 20).toFixed(1)} MiB`,
      );
      return { page, plan };
    },
    show: async (where, built, plan) => {
      const done = await showPage<SuiteDone>({ ...where, page: built, plan });
      if (typeof done === "string") return done;
      const { page, worker, checks, warnings, isolated } = done;
      return {
        summary:
          `${page.threads} threads  page ${page.right}/${page.right + page.wrong.length} in ` +
          `${page.seconds.toFixed(1)} s  worker ` +
          `${worker.right}/${worker.right + worker.wrong.length} in ` +
          `${worker.seconds.toFixed(1)} s  ${passed(checks)}`,
        problems: [
          ...(page.right > 0 && worker.right > 0 ? [] : ["no case ran"]),
          ...page.wrong.map((text) => `page: ${text}`),
          ...worker.wrong.map((text) => `worker: ${text}`),
          ...problemsOf(checks, warnings, isolated, where.isolated),
        ],
      };
    },
  },
  example: {
    prepare: async (packages) => ({ page: await buildExample(packages), plan: new Uint8Array(0) }),
    show: async (where, built, plan) => {
      const done = await showPage<ExampleDone>({ ...where, page: built, plan });
      return typeof done === "string"
        ? done
        : {
            summary: passed(done.checks),
            problems: problemsOf(done.checks, done.warnings, done.isolated, where.isolated),
          };
    },
  },
};

function row({ browser, isolated, page, summary, problems, seconds }: Run): string {
  const outcome =
    summary === null
      ? problems.length === 0
        ? "skipped: not installed"
        : "failed"
      : `${summary}  ${seconds.toFixed(1)} s`;
  const name = `${browser.padEnd(9)} ${isolated ? "isolated    " : "not isolated"}  ${page.padEnd(12)}`;
  return `${name}  ${outcome}`;
}

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    tests: { type: "string" },
    browser: { type: "string" },
    isolated: { type: "string" },
    only: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const browsers = BROWSER_NAMES.filter((name) => values.browser === undefined || values.browser === name);
const isolations = [true, false].filter(
  (isolated) => values.isolated === undefined || (values.isolated === "yes") === isolated,
);
const pages = PAGE_NAMES.filter((name) => values.only === undefined || name.startsWith(values.only));
const programs = new Map(browsers.map((name) => [name, findBrowser(name)]));
const work = mkdtempSync(join(tmpdir(), "muxkit-browsers-"));
const runs: Run[] = [];

/** A page in every browser, one at a time, with the machine for itself. */
async function runPage(name: PageName, packages: string): Promise<void> {
  const { page, plan } = await PAGES[name].prepare(packages, work);
  for (const [browser, program] of programs) {
    for (const isolated of program === null ? [] : isolations) {
      const begin = performance.now();
      // oxlint-disable-next-line no-await-in-loop
      const answer = await PAGES[name].show({ browser, program: program ?? "", isolated, work }, page, plan);
      const seconds = (performance.now() - begin) / 1000;
      const run: Run = {
        browser,
        isolated,
        page: name,
        seconds,
        ...(typeof answer === "string" ? { summary: null, problems: [answer] } : answer),
      };
      runs.push(run);
      for (const problem of run.problems)
        console.error(`  ${browser}, ${isolated ? "isolated" : "not isolated"}, ${name}: ${problem}`);
    }
  }
}

try {
  for (const [browser, program] of programs) {
    if (program !== null) continue;
    console.log(`!! ${browser} is not installed: its runs are skipped`);
    for (const page of pages)
      for (const isolated of isolations)
        runs.push({ browser, isolated, page, summary: null, problems: [], seconds: 0 });
  }
  if (browsers.some((name) => programs.get(name) !== null)) {
    const packages = join(work, "consumer");
    installPackages(work, packages);
    // oxlint-disable-next-line no-await-in-loop
    for (const page of pages) await runPage(page, packages);
  }
} finally {
  if (values.keep) console.log(work);
  else rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
for (const run of runs) console.log(row(run));
const failed = runs.filter(({ problems }) => problems.length > 0).length;
const skipped = runs.filter(({ summary, problems }) => summary === null && problems.length === 0).length;
console.log(`${runs.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
