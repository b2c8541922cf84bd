// SPDX-License-Identifier: Apache-2.0
// What failures and refused allocations take along goes back into order: small sequences in which commands once met
// each other out of it, and graphs of commands drawn at random in which any allocation may be refused.
import { NODE_ENVIRONMENT, hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";
import {
  type Buffer,
  CL_COMPLETE,
  CL_DEVICE_TYPE_ALL,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  type CommandQueue,
  type Event,
  type Kernel,
  OpenCLError,
  clBuildProgram,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueFillBuffer,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clFinish,
  clFlush,
  clGetDeviceIDs,
  clGetEventInfo,
  clReleaseCommandQueue,
  clReleaseEvent,
  clReleaseMemObject,
  clSetEventCallback,
  clSetKernelArg,
  clWaitForEvents,
} from "@muxkit/opencl";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { GRAPH_SOURCE, combined } from "./graph-kernels.ts";
import { int, platform } from "./rig.ts";

const SOURCE = `${GRAPH_SOURCE}
kernel void add(global int* data, int value, int delay) {
  int before = *data;
  uint x = 1;
  for (int i = 0; i < delay; ++i) x = x * 1664525u + 1013904223u;
  *data = before * 3 + value + (x == 7u ? 0 : 0);
}
kernel void wild(global int* data) { data[0x2fffffff] = 1; }
`;
const MOST = 48;
const LONG = 300_000;
const CHAINS = 24;

/** Allocations until one is refused, and how many are refused from there on; 0: none. */
let [left, refusing] = [0, 0];
let refused = 0;
/** True: what is allocated is no part of the test. */
let isPaused = false;

function refuses(): boolean {
  if (isPaused || refusing === 0 || --left > 0) return false;
  refusing--;
  refused++;
  return true;
}

function refuseAt(place: number, count: number): void {
  [left, refusing, refused] = [place, count, 0];
}

const number = registerTarget(
  hostTarget({ threads: 2, engine: { eager: false }, environment: { ...NODE_ENVIRONMENT, refuses } }),
);
const device = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
if (device === undefined) throw new Error("the device is not listed");
const context = clCreateContext([device], () => undefined);
const program = clCreateProgramWithSource(context, [SOURCE]);
clBuildProgram(program);
const kernels = new Map(["step", "fault", "add", "wild"].map((name) => [name, clCreateKernel(program, name)]));

function kernel(name: string, ...args: readonly (Buffer | Int32Array)[]): Kernel {
  const found = kernels.get(name);
  if (found === undefined) throw new Error(`there is no kernel ${name}`);
  for (const [i, value] of args.entries()) clSetKernelArg(found, i, value);
  return found;
}

const newQueue = (properties = 0): CommandQueue => clCreateCommandQueue(context, device, properties);
const ints = (...values: readonly number[]): Buffer =>
  clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.length * 4, Int32Array.from(values));
const statusOf = (event: Event): number => clGetEventInfo(event, "CL_EVENT_COMMAND_EXECUTION_STATUS");

function read(queue: CommandQueue, buffer: Buffer): number[] {
  const array = new Int32Array(buffer.size / 4);
  clEnqueueReadBuffer(queue, buffer, true, 0, buffer.size, array);
  return [...array];
}

/** Ends the chain of commands that precedes it. */
function watch(event: Event): Event {
  clSetEventCallback(event, CL_COMPLETE, () => undefined);
  return event;
}

function add(queue: CommandQueue, data: Buffer, value: number, delay: number, waits: readonly Event[] = []): Event {
  return clEnqueueNDRangeKernel(queue, kernel("add", data, int(value), int(delay)), 1, null, [1], [1], waits);
}

const wild = (queue: CommandQueue, waits: readonly Event[] = []): Event =>
  clEnqueueNDRangeKernel(queue, kernel("wild", SPOILED), 1, null, [1], [1], waits);
const SPOILED = ints(0);

/** What the additions that went well make of a number, one after the other. */
function summed(events: readonly Event[]): number {
  return events.reduce((sum, event, i) => (statusOf(event) === CL_COMPLETE ? (Math.imul(sum, 3) + i + 1) | 0 : sum), 1);
}

// More chains than a device keeps fences for: one that gets none is between two others, which have to wait for each
// other all the same.
test.each([1, 2, 4])(
  "whatever allocations of a queue in order are refused, %i in a row, its commands keep their order",
  (count) => {
    let place = 0;
    let isOver = false;
    while (!isOver) {
      const queue = newQueue();
      const data = ints(1);
      const events: Event[] = [];
      refuseAt(++place, count);
      for (let i = 0; i < CHAINS; i++) {
        try {
          events.push(watch(add(queue, data, i + 1, i % 4 === 0 ? 20_000 : 0)));
        } catch (error) {
          if (!(error instanceof OpenCLError)) throw error;
          break;
        }
      }
      clFinish(queue);
      isOver = refused === 0;
      refuseAt(0, 0);
      for (const event of events) expect([CL_COMPLETE, -5]).toContain(statusOf(event));
      expect(read(queue, data)).toEqual([summed(events)]);
      for (const release of [
        ...events.map((event) => () => {
          clReleaseEvent(event);
        }),
        () => {
          clReleaseMemObject(data);
        },
        () => {
          clReleaseCommandQueue(queue);
        },
      ])
        release();
    }
    expect(place).toBeGreaterThan(10);
  },
);

// Chains go to and fro between the queues, so batches of both wait for the one that fails, and are settled in one order
// or another.
test("a failure in one queue takes batches of another along, and both continue in order", () => {
  for (let round = 0; round < 30; round++) {
    const [one, other] = [newQueue(), newQueue()];
    const data = ints(1);
    const slow = add(one, data, 1, LONG);
    clFlush(one);
    wild(one, [slow]);
    const between = add(one, data, 2, 0);
    const events = [slow, between];
    clFlush(one);
    for (let i = 3; i < 12; i++) {
      events.push(watch(add(i % 3 === 0 ? other : one, data, i, i % 2 === 0 ? 20_000 : 0, [events.at(-1) as Event])));
      if (i % 4 === round % 4) clFlush(other);
    }
    clWaitForEvents([events.at((round % 12) - 12) ?? slow]);
    const last = add(other, data, events.length + 1, 0, [events.at(-1) as Event]);
    clFinish(other);
    expect(statusOf(last)).toBe(CL_COMPLETE);
    events.push(last);
    expect(events.map(statusOf)).toEqual(events.map(() => CL_COMPLETE));
    expect(read(one, data)).toEqual([summed(events)]);
    clReleaseCommandQueue(one);
    clReleaseCommandQueue(other);
  }
});

type Kind = "step" | "fault" | "fill" | "native";

interface Item {
  readonly event: Event;
  readonly kind: Kind;
  readonly queue: number;
  readonly waits: readonly Item[];
  /** Slots that it has to see: of what it waits for, and of what is before it in a queue in order. */
  readonly seen: readonly number[];
}

interface Step {
  readonly kind: Kind;
  readonly queue: number;
  readonly waits: readonly number[];
  readonly delay: number;
  readonly next: "nothing" | "flush" | "watch" | "wait" | "look";
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Kind>("step", "step", "step", "step", "fill", "native", "fault"),
  queue: fc.nat(3),
  waits: fc.array(fc.nat(5), { maxLength: 3 }),
  delay: fc.constantFrom(0, 0, 1000, 50_000),
  next: fc.constantFrom<Step["next"]>("nothing", "nothing", "nothing", "nothing", "flush", "watch", "wait", "look"),
});

/** Runs a graph: returns the deviations from the model. */
function play(orders: readonly boolean[], steps: readonly Step[], place: number, count: number): readonly string[] {
  const queues = orders.map((isInOrder) => newQueue(isInOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
  const out = ints(...Array.from({ length: MOST }, () => 0));
  const bytes = out.view("a test", 0, MOST * 4);
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset, MOST);
  const lists: Buffer[] = [];
  const items: Item[] = [];
  const give = (
    kind: Kind,
    queue: CommandQueue,
    waits: readonly Event[],
    seen: readonly number[],
    delay: number,
    list: Buffer,
  ): Event => {
    const me = items.length;
    if (kind === "fill") return clEnqueueFillBuffer(queue, out, int(me + 1), me * 4, 4, waits);
    if (kind === "native")
      return clEnqueueNativeKernel(
        queue,
        () => {
          view[me] = combined(me, seen, view);
        },
        [],
        waits,
      );
    return clEnqueueNDRangeKernel(
      queue,
      kernel(kind, out, list, int(0), int(seen.length), int(me), int(delay)),
      1,
      null,
      [1],
      [1],
      waits,
    );
  };
  refuseAt(place, count);
  for (const { kind, queue: at, waits: back, delay, next } of steps.slice(0, MOST)) {
    const queue = at % queues.length;
    const waits = [...new Set(back.flatMap((one) => items.at(-1 - one) ?? []))];
    const before = orders[queue] === true ? items.filter((item) => item.queue === queue) : [];
    const seen = [...new Set([...waits, ...before])].map((item) => items.indexOf(item)).toSorted((a, b) => a - b);
    isPaused = true;
    const list = ints(...seen, 0);
    isPaused = false;
    lists.push(list);
    try {
      items.push({
        kind,
        queue,
        waits,
        seen,
        event: give(
          kind,
          queues[queue] as CommandQueue,
          waits.map(({ event }) => event),
          seen,
          delay,
          list,
        ),
      });
    } catch (error) {
      if (!(error instanceof OpenCLError)) throw error;
      continue;
    }
    react(next, queues[queue] as CommandQueue, (items.at(-1) as Item).event);
  }
  for (const queue of queues) clFinish(queue);
  const hasRefused = refused > 0;
  refuseAt(0, 0);
  const wrong = differences(items, view, hasRefused);
  for (const { event } of items) clReleaseEvent(event);
  for (const queue of queues) clReleaseCommandQueue(queue);
  for (const buffer of [...lists, out]) clReleaseMemObject(buffer);
  return wrong;
}

function react(next: Step["next"], queue: CommandQueue, event: Event): void {
  if (next === "flush") clFlush(queue);
  if (next === "watch") watch(event);
  if (next === "look") statusOf(event);
  if (next !== "wait") return;
  try {
    clWaitForEvents([event]);
  } catch (error) {
    if (!(error instanceof OpenCLError)) throw error;
  }
}

function differences(items: readonly Item[], view: Uint32Array, hasRefused: boolean): readonly string[] {
  const wrong: string[] = [];
  const wanted = new Uint32Array(MOST);
  for (const [me, { event, kind, waits, queue, seen }] of items.entries()) {
    const name = `${me} ${kind} of queue ${queue} after [${waits.map((wait) => items.indexOf(wait)).join()}]`;
    const status = statusOf(event);
    const mustFail = waits.some((wait) => statusOf(wait.event) < 0);
    const isExpected = mustFail
      ? status === -14
      : (status === -5 && (hasRefused || kind === "fault")) || (status === CL_COMPLETE && kind !== "fault");
    if (!isExpected) wrong.push(`${name}: status ${status}`);
    if (status === CL_COMPLETE) wanted[me] = kind === "fill" ? me + 1 : combined(me, seen, wanted);
    if (view[me] !== wanted[me]) wrong.push(`${name}: result ${view[me]} instead of ${wanted[me]}`);
  }
  return wrong;
}

test("graphs of commands in which some fail and allocations are refused: whatever fails, the others keep their order", () => {
  const graphs = fc.record({
    orders: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    steps: fc.array(step, { minLength: 1, maxLength: MOST }),
    place: fc.nat(150),
    count: fc.constantFrom(0, 1, 1, 2, 5),
  });
  fc.assert(
    fc.property(graphs, ({ orders, steps, place, count }) => {
      expect(play(orders, steps, place, count)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
