// SPDX-License-Identifier: Apache-2.0
// The kernels on the device, through the OpenCL package: each is built alone, so that the table can show what each
// costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { readExecutable } from "@muxkit/metadata";
import {
  type ArgumentValue,
  type Buffer,
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandQueue,
  type Context,
  type Device,
  type Event,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueFillBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetEventProfilingInfo,
  clGetPlatformIDs,
  clGetProgramInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clSetKernelArg,
  clWaitForEvents,
} from "muxkit/opencl";

import type { ImagePixels } from "muxkit/image-files";
import {
  ALIKE,
  BILATERAL_RADIUS,
  BLUR_COLUMNS,
  BLUR_RADIUS,
  BLUR_ROWS,
  BLUR_WIDTH,
  NEAR,
  blurWeights,
} from "./settings.ts";

/** Timed runs of each kernel, after the first. */
const RUNS = 7;

/** What a kernel cost. */
export interface KernelCost {
  readonly name: string;
  readonly compileMs: number;
  /** Median of the runs after the first. */
  readonly runMs: number;
  /** Bytes that it must read and write. */
  readonly bytes: number;
}

/** What the device did. */
export interface PipelineResult {
  readonly device: string;
  readonly threads: number;
  /** Engine features that the compiled kernels use, and the most work-items that one step takes. */
  readonly features: readonly string[];
  readonly lanes: number;
  readonly costs: readonly KernelCost[];
  readonly stages: Readonly<Record<"blur" | "sobel" | "equalise" | "bilateral", ImagePixels>>;
}

const PIXEL = 4;

function roundUp(size: number, multiple: number): number {
  return Math.ceil(size / multiple) * multiple;
}

/** One context and queue, and what was learnt on the way. */
class Pipeline {
  readonly device: Device;
  readonly context: Context;
  readonly queue: CommandQueue;
  readonly costs: KernelCost[] = [];
  readonly features = new Set<string>();
  lanes = 1;
  readonly #buffers: Buffer[] = [];

  constructor() {
    const [platform] = clGetPlatformIDs();
    const [device] = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
    if (device === undefined) throw new Error("the list of devices is empty");
    this.device = device;
    this.context = clCreateContext([device]);
    this.queue = clCreateCommandQueue(this.context, device, CL_QUEUE_PROFILING_ENABLE);
  }

  buffer(contents: ArrayBufferView): Buffer {
    return this.#keep(
      clCreateBuffer(this.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, contents.byteLength, contents),
    );
  }

  empty(bytes: number): Buffer {
    return this.#keep(clCreateBuffer(this.context, CL_MEM_READ_WRITE, bytes));
  }

  #keep(buffer: Buffer): Buffer {
    this.#buffers.push(buffer);
    return buffer;
  }

  /** Builds a kernel and runs it some times; `prepare` comes before each run. */
  run(
    name: string,
    options: string,
    global: readonly number[],
    local: readonly number[] | null,
    args: readonly ArgumentValue[],
    bytes: number,
    prepare: () => void = () => {},
  ): void {
    const source = readFileSync(join(import.meta.dirname, "kernels", `${name}.cl`), "utf8");
    const begin = performance.now();
    const program = clCreateProgramWithSource(this.context, [source]);
    clBuildProgram(program, null, options);
    const kernel = clCreateKernel(program, name);
    const compileMs = performance.now() - begin;
    this.#learn(clGetProgramInfo(program, "CL_PROGRAM_BINARIES"));
    for (const [i, value] of args.entries()) clSetKernelArg(kernel, i, value);
    const events: Event[] = [];
    for (let i = 0; i <= RUNS; i++) {
      prepare();
      events.push(clEnqueueNDRangeKernel(this.queue, kernel, global.length, null, global, local));
    }
    clWaitForEvents(events);
    const times = events
      .slice(1)
      .map(
        (event) =>
          (clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_END") -
            clGetEventProfilingInfo(event, "CL_PROFILING_COMMAND_START")) /
          1e6,
      )
      .toSorted((a, b) => a - b);
    this.costs.push({ name, compileMs, runMs: times[RUNS >> 1] ?? 0, bytes });
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }

  #learn(binaries: readonly Uint8Array[]): void {
    for (const binary of binaries) {
      const image = readExecutable(binary);
      if (!image.ok) continue;
      for (const { engineFeatures, vectorWidth } of image.value.kernels.flatMap(({ variants }) => variants)) {
        for (const feature of engineFeatures) this.features.add(feature);
        this.lanes = Math.max(this.lanes, vectorWidth);
      }
    }
  }

  image(width: number, height: number, buffer: Buffer): ImagePixels {
    const data = new Uint8Array(width * height * PIXEL);
    clEnqueueReadBuffer(this.queue, buffer, true, 0, data.length, data);
    return { width, height, data };
  }

  close(): void {
    for (const buffer of this.#buffers) clReleaseMemObject(buffer);
    clReleaseCommandQueue(this.queue);
    clReleaseContext(this.context);
  }
}

function int(value: number): Int32Array {
  return Int32Array.of(value);
}

/** Runs every stage on a photograph. Throws an OpenCLError. */
export function runPipeline({ width, height, data }: ImagePixels): PipelineResult {
  const pipeline = new Pipeline();
  const { device } = pipeline;
  const count = width * height;
  const bytes = count * PIXEL;
  const input = pipeline.buffer(data);
  const weights = pipeline.buffer(blurWeights());
  const rows = pipeline.empty(bytes * PIXEL);
  const blurred = pipeline.empty(bytes);
  const edges = pipeline.empty(bytes);
  const counts = pipeline.empty(256 * 4);
  const equalised = pipeline.empty(bytes);
  const smoothed = pipeline.empty(bytes);
  const blurOptions = `-D RADIUS=${BLUR_RADIUS}`;
  pipeline.run(
    "blur_rows",
    `${blurOptions} -D WIDTH=${BLUR_WIDTH}`,
    [roundUp(width, BLUR_WIDTH), height],
    [BLUR_WIDTH, 1],
    [input, rows, int(width), weights],
    bytes * 5,
  );
  pipeline.run(
    "blur_columns",
    `${blurOptions} -D WIDTH=${BLUR_COLUMNS} -D HEIGHT=${BLUR_ROWS}`,
    [roundUp(width, BLUR_COLUMNS), roundUp(height, BLUR_ROWS)],
    [BLUR_COLUMNS, BLUR_ROWS],
    [rows, blurred, int(width), int(height), weights],
    bytes * 5,
  );
  pipeline.run("sobel", "", [width, height], null, [input, edges, int(width), int(height)], bytes * 2);
  pipeline.run("histogram", "", [256 * 64], [256], [input, counts, int(count)], bytes, () => {
    clEnqueueFillBuffer(pipeline.queue, counts, int(0), 0, 256 * 4);
  });
  pipeline.run("equalise", "", [256 * 64], [256], [input, equalised, counts, int(count)], bytes * 2);
  pipeline.run(
    "bilateral",
    `-D RADIUS=${BILATERAL_RADIUS}`,
    [width, height],
    null,
    [input, smoothed, int(width), int(height), Float32Array.of(NEAR), Float32Array.of(ALIKE)],
    bytes * 2,
  );
  const image = (buffer: Buffer): ImagePixels => pipeline.image(width, height, buffer);
  const result: PipelineResult = {
    device: clGetDeviceInfo(device, "CL_DEVICE_NAME"),
    threads: clGetDeviceInfo(device, "CL_DEVICE_MAX_COMPUTE_UNITS"),
    features: [...pipeline.features],
    lanes: pipeline.lanes,
    costs: pipeline.costs,
    stages: { blur: image(blurred), sobel: image(edges), equalise: image(equalised), bilateral: image(smoothed) },
  };
  pipeline.close();
  return result;
}
