// SPDX-License-Identifier: Apache-2.0
// `npm run figures`: the times that no benchmark job shows: builds, launches, cold starts. Medians; absolute times are
// this machine's. `npm run figures -- driver suites --write` writes what native programs take beside PoCL: their
// chapter of docs/performance.md, and that of docs/real-programs.md; `-- vulkan --write` what shaders and Vulkan's
// calls take beside lavapipe, in `--rounds` rounds; `-- starts --write` how long starts take by MUXKIT_NATIVE;
// `-- calls` what machine code costs beside its own running.
import { execFileSync, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { openDeviceSync } from "muxkit";
import {
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clReleaseKernel,
  clReleaseProgram,
  clSetKernelArg,
} from "muxkit/opencl";

import { driver } from "./figures/driver.ts";
import { moves } from "./figures/moves.ts";
import { nativeCalls } from "./figures/native-calls.ts";
import { starts } from "./figures/native-start.ts";
import { emptyLaunch, memoryOfLaunches, speedOfGroups } from "./figures/launches.ts";
import { queues } from "./figures/queues.ts";
import { scaling } from "./figures/scaling.ts";
import { vulkan } from "./figures/vulkan.ts";
import { median } from "./median.ts";

const root = resolve(import.meta.dirname, "..");
const SAXPY = `kernel void saxpy(uint n, float a, global const float* x, global float* y) {
  size_t i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}`;

/**
 * From the call of clBuildProgram to the end of the first launch, in ms; each program differs, so nothing is
 * remembered.
 */
function buildAndRun(rounds: number): number {
  const device = openDeviceSync();
  const size = 1 << 16;
  const x = device.array(Float32Array, size);
  const y = device.array(Float32Array, size);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const program = clCreateProgramWithSource(device.context, [SAXPY, `\n// ${round}\n`]);
    const begin = performance.now();
    clBuildProgram(program);
    const kernel = clCreateKernel(program, "saxpy");
    for (const [i, value] of [Uint32Array.of(size), Float32Array.of(2), x.buffer, y.buffer].entries())
      clSetKernelArg(kernel, i, value);
    clEnqueueNDRangeKernel(device.queue, kernel, 1, null, [size], null);
    clFinish(device.queue);
    times.push(performance.now() - begin);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
  device.close();
  return median(times.slice(rounds >> 1));
}

/**
 * A table of how compile times grow with the file: front end, optimiser, and both, each in a warm process of its own.
 */
function printGrowth(): void {
  for (const subject of ["front-end", "optimiser", "both"])
    execFileSync(process.execPath, [...process.execArgv, join(import.meta.dirname, "growth.ts"), subject], {
      cwd: root,
      stdio: "inherit",
    });
}

/** Makes what is installed of the sources. */
function bundle(): void {
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

/** A process that runs the tiny saxpy, from start to end, in ms, without making inputs. */
function coldRun(): number {
  const job = join(root, "benchmarks/suite/tiny/saxpy.json");
  bundle();
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    const begin = performance.now();
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, "source/muxkit/dist/program/cli.cjs"), "run", job, "--json", "--no-check"],
      { encoding: "utf8" },
    );
    const time = performance.now() - begin;
    if (status !== 0) throw new Error("muxkit run failed");
    times.push(time - (JSON.parse(stdout) as { readonly input_ms: number }).input_ms);
  }
  return median(times);
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function ratio(value: number): string {
  return Number.isNaN(value) ? "not there (npm run bench makes it)" : value.toFixed(2);
}

/** What can be measured, by name. */
const FIGURES: Readonly<Record<string, () => Promise<void> | void>> = {
  growth: printGrowth,
  build: () => {
    console.log(`clBuildProgram to the end of the first saxpy, warm process: ${buildAndRun(60).toFixed(1)} ms`);
  },
  launch: async () => {
    console.log(`empty kernel, launch and wait, on the calling thread: ${(await emptyLaunch(true)).toFixed(1)} µs`);
    console.log(`empty kernel, launch and wait, on a worker: ${(await emptyLaunch(false)).toFixed(1)} µs`);
  },
  memory: () => {
    for (const { launches, heap, reserved, resident } of memoryOfLaunches()) {
      console.log(
        `after ${launches.toLocaleString("en")} tiny launches: ${megabytes(heap)} in use on ` +
          `the heap, ${megabytes(resident)} resident, of which the engine's heap ` +
          `${megabytes(reserved)} and all else ${megabytes(resident - reserved)}`,
      );
    }
  },
  groups: () => {
    for (const [name, speed] of speedOfGroups(40))
      console.log(`saxpy with local size ${name}: ${speed.toFixed(2)} of its speed with 256`);
  },
  scaling: async () => {
    for (const { job, muxkit, hand, native, machine } of await scaling(3)) {
      console.log(
        `${job}, one thread over two: ${ratio(muxkit)}; hand-written WebAssembly ` +
          `${ratio(hand)}, hand-written C ${ratio(native)}; two processes of one thread each ` +
          `at once: ${ratio(machine)}`,
      );
    }
  },
  queues: () => {
    queues(values.write === true);
  },
  driver: () => {
    driver(values.write === true);
  },
  vulkan: () => {
    vulkan(values.write === true, Number(values.rounds ?? 5));
  },
  suites: () => {
    const program = join(root, "tools", "icd", "tools", "real-programs.ts");
    const words = ["--suites", ...(values.write === true ? ["--write"] : [])];
    execFileSync(process.execPath, [...process.execArgv, program, ...words], { cwd: root, stdio: "inherit" });
  },
  moves: () => {
    moves();
  },
  starts: () => {
    bundle();
    starts(values.write === true, Number(values.rounds ?? 15));
  },
  calls: () => {
    bundle();
    nativeCalls();
  },
  cold: () => {
    console.log(`muxkit run of the tiny saxpy, cold process, without inputs: ${coldRun().toFixed(0)} ms`);
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, rounds: { type: "string" } },
});
for (const name of positionals.length > 0 ? positionals : Object.keys(FIGURES)) {
  const print = FIGURES[name];
  if (print === undefined)
    throw new Error(`there is no figure "${name}"; there are ${Object.keys(FIGURES).join(", ")}`);
  // One after the other: each has the machine for itself.
  // eslint-disable-next-line no-await-in-loop
  await print();
}
