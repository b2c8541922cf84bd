// SPDX-License-Identifier: Apache-2.0
// Images in the friendly API.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Device, DeviceImage, type ImagePixels, openDeviceSync } from "muxkit";
import { readImage, writeImage } from "muxkit/image-files";
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
  expect(() => sum?.(1, out, layers, out)).toThrow(
    /argument 0 \(image3d_t a\) requires an image on the device: device.image\(…\), not an array/u,
  );
  expect(() => sum?.(1, 5, layers, out)).toThrow(/requires an image on the device/u);
  expect(() => sum?.(1, solid, solid, out)).toThrow(/requires an image of type CL_MEM_OBJECT_IMAGE1D_ARRAY/u);
});

/** A picture with a colour of its own in every pixel, opaque: JPEG has no alpha. */
function gradient(width: number, height: number): ImagePixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set([(x * 255) / width, (y * 255) / height, 128, 255], (y * width + x) * 4);
  return { width, height, data };
}

test("pictures of pages come as they are, and go back on a canvas", async () => {
  const picture = gradient(5, 3);
  const { invert } = device.build(`kernel void invert(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = read_imagef(from, at);
    write_imagef(to, at, (float4)(1 - pixel.xyz, pixel.w));
  }`);
  const from = device.image(picture);
  expect([...(await from.toPixels()).data]).toEqual([...picture.data]);
  const to = device.image({ ...gradient(5, 3), data: new Uint8ClampedArray(60) });
  invert([5, 3], from, to);
  const inverted = picture.data.map((value, i) => (i % 4 === 3 ? value : 255 - value));
  const drawn: unknown[] = [];
  await to.drawOn(
    {
      getContext: () => ({
        createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(width * height * 4) }),
        putImageData: (image: { readonly data: Uint8ClampedArray }, x: number, y: number) => {
          drawn.push([...image.data], x, y);
        },
      }),
    },
    2,
    1,
  );
  expect(drawn).toEqual([[...inverted], 2, 1]);
  const depths = device.image({ width: 2, format: { channelOrder: "CL_R", channelType: "CL_FLOAT" } }, Float32Array);
  await expect(depths.toPixels()).rejects.toThrow(/a picture has the format CL_RGBA of CL_UNORM_INT8/u);
  await expect(to.drawOn({ getContext: () => null })).rejects.toThrow(/a context of another kind than 2d/u);
});

test("PNG files keep every byte, JPEG files nearly; other files are one sentence", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-pictures-"));
  try {
    const picture = gradient(16, 8);
    const png = join(folder, "new", "gradient.png");
    await writeImage(png, await device.image(picture).toPixels());
    const back = await readImage(png);
    expect([back.width, back.height, [...back.data]]).toEqual([16, 8, [...picture.data]]);
    const jpeg = join(folder, "gradient.jpg");
    await writeImage(jpeg, picture, { quality: 100 });
    const near = await readImage(jpeg);
    expect(Math.max(...near.data.map((value, i) => Math.abs(value - (picture.data[i] ?? 0))))).toBeLessThan(12);
    await expect(writeImage(join(folder, "a.gif"), picture)).rejects.toThrow(/ends neither in .png nor in .jpg/u);
    await expect(readImage(join(folder, "none.png"))).rejects.toThrow(/none.png cannot be read: ENOENT/u);
    writeFileSync(join(folder, "text.png"), "no picture");
    await expect(readImage(join(folder, "text.png"))).rejects.toThrow(/text.png is neither a PNG nor a JPEG file/u);
    writeFileSync(join(folder, "cut.png"), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a));
    await expect(readImage(join(folder, "cut.png"))).rejects.toThrow(/cut.png is damaged/u);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
