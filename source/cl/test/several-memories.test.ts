// SPDX-License-Identifier: Apache-2.0
// Contexts over devices with memories of their own: objects go where commands use them, and only what changed moves.
import {
  type Buffer,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
  CL_MIGRATE_MEM_OBJECT_HOST,
  type CommandQueue,
  type Device,
  type Event,
  type Kernel,
  clBuildProgram,
  clCommandCopyBufferKHR,
  clCommandNDRangeKernelKHR,
  clCreateBuffer,
  clCreateCommandBufferKHR,
  clCreateCommandQueue,
  clCreateImage,
  clCreateKernel,
  clCreatePipe,
  clCreateProgramWithSource,
  clCreateSampler,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueCommandBufferKHR,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clEnqueueSVMMemFill,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinalizeCommandBufferKHR,
  clFinish,
  clFlush,
  clGetContextInfo,
  clGetEventInfo,
  clReleaseCommandQueue,
  clReleaseContext,
  clReleaseMemObject,
  clSVMAlloc,
  clSVMFree,
  clSetKernelArg,
  clSetKernelArgSVMPointer,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import { ptxDriver } from "@muxkit/ptx-interpreter";
import { expect, test } from "vitest";

import { errorOf, expectError, int } from "./rig.ts";
import { Rig, gpusOf, host, intsOf, newGpus, setArguments } from "./several-memories-rig.ts";

const SOURCE = `
kernel void add(global int* data, int value) { data[get_global_id(0)] += value; }
kernel void sum(global const int* a, global const int* b, global int* out) {
  out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
`;
const [left, right] = newGpus({ count: 2 }) as [Device, Device];
const rig = new Rig([host, left, right]);
const queues = rig.devices.map((device) => clCreateCommandQueue(rig.context, device, 0));
const [onHost, onLeft, onRight] = queues as [CommandQueue, CommandQueue, CommandQueue];
const [add, sum] = rig.kernels(SOURCE, "add", "sum") as [Kernel, Kernel];

/** Bytes of a buffer in each memory that are not up to date; null where there is no copy. */
function staleIn(buffer: Buffer): readonly (number | null)[] {
  const { copies } = buffer;
  return copies === null ? [] : copies.memories.list.map((memory) => copies.at(memory)?.stale.size ?? null);
}

function added(queue: CommandQueue, buffer: Buffer, value: number, waits: readonly Event[] = []): Event {
  setArguments(add, buffer, int(value));
  return clEnqueueNDRangeKernel(queue, add, 1, null, [buffer.size / 4], null, waits);
}

test("a context of the host and two GPUs", () => {
  expect(clGetContextInfo(rig.context, "CL_CONTEXT_DEVICES")).toEqual([host, left, right]);
});

test("a buffer goes from device to device, in the order of events", () => {
  const buffer = rig.ints(1, 2, 3, 4);
  let total = 0;
  let last = clEnqueueWriteBuffer(onHost, buffer, false, 0, 4, int(1));
  for (const [i, queue] of [onHost, onLeft, onRight, onLeft, onHost, onRight, onRight, onHost].entries()) {
    total += i;
    last = added(queue, buffer, i, [last]);
  }
  for (const queue of queues) expect(intsOf(queue, buffer, [last])).toEqual([1, 2, 3, 4].map((value) => value + total));
});

test("the same without anything that blocks: the event loop passes bytes on", async () => {
  const buffer = rig.ints(0, 0);
  let last = added(onHost, buffer, 1);
  for (let i = 0; i < 40; i++) last = added(queues[i % 3] as CommandQueue, buffer, 1, [last]);
  const array = new Int32Array(2);
  await clEnqueueReadBuffer(onRight, buffer, false, 0, 8, array, [last]).done;
  expect([...array]).toEqual([41, 41]);
});

test("clGetEventInfo: a program that asks again and again comes to an end", () => {
  const buffer = rig.ints(5);
  const event = added(onRight, buffer, 1, [added(onLeft, buffer, 1, [added(onHost, buffer, 1)])]);
  clFlush(onRight);
  while (clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS") > 0) {
    // It asks again.
  }
  expect(intsOf(onHost, buffer)).toEqual([8]);
});

test("long ways between devices do not need a deep stack", () => {
  const buffer = rig.ints(0);
  let last = added(onHost, buffer, 1);
  for (let i = 0; i < 1000; i++) last = added(i % 2 === 0 ? onLeft : onHost, buffer, 1, [last]);
  expect(intsOf(onHost, buffer, [last])).toEqual([1001]);
});

test("reading shares: each device keeps its copy until somebody writes, and only what was written moves", () => {
  const [a, b] = [
    rig.ints(...Array.from({ length: 256 }, (_, i) => i)),
    rig.ints(...Array.from({ length: 256 }, () => 1)),
  ];
  const outs = queues.map(() => clCreateBuffer(rig.context, CL_MEM_READ_WRITE, 1024));
  for (const [i, queue] of queues.entries()) {
    setArguments(sum, a, b, outs[i] as Buffer);
    clEnqueueNDRangeKernel(queue, sum, 1, null, [256], null);
  }
  for (const queue of queues) clFinish(queue);
  expect(staleIn(a)).toEqual([0, 0, 0]);
  // Nothing was written before, so nothing came, and what a kernel may write is the newest where it ran.
  expect(outs.map(staleIn)).toEqual([
    [0, null, null],
    [1024, 0, null],
    [1024, null, 0],
  ]);
  clEnqueueWriteBuffer(onLeft, a, true, 16, 32, new Int32Array(8));
  expect(staleIn(a)).toEqual([32, 0, 32]);
  const array = new Int32Array(4);
  clEnqueueReadBuffer(onHost, a, true, 24, 16, array);
  expect(staleIn(a)).toEqual([16, 0, 32]);
  expect([...array]).toEqual([0, 0, 0, 0]);
  expect(intsOf(onRight, a).slice(2, 14)).toEqual([2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 12, 13]);
});

test("clEnqueueWriteBuffer: what is overwritten as a whole is not brought before", () => {
  const buffer = rig.ints(1, 2);
  clEnqueueWriteBuffer(onLeft, buffer, true, 0, 8, Int32Array.of(3, 4));
  clEnqueueWriteBuffer(onRight, buffer, true, 0, 8, Int32Array.of(5, 6));
  expect(staleIn(buffer)).toEqual([8, 8, 0]);
  expect(intsOf(onLeft, buffer)).toEqual([5, 6]);
});

test("clCreateSubBuffer: parts share the state of the whole, and writers of different parts do not meet", () => {
  const whole = rig.ints(...Array.from({ length: 256 }, () => 0));
  const parts = [0, 256, 512].map((origin) => clCreateSubBuffer(whole, 0, { origin, size: 256 }));
  const events = parts.map((part, i) => added(queues[i] as CommandQueue, part, i + 1));
  const all = intsOf(onLeft, whole, events);
  expect([all[0], all[64], all[128], all[192]]).toEqual([1, 2, 3, 0]);
  const late = added(onRight, whole, 10);
  expect(intsOf(onHost, parts[1] as Buffer, [late])[0]).toBe(12);
  for (const object of [...parts, whole]) clReleaseMemObject(object);
});

test("clEnqueueMapBuffer: a map shows what a GPU wrote, and a GPU sees what was written to the map", () => {
  for (const flags of [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR]) {
    const own = Int32Array.of(1, 2, 3);
    const buffer = clCreateBuffer(rig.context, CL_MEM_READ_WRITE | flags, 12, own);
    const before = added(onLeft, buffer, 10);
    const { array } = clEnqueueMapBuffer(onRight, buffer, true, CL_MAP_READ | CL_MAP_WRITE, 4, 8, [before]);
    const view = new Int32Array(array.buffer, array.byteOffset, 2);
    expect([...view]).toEqual([12, 13]);
    expect(own[1]).toBe(flags === CL_MEM_USE_HOST_PTR ? 12 : 2);
    view[1] = 100;
    const unmapped = clEnqueueUnmapMemObject(onHost, buffer, array);
    expect(intsOf(onLeft, buffer, [unmapped])).toEqual([11, 12, 100]);
  }
});

test("clEnqueueMigrateMemObjects: to a device, to the host, and without contents", () => {
  const buffer = rig.ints(1, 2, 3, 4);
  clWaitForEvents([clEnqueueMigrateMemObjects(onLeft, [buffer], 0)]);
  expect(staleIn(buffer)).toEqual([0, 0, null]);
  const written = added(onLeft, buffer, 1);
  expect(staleIn(buffer)).toEqual([16, 0, null]);
  const home = clEnqueueMigrateMemObjects(onLeft, [buffer], CL_MIGRATE_MEM_OBJECT_HOST, [written]);
  clWaitForEvents([home]);
  expect(home.commandType).toBe("CL_COMMAND_MIGRATE_MEM_OBJECTS");
  expect(staleIn(buffer)).toEqual([0, 0, null]);
  expect(intsOf(onHost, buffer)).toEqual([2, 3, 4, 5]);
  // Nothing is brought: what is there now is anything, and what is written later is right.
  clWaitForEvents([clEnqueueMigrateMemObjects(onRight, [buffer], CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)]);
  expect(staleIn(buffer)).toEqual([0, 0, 16]);
  clEnqueueWriteBuffer(onRight, buffer, true, 0, 8, Int32Array.of(8, 9));
  expect(intsOf(onHost, buffer).slice(0, 2)).toEqual([8, 9]);
  const part = clCreateSubBuffer(buffer, CL_MEM_READ_ONLY, { origin: 0, size: 8 });
  clWaitForEvents([clEnqueueMigrateMemObjects(onLeft, [part], 0)]);
  expect(intsOf(onLeft, part)).toEqual([8, 9]);
});

test("a copy does not wait for a user event that only another user of the bytes waits for", () => {
  const buffer = rig.ints(4);
  const gate = clCreateUserEvent(rig.context);
  const other = clCreateCommandQueue(rig.context, left);
  const held = intsEvent(other, buffer, [gate]);
  expect(intsOf(onLeft, buffer)).toEqual([4]);
  clSetUserEventStatus(gate, 0);
  clWaitForEvents([held.event]);
  expect([...held.array]).toEqual([4]);
  clReleaseCommandQueue(other);
});

function intsEvent(queue: CommandQueue, buffer: Buffer, waits: readonly Event[]): { array: Int32Array; event: Event } {
  const array = new Int32Array(buffer.size / 4);
  return { array, event: clEnqueueReadBuffer(queue, buffer, false, 0, buffer.size, array, waits) };
}

test("a command that fails takes those of other memories along, and what it would have written is as it was", () => {
  const buffer = rig.ints(4);
  const gate = clCreateUserEvent(rig.context);
  const never = clEnqueueWriteBuffer(onLeft, buffer, false, 0, 4, int(9), [gate]);
  const after = added(onHost, buffer, 1, [never]);
  clSetUserEventStatus(gate, -5);
  expectError(
    () => {
      clWaitForEvents([after]);
    },
    "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
    /the user event was set to -5/u,
  );
  for (const queue of queues) expect(intsOf(queue, buffer)).toEqual([4]);
});

test("clFinish: CL_INVALID_OPERATION where commands of all devices wait for a user event", () => {
  const buffer = rig.ints(4);
  const gate = clCreateUserEvent(rig.context);
  const first = added(onLeft, buffer, 1, [gate]);
  const second = added(onHost, buffer, 1, [first]);
  expectError(
    () => {
      clWaitForEvents([second]);
    },
    "CL_INVALID_OPERATION",
    /would block forever/u,
  );
  clSetUserEventStatus(gate, 0);
  expect(intsOf(onRight, buffer, [second])).toEqual([6]);
});

test("clCreateImage: images go as pixels, images of buffers with the buffer", () => {
  const [program] = [
    clCreateProgramWithSource(rig.context, [
      `kernel void look(read_only image2d_t from, sampler_t how, global int* to) {
         int2 at = (int2)(get_global_id(0), get_global_id(1));
         to[at.y * get_global_size(0) + at.x] = read_imagei(from, how, at).x;
       }`,
    ]),
  ];
  clBuildProgram(program);
  const look = clCreateKernel(program, "look");
  const format = { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" } as const;
  const size = { type: "CL_MEM_OBJECT_IMAGE2D", width: 3, height: 2 } as const;
  const image = clCreateImage(
    rig.context,
    CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
    format,
    size,
    Int32Array.of(1, 2, 3, 4, 5, 6),
  );
  const out = clCreateBuffer(rig.context, CL_MEM_READ_WRITE, 24);
  const sampler = clCreateSampler(rig.context, false, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_NEAREST");
  setArguments(look, image, sampler, out);
  let last = clEnqueueFillImage(onRight, image, Int32Array.of(9, 0, 0, 0), [1, 0, 0], [1, 1, 1]);
  for (const queue of queues) {
    last = clEnqueueNDRangeKernel(queue, look, 2, null, [3, 2], null, [last]);
    expect(intsOf(onHost, out, [last])).toEqual([1, 9, 3, 4, 5, 6]);
  }
  const pixels = new Int32Array(6);
  clEnqueueReadImage(onLeft, image, true, [0, 0, 0], [3, 2, 1], 0, 0, pixels);
  expect([...pixels]).toEqual([1, 9, 3, 4, 5, 6]);
  const bytes = rig.ints(...Array.from({ length: 128 }, (_, i) => i));
  const shown = clCreateImage(rig.context, CL_MEM_READ_ONLY, format, { ...size, rowPitch: 256, buffer: bytes });
  setArguments(look, shown, sampler, out);
  last = added(onHost, bytes, 100);
  for (const queue of [onLeft, onRight]) {
    last = clEnqueueNDRangeKernel(queue, look, 2, null, [3, 2], null, [last]);
    expect(intsOf(onHost, out, [last])).toEqual([100, 101, 102, 164, 165, 166]);
  }
  for (const object of [image, shown, bytes, out]) clReleaseMemObject(object);
});

test("clCreatePipe: packets written by one device are read by another one", () => {
  const program = clCreateProgramWithSource(rig.context, [
    `kernel void give(write_only pipe int to) { int x = 7 + get_global_id(0); write_pipe(to, &x); }
     kernel void take(read_only pipe int from, global int* to) { read_pipe(from, to + get_global_id(0)); }`,
  ]);
  clBuildProgram(program, null, "-cl-std=CL3.0");
  const [give, take] = ["give", "take"].map((name) => clCreateKernel(program, name)) as [Kernel, Kernel];
  const pipe = clCreatePipe(rig.context, 0, 4, 8);
  const out = rig.ints(0, 0, 0);
  setArguments(give, pipe);
  setArguments(take, pipe, out);
  const given = clEnqueueNDRangeKernel(onHost, give, 1, null, [3], null);
  const taken = clEnqueueNDRangeKernel(onLeft, take, 1, null, [3], null, [given]);
  expect(intsOf(onRight, out, [taken]).toSorted((a, b) => a - b)).toEqual([7, 8, 9]);
});

test("clCreateCommandBufferKHR: what is recorded for a GPU finds what the host wrote, again and again", () => {
  const [from, to] = [rig.ints(1, 2), clCreateBuffer(rig.context, CL_MEM_READ_WRITE, 8)];
  const commands = clCreateCommandBufferKHR([onLeft]);
  clCommandCopyBufferKHR(commands, null, from, to, 0, 0, 8);
  setArguments(add, to, int(10));
  clCommandNDRangeKernelKHR(commands, null, null, add, 1, null, [2], null);
  clFinalizeCommandBufferKHR(commands);
  for (let i = 0; i < 3; i++) {
    const written = clEnqueueWriteBuffer(onHost, from, false, 0, 4, int(i));
    const run = clEnqueueCommandBufferKHR(null, commands, [written]);
    expect(intsOf(onRight, to, [run])).toEqual([i + 10, 12]);
  }
});

test("shared virtual memory belongs to the host's memory: other devices refuse it", () => {
  const pointer = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 16);
  expect(pointer).not.toBe(0);
  clSetKernelArg(add, 1, int(1));
  clSetKernelArgSVMPointer(add, 0, pointer);
  clEnqueueNDRangeKernel(onHost, add, 1, null, [4], null);
  clFinish(onHost);
  for (const call of [
    () => clEnqueueNDRangeKernel(onLeft, add, 1, null, [4], null),
    () => clEnqueueSVMMemFill(onLeft, pointer, int(1), 16),
  ])
    expectError(call, "CL_INVALID_OPERATION", /PTX interpreter cannot reach shared virtual .* belongs to muxkit/u);
  clSVMFree(rig.context, pointer);
});

test("memory is short: copies that are not needed go, and what is newest there comes home first", () => {
  const [small] = newGpus({ facts: { memory: 2 ** 20 } }) as [Device];
  const own = new Rig([host, small]);
  const queue = clCreateCommandQueue(own.context, small);
  const [each] = own.kernels(SOURCE, "add") as [Kernel];
  const words = 40_000;
  const buffers = Array.from({ length: 12 }, (_, i) => own.ints(...new Int32Array(words).fill(i)));
  const queueAtHome = clCreateCommandQueue(own.context, host);
  for (let round = 1; round <= 2; round++) {
    for (const buffer of buffers) {
      setArguments(each, buffer, int(100));
      clEnqueueNDRangeKernel(queue, each, 1, null, [8], null);
      clFinish(queue);
    }
  }
  for (const [i, buffer] of buffers.entries())
    expect(intsOf(queueAtHome, buffer).slice(6, 10)).toEqual([200 + i, 200 + i, i, i]);
  // One that never fits is one error, and the device works afterwards.
  const large = clCreateBuffer(own.context, CL_MEM_READ_WRITE, 2 ** 21);
  setArguments(each, large, int(1));
  expectError(
    () => clEnqueueNDRangeKernel(queue, each, 1, null, [8], null),
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    /PTX interpreter has no 2097152 bytes left/u,
  );
  expect(intsOf(queue, buffers[3] as Buffer)[0]).toBe(203);
  for (const buffer of [...buffers, large]) clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseCommandQueue(queueAtHome);
});

/** Where the host's pinned memory has its addresses: that of all GPUs is below. */
const PINNED = 2 ** 46;

test.each([false, true])("bytes that go from GPU to GPU, directly: %s", (reachesPeers) => {
  const driver = ptxDriver({ count: 2, reachesPeers });
  let read = 0;
  for (const index of driver.gpus.keys()) {
    const opened = driver.open(index);
    if (!opened.ok) throw new Error(opened.error.message);
    const gpu = opened.value;
    const start = gpu.start.bind(gpu);
    gpu.start = (stream, work) => {
      if (work.kind === "copy" && work.to >= PINNED) read++;
      return start(stream, work);
    };
  }
  const gpus = gpusOf(driver);
  for (const devices of [gpus, [host, ...gpus]]) {
    const own = new Rig(devices);
    const [first, second] = gpus.map((device) => clCreateCommandQueue(own.context, device)) as [
      CommandQueue,
      CommandQueue,
    ];
    const [each] = own.kernels(SOURCE, "add") as [Kernel];
    const buffer = own.ints(...Array.from({ length: 64 }, (_, i) => i));
    let last: readonly Event[] = [];
    read = 0;
    for (const [turn, queue] of [first, second, second, first, second].entries()) {
      setArguments(each, buffer, int(10 ** turn));
      last = [clEnqueueNDRangeKernel(queue, each, 1, null, [64], null, last)];
    }
    clWaitForEvents(last);
    expect(read > 0, `${devices.length} devices`).toBe(!reachesPeers);
    expect(intsOf(first, buffer)).toEqual(Array.from({ length: 64 }, (_, i) => 11_111 + i));
    clReleaseContext(own.context);
  }
});

test.each([false, true])("a GPU is lost, which others reach: %s; they go on with what they have", (reachesPeers) => {
  const [gone, beside] = newGpus({ count: 2, reachesPeers }) as [Device, Device];
  const own = new Rig([host, gone, beside]);
  const [atHome, lost, other] = own.devices.map((device) => clCreateCommandQueue(own.context, device)) as [
    CommandQueue,
    CommandQueue,
    CommandQueue,
  ];
  const [each, wild] = own.kernels(
    `${SOURCE} kernel void wild(global int* p) { p[0x2fffffff] = 1; }`,
    "add",
    "wild",
  ) as [Kernel, Kernel];
  const [kept, changed] = [own.ints(1), own.ints(2)];
  const launch = (queue: CommandQueue, buffer: Buffer): Event => {
    setArguments(each, buffer, int(10));
    return clEnqueueNDRangeKernel(queue, each, 1, null, [1], null);
  };
  launch(lost, kept);
  expect(intsOf(other, kept, [launch(other, kept)])).toBeDefined();
  launch(lost, changed);
  expect(intsOf(atHome, kept, [])).toBeDefined();
  clFinish(lost);
  setArguments(wild, own.ints(0));
  const failing = clEnqueueNDRangeKernel(lost, wild, 1, null, [1], null);
  expect(
    errorOf(() => {
      clWaitForEvents([failing]);
    }).message,
  ).toMatch(/the GPU was lost|PTX interpreter is lost to this process/u);
  // The newest bytes were there.
  const message = errorOf(() => intsOf(other, changed)).message;
  expect(message).toMatch(/lost/u);
  expect(errorOf(() => intsOf(atHome, changed)).message).toMatch(/lost/u);
  // What is written anew is there again, and what the lost device would have written is as it was.
  clEnqueueWriteBuffer(atHome, changed, true, 0, 4, int(5));
  const refused = launch(lost, changed);
  expect(
    errorOf(() => {
      clWaitForEvents([refused]);
    }).message,
  ).toMatch(/lost/u);
  expect(intsOf(other, changed)).toEqual([5]);
  expect(intsOf(atHome, changed, [launch(other, changed)])).toEqual([15]);
  clReleaseContext(own.context);
});
