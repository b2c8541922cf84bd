// SPDX-License-Identifier: Apache-2.0
// One binary through the runtime, as a program does it that has no compiler: it is refused, or its kernels can be
// launched.
import { InternalError } from "@muxkit/cargo";
import { hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  type ArgumentValue,
  CL_DEVICE_TYPE_ALL,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Context,
  type Kernel,
  OpenCLError,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernelsInProgram,
  clCreateProgramWithBinary,
  clCreateSampler,
  clEnqueueNDRangeKernel,
  clFinish,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clReleaseKernel,
  clReleaseProgram,
  clSetKernelArg,
} from "@muxkit/opencl";

import type { BinaryInput } from "./inputs.ts";

/** Longest run time of a launch. */
const DEADLINE_MS = 200;
/**
 * The same with its surroundings, in processor time: a launch that takes longer was not ended by its deadline. A
 * process that is kept waiting is not wrong.
 */
const MOST_MS = 20_000;
const BUFFER_BYTES = 4096;
/** Values of arguments that a machine would request: larger ones come from a changed size field. */
const MOST_VALUE_BYTES = 1 << 20;

/** A device, and what its kernels get. */
interface Bench {
  readonly context: Context;
  readonly queue: CommandQueue;
  readonly values: Readonly<Record<"pointer" | "image" | "sampler", ArgumentValue>>;
}

let bench: Bench | null = null;

function openBench(): Bench {
  if (bench !== null) return bench;
  const number = registerTarget(
    hostTarget({
      threads: 1,
      isolated: true,
      deadline: DEADLINE_MS,
      engine: { eager: false },
      memoryLimit: 256 * 2 ** 20,
      print: () => undefined,
    }),
  );
  const [platform] = clGetPlatformIDs();
  const device =
    platform === undefined
      ? undefined
      : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new InternalError("the host lists no device", ["fuzz"]);
  const context = clCreateContext([device]);
  const image = clCreateImage(
    context,
    CL_MEM_READ_WRITE,
    { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" },
    { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 },
  );
  bench = {
    context,
    queue: clCreateCommandQueue(context, device),
    values: {
      pointer: clCreateBuffer(context, CL_MEM_READ_WRITE, BUFFER_BYTES),
      image,
      sampler: clCreateSampler(context, false, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_NEAREST"),
    },
  };
  return bench;
}

function valueOf({ values }: Bench, { kind, size }: Kernel["info"]["arguments"][number]): ArgumentValue | null {
  if (kind === "local") return { localBytes: 64 };
  if (kind === "value") return size > MOST_VALUE_BYTES ? null : new Uint8Array(size).fill(1);
  return kind === "pipe" ? null : values[kind];
}

function launch(on: Bench, kernel: Kernel): void {
  for (const [i, argument] of kernel.info.arguments.entries()) {
    const value = valueOf(on, argument);
    if (value === null) return;
    clSetKernelArg(kernel, i, value);
  }
  clEnqueueNDRangeKernel(on.queue, kernel, 1, null, [8], [4]);
  clFinish(on.queue);
}

function tryBinary({ bytes, hasOwnCode }: BinaryInput): void {
  const on = openBench();
  const program = clCreateProgramWithBinary(on.context, [on.queue.device], [bytes]);
  try {
    clBuildProgram(program);
    for (const kernel of clCreateKernelsInProgram(program)) {
      try {
        if (hasOwnCode) launch(on, kernel);
      } finally {
        clReleaseKernel(kernel);
      }
    }
  } finally {
    clReleaseProgram(program);
  }
}

/** What this process has computed so far, in ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The error in the runtime's handling of a binary; null: none. */
export function binaryFailure(input: BinaryInput): string | null {
  const started = processorTime();
  try {
    tryBinary(input);
    // Whoever changes bytes by accident makes no hash right.
    if (!input.isForged && !input.isWhole) return "a binary that was changed by accident is taken for a whole one";
  } catch (error) {
    if (input.isWhole) return `a whole binary fails: ${String(error)}`;
    if (!(error instanceof OpenCLError) || error.cause instanceof InternalError)
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const took = processorTime() - started;
  return took > MOST_MS ? `it took ${took.toFixed(0)} ms` : null;
}
