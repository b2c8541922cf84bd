// SPDX-License-Identifier: Apache-2.0
// The calls of the table in TypeScript: objects of the same names as in objects.h, and what a call comes to.
import * as opencl from "muxkit/opencl";
import {
  type Buffer,
  CL_COMPLETE,
  CL_DEVICE_TYPE_ALL,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_WRITE_ONLY,
  CL_QUEUE_PROFILING_ENABLE,
  type Context,
  type Event,
  type Image,
  type ImageFormat,
  type Kernel,
  OpenCLError,
  type Program,
  type Sampler,
  type UserEvent,
  clBuildProgram,
  clCompileProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithBinary,
  clCreateProgramWithIL,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateSubDevices,
  clCreateUserEvent,
  clEnqueueMapBuffer,
  clEnqueueMapImage,
  clEnqueueMarkerWithWaitList,
  clFinish,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clGetProgramInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseDevice,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSVMAlloc,
  clSetKernelArg,
  clSetUserEventStatus,
} from "muxkit/opencl";

import { FUNCTIONS } from "./schema-rows.ts";
import type { Row, Value } from "./values.ts";
import { MODULE, VALID } from "./valid.table.ts";

const SOURCE = `kernel void k(global int *data, int value) { data[get_global_id(0)] += value; }`;
const KERNELS = `kernel void takes(global int *data, local int *scratch, int value,
  read_only image2d_t from, sampler_t how,
    write_only image2d_t to) {
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *data) { data[get_global_id(0)] = 1; }
kernel void sum(global int *data, local int *scratch) { scratch[0] = 1; data[0] = scratch[0]; }
kernel void ids(global int *data) { data[get_global_id(0)] = (int)get_global_id(0); }
`;

function released<T>(object: T, release: (object: T) => void): T {
  release(object);
  return object;
}

function ready(of: Program, data: Buffer): Kernel {
  const made = clCreateKernel(of, "k");
  clSetKernelArg(made, 0, data);
  clSetKernelArg(made, 1, Int32Array.of(1));
  return made;
}

function userEvent(of: Context, status: number): UserEvent {
  const made = clCreateUserEvent(of);
  clSetUserEventStatus(made, status);
  return made;
}

/** Objects by name; those that begin with "fresh" or "released" are made anew. */
function makeObjects(): Readonly<Record<string, unknown>> {
  const [platform] = clGetPlatformIDs();
  const [device] = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
  if (device === undefined) throw new Error("the list of devices is empty");
  const context = clCreateContext([device]);
  const other = clCreateContext([device]);
  const queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const newBuffer = (of: Context = context): Buffer => clCreateBuffer(of, CL_MEM_READ_WRITE, 256);
  const newImage = (
    of: Context = context,
    flags: number = CL_MEM_READ_WRITE,
    channelType: ImageFormat["channelType"] = "CL_UNSIGNED_INT32",
  ): Image =>
    clCreateImage(
      of,
      flags,
      { channelOrder: "CL_R", channelType },
      { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 },
    );
  const newSampler = (of: Context = context): Sampler =>
    clCreateSampler(of, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST");
  const newProgram = (of: Context = context, text = SOURCE): Program => clCreateProgramWithSource(of, [text]);
  const built = (of: Context = context, text = SOURCE): Program => {
    const made = newProgram(of, text);
    clBuildProgram(made);
    return made;
  };
  const compile = (text = SOURCE): Program => {
    const made = newProgram(context, text);
    clCompileProgram(made);
    return made;
  };
  const buffer = newBuffer();
  const foreignBuffer = newBuffer(other);
  const mapped = newBuffer();
  const program = built();
  const more = built(context, KERNELS);
  const withBuffer = (name: string, size: number | null = null): Kernel => {
    const made = clCreateKernel(more, name);
    clSetKernelArg(made, 0, buffer);
    if (size !== null) clSetKernelArg(made, 1, { localBytes: size });
    return made;
  };
  const marker = (): Event => {
    const made = clEnqueueMarkerWithWaitList(queue);
    clFinish(queue);
    return made;
  };
  const freshPart = (): ReturnType<typeof clCreateSubDevices>[number] | undefined =>
    clCreateSubDevices(device, { CL_DEVICE_PARTITION_BY_COUNTS: [1] })[0];
  const binary = clGetProgramInfo(program, "CL_PROGRAM_BINARIES")[0] ?? new Uint8Array(0);
  return {
    platform,
    device,
    context,
    queue,
    buffer,
    mapped,
    foreignBuffer,
    program,
    binary,
    part: freshPart(),
    second: newBuffer(),
    image: newImage(),
    secondImage: newImage(),
    floatImage: newImage(context, CL_MEM_READ_WRITE, "CL_FLOAT"),
    quiet: clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 256),
    readQuiet: clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 256),
    readOnly: clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 256),
    sub: clCreateSubBuffer(buffer, 0, { origin: 128, size: 64 }),
    writeOnlyImage: newImage(context, CL_MEM_WRITE_ONLY, "CL_FLOAT"),
    readOnlyImage: newImage(context, CL_MEM_READ_ONLY, "CL_FLOAT"),
    quietImage: newImage(context, CL_MEM_HOST_NO_ACCESS),
    arrayImage: clCreateImage(
      context,
      CL_MEM_READ_WRITE,
      { channelOrder: "CL_R", channelType: "CL_UNSIGNED_INT32" },
      { type: "CL_MEM_OBJECT_IMAGE2D_ARRAY", width: 4, height: 4, arraySize: 2 },
    ),
    foreignImage: newImage(other),
    pipe: clCreatePipe(context, 0, 4, 4),
    sampler: newSampler(),
    foreignSampler: newSampler(other),
    compiled: compile(),
    compiledWrong: compile(`int f(int);
    kernel void k(global int *p) { *p = f(*p); }`),
    unbuilt: newProgram(),
    wrongSource: newProgram(context, `kernel void k(void) { x = 1; }`),
    fromBinary: clCreateProgramWithBinary(context, [device], [binary]),
    fromModule: clCreateProgramWithIL(context, new Uint8Array(Uint32Array.from(MODULE).buffer)),
    kernel: ready(program, buffer),
    foreignKernel: ready(built(other), foreignBuffer),
    unset: clCreateKernel(program, "k"),
    takes: clCreateKernel(more, "takes"),
    eight: withBuffer("eight"),
    sum: withBuffer("sum", 2 ** 24),
    ids: withBuffer("ids"),
    marker: marker(),
    foreignEvent: userEvent(other, CL_COMPLETE),
    failedEvent: userEvent(context, -1),
    settledUser: userEvent(context, CL_COMPLETE),
    bytes: new Uint8Array(4096),
    pointer: clSVMAlloc(context, CL_MEM_READ_WRITE, 256),
    target: clSVMAlloc(context, CL_MEM_READ_WRITE, 256),
    nothing: (): void => undefined,
    freshPart,
    freshContext: () => clCreateContext([device]),
    freshQueue: () => clCreateCommandQueue(context, device, 0),
    freshBuffer: () => newBuffer(),
    freshImage: () => newImage(),
    freshSampler: () => newSampler(),
    freshProgram: () => newProgram(),
    freshKernel: () => clCreateKernel(program, "k"),
    freshUserEvent: () => clCreateUserEvent(context),
    freshEvent: () => userEvent(context, CL_COMPLETE),
    freshMap: () => clEnqueueMapBuffer(queue, mapped, true, CL_MAP_READ, 0, 16).array,
    freshPointer: () => clSVMAlloc(context, CL_MEM_READ_WRITE, 16),
    freshWriteMapped: () => {
      const made = newBuffer();
      clEnqueueMapBuffer(queue, made, true, CL_MAP_WRITE, 0, 8);
      return made;
    },
    freshWriteMappedImage: () => {
      const made = newImage();
      clEnqueueMapImage(queue, made, true, CL_MAP_WRITE, [0, 0, 0], [2, 2, 1]);
      return made;
    },
    releasedPart: () => released(freshPart() as never, clReleaseDevice),
    releasedContext: () => released(clCreateContext([device]), clReleaseContext),
    releasedQueue: () => released(clCreateCommandQueue(context, device, 0), clReleaseCommandQueue),
    releasedBuffer: () => released(newBuffer(), clReleaseMemObject),
    releasedImage: () => released(newImage(), clReleaseMemObject),
    releasedPipe: () => released(clCreatePipe(context, 0, 4, 4), clReleaseMemObject),
    releasedSampler: () => released(newSampler(), clReleaseSampler),
    releasedProgram: () => released(newProgram(), clReleaseProgram),
    releasedKernel: () => released(clCreateKernel(program, "k"), clReleaseKernel),
    releasedEvent: () => released(userEvent(context, CL_COMPLETE), clReleaseEvent),
  };
}

let objects: Readonly<Record<string, unknown>> | null = null;

/** The constant of a name, where it is a number in TypeScript. */
function constant(name: string): unknown {
  const parts = name.split("|").map((part) => (opencl as Readonly<Record<string, unknown>>)[part]);
  return parts.every((part): part is number => typeof part === "number")
    ? parts.reduce((sum, part) => sum + part, 0)
    : name;
}

/** An argument as TypeScript takes it. */
function argument(value: Value): unknown {
  if (Array.isArray(value)) return value.map(argument);
  if (typeof value === "string" && value.startsWith("@")) {
    const name = value.slice(1);
    const object = objects?.[name];
    if (object === undefined) throw new Error(`there is no object ${name}`);
    return /^(?:fresh|released)/u.test(name) ? (object as () => unknown)() : object;
  }
  if (typeof value === "string") return value.startsWith("CL_") ? constant(value) : value;
  if (value === null || typeof value !== "object") return value;
  const record = value as { readonly [key: string]: Value };
  if (typeof record["bytes"] === "number") return new Uint8Array(record["bytes"]);
  if (Array.isArray(record["words"])) return new Uint8Array(Uint32Array.from(record["words"] as number[]).buffer);
  if (typeof record["colour"] === "number") return new Uint32Array(record["colour"]);
  if (record["local"] !== undefined) return { localBytes: record["local"] };
  return Object.fromEntries(Object.entries(record).map(([key, part]) => [key, argument(part)]));
}

/** What a call comes to in TypeScript: an error's name, or CL_SUCCESS. */
export function answerOf({ call, change }: Pick<Row, "call" | "change">): string {
  objects ??= makeObjects();
  const names = (FUNCTIONS.find(({ name }) => name === call)?.arguments ?? "").split(" ");
  const valid = VALID[call] ?? [];
  const args = valid.map((value, index) => {
    const changed = change[names[index] ?? ""];
    return argument(changed === undefined ? value : changed);
  });
  try {
    (opencl as unknown as Readonly<Record<string, (...list: readonly unknown[]) => unknown>>)[call]?.(...args);
    return "CL_SUCCESS";
  } catch (error) {
    if (error instanceof OpenCLError) return error.name;
    throw error;
  }
}
