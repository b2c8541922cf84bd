// SPDX-License-Identifier: Apache-2.0
// Dispatches on a GPU whose streams run later and in any order: semaphores are kept, what is not ordered overlaps,
// reads and writes of the host's memory come in their order, and failures reach what waits.
import { cudaTargetOf } from "@muxkit/cuda";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxDevice,
  MuxMemoryProperty,
  type MuxQueue,
  MuxQueueType,
  type MuxSemaphore,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandCopyBuffer,
  muxCommandFillBuffer,
  muxCommandReadBuffer,
  muxCommandWriteBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateFence,
  muxCreateSemaphore,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxTryWait,
  muxTryWaitAsync,
  muxWaitAll,
  registerTarget,
} from "@muxkit/mux";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { MemoryDriver } from "./memory-driver.ts";
import { must } from "./must.ts";
import { QueuedGpu, queuedDriver } from "./queued-gpu.ts";

const A = DEFAULT_ALLOCATOR;
const BYTES = 64;
const DISCRETE_GPU = 4;

interface Rig {
  readonly memory: MemoryDriver;
  readonly queued: QueuedGpu;
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
}

function rig(seed: number): Rig {
  const memory = new MemoryDriver();
  const queued = new QueuedGpu(memory, seed);
  registerTarget(cudaTargetOf(queuedDriver(memory, queued)));
  const info = must(muxGetDeviceInfos(DISCRETE_GPU)).at(-1);
  if (info === undefined) throw new Error("the target has a device");
  const [device] = must(muxCreateDevices([info], A));
  if (device === undefined) throw new Error("a device was opened");
  return { memory, queued, device, queue: must(muxGetQueue(device, MuxQueueType.compute, 0)) };
}

function bufferOf({ device }: Rig): MuxBuffer {
  const buffer = must(muxCreateBuffer(device, BYTES, A));
  const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
  const memory = must(muxAllocateMemory(device, BYTES, 1, properties, MuxAllocationType.alloc_device, 128, A));
  must(muxBindBufferMemory(device, memory, buffer, 0));
  return buffer;
}

function commandsOf({ device }: Rig, record: (commands: MuxCommandBuffer) => void): MuxCommandBuffer {
  const commands = must(muxCreateCommandBuffer(device, null, A));
  record(commands);
  must(muxFinalizeCommandBuffer(commands));
  return commands;
}

/** What a dispatch does. */
interface Plan {
  readonly kind: "fill" | "copy" | "read" | "write";
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

const BUFFERS = 3;

/** Buffers, then arrays of the host. */
type State = readonly Uint8Array[];

function freshState(): State {
  return Array.from({ length: 2 * BUFFERS }, () => new Uint8Array(BYTES));
}

/** What a plan does where everything happens at once. */
function doAtOnce(state: State, { kind, from, to, value }: Plan): void {
  const [buffers, arrays] = [state.slice(0, BUFFERS), state.slice(BUFFERS)];
  if (kind === "fill") buffers[to]?.fill(value);
  if (kind === "copy" && from !== to) buffers[to]?.set(buffers[from] as Uint8Array);
  if (kind === "read") arrays[to]?.set(buffers[from] as Uint8Array);
  if (kind === "write") buffers[to]?.set(arrays[from] as Uint8Array);
}

/** The buffers and arrays that a plan reads, and the one that it writes, as indices of the state. */
function touches({ kind, from, to }: Plan): { readonly reads: number; readonly writes: number } {
  if (kind === "fill") return { reads: -1, writes: to };
  if (kind === "copy") return { reads: from, writes: to };
  return kind === "read" ? { reads: from, writes: BUFFERS + to } : { reads: BUFFERS + from, writes: to };
}

/** True where the order of two plans matters. */
function conflict(left: Plan, right: Plan): boolean {
  const [a, b] = [touches(left), touches(right)];
  return a.writes === b.writes || a.writes === b.reads || a.reads === b.writes;
}

function recordPlan(commands: MuxCommandBuffer, plan: Plan, buffers: readonly MuxBuffer[], arrays: State): void {
  const [from, to] = [buffers[plan.from] as MuxBuffer, buffers[plan.to] as MuxBuffer];
  if (plan.kind === "fill") must(muxCommandFillBuffer(commands, to, 0, BYTES, Uint8Array.of(plan.value), []));
  if (plan.kind === "copy" && from !== to) must(muxCommandCopyBuffer(commands, from, 0, to, 0, BYTES, []));
  if (plan.kind === "read") must(muxCommandReadBuffer(commands, from, 0, arrays[plan.to] as Uint8Array, []));
  if (plan.kind === "write") must(muxCommandWriteBuffer(commands, to, 0, arrays[plan.from] as Uint8Array, []));
}

test("dispatches whose order matters leave what their commands do one after the other, whatever the streams do", () => {
  const plan = fc.record({
    kind: fc.constantFrom("fill", "copy", "read", "write"),
    from: fc.nat({ max: BUFFERS - 1 }),
    to: fc.nat({ max: BUFFERS - 1 }),
    value: fc.nat({ max: 255 }),
  });
  const one = rig(1);
  fc.assert(
    fc.property(fc.array(plan, { minLength: 1, maxLength: 12 }), fc.nat(), (plans, seed) => {
      one.queued.seed(seed);
      const buffers = Array.from({ length: BUFFERS }, () => bufferOf(one));
      const arrays = freshState().slice(BUFFERS);
      const expected = freshState();
      const zeros = commandsOf(one, (list) => {
        for (const buffer of buffers) must(muxCommandFillBuffer(list, buffer, 0, BYTES, Uint8Array.of(0), []));
      });
      must(muxDispatch(one.queue, zeros, null, [], [], null));
      must(muxWaitAll(one.queue));
      const semaphores: MuxSemaphore[] = [];
      for (const step of plans) {
        doAtOnce(expected, step);
        const commands = commandsOf(one, (list) => {
          recordPlan(list, step, buffers, arrays);
        });
        const waits = semaphores.filter((_, earlier) => conflict(plans[earlier] as Plan, step));
        const semaphore = must(muxCreateSemaphore(one.device, A));
        must(muxDispatch(one.queue, commands, null, waits, [semaphore], null));
        semaphores.push(semaphore);
      }
      must(muxWaitAll(one.queue));
      expect(arrays).toEqual(expected.slice(BUFFERS));
      const fence = must(muxCreateFence(one.device, A));
      const seen = freshState().slice(BUFFERS);
      const last = commandsOf(one, (list) => {
        for (const [i, buffer] of buffers.entries())
          must(muxCommandReadBuffer(list, buffer, 0, seen[i] as Uint8Array, []));
      });
      must(muxDispatch(one.queue, last, fence, [], [], null));
      expect(must(muxTryWait(one.queue, Infinity, fence))).toBe("ready");
      expect(seen).toEqual(expected.slice(0, BUFFERS));
    }),
    { numRuns: 100 },
  );
});

test("dispatches that nothing orders are in several streams at the same time", () => {
  const one = rig(7);
  for (let i = 0; i < 4; i++) {
    const buffer = bufferOf(one);
    const commands = commandsOf(one, (list) =>
      must(muxCommandFillBuffer(list, buffer, 0, BYTES, Uint8Array.of(i), [])),
    );
    must(muxDispatch(one.queue, commands, null, [], [], null));
  }
  must(muxWaitAll(one.queue));
  expect(one.queued.mostBusy).toBe(4);
});

test("a wait in the event loop ends, and the loop went on meanwhile", async () => {
  const one = rig(3);
  const buffer = bufferOf(one);
  const fence = must(muxCreateFence(one.device, A));
  const seen = new Uint8Array(BYTES);
  const commands = commandsOf(one, (list) => {
    must(muxCommandFillBuffer(list, buffer, 0, BYTES, Uint8Array.of(9), []));
    must(muxCommandReadBuffer(list, buffer, 0, seen, []));
  });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  must(muxDispatch(one.queue, commands, fence, [], [], null));
  expect(must(await muxTryWaitAsync(one.queue, Infinity, fence))).toBe("ready");
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  clearInterval(timer);
  expect(seen.every((byte) => byte === 9)).toBe(true);
  expect(turns).toBeGreaterThan(0);
});

test("what waits for something that failed fails, and says so", () => {
  const one = rig(5);
  const buffer = bufferOf(one);
  const semaphore = must(muxCreateSemaphore(one.device, A));
  const fences = [must(muxCreateFence(one.device, A)), must(muxCreateFence(one.device, A))] as const;
  const fill = (): MuxCommandBuffer =>
    commandsOf(one, (list) => must(muxCommandFillBuffer(list, buffer, 0, BYTES, Uint8Array.of(1), [])));
  one.queued.fail = { code: 700, message: "cuMemsetD32Async: CUDA_ERROR_ILLEGAL_ADDRESS" };
  must(muxDispatch(one.queue, fill(), fences[0], [], [semaphore], null));
  const second = muxDispatch(one.queue, fill(), fences[1], [semaphore], [], null);
  const first = muxTryWait(one.queue, Infinity, fences[0]);
  expect(first.ok ? "" : first.error.message).toMatch(/is lost to this process: cuMemsetD32Async.*Only a new process/u);
  expect(second.ok ? "" : second.error.message).toContain("the GPU was lost earlier");
});
