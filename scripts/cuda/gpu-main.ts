// SPDX-License-Identifier: Apache-2.0
// What runs on a machine with a GPU: suites by name, each ending with one line of counts; `bench` and `jobs`, with
// options and the names of jobs behind them; `figures` and `faults`. Bundled into one file.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { CudaDevice, cudaTargetOf, deviceInfo, openLibCuda } from "@muxkit/cuda";
import { generate, launchOf, render } from "@muxkit/kernel-generator";
import { type AnyLaunch, HalWay, type Outcome, firstDifference, runReference } from "@muxkit/kernel-suite";
import { MuxFloatingPointCapabilities } from "@muxkit/mux";
import { buildKernel, unitKernelCases } from "@muxkit/unitkernel";
import { unitMuxCases } from "@muxkit/unitmux";

import { bench, runJobs } from "./bench.ts";
import { fault, faults } from "./faults.ts";
import { figures, firstResult, launchTimes } from "./figures.ts";
import { peers } from "./peers.ts";
import { ULP_SUBJECTS, measureUlp } from "./ulp.ts";

interface Case {
  readonly name: string;
  readonly run: () => void;
}

function count(suite: string, cases: readonly Case[]): boolean {
  const failures: string[] = [];
  const started = performance.now();
  for (const { name, run } of cases) {
    try {
      run();
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 600));
    }
  }
  for (const failure of failures.slice(0, 40)) console.log(`  ${failure}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${suite}: ${cases.length - failures.length} passed, ${failures.length} failed, ${seconds} s`);
  return failures.length === 0;
}

const FILL = `
kernel void fill(global int* out, int value) {
  out[get_global_id(0)] = value + get_global_id(0);
}`;

const driver = openLibCuda();
if (!driver.ok) {
  console.error(driver.error);
  process.exit(1);
}
const target = cudaTargetOf(driver.value);
const setup = { target, compiler: CUDA_COMPILER };
const [gpu] = driver.value.gpus;
if (gpu === undefined) throw new Error("a driver has a GPU");

/** Everything is rounded correctly, so that results are the interpreter's. */
const EXACT = "-cl-fp32-correctly-rounded-divide-sqrt";

/** Opens the GPU, so it is made when it is needed. */
const makeWay = (): HalWay =>
  new HalWay({
    name: "GPU",
    compiler: CUDA_COMPILER,
    info: {
      ...deviceInfo(gpu),
      id: 1,
      floatCapabilities: deviceInfo(gpu).floatCapabilities | MuxFloatingPointCapabilities.full,
    },
    open: (print) => {
      const opened = driver.value.open(0);
      const device = opened.ok ? CudaDevice.open(opened.value, print) : opened;
      if (!device.ok) throw new Error(device.error.message);
      return device.value;
    },
  });

function bytesAgain(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && "$b" in value && typeof value.$b === "string"
    ? new Uint8Array(Buffer.from(value.$b, "base64"))
    : value;
}

/** Differs, with NaNs taken for one where elements are floats. */
function difference(expected: Outcome, own: Outcome): string | null {
  const kinds = ["bits", "f32", "f64"] as const;
  const found = kinds.map((kind) =>
    firstDifference(
      expected,
      own,
      expected.buffers.map(() => kind),
    ),
  );
  return found.includes(null) ? null : (found[0] ?? null);
}

/** Launches that were recorded with what the interpreter left. */
function recorded(): readonly Case[] {
  const way = makeWay();
  const lines = gunzipSync(readFileSync(join(import.meta.dirname, "launches.gz")))
    .toString("utf8")
    .split("\n");
  const share = Number(process.env["SHARE"] ?? "0");
  const shares = Number(process.env["SHARES"] ?? "1");
  return lines
    .filter((line, i) => line !== "" && i % shares === share)
    .map((line, i) => {
      const { launch, outcome } = JSON.parse(line, bytesAgain) as {
        readonly launch: AnyLaunch;
        readonly outcome: Outcome;
      };
      const shown = typeof launch.source === "string" ? launch.source.replaceAll(/\s+/gu, " ").slice(0, 160) : "";
      return {
        name: `launch ${i} ${launch.kernel} [${String(launch.global)}] [${String(launch.local)}] ${shown}`,
        run: () => {
          const own = way.run(way.build(launch.source, `${launch.options ?? ""} ${EXACT}`), launch);
          const found = difference(outcome, own);
          if (found !== null) throw new Error(found);
        },
      };
    });
}

/** Random kernels, against the interpreter. */
function random(): readonly Case[] {
  const way = makeWay();
  const [first = 1, last = 10] = (process.env["SEEDS"] ?? "1..10").split("..").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    name: `seed ${first + i}`,
    run: () => {
      const { tree, launch } = generate(first + i);
      const one = launchOf(render(tree), launch);
      const found = difference(runReference(one), way.run(way.build(one.source, `${one.options ?? ""} ${EXACT}`), one));
      if (found !== null) throw new Error(found);
    },
  }));
}

const SUITES: Readonly<Record<string, () => readonly Case[]>> = {
  unitkernel: () => unitKernelCases(setup),
  recorded,
  random,
  ulp: () => {
    const way = makeWay();
    console.log(`GPU: ${gpu.name}`);
    return ULP_SUBJECTS.map((name) => ({
      name,
      run: () => {
        measureUlp(way, name);
      },
    }));
  },
  unitmux: () => unitMuxCases({ target, executable: buildKernel(setup, FILL) }),
};

/** Runs this program in a new process; its output. Throws when it fails, or is killed after some ms. */
function again(words: readonly string[], killAfter?: number): string {
  return execFileSync(process.execPath, [import.meta.filename, ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    killSignal: "SIGKILL",
    ...(killAfter === undefined ? {} : { timeout: killAfter }),
  });
}

/** The executable that an earlier process wrote, or a new one. */
function fillExecutable(where: string): Uint8Array {
  return where === "source" ? buildKernel(setup, FILL) : new Uint8Array(readFileSync(where));
}

/** What is no suite, by its name. */
const OTHERS: Readonly<Record<string, (rest: readonly string[]) => boolean | Promise<boolean>>> = {
  bench: (rest) => bench(driver.value, join(import.meta.dirname, "benchmarks"), rest),
  jobs: (rest) => runJobs(driver.value, join(import.meta.dirname, "benchmarks"), rest),
  figures: () =>
    figures({
      driver: driver.value,
      target: cudaTargetOf(driver.value),
      empty: buildKernel(setup, "kernel void empty() {}"),
      fill: buildKernel(setup, FILL),
      again,
      folder: import.meta.dirname,
    }),
  "launch-times": ([file = ""]) => {
    const opened = driver.value.open(0);
    if (!opened.ok) throw new Error(opened.error.message);
    console.log(JSON.stringify(launchTimes(target, opened.value, new Uint8Array(readFileSync(file)))));
    return true;
  },
  "first-result": ([where = "source"]) => {
    console.log(firstResult(cudaTargetOf(driver.value), fillExecutable(where)).toFixed(0));
    return true;
  },
  peers: () => peers(driver.value),
  faults: () => faults(again),
  fault: ([name = ""]) => {
    fault(name, { driver: driver.value, build: (source) => buildKernel(setup, source) });
    return true;
  },
};

async function main(words: readonly string[]): Promise<boolean> {
  const [first = "", ...rest] = words;
  const other = OTHERS[first];
  if (other !== undefined) return await other(rest);
  let good = true;
  for (const name of words) {
    const suite = SUITES[name];
    if (suite === undefined) {
      console.error(
        `there is no suite ${name}; there are ${[...Object.keys(OTHERS), ...Object.keys(SUITES)].join(", ")}`,
      );
      good = false;
    } else good = count(name, suite()) && good;
  }
  return good;
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
