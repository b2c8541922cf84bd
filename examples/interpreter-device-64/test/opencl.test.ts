// SPDX-License-Identifier: Apache-2.0
// The twin in OpenCL: what it says of itself, and kernels that only 64-bit pointers get right.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { CL_DEVICE_TYPE_ALL, clGetDeviceIDs, clGetDeviceInfo, clGetPlatformIDs } from "@muxkit/opencl";
import { type Device, type KernelFunction, openDevice } from "muxkit";

import { registerInterpreterDevice } from "../../interpreter-device/register.ts";
import { registerInterpreterDevice64 } from "../register.ts";

registerInterpreterDevice();
registerInterpreterDevice64();

const SOURCE = readFileSync(new URL("pointers.cl", import.meta.url), "utf8");

/** Kernels of pointers.cl, by name. */
function kernelsOf(device: Device): (name: string) => KernelFunction {
  const kernels = device.build(SOURCE, { options: "-cl-std=CL3.0" });
  return (name) => {
    const kernel = kernels[name];
    assert(kernel !== undefined, name);
    return kernel;
  };
}

async function withDevice(name: string, run: (device: Device) => Promise<void>): Promise<void> {
  const device = await openDevice({ device: name });
  try {
    await run(device);
  } finally {
    device.close();
  }
}

void test("both devices are listed, each with the width of its addresses", () => {
  const [platform] = clGetPlatformIDs();
  assert(platform !== undefined);
  const widths = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).map(
    (device) => [device.info.deviceName, clGetDeviceInfo(device, "CL_DEVICE_ADDRESS_BITS")] as const,
  );
  assert.equal(new Map(widths).get("interpreter-device"), 32);
  assert.equal(new Map(widths).get("interpreter-device-64"), 64);
});

void test("pointers and size_t have 64 bits, and every address is above 4 GiB", async () => {
  await withDevice("interpreter-device-64", async (device) => {
    const out = device.array(Uint32Array, 8);
    kernelsOf(device)("widths")({ global: 1 }, out, { localBytes: 16 });
    assert.deepEqual([...(await out.read())], [8, 8, 8, 8, 3, 3, 3, 3]);
  });
});

void test("pointers in memory are whole, from kernel to kernel and in variables of the program", async () => {
  await withDevice("interpreter-device-64", async (device) => {
    const kernel = kernelsOf(device);
    const [nodes, out] = [device.array(Uint32Array, 4 * 10), device.array(Int32Array, 2)];
    kernel("link")(10, nodes);
    kernel("follow")(1, nodes, out);
    assert.deepEqual([...(await out.read())], [55, 10]);
  });
});

void test("indices and distances are computed in 64 bits", async () => {
  await withDevice("interpreter-device-64", async (device) => {
    const [data, out] = [device.array(Int32Array.of(5, 6, 7, 8, 9, 10, 11, 12)), device.array(BigUint64Array, 7)];
    kernelsOf(device)("arithmetic")({ global: 1, offset: 2 ** 33 }, data, out);
    const minusFour = 2n ** 64n - 4n;
    assert.deepEqual([...(await out.read())], [(1n << 40n) + (1n << 33n), minusFour, 7n, 7n, 9n, 7n, 1n << 33n]);
  });
});

void test("atomics on size_t and intptr_t have 64 bits", async () => {
  await withDevice("interpreter-device-64", async (device) => {
    const [counter, least] = [device.array(BigUint64Array, 1), device.array(BigInt64Array, 1)];
    kernelsOf(device)("counters")(4, counter, least);
    assert.deepEqual([...(await counter.read())], [4n << 32n]);
    assert.deepEqual([...(await least.read())], [-(3n << 33n)]);
  });
});

void test("generic pointers keep their upper words", async () => {
  await withDevice("interpreter-device-64", async (device) => {
    const data = device.array(Int32Array.of(0, 30));
    kernelsOf(device)("pass_generic")({ global: 1 }, data, { localBytes: 4 });
    assert.deepEqual([...(await data.read())], [133, 30]);
  });
});

void test("executables of one width are refused by the other device", async () => {
  await withDevice("interpreter-device", async (narrow) => {
    await withDevice("interpreter-device-64", async (wide) => {
      assert.notEqual(narrow.name, wide.name);
      const sizes = "kernel void size(global int* out) { out[0] = sizeof(void*); }";
      const read = async (device: Device): Promise<number | undefined> => {
        const out = device.array(Int32Array, 1);
        device.build(sizes).size(1, out);
        return (await out.read())[0];
      };
      assert.equal(await read(narrow), 4);
      assert.equal(await read(wide), 8);
    });
  });
});
