// SPDX-License-Identifier: Apache-2.0
// Devices of the hardware layer as targets: failures, maps by copies, the event loop, memory.
import { err, ok } from "@muxkit/cargo";
import { type Hal, type HalDevice, type HalKernel, MODEST_DEVICE, SimulatedMemory, halTarget } from "@muxkit/hal";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxDevice,
  type MuxDeviceInfo,
  MuxDeviceType,
  MuxMemoryProperty,
  MuxQueueType,
  MuxResult,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandCopyBuffer,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateKernel,
  muxCreateMemoryFromHost,
  muxCreateSemaphore,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxFlushMappedMemoryFromDevice,
  muxFlushMappedMemoryToDevice,
  muxGetDeviceInfos,
  muxGetQueue,
  muxMapMemory,
  muxTryWait,
  registerTarget,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxNDRangeOptions,
} from "@muxkit/mux";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const A = DEFAULT_ALLOCATOR;

function must<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A device with one kernel that fails, and with the calls that are given. */
function simulated(memory: SimulatedMemory, more: Partial<HalDevice> = {}): Hal {
  const kernel: HalKernel = {
    argumentTypes: [],
    preferredLocalSize: [1, 1, 1],
    requiredLocalSize: [2, 1, 1],
    localMemorySize: 0,
    subGroupSize: 1,
    run: () => err({ code: MuxResult.error_failure, message: "the kernel fell over" }),
  };
  const device: HalDevice = {
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
    ...more,
  };
  return {
    name: "simulated",
    devices: [
      { ...MODEST_DEVICE, deviceName: "first" },
      { ...MODEST_DEVICE, deviceName: "second" },
    ],
    open: (index) =>
      index === 1 ? err({ code: MuxResult.error_device_entry_hook_failed, message: "it is switched off" }) : ok(device),
  };
}

function infosOf(hal: Hal): readonly MuxDeviceInfo[] {
  const number = registerTarget(halTarget(hal));
  return must(muxGetDeviceInfos(MuxDeviceType.all)).filter(({ id }) => (id & 0xff) === number);
}

function open(hal: Hal): MuxDevice {
  const [info] = infosOf(hal);
  const [device] = info === undefined ? [] : must(muxCreateDevices([info], A));
  if (device === undefined) throw new Error("no device");
  return device;
}

function bufferOf(device: MuxDevice, size: number): { readonly buffer: MuxBuffer; readonly bytes: () => Uint8Array } {
  const buffer = must(muxCreateBuffer(device, size, A));
  const memory = must(
    muxAllocateMemory(
      device,
      size,
      1,
      MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent,
      MuxAllocationType.alloc_device,
      0,
      A,
    ),
  );
  must(muxBindBufferMemory(device, memory, buffer, 0));
  const view = must(muxMapMemory(device, memory, 0, size));
  expect(memory.properties & MuxMemoryProperty.host_coherent).toBe(0);
  return {
    buffer,
    bytes: () => {
      must(muxFlushMappedMemoryFromDevice(device, memory, 0, size));
      return view;
    },
  };
}

function recorded(device: MuxDevice, record: (commands: MuxCommandBuffer) => void): MuxCommandBuffer {
  const commands = must(muxCreateCommandBuffer(device, null, A));
  record(commands);
  must(muxFinalizeCommandBuffer(commands));
  return commands;
}

const LAUNCH: MuxNDRangeOptions = {
  descriptors: [],
  localSize: [2, 1, 1],
  globalOffset: [0],
  globalSize: [2],
  dimensions: 1,
  firstGroup: null,
  groupCount: null,
};

describe("a device of the hardware layer", () => {
  test("each device of a target is listed, and one that cannot be opened reports why", () => {
    const infos = infosOf(simulated(new SimulatedMemory(4096)));
    expect(infos.map(({ deviceName }) => deviceName)).toEqual(["first", "second"]);
    const [, second] = infos;
    const opened = muxCreateDevices(second === undefined ? [] : [second], A);
    expect(opened.ok ? null : opened.error).toMatchObject({
      name: "error_device_entry_hook_failed",
      message: "muxCreateDevices: it is switched off",
    });
  });

  test.each<[what: string, more: (memory: SimulatedMemory) => Partial<HalDevice>]>([
    ["by way of the host", () => ({})],
    [
      "within the device",
      (memory) => ({
        copy: (from, to, size) => {
          memory.copy(from, to, size);
        },
        fill: (address, size, pattern) => {
          memory.fill(address, size, pattern);
        },
      }),
    ],
  ])("fills and copies %s", (_, more) => {
    const memory = new SimulatedMemory(1 << 16);
    const device = open(simulated(memory, more(memory)));
    const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    const [source, target] = [bufferOf(device, 12), bufferOf(device, 12)];
    const fence = must(muxCreateFence(device, A));
    const commands = recorded(device, (list) => {
      must(muxCommandFillBuffer(list, source.buffer, 0, 12, Uint8Array.of(1, 2, 3, 4), []));
      must(muxCommandCopyBuffer(list, source.buffer, 4, target.buffer, 1, 8, []));
    });
    must(muxDispatch(queue, commands, fence, [], [], null));
    expect(must(muxTryWait(queue, Infinity, fence))).toBe("ready");
    expect([...target.bytes()]).toEqual([0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 0, 0]);
  });

  test("a kernel that fails names its command, and what waits for it fails too", () => {
    const device = open(simulated(new SimulatedMemory(1 << 16)));
    const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    const kernel = must(muxCreateKernel(device, must(muxCreateExecutable(device, Uint8Array.of(1), A)), "any", A));
    const { buffer, bytes } = bufferOf(device, 4);
    const failing = recorded(device, (list) => {
      must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(7), []));
      must(muxCommandNDRange(list, kernel, LAUNCH, []));
      must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(9), []));
    });
    const after = recorded(device, (list) => {
      must(muxCommandFillBuffer(list, buffer, 0, 4, Uint8Array.of(5), []));
    });
    const [first, second, semaphore] = [
      must(muxCreateFence(device, A)),
      must(muxCreateFence(device, A)),
      must(muxCreateSemaphore(device, A)),
    ];
    const reported: unknown[] = [];
    must(muxDispatch(queue, failing, first, [], [semaphore], (_, error) => reported.push(error)));
    must(muxDispatch(queue, after, second, [semaphore], [], null));
    const answers = [muxTryWait(queue, Infinity, first), muxTryWait(queue, Infinity, second)];
    expect(answers.map((answer) => (answer.ok ? null : answer.error.name))).toEqual([
      "error_failure",
      "error_fence_failure",
    ]);
    expect(reported).toMatchObject([{ commandId: 1, message: "the kernel fell over" }]);
    expect([...bytes()]).toEqual([7, 7, 7, 7]);
  });

  test("local sizes that a kernel does not take are refused when they are recorded", () => {
    const device = open(simulated(new SimulatedMemory(4096)));
    const kernel = must(muxCreateKernel(device, must(muxCreateExecutable(device, Uint8Array.of(1), A)), "any", A));
    const commands = must(muxCreateCommandBuffer(device, null, A));
    const refused = muxCommandNDRange(commands, kernel, { ...LAUNCH, localSize: [1, 1, 1] }, []);
    expect(refused.ok ? null : refused.error.message).toContain("work-groups of 2 × 1 × 1, not 1 × 1 × 1");
  });

  test("work without a waiter runs in a turn of the event loop", async () => {
    const device = open(simulated(new SimulatedMemory(1 << 16)));
    const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
    let done = false;
    await new Promise<void>((resolve) => {
      must(
        muxDispatch(
          queue,
          recorded(device, () => undefined),
          null,
          [],
          [],
          () => {
            done = true;
            resolve();
          },
        ),
      );
      expect(done).toBe(false);
    });
    expect(done).toBe(true);
  });

  test("the caller's array and the device's bytes are synchronised by flushes only", () => {
    const memory = new SimulatedMemory(1 << 16);
    const device = open(simulated(memory));
    const array = Uint8Array.of(1, 2, 3, 4);
    const made = must(muxCreateMemoryFromHost(device, array, A));
    const view = must(muxMapMemory(device, made, 0, 4));
    view[0] = 9;
    expect(memory.view(made.handle, 4)[0]).toBe(1);
    must(muxFlushMappedMemoryToDevice(device, made, 0, 4));
    expect([memory.view(made.handle, 4)[0], array[0]]).toEqual([9, 9]);
    memory.write(made.handle + 1, Uint8Array.of(8));
    expect(view[1]).toBe(2);
    must(muxFlushMappedMemoryFromDevice(device, made, 1, 1));
    expect([view[1], array[1]]).toEqual([8, 8]);
  });
});

test("simulated memory allocates disjoint ranges, and is one range again when all are freed", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ size: fc.integer({ min: 1, max: 300 }), alignment: fc.constantFrom(1, 16, 128), frees: fc.nat(8) }),
        { maxLength: 60 },
      ),
      (steps) => {
        const memory = new SimulatedMemory(4096);
        let good = true;
        const live: { readonly address: number; readonly size: number }[] = [];
        for (const { size, alignment, frees } of steps) {
          const address = memory.allocate(size, alignment);
          if (address !== null) {
            const isInside =
              address % alignment === 0 && address >= memory.base && address + size <= memory.base + 4096;
            const isApart = live.every(
              (other) => address + size <= other.address || other.address + other.size <= address,
            );
            good &&= isInside && isApart;
            live.push({ address, size });
          }
          const [gone] = live.splice(frees, 1);
          if (gone !== undefined) memory.free(gone.address);
        }
        expect(good).toBe(true);
        for (const { address } of live) memory.free(address);
        expect(memory.used).toBe(0);
        expect(memory.allocate(4096, 1)).toBe(memory.base);
      },
    ),
  );
});
