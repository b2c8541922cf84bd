// SPDX-License-Identifier: Apache-2.0
// `run.sh peers`: two GPUs in one context: kernels on either of them in turn see what the other one wrote; and how
// quick bytes go from one to the other, by the driver and by OpenCL.
import { type CudaDriver, type CudaGpu, cudaTargetOf } from "@muxkit/cuda";
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_GPU,
  CL_MEM_READ_WRITE,
  addCompilers,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clSetKernelArg,
} from "@muxkit/opencl";

import { median } from "../median.ts";
import { must } from "./mux-device.ts";

const BYTES = 2 ** 28;
const WORDS: number = BYTES / 4;
const TURNS = 20;
const ROUNDS = 7;

const SOURCE = `
kernel void fill(global uint* x, uint seed) { x[get_global_id(0)] = get_global_id(0) * 2654435761u + seed; }
kernel void step(global uint* x) { x[get_global_id(0)] = x[get_global_id(0)] * 1664525u + 1013904223u; }`;

function milliseconds(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

const speed = (ms: number): string => `${(BYTES / ms / 1e6).toFixed(1)} GB/s`;

/** Copies of the driver from one GPU to the other. */
function driverSpeed(first: CudaGpu, second: CudaGpu): string {
  const [from, to] = [must(first.allocate(BYTES)), must(second.allocate(BYTES))];
  const [stream, event] = [must(first.createStream()), must(first.createEvent(false))];
  const line = { fromRow: BYTES, fromSlice: BYTES, toRow: BYTES, toSlice: BYTES, bytes: BYTES, rows: 1, slices: 1 };
  const copy = (): number =>
    milliseconds(() => {
      must(first.start(stream, { kind: "copy", from, to, ...line }));
      must(first.record(event, stream));
      must(first.finish(event));
    });
  const reaches = must(first.reachPeer(1)) && must(second.reachPeer(0));
  const time = reaches ? speed(median(Array.from({ length: ROUNDS }, copy))) : "they do not reach each other";
  first.free(from);
  second.free(to);
  return `by the driver: ${time}`;
}

/** Shows what two GPUs do together. False: results are wrong. */
export function peers(driver: CudaDriver): boolean {
  if (driver.gpus.length < 2) {
    console.log("peers: this machine has one GPU");
    return false;
  }
  registerTarget(cudaTargetOf(driver));
  addCompilers({ compilers: [CUDA_COMPILER] });
  const devices = clGetPlatformIDs()
    .flatMap((platform) => clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU))
    .slice(0, 2);
  const context = clCreateContext(devices);
  const queues = devices.map((device) => clCreateCommandQueue(context, device));
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const [fill, step] = [clCreateKernel(program, "fill"), clCreateKernel(program, "step")];
  const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES);
  clSetKernelArg(fill, 0, buffer);
  clSetKernelArg(step, 0, buffer);
  const [first, second] = queues;
  if (first === undefined || second === undefined) throw new Error("there are two queues");
  let wrong = 0;
  const found = new Uint32Array(WORDS);
  for (let turn = 0; turn < TURNS; turn++) {
    clSetKernelArg(fill, 1, Uint32Array.of(turn));
    const [one, other] = turn % 2 === 0 ? [first, second] : [second, first];
    clEnqueueNDRangeKernel(one, fill, 1, null, [WORDS], [256]);
    clFinish(one);
    clEnqueueNDRangeKernel(other, step, 1, null, [WORDS], [256]);
    clFinish(other);
    clEnqueueNDRangeKernel(one, step, 1, null, [WORDS], [256]);
    clFinish(one);
    if (turn > 3) continue;
    clEnqueueReadBuffer(other, buffer, true, 0, BYTES, found);
    for (let i = 0; i < WORDS; i++) {
      const begun = (Math.imul(i, 2_654_435_761) + turn) >>> 0;
      const once = (Math.imul(begun, 1_664_525) + 1_013_904_223) >>> 0;
      if (found[i] !== (Math.imul(once, 1_664_525) + 1_013_904_223) >>> 0) wrong++;
    }
  }
  const times = Array.from({ length: ROUNDS }, (_, i) => {
    const [one, other] = i % 2 === 0 ? [first, second] : [second, first];
    clEnqueueNDRangeKernel(one, step, 1, null, [WORDS], [256]);
    clFinish(one);
    return milliseconds(() => {
      clEnqueueMigrateMemObjects(other, [buffer], 0);
      clFinish(other);
    });
  });
  console.log(`by clEnqueueMigrateMemObjects: ${speed(median(times))}`);
  console.log(driverSpeed(must(driver.open(0)), must(driver.open(1))));
  console.log(`peers: ${wrong === 0 ? "all results right" : `${wrong} words wrong`}`);
  return wrong === 0;
}
