// SPDX-License-Identifier: Apache-2.0
// A GPU behind the hardware layer: memory, arguments, printf, and each call of the driver failing.
import { PRINTF_AREA, PRINTF_AREA_HEADER_BYTES, PRINTF_RECORD, SIMT_LAUNCH_FIELDS } from "@muxkit/kernel-abi";
import { type ExecutableImage, type PrintfCall, writeExecutable } from "@muxkit/metadata";
import { CudaDevice, openLibCuda, overSerial } from "@muxkit/cuda";
import { expect, test } from "vitest";

import { argument, executable } from "./image.ts";
import { MemoryDriver } from "./memory-driver.ts";

function image(printfCalls: readonly PrintfCall[] = []): ExecutableImage {
  const args = [
    argument("out", "pointer", 0),
    argument("n", "value", 8),
    argument("l", "local", 16),
    argument("m", "local", 24),
  ];
  return executable("k", args, 32, printfCalls);
}

const RANGE = {
  dimensions: 1,
  globalSize: [10],
  globalOffset: [0],
  localSize: [4, 1, 1],
  firstGroup: [0, 0, 0],
  groupCount: [3, 1, 1],
  countsPart: false,
} as const;

function rig(printfCalls: readonly PrintfCall[] = []): {
  readonly driver: MemoryDriver;
  readonly device: CudaDevice;
  readonly printed: () => string;
  readonly run: () => string;
} {
  const driver = new MemoryDriver();
  let text = "";
  const gpu = overSerial(driver).open(0);
  if (!gpu.ok) throw new Error(gpu.error.message);
  const device = CudaDevice.open(gpu.value, (more) => {
    text += more;
  });
  if (!device.ok) throw new Error(device.error.message);
  const binary = writeExecutable(image(printfCalls));
  return {
    driver,
    device: device.value,
    printed: () => text,
    run: () => {
      const program = device.value.load(binary);
      if (!program.ok) return program.error.message;
      const done = program.value.kernel("k")?.run(RANGE, [
        { kind: "address", address: 2 ** 40 + 512, size: 40 },
        { kind: "value", bytes: Uint8Array.of(7, 0, 0, 0) },
        { kind: "local", size: 100 },
        { kind: "local", size: 8 },
      ]);
      program.value.free();
      if (done === undefined || done instanceof Promise) return "no kernel";
      return done.ok ? "done" : done.error.message;
    },
  };
}

test("memory is written, copied, filled with patterns of any length and read", () => {
  const { device } = rig();
  const address = device.allocate(64, 128) ?? 0;
  device.write(
    address,
    Uint8Array.from({ length: 16 }, (_, i) => i),
  );
  device.copy(address, address + 32, 4);
  device.fill(address + 40, 6, Uint8Array.of(1, 2, 3));
  device.fill(address + 48, 8, Uint8Array.of(9, 8, 7, 6));
  const bytes = new Uint8Array(24);
  device.read(address + 32, bytes);
  expect([...bytes]).toEqual([0, 1, 2, 3, 0, 0, 0, 0, 1, 2, 3, 1, 2, 3, 0, 0, 9, 8, 7, 6, 9, 8, 7, 6]);
});

test("arguments are packed, local ones behind each other, and a smaller last group is a launch of its own", () => {
  const { driver, run } = rig();
  expect(run()).toBe("done");
  const view = new DataView(driver.launches[0]?.parameter.buffer ?? new ArrayBuffer(0));
  expect(view.getBigUint64(0, true)).toBe(2n ** 40n + 512n);
  expect(view.getInt32(8, true)).toBe(7);
  expect([view.getBigUint64(16, true), view.getBigUint64(24, true)]).toEqual([0n, 128n]);
  expect(driver.launches.map(({ name, grid }) => [name, grid.groups[0], grid.localSize[0], grid.dynamicLocal])).toEqual(
    [
      ["kernel_k", 2, 4, 256],
      ["kernel_k", 1, 2, 256],
    ],
  );
});

test("what kernels print is shown in the order of the work-items, and what found no room is counted", () => {
  const { driver, run, printed } = rig([{ format: "item %d\n", argumentTypes: ["int"], strings: [] }]);
  driver.onLaunch = () => {
    const { parameter } = driver.launches.at(-1) ?? {};
    if (parameter === undefined || driver.launches.length > 1) return;
    const area = new DataView(parameter.buffer).getBigUint64(32 + SIMT_LAUNCH_FIELDS.printfArea.offset, true);
    const view = new DataView(driver.bytes.buffer, Number(area - 2n ** 40n));
    // Two records of 40 bytes, the later work-item first.
    [1, 0].forEach((item, i) => {
      const at = PRINTF_AREA_HEADER_BYTES + 40 * i;
      view.setUint32(at + PRINTF_RECORD.size, 40, true);
      view.setUint32(at + PRINTF_RECORD.item, item, true);
      view.setInt32(at + 32, 10 + item, true);
    });
    view.setUint32(PRINTF_AREA.tail, 80, true);
    view.setUint32(PRINTF_AREA.reserved, 3, true);
  };
  expect(run()).toBe("done");
  expect(printed()).toContain("item 10\nitem 11\n");
  expect(printed()).toContain("3 calls of printf");
});

test.each([
  ["load", "the driver refuses the code: load fails"],
  ["entry", "kernel k: entry fails"],
  ["launch", "kernel k: launch fails"],
  ["synchronize", "kernel k: synchronize fails"],
])("a driver whose %s fails gives one sentence", (call, expected) => {
  const { driver, run } = rig();
  driver.failing.add(call);
  expect(run()).toBe(expected);
});

test("without memory there is none, and a device that is lost says so", () => {
  const { driver, device } = rig();
  driver.failing.add("allocate").add("read");
  expect(device.allocate(8, 8)).toBe(null);
  expect(() => {
    device.read(2 ** 40, new Uint8Array(4));
  }).toThrow("the GPU is lost: read fails");
});

test("executables of others are refused by name", () => {
  const { device } = rig();
  const other = device.load(writeExecutable({ ...image(), target: "host" }));
  expect(other.ok ? "" : other.error.message).toBe('the executable is for "host", not for "cuda"');
  const damaged = device.load(new Uint8Array(8));
  expect(damaged.ok).toBe(false);
});

test("what is missing to call NVIDIA's driver is one sentence", () => {
  const opened = openLibCuda("libcuda-that-is-not-there.so");
  expect(opened.ok ? "" : opened.error).toMatch(/^NVIDIA's driver is not installed, or cannot be loaded: /u);
});
