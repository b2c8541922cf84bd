// SPDX-License-Identifier: Apache-2.0
// The host through mux's entry points.
import type { Result } from "@muxkit/cargo";
import { hostDevice, hostQueue, hostTarget } from "@muxkit/host";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  MuxDescriptorType,
  type MuxDevice,
  MuxDeviceType,
  type MuxError,
  MuxImageFormat,
  MuxImageType,
  type MuxKernel,
  MuxMemoryProperty,
  type MuxNDRangeOptions,
  type MuxQueue,
  MuxQueueType,
  MuxQueryType,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCloneCommandBuffer,
  muxCommandBeginQuery,
  muxCommandCopyBufferRegions,
  muxCommandEndQuery,
  muxCommandFillBuffer,
  muxCommandNDRange,
  muxCommandReadBuffer,
  muxCommandUserCallback,
  muxCommandWriteBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxCreateExecutable,
  muxCreateFence,
  muxCreateImage,
  muxCreateKernel,
  muxCreateMemoryFromHost,
  muxCreateQueryPool,
  muxCreateSemaphore,
  muxDestroyDevice,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxFreeMemory,
  muxGetDeviceInfos,
  muxGetQueryPoolResults,
  muxGetQueue,
  muxGetSubDeviceInfo,
  muxGetSupportedImageFormats,
  muxMapMemory,
  muxQueryLocalSizeForSubGroupCount,
  muxQueryMaxNumSubGroups,
  muxQuerySubGroupSizeForLocalSize,
  muxQueryWFVInfoForLocalSize,
  muxResetCommandBuffer,
  muxSharesObjects,
  muxTryWait,
  muxTryWaitAsync,
  muxUnmapMemory,
  muxUpdateDescriptors,
  muxWaitAll,
  registerTarget,
} from "@muxkit/mux";
import { afterAll, expect, test } from "vitest";

import { testExecutable } from "./executable-rig.ts";

function must<T>(result: Result<T, MuxError>): T {
  if (!result.ok) throw new Error(`${result.error.name}: ${result.error.message}`);
  return result.value;
}

function refusal(result: Result<unknown, MuxError>): string {
  return result.ok ? "accepted" : `${result.error.name}: ${result.error.message}`;
}

const A = DEFAULT_ALLOCATOR;
const number = registerTarget(hostTarget({ threads: 2 }));
const info = must(muxGetDeviceInfos(MuxDeviceType.cpu)).find(({ id }) => (id & 0xff) === number);
if (info === undefined) throw new Error("the host device is not listed");
const [device] = must(muxCreateDevices([info], A)) as readonly [MuxDevice];
const queue: MuxQueue = must(muxGetQueue(device, MuxQueueType.compute, 0));
const executable = must(muxCreateExecutable(device, testExecutable(), A));
afterAll(() => {
  must(muxDestroyDevice(device, A));
});

const VISIBLE = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent;

function buffer(size: number): MuxBuffer {
  const made = must(muxCreateBuffer(device, size, A));
  const memory = must(
    muxAllocateMemory(
      device,
      made.memoryRequirements.size,
      1,
      VISIBLE,
      MuxAllocationType.alloc_device,
      made.memoryRequirements.alignment,
      A,
    ),
  );
  must(muxBindBufferMemory(device, memory, made, 0));
  return made;
}

const kernel = (name: string): MuxKernel => must(muxCreateKernel(device, executable, name, A));
const int = (value: number): MuxNDRangeOptions["descriptors"][number] => ({
  type: MuxDescriptorType.plain_old_data,
  data: new Uint8Array(new Int32Array([value]).buffer),
});
const pointer = (to: MuxBuffer, offset: number = 0): MuxNDRangeOptions["descriptors"][number] => ({
  type: MuxDescriptorType.buffer,
  buffer: to,
  offset,
});
const range = (groups: number, descriptors: MuxNDRangeOptions["descriptors"]): MuxNDRangeOptions => ({
  descriptors,
  localSize: [1, 1, 1],
  globalOffset: [0],
  globalSize: [groups],
  dimensions: 1,
  firstGroup: null,
  groupCount: null,
});

function commands(record: (buffer: MuxCommandBuffer) => void): MuxCommandBuffer {
  const made = must(muxCreateCommandBuffer(device, null, A));
  record(made);
  must(muxFinalizeCommandBuffer(made));
  return made;
}

function run(made: MuxCommandBuffer): Result<"ready" | "not_ready", MuxError> {
  const fence = must(muxCreateFence(device, A));
  must(muxDispatch(queue, made, fence, [], [], null));
  return muxTryWait(queue, Infinity, fence);
}

test("a launch with its transfers runs through the entry points", () => {
  const out = buffer(64);
  const words = new Int32Array(16);
  const made = commands((list) => {
    must(muxCommandFillBuffer(list, out, 0, 64, new Uint8Array([1, 0, 0, 0]), []));
    must(muxCommandNDRange(list, kernel("fill"), range(8, [pointer(out), int(40)]), []));
    must(muxCommandReadBuffer(list, out, 0, new Uint8Array(words.buffer), []));
  });
  expect(must(run(made))).toBe("ready");
  expect([...words]).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 1, 1, 1, 1, 1, 1, 1, 1]);
});

test("sync-points are real dependencies, regions are one command", () => {
  const [from, to] = [buffer(64), buffer(64)];
  const order: string[] = [];
  const words = new Uint8Array(64);
  const made = commands((list) => {
    const written = must(
      muxCommandWriteBuffer(
        list,
        from,
        0,
        Uint8Array.from({ length: 64 }, (_, i) => i),
        [],
      ),
    );
    const first = must(
      muxCommandUserCallback(
        list,
        (at, which) => {
          order.push(at === queue && which === made ? "a" : "wrong");
        },
        [written],
      ),
    );
    const second = must(
      muxCommandUserCallback(list, () => {
        order.push("b");
      }, [first]),
    );
    const region = { region: { x: 2, y: 2, z: 1 }, srcDesc: { x: 8, y: 64 }, dstDesc: { x: 4, y: 16 } };
    const copied = must(
      muxCommandCopyBufferRegions(
        list,
        from,
        to,
        [
          { ...region, srcOrigin: { x: 1, y: 1, z: 0 }, dstOrigin: { x: 0, y: 0, z: 0 } },
          { ...region, srcOrigin: { x: 4, y: 4, z: 0 }, dstOrigin: { x: 0, y: 2, z: 0 } },
        ],
        [second],
      ),
    );
    must(muxCommandReadBuffer(list, to, 0, words.subarray(0, 16), [copied]));
  });
  expect(must(run(made))).toBe("ready");
  expect(order).toEqual(["a", "b"]);
  expect([words[0], words[1], words[4], words[5], words[8], words[9], words[12], words[13]]).toEqual([
    9, 10, 17, 18, 36, 37, 44, 45,
  ]);
});

test("semaphores order dispatches and pass failures on; completion is reported in order", () => {
  const semaphore = must(muxCreateSemaphore(device, A));
  const out = buffer(4);
  const reported: string[] = [];
  const report =
    (name: string) =>
    (_: MuxCommandBuffer, error: MuxError | null): void => {
      reported.push(`${name}: ${error?.name ?? "good"}`);
    };
  const bad = commands((list) => must(muxCommandNDRange(list, kernel("trap"), range(8, []), [])));
  const dependent = commands((list) =>
    must(muxCommandNDRange(list, kernel("fill"), range(1, [pointer(out), int(5)]), [])),
  );
  must(muxDispatch(queue, dependent, null, [semaphore], [], report("dependent")));
  must(muxDispatch(queue, bad, null, [], [semaphore], report("bad")));
  must(muxWaitAll(queue));
  expect(reported).toEqual(["bad: error_failure", "dependent: error_fence_failure"]);
  expect(must(run(dependent))).toBe("ready");
  expect(refusal(run(bad))).toMatch(/^error_fence_failure: muxTryWait: kernel "trap" divided an integer by zero in /u);
});

test("a device and parts of it use each other's objects; a device that is opened again does not", () => {
  const [part, other] = must(
    muxCreateDevices([must(muxGetSubDeviceInfo(info, 1)), must(muxGetSubDeviceInfo(info, 1))], A),
  ) as readonly [MuxDevice, MuxDevice];
  const [again] = must(muxCreateDevices([info], A)) as readonly [MuxDevice];
  expect([
    muxSharesObjects(device, device),
    muxSharesObjects(device, part),
    muxSharesObjects(part, device),
    muxSharesObjects(part, other),
  ]).toEqual([true, true, true, true]);
  expect(muxSharesObjects(device, again)).toBe(false);
  const out = buffer(16);
  const list = must(muxCreateCommandBuffer(part, null, A));
  must(muxCommandFillBuffer(list, out, 0, 16, new Uint8Array([2, 0, 0, 0]), []));
  must(muxFinalizeCommandBuffer(list));
  const [fence, semaphore] = [must(muxCreateFence(part, A)), must(muxCreateSemaphore(part, A))];
  must(muxDispatch(must(muxGetQueue(part, MuxQueueType.compute, 0)), list, fence, [], [semaphore], null));
  const words = new Int32Array(4);
  const reading = commands((own) => {
    must(muxCommandReadBuffer(own, out, 0, new Uint8Array(words.buffer), []));
  });
  const done = must(muxCreateFence(device, A));
  must(muxDispatch(queue, reading, done, [semaphore], [], null));
  expect(must(muxTryWait(queue, Infinity, done))).toBe("ready");
  expect([...words]).toEqual([2, 2, 2, 2]);
  const foreign = must(muxCreateCommandBuffer(again, null, A));
  expect(refusal(muxCommandFillBuffer(foreign, out, 0, 16, new Uint8Array(4), []))).toMatch(/belongs to device/u);
  must(muxTryWait(must(muxGetQueue(part, MuxQueueType.compute, 0)), Infinity, fence));
  for (const each of [part, other, again]) must(muxDestroyDevice(each, A));
});

test("descriptors can be updated, clones keep their own, a reset empties", () => {
  const out = buffer(8);
  const words = new Int32Array(2);
  const made = commands((list) => {
    must(muxCommandFillBuffer(list, out, 0, 8, new Uint8Array([0]), []));
    must(muxCommandNDRange(list, kernel("fill"), range(2, [pointer(out), int(1)]), []));
    must(muxCommandReadBuffer(list, out, 0, new Uint8Array(words.buffer), []));
  });
  const clone = must(muxCloneCommandBuffer(device, A, made));
  must(muxUpdateDescriptors(made, 1, [1], [int(70)]));
  must(run(made));
  expect([...words]).toEqual([70, 71]);
  must(run(clone));
  expect([...words]).toEqual([1, 2]);
  expect(refusal(muxUpdateDescriptors(made, 0, [1], [int(70)]))).toBe(
    "error_invalid_value: muxUpdateDescriptors: command 0 is no launch",
  );
  expect(refusal(muxUpdateDescriptors(made, 9, [1], [int(70)]))).toMatch(/the command buffer has 3 commands/u);
  must(muxResetCommandBuffer(made));
  words.fill(0);
  must(muxFinalizeCommandBuffer(made));
  must(run(made));
  expect([...words]).toEqual([0, 0]);
});

test("mapping is a view; memory of the caller's array is copied in and out", () => {
  const memory = must(muxAllocateMemory(device, 256, 1, VISIBLE, MuxAllocationType.alloc_host, 0, A));
  const view = must(muxMapMemory(device, memory, 128, 4));
  view.set([1, 2, 3, 4]);
  must(muxUnmapMemory(device, memory));
  expect([...must(muxMapMemory(device, memory, 128, 4))]).toEqual([1, 2, 3, 4]);

  const array = new Uint8Array(new Int32Array([7, 7]).buffer);
  const hosted = must(muxCreateMemoryFromHost(device, array, A));
  const bound = must(muxCreateBuffer(device, 8, A));
  must(muxBindBufferMemory(device, hosted, bound, 0));
  must(
    run(commands((list) => must(muxCommandNDRange(list, kernel("fill"), range(1, [pointer(bound, 4), int(9)]), [])))),
  );
  expect(new Int32Array(array.buffer)[1]).toBe(7);
  const mapped = must(muxMapMemory(device, hosted, 0, 8));
  expect(mapped.buffer).toBe(array.buffer);
  expect([...new Int32Array(array.buffer)]).toEqual([7, 9]);
  array[0] = 8;
  must(muxUnmapMemory(device, hosted));
  array[0] = 0;
  must(muxMapMemory(device, hosted, 0, 8));
  expect(array[0]).toBe(8);
  must(muxFreeMemory(device, hosted, A));
});

test("memory made of an array inside device memory is that array", () => {
  const { array } = must(hostDevice(device).host.allocateArray(Uint8Array, 64) as Result<{ array: Uint8Array }, never>);
  const memory = must(muxCreateMemoryFromHost(device, array, A));
  const bound = must(muxCreateBuffer(device, 64, A));
  must(muxBindBufferMemory(device, memory, bound, 0));
  must(run(commands((list) => must(muxCommandFillBuffer(list, bound, 0, 64, new Uint8Array([3]), [])))));
  expect(array.every((value) => value === 3)).toBe(true);
  must(muxFreeMemory(device, memory, A));
  array.fill(4);
  expect(array[0]).toBe(4);
});

test("queries measure durations in ns as 64-bit numbers", () => {
  const pool = must(muxCreateQueryPool(queue, MuxQueryType.duration, 1, [], A));
  must(
    run(
      commands((list) => {
        must(muxCommandBeginQuery(list, pool, 0, 1, []));
        must(muxCommandNDRange(list, kernel("empty"), range(1, []), []));
        must(muxCommandEndQuery(list, pool, 0, 1, []));
      }),
    ),
  );
  const [result] = must(muxGetQueryPoolResults(queue, pool, 0, 1));
  const { start, end } = result as { readonly start: bigint; readonly end: bigint };
  expect(start > 0n && end >= start).toBe(true);
});

test("the queue's deadline holds for what is dispatched to it", () => {
  hostQueue(queue).deadline = 50;
  const made = commands((list) => must(muxCommandNDRange(list, kernel("endless"), range(4, []), [])));
  expect(refusal(run(made))).toMatch(/kernel "endless" was stopped: it ran longer than its deadline of 50 ms$/u);
  hostQueue(queue).deadline = 0;
});

test("sub-groups have the size that the executable has", () => {
  const fill = kernel("fill");
  expect(must(muxQuerySubGroupSizeForLocalSize(fill, 64, 1, 1))).toBe(1);
  expect(must(muxQueryMaxNumSubGroups(fill))).toBe(1024);
  expect(must(muxQueryLocalSizeForSubGroupCount(fill, 12))).toEqual([12, 1, 1]);
  expect(must(muxQueryLocalSizeForSubGroupCount(fill, 1025))).toEqual([0, 0, 0]);
});

test("a kernel reports how it is vectorised: not at all", () => {
  expect(must(muxQueryWFVInfoForLocalSize(kernel("fill"), 8, 1, 1))).toEqual({ status: 0, workWidth: [1, 1, 1] });
});

test("images have every format of mux, and the requested layout", () => {
  expect(
    new Set(must(muxGetSupportedImageFormats(device, MuxImageType.image_2d, MuxAllocationType.alloc_device))),
  ).toEqual(new Set(Object.values(MuxImageFormat)));
  const image = must(
    muxCreateImage(device, MuxImageType.image_2d, MuxImageFormat.RGBA_sfloat16, 3, 4, 1, 2, 32, 160, A),
  );
  expect(image).toMatchObject({
    pixelSize: 8,
    rowSize: 32,
    sliceSize: 160,
    arrayLayers: 2,
    memoryRequirements: { size: 320 },
  });
  expect(
    refusal(muxCreateImage(device, MuxImageType.image_2d, MuxImageFormat.RGBA_sfloat16, 3, 4, 1, 0, 20, 0, A)),
  ).toMatch(/^error_invalid_value: .*row pitch/u);
});

test("errors of the target carry its code and sentence", () => {
  expect(refusal(muxCreateExecutable(device, new Uint8Array([1, 2, 3]), A))).toMatch(
    /^error_invalid_binary: muxCreateExecutable: at byte 0/u,
  );
  expect(refusal(muxCreateKernel(device, executable, "nobody", A))).toMatch(
    /^error_missing_kernel: .*no kernel "nobody"/u,
  );
  expect(refusal(muxAllocateMemory(device, 2 ** 40, 1, VISIBLE, MuxAllocationType.alloc_device, 0, A))).toMatch(
    /^error_out_of_memory: muxAllocateMemory: 1099511627776 bytes/u,
  );
  expect(refusal(muxAllocateMemory(device, 64, 2, VISIBLE, MuxAllocationType.alloc_device, 0, A))).toMatch(
    /^error_invalid_value: .*only heap 1/u,
  );
  const list = must(muxCreateCommandBuffer(device, null, A));
  expect(
    refusal(
      muxCommandNDRange(
        list,
        kernel("slow"),
        { ...range(1, [pointer(buffer(4)), { type: MuxDescriptorType.plain_old_data, data: new Uint8Array(8) }]) },
        [],
      ),
    ),
  ).toBe('error_invalid_value: muxCommandNDRange: argument 1 ("n") of kernel "slow" has 4 bytes and got 8');
});

test("a failed dispatch names the command that failed; a fence can be waited for as a promise", async () => {
  const out = buffer(64);
  const made = commands((list) => {
    must(muxCommandFillBuffer(list, out, 0, 64, new Uint8Array([1]), []));
    must(muxCommandNDRange(list, kernel("trap"), range(8, []), []));
    must(muxCommandNDRange(list, kernel("fill"), range(8, [pointer(out), int(40)]), []));
  });
  const fence = must(muxCreateFence(device, A));
  must(muxDispatch(queue, made, fence, [], [], null));
  const waited = await muxTryWaitAsync(queue, Infinity, fence);
  expect(waited.ok ? "ready" : waited.error.commandId).toBe(1);
  const good = commands((list) => must(muxCommandFillBuffer(list, out, 0, 64, new Uint8Array([1]), [])));
  must(muxDispatch(queue, good, fence, [], [], null));
  expect(await muxTryWaitAsync(queue, Infinity, fence)).toEqual({ ok: true, value: "ready" });
  const late = await muxTryWaitAsync(queue, -1, fence);
  expect(refusal(late)).toMatch(/^error_invalid_value: /u);
});
