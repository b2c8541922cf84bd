// SPDX-License-Identifier: Apache-2.0
// Devices that complete kernels later: order, waits with and without the event loop, late failures, destroyed devices.
import { type Result, err, ok } from "@muxkit/cargo";
import { type Hal, type HalKernel, MODEST_DEVICE, SimulatedMemory, halTarget } from "@muxkit/hal";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  MuxDescriptorType,
  type MuxDevice,
  MuxDeviceType,
  type MuxFailure,
  type MuxFence,
  MuxMemoryProperty,
  type MuxQueue,
  MuxQueueType,
  MuxResult,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateKernel,
  muxCreateSemaphore,
  muxDestroyDevice,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxTryWait,
  muxTryWaitAsync,
  muxWaitAll,
  muxWaitAllAsync,
  registerTarget,
} from "@muxkit/mux";
import { expect, test } from "vitest";

const A = DEFAULT_ALLOCATOR;
const LATE_MS = 5;

function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** How a kernel ends. */
type Ending = () => Promise<Result<void, MuxFailure>>;

const later: Ending = () =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(ok());
    }, LATE_MS);
  });

/** A device whose kernel adds 1 to each byte of its buffer when `ending` resolves with a success. */
function lateDevice(ending: Ending): Hal {
  const memory = new SimulatedMemory(MODEST_DEVICE.memorySize);
  const kernel: HalKernel = {
    argumentTypes: [MuxDescriptorType.buffer],
    preferredLocalSize: [1, 1, 1],
    requiredLocalSize: null,
    localMemorySize: 0,
    subGroupSize: 1,
    run: async (_range, [argument]) => {
      const done = await ending();
      if (done.ok && argument?.kind === "address") {
        const bytes = memory.view(argument.address, argument.size);
        bytes.forEach((byte, i) => {
          bytes[i] = byte + 1;
        });
      }
      return done;
    },
  };
  return {
    name: "late",
    devices: [{ ...MODEST_DEVICE, deviceName: "late" }],
    open: () =>
      ok({
        allocate: (size, alignment) => memory.allocate(size, alignment),
        free: (address) => {
          memory.free(address);
        },
        read: (address, to) => {
          memory.read(address, to);
        },
        write: (address, from) => {
          memory.write(address, from);
        },
        load: () => ok({ kernel: () => kernel, free: () => undefined }),
        close: () => undefined,
      }),
  };
}

/** A device with a buffer, and command buffers that fill it, add to it and read it. */
class World {
  readonly device: MuxDevice;
  readonly queue: MuxQueue;
  private readonly buffer: MuxBuffer;

  constructor(ending: Ending) {
    const number = registerTarget(halTarget(lateDevice(ending)));
    const info = must(muxGetDeviceInfos(MuxDeviceType.all)).find(({ id }) => (id & 0xff) === number);
    const [device] = info === undefined ? [] : must(muxCreateDevices([info], A));
    if (device === undefined) throw new Error("no device");
    this.device = device;
    this.queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    this.buffer = must(muxCreateBuffer(device, 4, A));
    const memory = muxAllocateMemory(
      device,
      4,
      1,
      MuxMemoryProperty.host_visible,
      MuxAllocationType.alloc_device,
      0,
      A,
    );
    must(muxBindBufferMemory(device, must(memory), this.buffer, 0));
  }

  /** Fills the buffer with a number, adds 1 `times` times, and reads it into an array. */
  commands(start: number, times: number): { readonly list: MuxCommandBuffer; readonly read: Uint8Array } {
    const { device, buffer } = this;
    const list = must(muxCreateCommandBuffer(device, null, A));
    const read = new Uint8Array(4);
    const kernel = must(muxCreateKernel(device, must(muxCreateExecutable(device, Uint8Array.of(1), A)), "add", A));
    must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(start), []));
    const launch = {
      descriptors: [{ type: MuxDescriptorType.buffer, buffer, offset: 0 }],
      localSize: [1, 1, 1],
      globalSize: [1],
      globalOffset: [0],
      dimensions: 1,
      firstGroup: null,
      groupCount: null,
    } as const;
    for (let i = 0; i < times; i++) must(muxCommandNDRange(list, kernel, launch, []));
    must(muxCommandReadBuffer(list, buffer, 0, read, []));
    must(muxFinalizeCommandBuffer(list));
    return { list, read };
  }

  fence(): MuxFence {
    return must(muxCreateFence(this.device, A));
  }
}

test("what comes after a launch sees what it did, in its own commands and in later dispatches", async () => {
  const world = new World(later);
  const [first, second] = [world.commands(10, 3), world.commands(20, 1)];
  const [one, two] = [world.fence(), world.fence()];
  const heard: string[] = [];
  must(
    muxDispatch(world.queue, first.list, one, [], [], (_list, error) => heard.push(`first ${error?.message ?? "ok"}`)),
  );
  must(muxDispatch(world.queue, second.list, two, [], [], () => heard.push("second")));
  expect(must(muxTryWait(world.queue, 0, one))).toBe("not_ready");
  expect(first.read[0]).toBe(0);
  expect(must(await muxTryWaitAsync(world.queue, Infinity, two))).toBe("ready");
  expect(must(muxTryWait(world.queue, 0, one))).toBe("ready");
  expect([...first.read, ...second.read]).toEqual([13, 13, 13, 13, 21, 21, 21, 21]);
  expect(heard).toEqual(["first ok", "second"]);
});

test("a wait has a limit, and one that blocks the thread reports that it cannot end", async () => {
  const world = new World(later);
  const { list, read } = world.commands(1, 2);
  const fence = world.fence();
  must(muxDispatch(world.queue, list, fence, [], [], null));
  expect(must(await muxTryWaitAsync(world.queue, 1000, fence))).toBe("not_ready");
  for (const blocking of [muxTryWait(world.queue, Infinity, fence), muxWaitAll(world.queue)]) {
    expect(blocking.ok).toBe(false);
    expect(blocking.ok ? "" : blocking.error.message).toContain("event loop");
  }
  must(await muxWaitAllAsync(world.queue));
  must(muxWaitAll(world.queue));
  expect(read[0]).toBe(3);
});

test("the event loop completes what nothing waits for", async () => {
  const world = new World(later);
  const { list, read } = world.commands(1, 1);
  await new Promise<void>((resolve) => {
    must(
      muxDispatch(world.queue, list, null, [], [], () => {
        resolve();
      }),
    );
  });
  expect(read[0]).toBe(2);
});

test.each([
  ["fails", () => Promise.resolve(err({ code: MuxResult.error_failure, message: "the kernel fell over" }))],
  ["throws", () => Promise.reject(new Error("the kernel fell over"))],
] as const)("a launch that %s late ends its dispatch, and what waits for it", async (_name, ending) => {
  let isLate = false;
  const world = new World(async () => {
    void (await later());
    isLate = true;
    return ending();
  });
  const [first, dependent] = [world.commands(1, 2), world.commands(2, 0)];
  const [one, two] = [world.fence(), world.fence()];
  const semaphore = must(muxCreateSemaphore(world.device, A));
  const heard: unknown[] = [];
  must(muxDispatch(world.queue, first.list, one, [], [semaphore], (_list, error) => heard.push(error?.commandId)));
  must(muxDispatch(world.queue, dependent.list, two, [semaphore], [], null));
  const failed = await muxTryWaitAsync(world.queue, Infinity, two);
  expect(isLate).toBe(true);
  expect(failed.ok ? null : failed.error.code).toBe(MuxResult.error_fence_failure);
  const own = muxTryWait(world.queue, 0, one);
  expect(own.ok ? "" : own.error.message).toContain("the kernel fell over");
  expect(heard).toEqual([1]);
  expect(first.read[0]).toBe(0);
});

test("commands of a device that was destroyed meanwhile do not run", async () => {
  let finish: (() => void) | undefined;
  const world = new World(
    () =>
      new Promise((resolve) => {
        finish = () => {
          resolve(ok());
        };
      }),
  );
  const { list, read } = world.commands(7, 1);
  const heard: string[] = [];
  must(muxDispatch(world.queue, list, null, [], [], (_list, error) => heard.push(error?.message ?? "ok")));
  expect(must(muxTryWait(world.queue, 0, world.fence()))).toBe("not_ready");
  must(muxDestroyDevice(world.device, A));
  finish?.();
  await new Promise((resolve) => {
    setTimeout(resolve, LATE_MS);
  });
  expect(heard).toHaveLength(1);
  expect(heard[0]).toContain("destroyed");
  expect(read[0]).toBe(0);
});
