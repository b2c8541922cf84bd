// SPDX-License-Identifier: Apache-2.0
// Vulkan compared with lavapipe, Mesa's driver for the processor: every benchmark job that has a compute shader, and
// what the calls cost, each side a process of its own, in interleaved rounds; replays of a command buffer beside
// OpenCL's here. All of it is a chapter of `docs/performance.md`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

import { compareDirs } from "../../benchmarks/src/compare.mjs";
import { geometricMean } from "../bench/interleaved-runs.ts";
import { differences } from "../bench/report.ts";
import { type Run, built, cliOf, runProgram } from "../bench/sides.ts";
import { table } from "../bench/table.ts";
import { median } from "../median.ts";
import { type Row, WAYS, figuresOf, headOf, interleaved, lineOf, nativeProgram, writeChapter } from "./sides.ts";

const root = resolve(import.meta.dirname, "..", "..");
const suite = join(root, "benchmarks", "suite");
const DRIVERS = "/usr/share/vulkan/icd.d";
const TITLE = "## Vulkan beside lavapipe";
const PACKAGES = "mesa-vulkan-drivers, libvulkan-dev, glslang-tools and gcc";

const microseconds = (name: string, text: string): Row => ({ name, text, isMoreBetter: false, digits: 1 });
const REPLAYS = [
  ["smallChain", "1,000 dispatches of 64 work-items, with a barrier between each two"],
  ["smallApart", "the same without barriers, each on words of its own"],
  ["mediumChain", "1,000 dispatches of 4,096 work-items, with a barrier between each two"],
  ["mediumApart", "the same without barriers, each on words of its own"],
] as const;
const CALLS: readonly Row[] = [
  microseconds("submit", "vkQueueSubmit of a command buffer with one small dispatch, and a fence"),
  microseconds("roundTrip", "the same and vkWaitForFences"),
  ...REPLAYS.map(([name, text]) => microseconds(name, text)),
];

/** The environment in which a loader finds lavapipe and nothing else. */
function lavapipe(): Readonly<Record<string, string>> {
  const name = existsSync(DRIVERS) ? readdirSync(DRIVERS).find((file) => file.startsWith("lvp_icd")) : undefined;
  if (name === undefined) throw new Error(`lavapipe is not installed: ${PACKAGES} are needed`);
  return { VK_ICD_FILENAMES: join(DRIVERS, name), VK_DRIVER_FILES: join(DRIVERS, name) };
}

/** A shader as SPIR-V, as `benchmarks/build.sh` makes it. */
function compileShader(source: string, folder: string): string {
  const path = join(folder, `${basename(source)}.spv`);
  execFileSync("glslangValidator", ["-V", "--target-env", "vulkan1.1", "-o", path, source], { stdio: "pipe" });
  return path;
}

/** A benchmark job with a compute shader. */
interface ShaderJob {
  readonly file: string;
  readonly name: string;
  readonly shader: string;
}

function shaderJobs(): readonly ShaderJob[] {
  return readdirSync(suite)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .flatMap((name) => {
      const file = join(suite, name);
      const job = JSON.parse(readFileSync(file, "utf8")) as { readonly name: string; readonly glsl?: string };
      return job.glsl === undefined ? [] : [{ file, name: job.name, shader: join(suite, job.glsl) }];
    });
}

/** The median time of a run in ms. Throws where the job did not run. */
function timeOf(job: string, run: Run): number {
  if ("times" in run) return run.times.median_ms;
  throw new Error(`${job}: ${run.reason}`);
}

/** A job's line, and how many times quicker each of ours is. */
interface JobLine {
  readonly cells: readonly string[];
  readonly ratios: readonly number[];
}

function measureJob(job: ShaderJob, rounds: number, work: string, vkrun: string): JobLine {
  const dumps = { own: WAYS.map(() => mkdtempSync(join(work, "own-"))), theirs: mkdtempSync(join(work, "theirs-")) };
  compileShader(job.shader, work);
  const measured = Array.from({ length: rounds }, () => {
    const own = WAYS.map(([way, environment], i) =>
      runProgram({
        command: process.execPath,
        args: [cliOf(root), "run", job.file, "--api", "vulkan", "--json", "--no-check", "--dump", dumps.own[i] ?? ""],
        env: { ...environment, MUXKIT_CACHE: join(work, `${way}-cache`) },
      }),
    );
    const theirs = runProgram({
      command: vkrun,
      args: [job.file, "--spv-dir", work, "--dump", dumps.theirs],
      env: lavapipe(),
    });
    return [...own.map((run) => timeOf(job.name, run)), timeOf(job.name, theirs)];
  });
  const compared = dumps.own.flatMap((folder) => compareDirs(suite, folder, dumps.theirs, [job.name]));
  const wrong = differences(compared);
  const isSame = compared.every(({ differing }) => differing === 0);
  const outputs = wrong === "" ? `agrees${isSame ? ", bit for bit" : ""}` : `DIFFERS: ${wrong}`;
  const timesOf = (side: number): readonly number[] => measured.map((round) => round[side] ?? Number.NaN);
  const ratios = WAYS.map((_, way) =>
    median(measured.map((round) => (round.at(-1) ?? Number.NaN) / (round[way] ?? 1))),
  );
  const middle = (side: number): string => {
    const time = median(timesOf(side));
    return time < 1000 ? time.toPrecision(3) : time.toFixed(0);
  };
  const times = [...WAYS, "theirs"].map((_, side) => middle(side));
  const cells = [job.name, ...times, ...ratios.map((ratio) => ratio.toFixed(2)), outputs];
  console.log(cells.join("  "));
  return { cells, ratios };
}

function measureJobs(rounds: number, work: string): { readonly text: string; readonly means: readonly number[] } {
  const vkrun = built(
    "vkrun",
    ["vkrun.c", "src/job.h"],
    (path) => [["cc", ["-O2", "-ffp-contract=off", "-o", path, "vkrun.c", "-lvulkan", "-lm"]]],
    PACKAGES,
  );
  if ("reason" in vkrun) throw new Error(vkrun.reason);
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const lines = shaderJobs().map((job) => measureJob(job, rounds, work, vkrun.path));
  return {
    means: WAYS.map((_, way) => geometricMean(lines.flatMap(({ ratios }) => ratios[way] ?? []))),
    text: table(
      [
        "job",
        ...WAYS.map(([way]) => `${way}, ms`),
        "lavapipe, ms",
        ...WAYS.map(([way]) => `lavapipe ÷ ${way}`),
        "outputs",
      ],
      lines.map(({ cells }) => cells),
      [0, 2 * WAYS.length + 2],
    ),
  };
}

/** What the calls cost: beside lavapipe, and replays beside OpenCL's command buffers here. */
interface CallFigures {
  readonly beside: string;
  readonly replays: string;
  /** µs of a submission and of a round trip with validation. */
  readonly checked: readonly [submit: number, roundTrip: number];
}

function measureCalls(rounds: number, work: string): CallFigures {
  const native = nativeProgram(join(import.meta.dirname, "vulkan.c"), "vulkan");
  const shader = compileShader(join(import.meta.dirname, "vulkan.comp"), work);
  const program = join(import.meta.dirname, "vulkan-run.ts");
  const { own, theirs } = interleaved(
    rounds,
    (environment) => figuresOf(process.execPath, [...process.execArgv, program, shader], environment),
    () => figuresOf(native, [shader], lavapipe()),
  );
  const wasm = own[0] ?? [];
  const middle = (name: string): number => median(wasm.map((figures) => figures[name] ?? Number.NaN));
  return {
    beside: table(
      headOf("µs", "lavapipe"),
      CALLS.map((row) => lineOf(row, own, theirs)),
      [0],
    ),
    replays: table(
      ["µs", "Vulkan", "OpenCL", "Vulkan is better by"],
      REPLAYS.map(([name, text]) => {
        const ratios = wasm.map((figures) => (figures[`${name}OpenCl`] ?? Number.NaN) / (figures[name] ?? Number.NaN));
        return [text, middle(name).toFixed(1), middle(`${name}OpenCl`).toFixed(1), median(ratios).toFixed(2)];
      }),
      [0],
    ),
    checked: [middle("submitChecked"), middle("roundTripChecked")],
  };
}

/** Measures, prints the tables, and with `--write` writes them into the page. */
export function vulkan(writes: boolean, rounds: number): void {
  const work = mkdtempSync(join(tmpdir(), "muxkit-vulkan-"));
  const [load] = loadavg();
  const { beside, replays, checked } = measureCalls(rounds, work);
  console.log(`${beside}\n${replays}`);
  const { text, means } = measureJobs(rounds, work);
  console.log(text);
  rmSync(work, { recursive: true });
  const [submit, roundTrip] = checked.map((time) => time.toFixed(1));
  const busy = (load ?? 0).toFixed(1);
  if (writes)
    writeChapter(
      TITLE,
      `Written by \`npm run figures -- vulkan --write\`, Node ${process.version}: medians of ${rounds} interleaved rounds,
each side a process of its own; a ratio is the median of the rounds' ratios. The load of the machine was ${busy}
when it began: above one or two, others worked on it, and times are longer than they need be, most of all those of
lavapipe, which hands every dispatch to threads and waits for them.
Each job with a compute shader in GLSL, by \`muxkit run --api vulkan\` and by \`benchmarks/vkrun.c\` on lavapipe.
"Wasm" is \`MUXKIT_NATIVE=off\`, "x64" \`on\`. Geometric means of lavapipe's time over WebAssembly's and machine code's:
${means.map((mean) => mean.toFixed(2)).join(" and ")}.

${text}
What the calls cost without validation. With it a submission takes ${submit} µs, and with the wait ${roundTrip}.

${beside}
The same command buffers beside OpenCL's, which take turns in one process: \`clEnqueueCommandBufferKHR\` and
\`clFinish\`, with barriers a queue in order, without barriers one without order; both with WebAssembly.

${replays}`,
    );
}
