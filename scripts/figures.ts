// `npm run figures`: the times that no benchmark job shows: builds, launches, cold starts. Medians; absolute times are this machine's.
import { execFileSync, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import { type Device, openDeviceSync } from "muxkit";
import { clBuildProgram, clCreateKernel, clCreateProgramWithSource, clEnqueueNDRangeKernel, clFinish, clReleaseKernel, clReleaseProgram, clSetKernelArg } from "muxkit/opencl";

import { median } from "./median.ts";

const root = resolve(import.meta.dirname, "..");
const SAXPY = "kernel void saxpy(uint n, float a, global const float* x, global float* y) { size_t i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }";

/** From the call of clBuildProgram to the end of the first launch, in ms; each program differs, so nothing is remembered. */
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
    for (const [i, value] of [Uint32Array.of(size), Float32Array.of(2), x.buffer, y.buffer].entries()) clSetKernelArg(kernel, i, value);
    clEnqueueNDRangeKernel(device.queue, kernel, 1, null, [size], null);
    clFinish(device.queue);
    times.push(performance.now() - begin);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
  device.close();
  return median(times.slice(rounds >> 1));
}

/** A table of how compile times grow with the file: front end, optimiser, and both, each in a warm process of its own. */
function printGrowth(): void {
  for (const subject of ["front-end", "optimiser", "both"]) execFileSync(process.execPath, [...process.execArgv, join(import.meta.dirname, "growth.ts"), subject], { cwd: root, stdio: "inherit" });
}

/** Workers start at the first launch that is large enough to need them. */
async function startWorkers(device: Device): Promise<void> {
  const { busy } = device.build("kernel void busy(global int* x) { int s = 0; for (int i = 0; i < 100000; i++) s = s * 3 + x[i & 7]; x[get_global_id(0)] = s; }");
  busy(4096, device.array(Int32Array, 4096));
  await device.finish();
  await setTimeout(200);
}

/** One launch of an empty kernel and the wait for it, in µs. */
async function emptyLaunch(helping: boolean): Promise<number> {
  const device = openDeviceSync({ threads: 2, helping });
  if (!helping) await startWorkers(device);
  const program = clCreateProgramWithSource(device.context, ["kernel void empty(void) {}"]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "empty");
  const once = (): void => {
    clEnqueueNDRangeKernel(device.queue, kernel, 1, null, [1], [1]);
    clFinish(device.queue);
  };
  const rounds = 20_000;
  for (let i = 0; i < rounds; i++) once();
  const times: number[] = [];
  for (let part = 0; part < 20; part++) {
    const begin = performance.now();
    for (let i = 0; i < 1000; i++) once();
    times.push(performance.now() - begin);
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  device.close();
  return median(times);
}

/** A process that runs the tiny saxpy, from start to end, in ms, without making inputs. */
function coldRun(): number {
  const job = join(root, "benchmarks/suite/tiny/saxpy.json");
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    const begin = performance.now();
    const { status, stdout } = spawnSync(process.execPath, [join(root, "source/muxkit/dist/esm/cli.js"), "run", job, "--json", "--no-check"], { encoding: "utf8" });
    const time = performance.now() - begin;
    if (status !== 0) throw new Error("muxkit run failed");
    times.push(time - (JSON.parse(stdout) as { readonly input_ms: number }).input_ms);
  }
  return median(times);
}

printGrowth();
console.log(`clBuildProgram to the end of the first saxpy, warm process: ${buildAndRun(60).toFixed(1)} ms`);
console.log(`empty kernel, launch and wait, on the calling thread: ${(await emptyLaunch(true)).toFixed(1)} µs`);
console.log(`empty kernel, launch and wait, on a worker: ${(await emptyLaunch(false)).toFixed(1)} µs`);
console.log(`muxkit run of the tiny saxpy, cold process, without inputs: ${coldRun().toFixed(0)} ms`);
