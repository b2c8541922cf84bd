// SPDX-License-Identifier: Apache-2.0
// Arrays on a device: shapes, parts, copies, chunks, and who frees them.
import { type Device, DeviceArray, openDevice, openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

const device: Device = openDeviceSync({ threads: 1 });
afterAll(() => {
  device.close();
});

const ramp = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i);

test("two and three dimensions: sizes, and the range that visits each element", async () => {
  const image = device.array(Float32Array, [3, 5]);
  expect([image.shape, image.length, image.range]).toEqual([[3, 5], 15, [5, 3]]);
  const { number } = device.build(`kernel void number(global float* out) {
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 10 * get_global_id(1) + get_global_id(0);
  }`);
  number(image.range, image);
  expect([...(await image.read(5, 5))]).toEqual([10, 11, 12, 13, 14]);
  expect(device.array(ramp(24), [2, 3, 4]).shape).toEqual([2, 3, 4]);
});

test("read of a part, copies, parts on the same memory, views of another type", async () => {
  const array = device.array(ramp(100));
  expect([...(await array.read(10, 3))]).toEqual([10, 11, 12]);
  expect([...array.readSync(98)]).toEqual([98, 99]);
  const target = device.array(Float32Array, 100);
  await array.subarray(32, 40).copyTo(target, 4);
  expect([...(await target.read(3, 10))]).toEqual([0, 32, 33, 34, 35, 36, 37, 38, 39, 0]);
  const part = array.subarray(64, 96);
  part.fill(-1);
  part.subarray(0, 1).write(Float32Array.of(7));
  expect([...(await array.read(62, 5))]).toEqual([62, 63, 7, -1, -1]);
  const bits = array.view(Uint32Array);
  bits.write(Uint32Array.of(0x3f800000), 1);
  expect((await array.read(1, 1))[0]).toBe(1);
});

test("a part and a view keep the memory when the whole is destroyed", async () => {
  const array = device.array(ramp(64));
  const part = array.subarray(32);
  const view = array.view(Uint32Array);
  array.destroy();
  expect([array.isDestroyed, part.isDestroyed, view.isDestroyed]).toEqual([true, false, false]);
  expect([...(await part.read(0, 2))]).toEqual([32, 33]);
  expect((await view.read(1, 1))[0]).toBe(0x3f800000);
  part.destroy();
  view.destroy();
});

test("chunks: all elements once, in order, the last one shorter", async () => {
  const array = device.array(ramp(10));
  const chunks: number[][] = [];
  for await (const chunk of array.chunks(4)) chunks.push([...chunk]);
  expect(chunks).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
  let sum = 0;
  for await (const chunk of device.array(ramp(100_000))) sum += chunk.length;
  expect(sum).toBe(100_000);
});

test("using: arrays and devices are freed at the end of their block", async () => {
  let kept: DeviceArray<Float32Array>;
  {
    await using own = await openDevice({ threads: 1 });
    using array = own.array(ramp(4));
    kept = own.array(ramp(4));
    using program = own.program("kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }");
    const report = await program.kernel("twice")(4, array);
    expect(report.name).toBe("twice");
    expect(report.duration).toBeGreaterThan(0);
    expect(report.duration).toBeLessThan(10_000);
    expect([...(await array.read())]).toEqual([0, 2, 4, 6]);
    expect(kept.isDestroyed).toBe(false);
  }
  expect(kept.isDestroyed).toBe(true);
});

test("a launch is measured when it is waited for at once; others of its queue stay unmeasured and go on", async () => {
  const { twice } = device.build("kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }");
  const array = device.array(ramp(4));
  const reports = await Promise.all(Array.from({ length: 100 }, () => twice(1, array)));
  expect(reports.every(({ duration }) => duration > 0)).toBe(true);
  const early = twice(1, array);
  await device.finish();
  expect((await early).duration).toBeNaN();
});

test("what nobody refers to is freed before an allocation fails; what is referred to stays", async () => {
  const own = await openDevice({ threads: 1, isolated: true, memoryLimit: 256 << 20 });
  const kept = own.array(ramp(1 << 20));
  // Sixteen times 64 MiB, of which three fit at a time.
  for (let i = 0; i < 16; i++) {
    const array = own.array(Float32Array, 16 << 20);
    array.fill(i);
    // oxlint-disable-next-line no-await-in-loop -- each turn frees what the one before let go
    expect((await array.read(5, 1))[0]).toBe(i);
  }
  expect((await kept.read(77, 1))[0]).toBe(77);
  const held: DeviceArray[] = [];
  expect(() => {
    for (let i = 0; i < 5; i++) held.push(own.array(Float32Array, 16 << 20));
  }).toThrow(
    /device\.array: the device has no room for 67108864 bytes: \d+ arrays and images hold \d+ bytes\. destroy\(\)/u,
  );
  for (const array of held) array.destroy();
  own.array(Float32Array, 16 << 20).destroy();
  own.close();
});
