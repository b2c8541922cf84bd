// SPDX-License-Identifier: Apache-2.0
// `npm run throughput`: math functions over 16 Mi floats by a loop over Math.*, by the batched functions of
// @muxkit/abacus on ordinary arrays and on their own, by kernels and, where it is installed, by PoCL. What memory
//allows is a column of its own: the floats copied by `set`, as batched functions copy theirs in and out.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import * as abacus from "@muxkit/abacus";
import { type BinaryBatch, type UnaryBatch, allocateFloat32, startThreads } from "@muxkit/abacus";

import { initElems } from "../benchmarks/src/job.mjs";
import { type Side, openSides } from "./bench/sides.ts";
import { median } from "./median.ts";

/** A function, and what the others call it. */
interface Row {
  readonly name: string;
  /** The operands' ranges. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
  /**
   * The body of a loop over Math.*, which has no error function: its cost is that of the exponential that everybody
   * builds one on.
   */
  readonly loop: string;
  /** The `native_` function; null: OpenCL has none. */
  readonly native: string | null;
}

const COUNT = 1 << 24;
/** Threads of batched functions; kernels and PoCL take all there are. */
const THREADS = 2;
const ROWS: readonly Row[] = [
  { name: "sin", ranges: [[-100, 100]], loop: "Math.sin(x[i])", native: "native_sin" },
  { name: "cos", ranges: [[-100, 100]], loop: "Math.cos(x[i])", native: "native_cos" },
  { name: "exp", ranges: [[-20, 20]], loop: "Math.exp(x[i])", native: "native_exp" },
  { name: "log", ranges: [[0.001, 1000]], loop: "Math.log(x[i])", native: "native_log" },
  {
    name: "pow",
    ranges: [
      [0.01, 10],
      [-8, 8],
    ],
    loop: "Math.pow(x[i], y[i])",
    native: "native_powr",
  },
  { name: "sqrt", ranges: [[0, 1000]], loop: "Math.sqrt(x[i])", native: "native_sqrt" },
  { name: "rsqrt", ranges: [[0.001, 1000]], loop: "1 / Math.sqrt(x[i])", native: "native_rsqrt" },
  { name: "tanh", ranges: [[-5, 5]], loop: "Math.tanh(x[i])", native: null },
  { name: "erf", ranges: [[-4, 4]], loop: "1 - Math.exp(-x[i] * x[i])", native: null },
];

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string" },
    "without-pocl": { type: "boolean" },
    json: { type: "string" },
  },
});
const rows = ROWS.filter(({ name }) => values.only?.split(",").includes(name) ?? true);
const rounds = Number(values.rounds ?? 3);
if (rows.length === 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error("npm run throughput -- [--only sin,cos] [--rounds N] [--without-pocl] [--json FILE]");
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), "muxkit-throughput-"));

/** The shortest of three runs in this process, ms: the first ones are the engine's. */
function timed(run: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const begin = performance.now();
      run();
      return performance.now() - begin;
    }),
  );
}

/** A job of the suite's format for a function. */
function writeJob(called: string, ranges: Row["ranges"]): string {
  const letters = ranges.map((_, i) => `p${i}`);
  writeFileSync(
    join(work, `${called}.cl`),
    `kernel void k(global float* r, ${letters.map((letter) => `global const float* ${letter}`).join(", ")}) {
  size_t i = get_global_id(0);
  r[i] = ${called}(${letters.map((letter) => `${letter}[i]`).join(", ")});
}\n`,
  );
  const inputs = ranges.map(([low, high], i) => ({
    buffer: "float",
    count: COUNT,
    init: `rand:${i + 1}:${low}:${high}`,
    access: "r",
  }));
  const file = join(work, `${called}.json`);
  writeFileSync(
    file,
    JSON.stringify({
      name: called,
      source: `${called}.cl`,
      options: "",
      kernel: "k",
      global: [COUNT],
      local: [256],
      enqueues: 1,
      warmup: 2,
      runs: 7,
      check: { first: 1 },
      tol: { rel: 1, abs: 1 },
      meta: { class: "memory" },
      args: [{ buffer: "float", count: COUNT, init: "zero", access: "w" }, ...inputs],
    }),
  );
  return file;
}

/** Two operands and results where batched functions need no copies. */
const own = [allocateFloat32(COUNT), allocateFloat32(COUNT), allocateFloat32(COUNT)] as const;

/** One round of a function: ms of each side. */
async function round(
  { name, ranges, loop, native }: Row,
  sides: readonly Side[],
): Promise<Readonly<Record<string, number>>> {
  const [x, y] = ranges.map(
    ([low, high], i) => initElems("float", COUNT, `rand:${i + 1}:${low}:${high}`) as Float32Array,
  );
  const output = new Float32Array(COUNT);
  if (x === undefined) return {};
  // A loop of its own for each function: one over a function value would measure the call.
  // oxlint-disable-next-line typescript/no-implied-eval
  const plain = new Function("x", "y", "r", `for (let i = 0; i < x.length; i++) r[i] = ${loop};`) as (
    x: Float32Array,
    y: Float32Array | undefined,
    r: Float32Array,
  ) => void;
  const batched = Reflect.get(abacus, name) as UnaryBatch & BinaryBatch;
  const apply = (p: Float32Array, q: Float32Array | undefined, r: Float32Array): void =>
    void (q === undefined ? batched(p, r) : batched(p, q, r));
  const times: Record<string, number> = { set: timed(() => output.set(x)), loop: timed(() => plain(x, y, output)) };
  own[0].set(x);
  if (y !== undefined) own[1].set(y);
  for (const threads of [1, THREADS]) {
    // The rounds are one after the other: they share the machine.
    // oxlint-disable-next-line no-await-in-loop
    await startThreads(threads);
    times[`batched ${threads}`] = timed(() => apply(x, y, output));
    times[`own ${threads}`] = timed(() => apply(own[0], y === undefined ? undefined : own[1], own[2]));
  }
  // Their threads would take part of what the others measure.
  await startThreads(1);
  for (const [form, called] of [
    ["full", name],
    ["native", native],
  ] as const) {
    if (called === null) continue;
    const job = writeJob(called, ranges);
    for (const side of sides) {
      const run = side.run(job, join(work, "dump"));
      if ("times" in run) times[`${side.name} ${form}`] = run.times.median_ms;
      else console.error(`${side.name}: ${called}: ${run.reason}`);
    }
  }
  return times;
}

const { sides, missing } = await openSides(new Set(values["without-pocl"] === true ? ["muxkit"] : ["muxkit", "pocl"]), {
  work: resolve(work),
  threads: null,
  passed: [],
});
for (const reason of missing.values()) console.error(reason);
const ratio = (over: number | undefined, under: number | undefined): string =>
  over === undefined || under === undefined ? "" : `${(over / under).toFixed(2)}×`;
const text = (time: number | undefined): string => time?.toFixed(1) ?? "";
console.log(
  `16 Mi floats, ms; medians of ${rounds} rounds. "set" copies them; "batched" is on ` +
    `ordinary arrays, "own" on arrays of the library's own, by one thread and by ` +
    `${THREADS}.\n`,
);
console.log(
  "| function | set | Math.* loop | batched | loop ÷ | batched, threads | loop ÷ | own " +
    "| loop ÷ | own, threads | loop ÷ | kernel | loop ÷ | PoCL | PoCL ÷ kernel | native_ " +
    "| PoCL's | PoCL ÷ native_ |\n" +
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
);
const report: Record<string, unknown> = {};
for (const row of rows) {
  const measured: Readonly<Record<string, number>>[] = [];
  // oxlint-disable-next-line no-await-in-loop
  for (let i = 0; i < rounds; i++) measured.push(await round(row, sides));
  const keys = [...new Set(measured.flatMap((times) => Object.keys(times)))];
  const t = Object.fromEntries(keys.map((key) => [key, median(measured.flatMap((times) => times[key] ?? []))]));
  report[row.name] = t;
  const timesAndRatios = (...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => [text(t[name]), ratio(t["loop"], t[name])]);
  const cells = [
    text(t["set"]),
    text(t["loop"]),
    ...timesAndRatios("batched 1", `batched ${THREADS}`, "own 1", `own ${THREADS}`, "muxkit full"),
    text(t["pocl full"]),
    ratio(t["pocl full"], t["muxkit full"]),
    text(t["muxkit native"]),
    text(t["pocl native"]),
    ratio(t["pocl native"], t["muxkit native"]),
  ];
  console.log(`| ${row.name} | ${cells.join(" | ")} |`);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
rmSync(work, { recursive: true, force: true });
