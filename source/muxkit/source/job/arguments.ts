// SPDX-License-Identifier: Apache-2.0
// The arguments of a job's kernel: inputs as arrays, buffers and images on the device, what comes back.
import { SCALAR_ARRAYS, type ScalarArray } from "@muxkit/cargo";
import { packValue } from "@muxkit/loader";
import {
  type Buffer,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_WRITE_ONLY,
  type CommandQueue,
  type Context,
  Image,
  type ImagePosition,
  type Kernel,
  clCreateBuffer,
  clCreateImage,
  clCreateSampler,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clEnqueueWriteBuffer,
  clEnqueueWriteImage,
  clReleaseSampler,
  clSetKernelArg,
} from "@muxkit/opencl";

import { makeElements } from "./inputs.ts";
import { type Job, type JobArgument, JobError } from "./job.ts";
import type { DataArgument } from "./report.ts";

/** A data argument with its object on the device. */
export interface DataArgumentObject extends DataArgument {
  readonly object: Buffer | Image;
}

const FLAGS = { r: CL_MEM_READ_ONLY, w: CL_MEM_WRITE_ONLY, rw: CL_MEM_READ_WRITE } as const;
const ORIGIN: ImagePosition = [0, 0, 0];

/** The contents of all data arguments before the first run. */
export function inputsOf(job: Job): ReadonlyMap<number, ScalarArray> {
  const inputs = new Map<number, ScalarArray>();
  for (const [i, argument] of job.arguments.entries())
    if (argument.kind === "buffer" || argument.kind === "image")
      inputs.set(i, makeElements(argument.type, argument.count, argument.init, job.folder));
  return inputs;
}

function makeObject(context: Context, argument: DataArgument["argument"], bytes: number): Buffer | Image {
  if (argument.kind === "buffer") return clCreateBuffer(context, FLAGS[argument.access], bytes);
  return clCreateImage(context, FLAGS[argument.access], argument.format, {
    type: "CL_MEM_OBJECT_IMAGE2D",
    width: argument.width,
    height: argument.height,
  });
}

function wholeOf({ argument }: DataArgumentObject): ImagePosition {
  return argument.kind === "image" ? [argument.width, argument.height, 1] : [argument.count, 1, 1];
}

/** Writes the input again. */
export function upload(queue: CommandQueue, item: DataArgumentObject): void {
  const { object, input } = item;
  if (object instanceof Image) clEnqueueWriteImage(queue, object, true, ORIGIN, wholeOf(item), 0, 0, input);
  else clEnqueueWriteBuffer(queue, object, true, 0, input.byteLength, input);
}

/** Reads the result, where there is one. */
export function download(queue: CommandQueue, item: DataArgumentObject): void {
  const { object, output } = item;
  if (output === null) return;
  if (object instanceof Image) clEnqueueReadImage(queue, object, true, ORIGIN, wholeOf(item), 0, 0, output);
  else clEnqueueReadBuffer(queue, object, true, 0, output.byteLength, output);
}

function setScalar(
  job: Job,
  kernel: Kernel,
  index: number,
  argument: Extract<JobArgument, { readonly kind: "scalar" }>,
): void {
  const { typeName = argument.type, size = 0 } = kernel.info.arguments[index] ?? {};
  const packed = packValue(
    `${argument.type}${argument.values.length === 1 ? "" : argument.values.length}`,
    size,
    argument.values,
  );
  if (typeof packed === "string") throw new JobError(`${job.name}: argument ${index} (${typeName}) ${packed}`);
  clSetKernelArg(kernel, index, packed);
}

/** Makes and sets all arguments, with their contents. */
export function setArguments(
  job: Job,
  context: Context,
  queue: CommandQueue,
  kernel: Kernel,
  inputs: ReadonlyMap<number, ScalarArray>,
): readonly DataArgumentObject[] {
  const data: DataArgumentObject[] = [];
  for (const [index, argument] of job.arguments.entries()) {
    if (argument.kind === "local") clSetKernelArg(kernel, index, { localBytes: argument.bytes });
    else if (argument.kind === "scalar") setScalar(job, kernel, index, argument);
    else if (argument.kind === "sampler") {
      const sampler = clCreateSampler(context, argument.normalized, argument.addressing, argument.filter);
      clSetKernelArg(kernel, index, sampler);
      clReleaseSampler(sampler);
    } else {
      const input = inputs.get(index) ?? new SCALAR_ARRAYS[argument.type](argument.count);
      const item: DataArgumentObject = {
        index,
        argument,
        input,
        object: makeObject(context, argument, input.byteLength),
        output: argument.access === "r" ? null : new SCALAR_ARRAYS[argument.type](argument.count),
      };
      clSetKernelArg(kernel, index, item.object);
      upload(queue, item);
      data.push(item);
    }
  }
  return data;
}
