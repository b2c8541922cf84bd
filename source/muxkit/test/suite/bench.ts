// SPDX-License-Identifier: Apache-2.0
// Measures the suite's kernels in TypeScript beside OpenCL C and plain JavaScript, interleaved, and writes
// the table of docs/typescript-kernels.md: `npm run bench:typescript`; with --print, only prints it.
import { readFileSync, writeFileSync } from "node:fs";

import { openDevice } from "muxkit";

import { ownSource, suiteJobs, translatedSource } from "./jobs.ts";
import { plainRun, prepare } from "./ways.ts";

const PAGE = new URL("../../../../docs/typescript-kernels.md", import.meta.url);
const [BEGIN, END] = ["<!-- speed: begin -->", "<!-- speed: end -->"];
const RUNS = 21;
/** Short launches are repeated until they take so many milliseconds together. */
const LEAST = 8;
const SCALE = 64;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const mean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

function timed(what: () => void, repeats: number = 1): number {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) what();
  return (performance.now() - start) / repeats;
}

const device = await openDevice();
const source = translatedSource();
const rows: string[] = [];
const toOpencl: number[] = [];
const toJavascript: number[] = [];
for (const job of suiteJobs(SCALE)) {
  const own = prepare(device, device.program(ownSource(job)), job);
  const translated = prepare(device, device.program(source), job);
  for (let i = 0; i < 3; i++) {
    own.run();
    translated.run();
  }
  const repeats = Math.ceil(LEAST / Math.min(timed(own.run), timed(own.run)));
  const times: [own: number[], translated: number[]] = [[], []];
  for (let i = 0; i < RUNS; i++) {
    // Each way goes first in every other round.
    const order = i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const way of order) times[way].push(timed(way === 0 ? own.run : translated.run, repeats));
  }
  const plain = job.isPlain ? plainRun(job) : null;
  plain?.();
  const plainTime = plain === null ? null : median([timed(plain), timed(plain), timed(plain)]);
  const [ownTime, translatedTime] = [median(times[0]), median(times[1])];
  toOpencl.push(translatedTime / ownTime);
  if (plainTime !== null) toJavascript.push(plainTime / translatedTime);
  const cells = [
    job.name,
    ownTime.toFixed(2),
    translatedTime.toFixed(2),
    (translatedTime / ownTime).toFixed(2),
    plainTime?.toFixed(1) ?? "",
    plainTime === null ? "" : (plainTime / translatedTime).toFixed(1),
  ];
  rows.push(`| ${cells.join(" | ")} |`);
  console.error(rows.at(-1));
  own.release();
  translated.release();
}
device.close();
const table = `${BEGIN}
| kernel | OpenCL C, ms | TypeScript, ms | ratio | plain JavaScript, ms | times faster |
|---|---|---|---|---|---|
${rows.join("\n")}
| geometric mean | | | ${mean(toOpencl).toFixed(2)} | | ${mean(toJavascript).toFixed(1)} |

Medians of ${RUNS} interleaved runs on a machine that other programs used at the same time: ratios say more than times.
Plain JavaScript is the same function, untransformed, called for each item in one thread; kernels that wait at barriers
and those whose integers wrap have none.
${END}`;
if (process.argv.includes("--print")) console.log(table);
else {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, page.slice(0, page.indexOf(BEGIN)) + table + page.slice(page.indexOf(END) + END.length));
}
