// SPDX-License-Identifier: Apache-2.0
// References: every retain and release counts, and what has none left is an error to use.
import {
  type ErrorName,
  clBuildProgram,
  clCreateBuffer,
  clCreateContext,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateUserEvent,
  clGetCommandQueueInfo,
  clGetContextInfo,
  clGetEventInfo,
  clGetKernelInfo,
  clGetMemObjectInfo,
  clGetProgramInfo,
  clGetSamplerInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseEvent,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clRetainCommandQueue,
  clRetainContext,
  clRetainEvent,
  clRetainKernel,
  clRetainMemObject,
  clRetainProgram,
  clRetainSampler,
  clSetUserEventStatus,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { SOURCE, context, device, expectError, newQueue } from "./rig.ts";

/** A kind of object with its calls; an object of it is made and handed to the test's function. */
interface Kind<T> {
  readonly make: () => T;
  readonly retain: (object: T) => void;
  readonly release: (object: T) => void;
  readonly count: (object: T) => number;
  readonly error: ErrorName;
}

function program(): ReturnType<typeof clCreateProgramWithSource> {
  const made = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(made);
  return made;
}

function kindOf<T>(kind: Kind<T>): Kind<unknown> {
  return kind as Kind<unknown>;
}

const KINDS: readonly (readonly [retain: string, release: string, kind: Kind<unknown>])[] = [
  [
    "clRetainContext",
    "clReleaseContext",
    kindOf({
      make: () => clCreateContext([device]),
      retain: clRetainContext,
      release: clReleaseContext,
      count: (own) => clGetContextInfo(own, "CL_CONTEXT_REFERENCE_COUNT"),
      error: "CL_INVALID_CONTEXT",
    }),
  ],
  [
    "clRetainCommandQueue",
    "clReleaseCommandQueue",
    kindOf({
      make: newQueue,
      retain: clRetainCommandQueue,
      release: clReleaseCommandQueue,
      count: (own) => clGetCommandQueueInfo(own, "CL_QUEUE_REFERENCE_COUNT"),
      error: "CL_INVALID_COMMAND_QUEUE",
    }),
  ],
  [
    "clRetainMemObject",
    "clReleaseMemObject",
    kindOf({
      make: () => clCreateBuffer(context, 1, 4),
      retain: clRetainMemObject,
      release: clReleaseMemObject,
      count: (own) => clGetMemObjectInfo(own, "CL_MEM_REFERENCE_COUNT"),
      error: "CL_INVALID_MEM_OBJECT",
    }),
  ],
  [
    "clRetainMemObject",
    "clReleaseMemObject",
    kindOf({
      make: () =>
        clCreateImage(
          context,
          1,
          { channelOrder: "CL_R", channelType: "CL_FLOAT" },
          { type: "CL_MEM_OBJECT_IMAGE1D", width: 4 },
        ),
      retain: clRetainMemObject,
      release: clReleaseMemObject,
      count: (own) => clGetMemObjectInfo(own, "CL_MEM_REFERENCE_COUNT"),
      error: "CL_INVALID_MEM_OBJECT",
    }),
  ],
  [
    "clRetainMemObject",
    "clReleaseMemObject",
    kindOf({
      make: () => clCreatePipe(context, 0, 4, 4),
      retain: clRetainMemObject,
      release: clReleaseMemObject,
      count: (own) => clGetMemObjectInfo(own, "CL_MEM_REFERENCE_COUNT"),
      error: "CL_INVALID_MEM_OBJECT",
    }),
  ],
  [
    "clRetainSampler",
    "clReleaseSampler",
    kindOf({
      make: () => clCreateSampler(context, true, "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"),
      retain: clRetainSampler,
      release: clReleaseSampler,
      count: (own) => clGetSamplerInfo(own, "CL_SAMPLER_REFERENCE_COUNT"),
      error: "CL_INVALID_SAMPLER",
    }),
  ],
  [
    "clRetainProgram",
    "clReleaseProgram",
    kindOf({
      make: program,
      retain: clRetainProgram,
      release: clReleaseProgram,
      count: (own) => clGetProgramInfo(own, "CL_PROGRAM_REFERENCE_COUNT"),
      error: "CL_INVALID_PROGRAM",
    }),
  ],
  [
    "clRetainKernel",
    "clReleaseKernel",
    kindOf({
      make: () => clCreateKernel(program(), "add"),
      retain: clRetainKernel,
      release: clReleaseKernel,
      count: (own) => clGetKernelInfo(own, "CL_KERNEL_REFERENCE_COUNT"),
      error: "CL_INVALID_KERNEL",
    }),
  ],
  [
    "clRetainEvent",
    "clReleaseEvent",
    kindOf({
      make: () => {
        const event = clCreateUserEvent(context);
        clSetUserEventStatus(event, 0);
        return event;
      },
      retain: clRetainEvent,
      release: clReleaseEvent,
      count: (own) => clGetEventInfo(own, "CL_EVENT_REFERENCE_COUNT"),
      error: "CL_INVALID_EVENT",
    }),
  ],
];

test.each(KINDS)(
  "%s and %s: the count goes up and down by one",
  (_retain, _release, { make, retain, release, count }) => {
    const object = make();
    const counts = [count(object)];
    for (const call of [retain, retain, release, release]) {
      call(object);
      counts.push(count(object));
    }
    expect(counts).toEqual([1, 2, 3, 2, 1]);
    release(object);
  },
);

test.each(KINDS)(
  "%s, %s: what has no reference left is an error to use, to keep and to let go",
  (_retain, _release, { make, retain, release, count, error }) => {
    const object = make();
    release(object);
    for (const call of [retain, release, count]) expectError(() => call(object), error, /has been released/u);
  },
);

test.each(KINDS)("%s, %s: what is no such object", (_retain, _release, { retain, release, count, error }) => {
  for (const call of [retain, release, count])
    for (const other of [{}, null, undefined, 4]) expectError(() => call(other), error, /expected an object of type/u);
});

test("what was made of an object keeps it: kernels their program, everything its context", () => {
  const own = clCreateContext([device]);
  const made = clCreateProgramWithSource(own, [SOURCE]);
  clBuildProgram(made);
  const kernel = clCreateKernel(made, "add");
  clReleaseContext(own);
  clReleaseProgram(made);
  expect(clGetKernelInfo(kernel, "CL_KERNEL_PROGRAM")).toBe(made);
  expect(clGetKernelInfo(kernel, "CL_KERNEL_CONTEXT")).toBe(own);
  clReleaseKernel(kernel);
  expectError(() => clGetContextInfo(own, "CL_CONTEXT_DEVICES"), "CL_INVALID_CONTEXT", /has been released/u);
});
