// SPDX-License-Identifier: Apache-2.0
// Copies from one GPU to another one, by the calls of libcuda that a library in C answers, and what is refused.
import type { Result } from "@muxkit/cargo";
import { cudaTargetOf, openLibCuda } from "@muxkit/cuda";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxBuffer,
  type MuxCommandBuffer,
  type MuxDevice,
  type MuxError,
  MuxMemoryProperty,
  MuxQueueType,
  type MuxSyncPoint,
  muxAllocateMemory,
  muxBindBufferMemory,
  muxCommandCopyBufferRegions,
  muxCommandReadBuffer,
  muxCommandWriteBuffer,
  muxCreateBuffer,
  muxCreateCommandBuffer,
  muxCreateDevices,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetDeviceInfos,
  muxGetQueue,
  muxReachesMemory,
  muxWaitAll,
  registerTarget,
} from "@muxkit/mux";
import { afterAll, describe, expect, test } from "vitest";

import { must } from "./must.ts";
import { buildStub } from "./stub.ts";

const A = DEFAULT_ALLOCATOR;
const BYTES = 64;
const DISCRETE_GPU = 4;

const stub = buildStub();
afterAll(() => stub?.remove());

/** Both GPUs of the library, opened anew. */
function openBoth(): readonly [MuxDevice, MuxDevice] {
  const driver = openLibCuda(stub?.path);
  if (!driver.ok) throw new Error(driver.error);
  registerTarget(cudaTargetOf(driver.value));
  return must(muxCreateDevices(must(muxGetDeviceInfos(DISCRETE_GPU)).slice(-2), A)) as readonly [MuxDevice, MuxDevice];
}

function bufferOf(device: MuxDevice): MuxBuffer {
  const buffer = must(muxCreateBuffer(device, BYTES, A));
  const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
  const memory = must(muxAllocateMemory(device, BYTES, 1, properties, MuxAllocationType.alloc_device, 128, A));
  must(muxBindBufferMemory(device, memory, buffer, 0));
  return buffer;
}

/** Runs commands to their end. */
function run(device: MuxDevice, record: (commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError>): void {
  const queue = must(muxGetQueue(device, MuxQueueType.compute, 0));
  const commands = must(muxCreateCommandBuffer(device, null, A));
  must(record(commands));
  must(muxFinalizeCommandBuffer(commands));
  must(muxDispatch(queue, commands, null, [], [], null));
  must(muxWaitAll(queue));
}

/** Copies bytes 8 to 23 to the same place of the other buffer, in two rows. */
function copying(from: MuxBuffer, to: MuxBuffer): (commands: MuxCommandBuffer) => Result<MuxSyncPoint, MuxError> {
  const side = { x: 8, y: BYTES };
  const regions = [
    {
      region: { x: 8, y: 2, z: 1 },
      srcOrigin: { x: 0, y: 1, z: 0 },
      dstOrigin: { x: 0, y: 1, z: 0 },
      srcDesc: side,
      dstDesc: side,
    },
  ];
  return (commands) => muxCommandCopyBufferRegions(commands, from, to, regions, []);
}

describe.skipIf(stub === null)("copies between GPUs", () => {
  test("a GPU reads the memory of another one, which lets it in", () => {
    const [first, second] = openBoth();
    const [from, to] = [bufferOf(first), bufferOf(second)];
    run(first, (commands) => muxCommandWriteBuffer(commands, from, 0, new Uint8Array(BYTES).fill(7), []));
    run(second, (commands) => muxCommandWriteBuffer(commands, to, 0, new Uint8Array(BYTES).fill(1), []));
    expect(muxReachesMemory(second, first)).toBe(true);
    expect(stub?.admitted()).toBe(0x1000_01);
    run(second, copying(from, to));
    const found = new Uint8Array(BYTES);
    run(second, (commands) => muxCommandReadBuffer(commands, to, 0, found, []));
    expect([...found]).toEqual(Array.from({ length: BYTES }, (_, i) => (i >= 8 && i < 24 ? 7 : 1)));
  });

  test("the driver is asked once for each direction", () => {
    const [first, second] = openBoth();
    expect(muxReachesMemory(first, second)).toBe(true);
    const calls = stub?.called();
    expect(muxReachesMemory(first, second)).toBe(true);
    expect(stub?.called()).toBe(calls);
    expect(muxReachesMemory(second, first)).toBe(true);
    expect(stub?.called()).toBeGreaterThan(calls ?? 0);
  });

  test.each(["cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuMemPoolSetAccess"])(
    "%s fails: the GPU does not reach the other one, and copies from there are refused",
    (name) => {
      const [first, second] = openBoth();
      const [from, to] = [bufferOf(first), bufferOf(second)];
      stub?.fail(name, 1);
      try {
        expect(muxReachesMemory(second, first)).toBe(false);
        const commands = must(muxCreateCommandBuffer(second, null, A));
        const refused = copying(from, to)(commands);
        expect(refused.ok ? "" : refused.error.message).toMatch(
          /muxCommandCopyBufferRegions: srcBuffer belongs to device Stub 0, not to the one that is used here/u,
        );
      } finally {
        stub?.fail("", 0);
      }
    },
  );

  test("two devices of one GPU, and GPUs of two targets, do not reach each other by peers", () => {
    const [first] = openBoth();
    const [again] = must(muxCreateDevices([first.info], A));
    const [other] = openBoth();
    expect(again === undefined || muxReachesMemory(again, first)).toBe(false);
    expect(muxReachesMemory(other, first)).toBe(false);
  });

  test("the target of a copy is of the command buffer's own device", () => {
    const [first, second] = openBoth();
    const [from, to] = [bufferOf(first), bufferOf(second)];
    const commands = must(muxCreateCommandBuffer(first, null, A));
    const refused = copying(from, to)(commands);
    expect(refused.ok ? "" : refused.error.message).toMatch(/dstBuffer belongs to device Stub 1/u);
  });
});
