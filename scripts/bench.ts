// `npm run bench`: the benchmark suite on Muxkit and, where PoCL is installed, on PoCL in the same run; outputs compared, times side by side.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { type ComparedOutput, compareDirs } from "../benchmarks/src/compare.mjs";

const root = resolve(import.meta.dirname, "..");
const MOST_OUTPUT = 1 << 26;
const JOB_TIMEOUT_MS = 300_000;

const { values } = parseArgs({
  options: {
    only: { type: "string" }, tiny: { type: "boolean" }, runs: { type: "string" }, warmup: { type: "string" }, "min-ms": { type: "string" }, threads: { type: "string" }, "no-pocl": { type: "boolean" },
    json: { type: "string" }, markdown: { type: "string" }, help: { type: "boolean" },
  },
});
if (values.help === true) {
  console.log("npm run bench -- [--only NAME,NAME] [--tiny] [--runs N] [--warmup N] [--min-ms T] [--threads N] [--no-pocl] [--json FILE] [--markdown FILE]");
  process.exit(0);
}

interface Times {
  readonly median_ms: number;
  readonly build_ms: number;
  readonly first_ms: number;
}

/** A job's run on one side: its times, or why there are none. */
type Run = { readonly times: Times } | { readonly reason: string };

interface Row {
  readonly job: string;
  readonly muxkit: Run;
  readonly pocl: Run | null;
  readonly compared: readonly ComparedOutput[];
}

function runProgram(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: MOST_OUTPUT, timeout: JOB_TIMEOUT_MS, env: { ...process.env, ...env } });
  if (result.error !== undefined) return { reason: result.error.message };
  if (result.status !== 0) {
    const lines = result.stderr.trim().split("\n");
    // A build log says more than the count of its errors.
    return { reason: (lines.find((line) => line.includes(": error: ")) ?? lines[0] ?? `exit code ${result.status}`).trim() };
  }
  return { times: JSON.parse(result.stdout) as Times };
}

/** The native runner, built when it is missing or old; a sentence when that is not possible. */
function nativeRunner(): { readonly path: string } | { readonly reason: string } {
  const folder = join(root, "node_modules", ".cache", "muxkit");
  const path = join(folder, "oclrun");
  const source = join(root, "benchmarks", "oclrun.c");
  if (existsSync(path) && statSync(path).mtimeMs >= statSync(source).mtimeMs) return { path };
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("cc", ["-O2", "-ffp-contract=off", "-o", path, source, "-lOpenCL", "-lm"], { stdio: "pipe" });
    return { path };
  } catch (error) {
    const first = error instanceof Error ? error.message.split("\n").find((line) => line.includes("error") || line.includes("ENOENT")) ?? error.message : String(error);
    return { reason: `benchmarks/oclrun.c cannot be compiled (${first.trim()}); install gcc, libc6-dev, ocl-icd-opencl-dev and opencl-headers` };
  }
}

function jobFiles(folder: string): readonly string[] {
  const only = values.only?.split(",") ?? null;
  const files = readdirSync(folder).filter((name) => name.endsWith(".json")).toSorted();
  const names = files.map((name) => name.slice(0, -".json".length));
  for (const name of only ?? []) {
    if (names.includes(name)) continue;
    console.error(`there is no job "${name}"; there are ${names.join(", ")}`);
    process.exit(2);
  }
  return files.filter((_, i) => only?.includes(names[i] ?? "") ?? true).map((name) => join(folder, name));
}

const passed = (["runs", "warmup", "min-ms"] as const).flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, values[name]]));

function muxkit(job: string, dump: string): Run {
  const threads = values.threads === undefined ? [] : ["--threads", values.threads];
  return runProgram(process.execPath, ["--conditions=source", join(root, "source/muxkit/source/cli.ts"), "run", job, "--json", "--no-check", "--dump", dump, ...threads, ...passed]);
}

/** oclrun writes its dumps only together with the figures of outputs. */
function pocl(runner: string, job: string, dump: string, cache: string): Run {
  mkdirSync(dump, { recursive: true });
  return runProgram(runner, [job, "--dump", dump, ...passed], { POCL_CACHE_DIR: cache });
}

function benchmark(suite: string, runner: string | null, work: string): Row[] {
  const rows: Row[] = [];
  for (const file of jobFiles(suite)) {
    const { name } = JSON.parse(readFileSync(file, "utf8")) as { readonly name: string };
    const dumps = [join(work, `${name}.muxkit`), join(work, `${name}.pocl`)] as const;
    const ours = muxkit(file, dumps[0]);
    const theirs = runner === null ? null : pocl(runner, file, dumps[1], join(work, "pocl-cache"));
    const compared = "times" in ours && theirs !== null && "times" in theirs ? compareDirs(suite, dumps[0], dumps[1], [name]) : [];
    const row = { job: name, muxkit: ours, pocl: theirs, compared };
    rows.push(row);
    console.log(tableLine(row));
    for (const dump of dumps) rmSync(dump, { recursive: true, force: true });
  }
  return rows;
}

const milliseconds = (value: number): string => value.toPrecision(3).padStart(9);

function verdict({ muxkit: ours, pocl: theirs, compared }: Row): string {
  if ("reason" in ours) return `cannot run: ${ours.reason}`;
  if (theirs === null) return "not compared";
  if ("reason" in theirs) return `PoCL cannot run it: ${theirs.reason}`;
  const wrong = compared.filter(({ ok }) => !ok);
  if (wrong.length > 0) return `DIFFERS: ${wrong.map(({ arg, outside, count, worstAbs }) => `output ${arg}, ${outside} of ${count} outside the tolerance, by up to ${worstAbs.toPrecision(3)}`).join("; ")}`;
  const differing = compared.reduce((sum, output) => sum + output.differing, 0);
  return compared.length === 0 ? "no outputs" : `agrees${differing === 0 ? ", bit for bit" : ""}`;
}

function tableLine(row: Row): string {
  const { job, muxkit: ours, pocl: theirs } = row;
  const left = "times" in ours ? `${milliseconds(ours.times.median_ms)} ${milliseconds(ours.times.build_ms + ours.times.first_ms)}` : " ".repeat(19);
  const right = theirs !== null && "times" in theirs ? `${milliseconds(theirs.times.median_ms)} ${milliseconds(theirs.times.build_ms + theirs.times.first_ms)}` : " ".repeat(19);
  const ratio = "times" in ours && theirs !== null && "times" in theirs ? `${(theirs.times.median_ms / ours.times.median_ms).toFixed(2)}×`.padStart(8) : " ".repeat(8);
  return `${job.padEnd(16)} ${left}  ${right} ${ratio}  ${verdict(row)}`;
}

function cell(run: Run | null, get: (times: Times) => number): string {
  return run !== null && "times" in run ? get(run.times).toPrecision(3) : "";
}

/** The table as a page. */
function markdown(list: readonly Row[], average: number): string {
  const lines = list.map((row) => {
    const { job, muxkit: ours, pocl: theirs } = row;
    const ratio = "times" in ours && theirs !== null && "times" in theirs ? (theirs.times.median_ms / ours.times.median_ms).toFixed(2) : "";
    return `| ${job} | ${cell(ours, (times) => times.median_ms)} | ${cell(theirs, (times) => times.median_ms)} | ${ratio} | ${cell(ours, (times) => times.build_ms + times.first_ms)} | ${cell(theirs, (times) => times.build_ms + times.first_ms)} | ${verdict(row)} |`;
  });
  return `# Performance\n\nWritten by \`npm run bench -- --markdown docs/performance.md\` on ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}. Medians in ms, both sides in one run; the ratio is PoCL's time over Muxkit's,\nso above 1 Muxkit is faster. Absolute times are this machine's. Work-items are not packed into vectors yet. Geometric mean of the ratios: ${average.toFixed(2)}.\n\n| job | Muxkit | PoCL | ratio | Muxkit, build + first run | PoCL, build + first run | outputs |\n|---|--:|--:|--:|--:|--:|---|\n${lines.join("\n")}\n`;
}

const runner = values["no-pocl"] === true ? { reason: "asked not to" } : nativeRunner();
const suite = join(root, "benchmarks", "suite", ...(values.tiny === true ? ["tiny"] : []));
const work = mkdtempSync(join(tmpdir(), "muxkit-bench-"));
console.log("reason" in runner ? `PoCL is not measured: ${runner.reason}` : "Muxkit and PoCL, one after the other for each job; ms; the ratio is PoCL's median over Muxkit's: above 1 Muxkit is faster");
console.log(`${"job".padEnd(16)} ${"muxkit".padStart(9)} ${"build+1st".padStart(9)}  ${"PoCL".padStart(9)} ${"build+1st".padStart(9)} ${"ratio".padStart(8)}  outputs`);
let rows: readonly Row[];
try {
  rows = benchmark(suite, "path" in runner ? runner.path : null, work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const ran = rows.filter(({ muxkit: ours }) => "times" in ours);
const agreed = rows.filter(({ compared }) => compared.length > 0 && compared.every(({ ok }) => ok));
const differing = rows.filter(({ compared }) => compared.some(({ ok }) => !ok));
const ratios = rows.flatMap(({ muxkit: ours, pocl: theirs }) => ("times" in ours && theirs !== null && "times" in theirs ? [theirs.times.median_ms / ours.times.median_ms] : []));
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
console.log(`\n${rows.length} jobs: ${ran.length} ran, ${rows.length - ran.length} could not; ${agreed.length} agree with PoCL, ${differing.length} differ${ratios.length === 0 ? "" : `; geometric mean of the ratios ${mean.toFixed(2)}×`}`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows, null, 1));
if (values.markdown !== undefined) writeFileSync(values.markdown, markdown(rows, mean));
process.exitCode = differing.length > 0 ? 1 : 0;
