// SPDX-License-Identifier: Apache-2.0
// Images: as arguments of kernels, ordered by their accessors, with the host; and what goes wrong with them.
import type { ImageFormatName, TranslatedKernel } from "@muxkit/kernel-library";
import { Buffer, type Handler, SampledImage, UnsampledImage, build, createWithSource, range, translationUnit } from "@muxkit/sycl";

import { untyped } from "./memory.table.ts";
import { type ErrorRow, type Row, context, expect, kernel, newQueue, queue } from "./rig.ts";

const SOURCE = `
kernel void copy(read_only image2d_t from, write_only image2d_t to) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, read_imagef(from, at).yxzw);
}
kernel void sampled(read_only image2d_t from, sampler_t how, global float4* to, float x) {
  to[get_global_id(0)] = read_imagef(from, how, (float2)(x, 0.5f));
}
kernel void line(write_only image1d_t to) { write_imageui(to, get_global_id(0), (uint4)(get_global_id(0), 2, 3, 4)); }
kernel void deep(write_only image3d_t to) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  write_imagei(to, at, at);
}`;

let made: ReturnType<typeof build> | null = null;
const image = (name: string) => (made ??= build(createWithSource(context, SOURCE))).getKernel(name);

const pixels = (): Float32Array => Float32Array.from({ length: 32 }, (_, i) => i / 4);
const picture = (): UnsampledImage<Float32Array> => new UnsampledImage(pixels(), "r32g32b32a32_sfloat", range(4, 2));

/** All rows. */
export const IMAGE_ROWS: readonly Row[] = [
  {
    id: "images-of-pixels/order",
    what: "commands are ordered by accessors of images, and pixels are written back",
    run: () => {
      const data = pixels();
      const before = queue.runtime.allocated;
      {
        using first = new UnsampledImage(data, "r32g32b32a32_sfloat", range(4, 2));
        using second = new UnsampledImage(Float32Array, "r32g32b32a32_sfloat", range(4, 2));
        const on = newQueue();
        for (let i = 0; i < 6; i++)
          on.submit((handler) => {
            const [from, to] = i % 2 === 0 ? [first, second] : [second, first];
            handler.parallelFor(range(2, 4), image("copy"), from.getAccess(handler, "read"), to.getAccess(handler, "write"));
          });
      }
      // Each copy exchanges two channels: six do nothing.
      expect(data).toEqual(pixels());
      expect(queue.runtime.allocated).toBe(before);
    },
  },
  {
    id: "images-of-pixels/sampler",
    what: "a sampled image is an image and its sampler",
    run: () => {
      using source = new SampledImage(pixels(), "r32g32b32a32_sfloat", { filtering: "linear" }, range(4, 2));
      const target = new Float32Array(4);
      {
        using to = new Buffer(target);
        queue.submit((handler) => {
          const into = to.getAccess(handler, "write");
          handler.parallelFor(range(1), image("sampled"), source.getAccess(handler), into, 2);
        });
      }
      // Half way between the second and the third pixel.
      expect([...target]).toEqual([1.5, 1.75, 2, 2.25]);
    },
  },
  {
    id: "images-of-pixels/dimensions",
    what: "images have one to three dimensions, and formats of integers",
    run: () => {
      const [line, deep] = [new Uint8Array(4 * 5), new Int16Array(4 * 24)];
      {
        using one = new UnsampledImage(line, "r8g8b8a8_uint", range(5));
        using three = new UnsampledImage(deep, "r16g16b16a16_sint", range(4, 3, 2));
        queue.submit((handler) => handler.parallelFor(range(5), image("line"), one.getAccess(handler, "write")));
        queue.submit((handler) => handler.parallelFor(range(2, 3, 4), image("deep"), three.getAccess(handler, "write")));
      }
      expect([...line.subarray(8, 12)]).toEqual([2, 2, 3, 4]);
      expect([...deep.subarray(4 * 23)]).toEqual([3, 2, 1, 0]);
    },
  },
  {
    id: "images-of-pixels/host",
    what: "the host reads and writes the very pixels",
    run: async () => {
      const source = picture();
      {
        using host = source.getHostAccess();
        host.set(9, 1);
      }
      using target = new UnsampledImage(Float32Array, "r32g32b32a32_sfloat", range(4, 2));
      queue.submit((handler) => {
        handler.parallelFor(range(2, 4), image("copy"), source.getAccess(handler, "read"), target.getAccess(handler, "write"));
      });
      using host = target.getHostAccess("read");
      expect(host.get(0)).toBe(9);
      await source[Symbol.asyncDispose]();
    },
  },
];

/** A launch of `copy` with something. */
const launch = (run: (handler: Handler) => void) => (): unknown => queue.submit(run);

const FILE: TranslatedKernel = {
  name: "copy",
  entry: "copy",
  item: "item",
  dimensions: 2,
  line: 1,
  parameters: (["read", "write"] as const).map((access, i) => ({
    kind: "image",
    name: ["from", "to"][i] ?? "",
    element: { kind: "vector", scalar: "float", lanes: 4 },
    dimensions: 2,
    access,
  })),
};
const copied = () =>
  translationUnit({ name: "copy.ts", openclC: SOURCE, options: "", kernels: [FILE], specConstants: [] }).kernel("copy");

/** All errors. */
export const IMAGE_ERRORS: readonly ErrorRow[] = [
  {
    id: "errors/image-format",
    what: "an unknown format",
    code: "invalid",
    message: /"r7" is no format; there are r8g8b8a8_unorm/u,
    run: () => new UnsampledImage(new Uint8Array(4), "r7" as ImageFormatName, range(1, 1)),
  },
  {
    id: "errors/image-size",
    what: "an array of another size",
    code: "invalid",
    message: /array has 12 bytes, and the image 16/u,
    run: () => new UnsampledImage(new Uint8Array(12), "r8g8b8a8_unorm", range(2, 2)),
  },
  {
    id: "errors/image-range",
    what: "an image without a range",
    code: "invalid",
    message: /an image has a range/u,
    run: () => new UnsampledImage(new Uint8Array(12), "r8g8b8a8_unorm", untyped(3)),
  },
  {
    id: "errors/image-mode",
    what: "an image for reading and writing",
    code: "invalid",
    message: /reads an image or writes it/u,
    run: launch((handler) => picture().getAccess(handler, untyped("read_write"))),
  },
  {
    id: "errors/image-addressing",
    what: "an unknown addressing",
    code: "invalid",
    message: /"round" is no addressing/u,
    run: () => new SampledImage(new Uint8Array(4), "r8g8b8a8_unorm", { addressing: untyped("round") }, range(1, 1)),
  },
  {
    id: "errors/image-repeat",
    what: "repetition without normalized coordinates",
    code: "invalid",
    message: /repeat needs normalized coordinates/u,
    run: () => new SampledImage(new Uint8Array(4), "r8g8b8a8_unorm", { addressing: "repeat" }, range(1, 1)),
  },
  {
    id: "errors/image-argument",
    what: "a number for an image",
    code: "kernel_argument",
    message: /argument 0 .* requires an accessor of an image/u,
    run: launch((handler) => {
      handler.parallelFor(range(2, 4), image("copy"), 5, picture().getAccess(handler, "write"));
    }),
  },
  {
    id: "errors/image-for-memory",
    what: "an image for a pointer",
    code: "kernel_argument",
    message: /requires an accessor, a pointer/u,
    run: launch((handler) => {
      handler.parallelFor(range(1), kernel("twice"), picture().getAccess(handler, "read"));
    }),
  },
  {
    id: "errors/image-access",
    what: "an image that is read where one is written",
    code: "kernel_argument",
    message: /the image to is for "write", and the accessor for "read"/u,
    run: launch((handler) => {
      handler.parallelFor(
        range(2, 4),
        copied(),
        picture().getAccess(handler, "read"),
        picture().getAccess(handler, "read"),
      );
    }),
  },
  {
    id: "errors/image-color",
    what: "an image of integers where one of floats is read",
    code: "kernel_argument",
    message: /has colors of float4, and r8g8b8a8_uint has uint4/u,
    run: launch((handler) => {
      const other = new UnsampledImage(Uint8Array, "r8g8b8a8_uint", range(4, 2));
      handler.parallelFor(range(2, 4), copied(), other.getAccess(handler, "read"), other.getAccess(handler, "write"));
    }),
  },
  {
    id: "errors/image-dimensions",
    what: "an image of one dimension for one of two",
    code: "kernel_argument",
    message: /has 2 dimensions, and the accessor 1/u,
    run: launch((handler) => {
      const other = new UnsampledImage(Uint8Array, "r8g8b8a8_unorm", range(8));
      handler.parallelFor(range(2, 4), copied(), other.getAccess(handler, "read"), other.getAccess(handler, "write"));
    }),
  },
  {
    id: "errors/image-foreign",
    what: "an image's accessor of another command group",
    code: "accessor",
    message: /belongs to another command group/u,
    run: () => {
      const kept: ReturnType<UnsampledImage["getAccess"]>[] = [];
      queue.submit((handler) => void kept.push(picture().getAccess(handler, "read")));
      return queue.submit((handler) => {
        handler.parallelFor(range(2, 4), image("copy"), kept[0] ?? null, picture().getAccess(handler, "write"));
      });
    },
  },
];
