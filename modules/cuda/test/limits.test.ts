// SPDX-License-Identifier: Apache-2.0
// Launches with a deadline, and launches that somebody stops, on a GPU whose kernels run until they find their word
// set.
import { type GpuLaunch, cudaTargetOf } from "@muxkit/cuda";
import { SIMT_LAUNCH_BYTES, simtLaunchOffset } from "@muxkit/kernel-abi";
import { writeExecutable } from "@muxkit/metadata";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxFence,
  type MuxKernel,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  type MuxQueue,
  MuxQueueType,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateKernel,
  muxCreateSemaphore,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxTryWait,
  muxTryWaitAsync,
  registerTarget,
} from "@muxkit/mux";
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";

import { fillExecutable } from "./image.ts";
import { MemoryDriver } from "./memory-driver.ts";
import { must } from "./must.ts";
import { QueuedGpu, queuedDriver } from "./queued-gpu.ts";

const A = DEFAULT_ALLOCATOR;
const BYTES = 64;
const DISCRETE_GPU = 4;
/** The first address of the driver's memory. */
const BASE = 2 ** 40;

/** A device with a kernel `fill`, which runs on until it is stopped while `isEndless` says so. */
class Rig {
  readonly memory = new MemoryDriver().fills();
  readonly queued = new QueuedGpu(this.memory, 1);
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  readonly kernel: MuxKernel;
  readonly buffer: MuxBuffer;
  isEndless = true;
  /** True: kernels do not look at their words. */
  isDeaf = false;
  private at = 0;

  constructor(deadline: number = 0) {
    registerTarget(cudaTargetOf(queuedDriver(this.memory, this.queued), { deadline }));
    const info = must(muxGetDeviceInfos(DISCRETE_GPU)).at(-1);
    if (info === undefined) throw new Error("the target has a device");
    const [device] = must(muxCreateDevices([info], A));
    if (device === undefined) throw new Error("a device was opened");
    this.device = device;
    this.queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    const executable = must(muxCreateExecutable(device, writeExecutable(fillExecutable()), A));
    this.kernel = must(muxCreateKernel(device, executable, "fill", A));
    this.buffer = must(muxCreateBuffer(device, BYTES, A));
    const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
    const memory = must(muxAllocateMemory(device, BYTES, 1, properties, MuxAllocationType.alloc_device, 128, A));
    must(muxBindBufferMemory(device, memory, this.buffer, 0));
    this.queued.skips = (launch) => this.isSet(launch);
    this.queued.runsOn = (launch) => this.isEndless && (this.isDeaf || !this.isSet(launch));
  }

  /** True when the word of a launch is set; what has none is not stopped. */
  private isSet({ parameter: { view, at, bytes } }: GpuLaunch): boolean {
    this.at = Number(view.getBigUint64(at, true)) - BASE;
    const end = simtLaunchOffset(12) + SIMT_LAUNCH_BYTES;
    if (bytes < end + 8) return false;
    const word = Number(view.getBigUint64(at + end, true)) - BASE;
    if (!(word > 0)) throw new Error("a launch that can be stopped has no word");
    return this.memory.bytes[word] !== 0;
  }

  commands(limits: Partial<MuxNDRangeOptions>, value: number, behind: number | null = null): MuxCommandBuffer {
    const commands = must(muxCreateCommandBuffer(this.device, null, A));
    const options: MuxNDRangeOptions = {
      descriptors: [
        { type: 0, buffer: this.buffer, offset: 0 },
        { type: 3, data: new Uint8Array(Int32Array.of(value).buffer) },
      ],
      localSize: [4, 1, 1],
      globalOffset: [0],
      globalSize: [4],
      dimensions: 1,
      firstGroup: null,
      groupCount: null,
      ...limits,
    };
    must(muxCommandNDRange(commands, this.kernel, options, []));
    if (behind !== null) must(muxCommandFillBuffer(commands, this.buffer, 0, BYTES, Uint8Array.of(behind), []));
    must(muxFinalizeCommandBuffer(commands));
    return commands;
  }

  dispatch(commands: MuxCommandBuffer): MuxFence {
    const fence = must(muxCreateFence(this.device, A));
    must(muxDispatch(this.queue, commands, fence, [], [], null));
    return fence;
  }

  /** What a fence says: an error, or nothing. */
  wait(fence: MuxFence): string {
    const answer = muxTryWait(this.queue, Infinity, fence);
    return answer.ok ? "" : answer.error.message;
  }

  async waitLater(fence: MuxFence): Promise<string> {
    const answer = await muxTryWaitAsync(this.queue, Infinity, fence);
    return answer.ok ? "" : answer.error.message;
  }

  /** The first word of the buffer, by what the last launch said of it. */
  get first(): number {
    return new DataView(this.memory.bytes.buffer).getInt32(this.at, true);
  }

  set first(value: number) {
    new DataView(this.memory.bytes.buffer).setInt32(this.at, value, true);
  }
}

function never(): string {
  return "";
}

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([false, true])(
  "a deadline stops a launch, and what is behind it is not started (async: %s)",
  async (isAsync) => {
    const rig = new Rig();
    const fence = rig.dispatch(rig.commands({ deadline: 5 }, 7, 3));
    const told = isAsync ? await rig.waitLater(fence) : rig.wait(fence);
    expect(told).toContain('kernel "fill" was stopped: it ran longer than its deadline of 5 ms');
    expect(rig.first).toBe(7);
    rig.isEndless = false;
    expect(rig.wait(rig.dispatch(rig.commands({}, 9, 4)))).toBe("");
    expect(rig.first).toBe(0x0404_0404);
  },
);

test("a device's deadline is that of launches without one of their own", () => {
  const rig = new Rig(4);
  expect(rig.wait(rig.dispatch(rig.commands({}, 7)))).toContain("longer than its deadline of 4 ms");
  expect(rig.wait(rig.dispatch(rig.commands({ deadline: 6 }, 7)))).toContain("longer than its deadline of 6 ms");
});

test("a launch that is stopped at any time: what is told is what happened, and later ones go on", () => {
  const rig = new Rig();
  rig.isEndless = false;
  rig.wait(rig.dispatch(rig.commands({ deadline: 60_000 }, 0)));
  const seen = new Set<string>();
  const one = fc.record({ steps: fc.nat({ max: 8 }), isEndless: fc.boolean(), seed: fc.nat() });
  fc.assert(
    fc.property(one, ({ steps, isEndless, seed }) => {
      rig.queued.seed(seed);
      rig.isEndless = isEndless;
      rig.first = -1;
      let stop = never;
      const ends: boolean[] = [];
      const watch: NonNullable<MuxNDRangeOptions["watch"]> = (given) => {
        stop = given;
        return (isExpired) => {
          ends.push(isExpired);
        };
      };
      const fence = rig.dispatch(rig.commands({ watch }, 5));
      for (let i = 0; i < steps; i++) rig.queued.step();
      const state = stop();
      seen.add(state);
      const told = rig.wait(fence);
      expect(told === "").toBe(state === "ended");
      expect(told.includes('kernel "fill" was stopped by its signal')).toBe(state === "running");
      // A kernel that was stopped may have written.
      expect(state === "ended" ? [5] : [-1, 5]).toContain(rig.first);
      expect(ends).toEqual([false]);
      expect(stop()).toBe("ended");
      // Its word is zero again.
      rig.isEndless = false;
      expect(rig.wait(rig.dispatch(rig.commands({ deadline: 60_000 }, 6)))).toBe("");
      expect(rig.first).toBe(6);
    }),
    { numRuns: 100, seed: 3 },
  );
  expect(seen).toEqual(new Set(["running", "ended"]));
});

test("a launch that waits when it is stopped never starts", () => {
  const rig = new Rig();
  let stop = never;
  const watch: NonNullable<MuxNDRangeOptions["watch"]> = (given) => {
    stop = given;
    return () => undefined;
  };
  const semaphore = must(muxCreateSemaphore(rig.device, A));
  const [first, second] = [must(muxCreateFence(rig.device, A)), must(muxCreateFence(rig.device, A))];
  must(muxDispatch(rig.queue, rig.commands({ deadline: 60_000 }, 1), first, [], [semaphore], null));
  must(muxDispatch(rig.queue, rig.commands({ watch }, 2), second, [semaphore], [], null));
  for (let i = 0; i < 20; i++) rig.queued.step();
  expect(stop()).toBe("waiting");
  rig.isEndless = false;
  expect(rig.wait(second)).toContain('kernel "fill" was stopped by its signal');
  expect(rig.wait(first)).toBe("");
  expect(rig.first).toBe(1);
});

test("a kernel that does not look at its word loses the GPU, with one sentence", () => {
  const rig = new Rig();
  rig.isDeaf = true;
  let now = 1000;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 50));
  const told = rig.wait(rig.dispatch(rig.commands({ deadline: 500 }, 7)));
  expect(told).toMatch(
    /is lost to this process: kernel "fill": it ran longer than its deadline of 500 ms, and did not/u,
  );
});
