// SPDX-License-Identifier: Apache-2.0
// Device memory: growth, limits, red zones, page 0; and what happens when the system refuses.
import { afterEach, expect, test } from "vitest";

import { ALL_PARTS } from "../source/all-parts.ts";
import { DeviceMemory } from "../source/device-memory.ts";
import type { HostEnvironment } from "../source/environment.ts";
import { NODE_ENVIRONMENT } from "../source/node-environment.ts";
import { DeviceCore } from "../source/device-core.ts";
import { openCore, type Rig, words } from "./core-rig.ts";

const MIB = 2 ** 20;
const open: Rig[] = [];
const rigOf = (...options: Parameters<typeof openCore>): Rig => {
  const rig = openCore(...options);
  open.push(rig);
  return rig;
};
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

function memoryOf(environment: HostEnvironment = NODE_ENVIRONMENT, limit: number = 2 ** 32): DeviceMemory {
  const memory = DeviceMemory.open(environment, true, limit, ALL_PARTS.redZones);
  if (!memory.ok) throw new Error(memory.error);
  return memory.value;
}

test("memory grows in steps of 64 MiB, and old views stay valid", () => {
  const memory = memoryOf();
  const small = memory.allocate(100);
  if (!small.ok) throw new Error(small.error);
  const old = memory.views.bytes;
  old[small.value.address] = 42;
  expect(memory.size).toBe(64 * MIB);
  const large = memory.allocate(70 * MIB);
  expect(large.ok).toBe(true);
  expect(memory.size).toBeGreaterThanOrEqual(128 * MIB);
  expect(memory.views.bytes[small.value.address]).toBe(42);
  old[small.value.address] = 43;
  expect(memory.views.bytes[small.value.address]).toBe(43);
});

test("addresses are aligned, page 0 is never allocated, the end has padding", () => {
  const memory = memoryOf(NODE_ENVIRONMENT, 64 * MIB);
  for (const alignment of [128, 256, 4096, 65536]) {
    const block = memory.allocate(10, alignment);
    if (!block.ok) throw new Error(block.error);
    expect(block.value.address % alignment).toBe(0);
    expect(block.value.address).toBeGreaterThanOrEqual(65536);
  }
  const rest = memory.allocate(memory.freeBytes);
  expect(rest.ok).toBe(false);
});

test("large blocks begin 128 bytes after a page boundary; where one would just fit, it fits", () => {
  const memory = memoryOf(NODE_ENVIRONMENT, 64 * MIB);
  const blocks = Array.from({ length: 63 }, () => memory.allocate(MIB));
  expect(new Set(blocks.map((block) => (block.ok ? block.value.address % 4096 : null)))).toEqual(new Set([128]));
  for (let i = 0; i < 3; i++)
    for (const block of blocks.slice(5, 7)) {
      if (block.ok) memory.free(block.value);
      expect(memory.allocate(MIB)).toMatchObject({ ok: true, value: { address: block.ok ? block.value.address : 0 } });
    }
  const rest = memoryOf(NODE_ENVIRONMENT, 64 * MIB);
  expect(rest.allocate(rest.freeBytes).ok).toBe(true);
});

test("too much memory is an error with the figures, and nothing is lost", () => {
  const memory = memoryOf(NODE_ENVIRONMENT, 64 * MIB);
  const before = memory.freeBytes;
  const refused = memory.allocate(100 * MIB);
  expect(refused.ok ? "" : refused.error).toMatch(
    /^104857600 bytes of device memory cannot be allocated: .* cannot grow beyond 67108864 bytes$/u,
  );
  expect(memory.freeBytes).toBe(before);
});

test("red zones reveal every byte that is written, on both sides and with any value", () => {
  const memory = memoryOf();
  const [before, block, after] = [100, 37, 64].map((size) => {
    const taken = memory.allocate(size, 128, 64);
    if (!taken.ok) throw new Error(taken.error);
    return taken.value;
  });
  if (before === undefined || block === undefined || after === undefined) throw new Error("three blocks were taken");
  expect(memory.redZones?.check()).toEqual([]);
  const { bytes } = memory.views;
  for (let i = 1; i <= block.redZone; i++)
    for (const address of [block.address - i, block.address + block.size - 1 + i]) {
      bytes[address] = (bytes[address] ?? 0) + 1;
      expect(memory.redZones?.check(), `byte ${address - block.address}`).toEqual([{ range: block, address }]);
      expect(memory.redZones?.check()).toEqual([]);
    }
  // A kernel that fills memory with one value, whatever it is.
  for (let value = 0; value < 256; value++) {
    bytes.fill(value, block.address, block.address + block.size + 4);
    expect(memory.redZones?.check().length, `value ${value}`).toBe(1);
  }
  bytes.fill(1, block.address, after.address + 1);
  expect(memory.redZones?.check().map(({ range }) => range)).toEqual([block, after]);
  bytes[before.address - 1] = (bytes[before.address - 1] ?? 0) + 1;
  expect(memory.free(before)).toBe("1 byte before the start of");
  expect(memory.redZones?.check()).toEqual([]);
});

test("page 0 reveals writes", () => {
  const memory = memoryOf();
  expect(memory.damagedNullPage()).toBeNull();
  memory.views.bytes[12] = 1;
  expect(memory.damagedNullPage()).toBe(12);
});

test("where the largest memory is refused, smaller ones are tried, then one error is given", () => {
  const requested: number[] = [];
  const stingy = (limit: number): HostEnvironment => ({
    ...NODE_ENVIRONMENT,
    reserveMemory: (initial, maximum, shared) => {
      requested.push(maximum);
      if (maximum > limit) throw new RangeError("could not allocate memory");
      return NODE_ENVIRONMENT.reserveMemory(initial, maximum, shared);
    },
  });
  expect(memoryOf(stingy(20_000)).limit).toBe(16384 * 65536);
  expect(requested).toEqual([65536, 32768, 16384]);
  const refused = DeviceMemory.open(stingy(0), true, 2 ** 32);
  expect(refused.ok ? "" : refused.error).toMatch(
    /^the device's memory cannot be reserved: 4096 MiB down to 64 MiB were refused/u,
  );
});

test("a growth that the system refuses is an error of the allocation only", () => {
  let refuses = true;
  const memory = memoryOf({
    ...NODE_ENVIRONMENT,
    growMemory: (grown, pages) => {
      if (refuses) throw new RangeError("no");
      NODE_ENVIRONMENT.growMemory(grown, pages);
    },
  });
  expect(memory.allocate(100 * MIB).ok).toBe(false);
  expect(memory.allocate(MIB).ok).toBe(true);
  refuses = false;
  expect(memory.allocate(100 * MIB).ok).toBe(true);
});

test("an arena that is too large is an error with the figure", () => {
  const rig = rigOf({ memoryLimit: 64 * MIB });
  expect(() => rig.run([rig.launch("empty", 1, [], { arenaBytes: 40 * MIB })])).toThrow(
    /^the launch needs 41943040 bytes of local and private memory for each of 4 threads/u,
  );
  expect(rig.run([rig.launch("empty", 1, [])])).toBeNull();
});

test("a control block that cannot be reserved is an error", () => {
  const refused = DeviceCore.open({
    ...openCore().core.settings,
    environment: {
      ...NODE_ENVIRONMENT,
      reserveControl: () => {
        throw new RangeError("no room");
      },
    },
  });
  expect(refused.ok ? "" : refused.error).toBe("the control block cannot be reserved: no room");
});

test("a full control block is an error, and goes away when command buffers do", () => {
  const rig = rigOf();
  const command = rig.launch("empty", 1, []);
  const large = Array.from({ length: 9000 }, () => command);
  const first = rig.batch(large);
  expect(() => rig.batch(large)).toThrow(/^the control block has no room for another command/u);
  first.free();
  const again = rig.batch(large);
  again.free();
});

test("workers that cannot start leave the work to the host thread", () => {
  const rig = rigOf({
    environment: {
      ...NODE_ENVIRONMENT,
      startWorker: () => {
        throw new Error("no threads left");
      },
    },
  });
  const out = words(rig, 100_000);
  expect(rig.run([rig.launch("slow", 100_000, [out.address, 10])])).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
  expect(rig.core.pool.failure).toBe("no threads left");
});

test("memory that is not shared has its size from the start: no view of it is ever taken away", () => {
  const opened = DeviceMemory.open(NODE_ENVIRONMENT, false, 256 * MIB);
  if (!opened.ok) throw new Error(opened.error);
  const memory = opened.value;
  const small = memory.allocate(100);
  if (!small.ok) throw new Error(small.error);
  const old = memory.views.bytes.subarray(small.value.address, small.value.address + 100);
  expect(memory.size).toBe(256 * MIB);
  expect([memory.allocate(200 * MIB).ok, memory.allocate(200 * MIB).ok]).toEqual([true, false]);
  old[99] = 7;
  expect([old.length, memory.views.bytes[small.value.address + 99]]).toEqual([100, 7]);
});

test("without shared memory the same code runs on one thread", () => {
  const rig = rigOf({ shared: false, threads: 1, memoryLimit: 64 * MIB });
  const out = words(rig, 100_000);
  expect(rig.run([rig.launch("slow", 100_000, [out.address, 10])])).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
  expect(rig.core.memory.views.bytes.buffer).toBeInstanceOf(ArrayBuffer);
});

test("memory that grew after workers started is reachable for them", () => {
  const rig = rigOf({ helps: false });
  rig.core.host.startWorkers();
  rig.run([rig.launch("slow", 2000, [words(rig, 2000).address, 200])]);
  const big = rig.core.memory.allocate(80 * MIB);
  if (!big.ok) throw new Error(big.error);
  const target = big.value.address;
  expect(
    rig.run([{ waits: null, body: { kind: "fill", target, size: 80 * MIB, pattern: new Uint8Array([1, 2, 3, 4]) } }]),
  ).toBeNull();
  expect([...rig.core.memory.views.bytes.subarray(target + 80 * MIB - 4, target + 80 * MIB)]).toEqual([1, 2, 3, 4]);
});
