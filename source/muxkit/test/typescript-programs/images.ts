// SPDX-License-Identifier: Apache-2.0
// Images: an edge filter of sampled colors, written to another image and read from there.
import {
  type ImageAccessor,
  type Item,
  type Queue,
  type SampledImageAccessor,
  SampledImage,
  UnsampledImage,
  float,
  float2,
  float4,
  hostImage,
  int2,
  int4,
  kernel,
  range,
} from "muxkit/sycl";

const edges = kernel((item: Item<2>, from: SampledImageAccessor<float4>, to: ImageAccessor<float4, "write">) => {
  const [y, x] = [item.getId(0), item.getId(1)];
  const at = float2((float(x) + 0.5) / float(from.getRange(0)), (float(y) + 0.5) / float(from.getRange(1)));
  const step = float2(1 / float(from.getRange(0)), 0);
  const difference = from.read(at.add(step)).sub(from.read(at.sub(step)));
  to.write(int2(x, y), float4(difference.xyz.mul(0.5).add(0.5), 1));
});

const inverted = kernel((item: Item<2>, from: ImageAccessor<float4>, to: ImageAccessor<int4, "write">) => {
  const at = int2(item.getId(1), item.getId(0));
  to.write(at, int4(from.read(at).mul(-100)));
});

const [WIDTH, HEIGHT] = [8, 4];

/** A row of both results, and of the first one in this thread. */
export function run(queue: Queue): unknown {
  const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : (i >> 2) % WIDTH < 4 ? 40 : 200,
  );
  const results = new Float32Array(WIDTH * HEIGHT * 4);
  const sampler = { addressing: "repeat", coordinates: "normalized", filtering: "linear" } as const;
  const numbers = new Int16Array(WIDTH * HEIGHT * 4);
  {
    using picture = new SampledImage(pixels, "r8g8b8a8_unorm", sampler, range(WIDTH, HEIGHT));
    using result = new UnsampledImage(results, "r32g32b32a32_sfloat", range(WIDTH, HEIGHT));
    using counts = new UnsampledImage(numbers, "r16g16b16a16_sint", range(WIDTH, HEIGHT));
    for (let i = 0; i < 2; i++) {
      queue.submit((handler) => {
        handler.parallelFor(
          range(HEIGHT, WIDTH),
          edges,
          picture.getAccess(handler),
          result.getAccess(handler, "write"),
        );
      });
      queue.submit((handler) => {
        handler.parallelFor(
          range(HEIGHT, WIDTH),
          inverted,
          result.getAccess(handler, "read"),
          counts.getAccess(handler, "write"),
        );
      });
    }
  }
  const host = new Float32Array(WIDTH * HEIGHT * 4);
  if (edges.function !== null)
    edges.runOnHost(
      range(HEIGHT, WIDTH),
      hostImage("r8g8b8a8_unorm", pixels, [WIDTH, HEIGHT], sampler),
      hostImage("r32g32b32a32_sfloat", host, [WIDTH, HEIGHT]),
    );
  const row = (list: Float32Array | Int16Array): readonly number[] =>
    Array.from({ length: WIDTH }, (_, x) => Math.round(100 * (list[(WIDTH + x) * 4] ?? 0)) / 100);
  return { row: row(results), numbers: row(numbers), host: edges.function === null ? null : row(host) };
}
