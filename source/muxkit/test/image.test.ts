// SPDX-License-Identifier: Apache-2.0
// Images in the friendly API.
import { type Device, DeviceImage, openDeviceSync } from "muxkit";
import { afterAll, expect, expectTypeOf, test } from "vitest";

const device: Device = openDeviceSync();
afterAll(() => {
  device.close();
});

const RGBA8 = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" } as const;

test("an image is read through a sampler, another one written", async () => {
  const { flip } = device.build(`
    kernel void flip(read_only image2d_t from, write_only image2d_t to, sampler_t s, int width) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imagef(to, at, read_imagef(from, s, (int2)(width - 1 - at.x, at.y)));
    }`);
  expectTypeOf(flip).parameters.toEqualTypeOf<
    [import("muxkit").Range, DeviceImage, DeviceImage, import("muxkit").Sampler, number]
  >();
  const from = device.image({ width: 2, height: 1, format: RGBA8 }, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  const to = device.image({ width: 2, height: 1, format: RGBA8 }, Uint8Array);
  expect([...to.readSync()]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  flip([2, 1], from, to, device.sampler(), 2);
  expect([...(await to.read())]).toEqual([5, 6, 7, 8, 1, 2, 3, 4]);
  to.fill(Float32Array.of(1, 0, 0.2, 1));
  expect([...to.readSync()]).toEqual([255, 0, 51, 255, 255, 0, 51, 255]);
  from.destroy();
  to.destroy();
});

test("types follow from sizes; wrong arguments are reported", () => {
  const ints = { channelOrder: "CL_R", channelType: "CL_SIGNED_INT32" } as const;
  const solid = device.image({ width: 2, height: 2, depth: 2, format: ints }, Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  const layers = device.image({ width: 3, arraySize: 2, format: ints }, Int32Array.of(1, 2, 3, 4, 5, 6));
  expect([solid.image.type, layers.image.type]).toEqual(["CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY"]);
  expect([...layers.readSync()]).toEqual([1, 2, 3, 4, 5, 6]);
  const source: string = `kernel void sum(image3d_t a, image1d_array_t b, global int* out) {
      out[0] = read_imagei(a, (int4)(1, 1, 1, 0)).x * 10 + read_imagei(b, (int2)(2, 1)).x;
    }`;
  const { sum } = device.build(source);
  const out = device.array(Int32Array, 1);
  sum?.(1, solid, layers, out);
  expect([...out.readSync()]).toEqual([86]);
  expect(() => sum?.(1, out, layers, out)).toThrow(/argument 0 \(image3d_t a\) requires a value, not an array/u);
  expect(() => sum?.(1, 5, layers, out)).toThrow(/requires an image on the device/u);
  expect(() => sum?.(1, solid, solid, out)).toThrow(/requires an image of type CL_MEM_OBJECT_IMAGE1D_ARRAY/u);
});
