// SPDX-License-Identifier: Apache-2.0
// Queries: every token of every query answers, what is no token is an error that lists them, and what is no object is
// its kind's error.
import * as opencl from "@muxkit/opencl";
import {
  CL_QUEUE_PROFILING_ENABLE,
  type CommandQueue,
  type Context,
  type Device,
  type Kernel,
  OpenCLError,
  type Program,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueueWithProperties,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clCreateSampler,
  clEnqueueMarkerWithWaitList,
  clFinish,
  clGetCommandBufferInfoKHR,
  clGetCommandQueueInfo,
  clGetContextInfo,
  clGetDeviceIDs,
  clGetDeviceInfo,
  clGetEventInfo,
  clGetEventProfilingInfo,
  clGetImageInfo,
  clGetKernelArgInfo,
  clGetKernelInfo,
  clGetKernelSubGroupInfo,
  clGetKernelWFVInfoMUXKIT,
  clGetKernelWorkGroupInfo,
  clGetMemAllocInfoINTEL,
  clGetMemObjectInfo,
  clGetMutableCommandInfoKHR,
  clGetPipeInfo,
  clGetPlatformIDs,
  clGetPlatformInfo,
  clGetProgramBuildInfo,
  clGetProgramInfo,
  clGetSamplerInfo,
  type Event,
  type ImageFormat,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { TOKENS } from "./generated/entry-points.ts";
import { SOURCE, context, device, errorOf, expectError, newQueue, platform } from "./rig.ts";
import { VALID } from "./valid-calls.ts";

const queue = newQueue(2);
const FORMAT: ImageFormat = { channelOrder: "CL_R", channelType: "CL_FLOAT" };

function builtProgram(): Program {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  return program;
}

const program = builtProgram();
const kernel: Kernel = clCreateKernel(program, "add");

function finishedEvent(of: CommandQueue): Event {
  const event = clEnqueueMarkerWithWaitList(of);
  clFinish(of);
  return event;
}

const marker = finishedEvent(queue);

/** The event of a command that was timed and counted. */
const counted = finishedEvent(
  clCreateCommandQueueWithProperties(context, device, {
    CL_QUEUE_PROPERTIES: CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT: [0],
  }),
);

/** A query with an object, and tokens that answer only for other objects. */
type Row = readonly [
  name: string,
  ask: (object: unknown, token: string) => unknown,
  object: unknown,
  elsewhere: readonly string[],
];

/** A query by a token whose name is dynamic. */
function asking(query: (subject: never, token: never) => unknown): Row[1] {
  return (object, token) => query(object as never, token as never);
}

const ROWS: readonly Row[] = [
  ["clGetPlatformInfo", asking(clGetPlatformInfo), platform, []],
  ["clGetDeviceInfo", asking(clGetDeviceInfo), device, []],
  ["clGetContextInfo", asking(clGetContextInfo), context, []],
  ["clGetCommandQueueInfo", asking(clGetCommandQueueInfo), queue, ["CL_QUEUE_SIZE"]],
  ["clGetMemObjectInfo", asking(clGetMemObjectInfo), clCreateBuffer(context, 1, 4), []],
  [
    "clGetImageInfo",
    asking(clGetImageInfo),
    clCreateImage(context, 1, FORMAT, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 }),
    [],
  ],
  ["clGetPipeInfo", asking(clGetPipeInfo), clCreatePipe(context, 0, 4, 4), []],
  [
    "clGetSamplerInfo",
    asking(clGetSamplerInfo),
    clCreateSampler(context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"),
    [],
  ],
  ["clGetProgramInfo", asking(clGetProgramInfo), program, []],
  [
    "clGetProgramBuildInfo",
    (object, token) => clGetProgramBuildInfo(object as Program, device, token as never),
    program,
    [],
  ],
  ["clGetKernelInfo", asking(clGetKernelInfo), kernel, []],
  ["clGetKernelArgInfo", (object, token) => clGetKernelArgInfo(object as Kernel, 0, token as never), kernel, []],
  [
    "clGetKernelWorkGroupInfo",
    (object, token) => clGetKernelWorkGroupInfo(object as Kernel, device, token as never),
    kernel,
    ["CL_KERNEL_GLOBAL_WORK_SIZE"],
  ],
  [
    "clGetKernelSubGroupInfo",
    (object, token) => clGetKernelSubGroupInfo(object as Kernel, device, token as never, [8]),
    kernel,
    [],
  ],
  ["clGetEventInfo", asking(clGetEventInfo), marker, []],
  ["clGetEventProfilingInfo", asking(clGetEventProfilingInfo), counted, []],
  ["clGetCommandBufferInfoKHR", asking(clGetCommandBufferInfoKHR), VALID["clGetCommandBufferInfoKHR"]?.()[0], []],
  ["clGetMutableCommandInfoKHR", asking(clGetMutableCommandInfoKHR), VALID["clGetMutableCommandInfoKHR"]?.()[0], []],
  [
    "clGetMemAllocInfoINTEL",
    (object, token) =>
      clGetMemAllocInfoINTEL(object as Context, VALID["clGetMemAllocInfoINTEL"]?.()[1] as number, token as never),
    context,
    [],
  ],
  [
    "clGetKernelWFVInfoMUXKIT",
    (object, token) => clGetKernelWFVInfoMUXKIT(object as Kernel, device, [1], token as never),
    kernel,
    [],
  ],
];

/** Names of kinds in answers: types that are texts. */
const NAMES =
  /^(?:CommandType|AddressingMode|FilterMode|BuildStatus|ImageObjectType|DevicePartitionName|CommandBufferState|UsmType|WfvStatus)$/u;

const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  ArrayBufferView: (value) => ArrayBuffer.isView(value),
  Uint8Array: (value) => value instanceof Uint8Array,
  UsmPointer: (value) => Number.isSafeInteger(value),
};

/**
 * True for what a value of a type of TypeScript is like. A class is recognised by its objects, another type of the
 * package is an object or a number.
 */
function isOf(type: string, value: unknown): boolean {
  if (type.includes(" | ")) return type.split(" | ").some((part) => isOf(part, value));
  const element = /^readonly (?<element>\w+)\[\]$/u.exec(type)?.groups?.["element"];
  if (element !== undefined) return Array.isArray(value) && value.every((each) => isOf(element, each));
  const tuple = /^readonly \[(?<parts>.*)\]$/u.exec(type)?.groups?.["parts"]?.split(", ");
  if (tuple !== undefined)
    return Array.isArray(value) && value.length === tuple.length && tuple.every((part, i) => isOf(part, value[i]));
  if (type.startsWith('"')) return value === type.slice(1, -1);
  const plain = PLAIN[type];
  if (plain !== undefined) return plain(value);
  if (NAMES.test(type)) return typeof value === "string" && value.startsWith("CL_");
  const made: unknown = (opencl as Readonly<Record<string, unknown>>)[type];
  return typeof made === "function" ? value instanceof made : typeof value === "object" && value !== null;
}

const rowOf = (name: string): Row => ROWS.find(([query]) => query === name) as Row;

/** Tokens that are answered; and those whose answer is an error for the object that is queried here. */
const ANSWERED = TOKENS.flatMap(([query, token, gives]) => (gives === null ? [] : [[query, token, gives] as const]));
const isElsewhere = (query: string, token: string): boolean => rowOf(query)[3].includes(token);

test.each(ANSWERED.filter(([query, token]) => !isElsewhere(query, token)))(
  "%s: %s answers %s",
  (query, token, gives) => {
    const [, ask, object] = rowOf(query);
    expect(isOf(gives, ask(object, token)), String(ask(object, token))).toBe(true);
  },
);

test.each(ANSWERED.filter(([query, token]) => isElsewhere(query, token)))(
  "%s: %s is an error for this object",
  (query, token) => {
    const [, ask, object] = rowOf(query);
    expectError(
      () => ask(object, token),
      token === "CL_QUEUE_SIZE" ? "CL_INVALID_COMMAND_QUEUE" : "CL_INVALID_VALUE",
      /only/u,
    );
  },
);

test.each(TOKENS.flatMap(([query, token, gives]) => (gives === null ? [[query, token] as const] : [])))(
  "%s: CL_INVALID_VALUE for %s, which there is not",
  (query, token) => {
    const [, ask, object] = rowOf(query);
    expectError(() => ask(object, token), "CL_INVALID_VALUE", /is not a token of this query/u);
  },
);

/** The tokens that a query accepts: its error for an unknown one lists them. */
function tokensOf([, ask, object]: Row): readonly string[] {
  const { message } = errorOf(() => ask(object, "CL_NO_TOKEN"));
  return [...message.slice(message.indexOf("the tokens are")).matchAll(/CL_\w+/gu)]
    .map(([token]) => token)
    .filter((token) => token !== "CL_INVALID_VALUE");
}

test.each(ROWS)("%s: the tokens of the query are those of the schema", (name, ask, object) => {
  const known = tokensOf([name, ask, object, []]);
  expect([...known].toSorted()).toEqual(
    TOKENS.flatMap(([query, token, gives]) => (query === name && gives !== null ? [token] : [])).toSorted(),
  );
});

test.each(ROWS)("%s: CL_INVALID_VALUE for what is no token, which lists those that there are", (_name, ask, object) => {
  for (const token of ["CL_NO_TOKEN", "constructor", ""])
    expectError(() => ask(object, token), "CL_INVALID_VALUE", /is not a token of this query; the tokens are CL_/u);
});

test("every query has tokens, and devices answer all that OpenCL 3.0 requires", () => {
  for (const row of ROWS) expect(tokensOf(row).length).toBeGreaterThan(0);
  const device30 = tokensOf(ROWS[1] as Row);
  expect(device30.length).toBeGreaterThan(110);
  expect(new Set(device30).size).toBe(device30.length);
});

test("clGetPlatformIDs and clGetDeviceIDs: one platform, and its devices are always the same objects", () => {
  expect(clGetPlatformIDs()).toEqual([platform]);
  expect(clGetDeviceIDs(platform, 0xffff_ffff)[0]).toBe(device);
});

test("clGetProgramBuildInfo, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo: CL_INVALID_DEVICE for a device of another context", () => {
  const none = {} as Device;
  expectError(
    () => clGetProgramBuildInfo(program, none, "CL_PROGRAM_BUILD_LOG"),
    "CL_INVALID_DEVICE",
    /does not belong to the program's context/u,
  );
  expectError(
    () => clGetKernelWorkGroupInfo(kernel, none, "CL_KERNEL_WORK_GROUP_SIZE"),
    "CL_INVALID_DEVICE",
    /does not belong to the kernel's context/u,
  );
  expectError(
    () => clGetKernelSubGroupInfo(kernel, none, "CL_KERNEL_MAX_NUM_SUB_GROUPS"),
    "CL_INVALID_DEVICE",
    /does not belong to the kernel's context/u,
  );
});

test("clGetProgramInfo: CL_INVALID_PROGRAM_EXECUTABLE for the kernels of what is not built", () => {
  const raw = clCreateProgramWithSource(context, [SOURCE]);
  expectError(() => clGetProgramInfo(raw, "CL_PROGRAM_NUM_KERNELS"), "CL_INVALID_PROGRAM_EXECUTABLE", /is not built/u);
  expectError(() => clGetProgramInfo(raw, "CL_PROGRAM_KERNEL_NAMES"), "CL_INVALID_PROGRAM_EXECUTABLE", /is not built/u);
});

test("clGetKernelWorkGroupInfo: CL_INVALID_VALUE for the greatest global size of a kernel that is neither built in nor of a custom device", () => {
  expectError(
    () => clGetKernelWorkGroupInfo(kernel, device, "CL_KERNEL_GLOBAL_WORK_SIZE"),
    "CL_INVALID_VALUE",
    /only kernels of custom devices/u,
  );
});

test("clGetProgramInfo and clGetProgramBuildInfo: a program of OpenCL C has no intermediate language, no constructors, and the bytes of its variables", () => {
  expect(clGetProgramInfo(program, "CL_PROGRAM_IL")).toEqual(new Uint8Array(0));
  expect(clGetProgramInfo(program, "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT")).toBe(false);
  expect(clGetProgramInfo(program, "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT")).toBe(false);
  expect(clGetProgramBuildInfo(program, device, "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE")).toBe(0);
  const variables = clCreateProgramWithSource(context, [
    `global int table[100];
    kernel void k(global int* out) {
      table[get_global_id(0)]++;
      out[0] = table[1];
    }`,
  ]);
  expect(clGetProgramBuildInfo(variables, device, "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE")).toBe(0);
  clBuildProgram(variables, null, "-cl-std=CL3.0");
  expect(
    clGetProgramBuildInfo(variables, device, "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE"),
  ).toBeGreaterThanOrEqual(400);
});

test("clGetEventProfilingInfo: a command is complete with what its kernel enqueued when it ends, since kernels enqueue nothing", () => {
  expect(clGetEventProfilingInfo(marker, "CL_PROFILING_COMMAND_COMPLETE")).toBe(
    clGetEventProfilingInfo(marker, "CL_PROFILING_COMMAND_END"),
  );
});

test("clGetKernelArgInfo: CL_INVALID_ARG_INDEX", () => {
  for (const index of [2, -1, 0.5])
    expectError(
      () => clGetKernelArgInfo(kernel, index, "CL_KERNEL_ARG_NAME"),
      "CL_INVALID_ARG_INDEX",
      /has 2 arguments/u,
    );
  expect(new OpenCLError("CL_INVALID_ARG_INDEX", "a call", "text").code).toBe(-49);
});
