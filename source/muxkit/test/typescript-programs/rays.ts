// SPDX-License-Identifier: Apache-2.0
// A small ray caster: spheres as records, functions over vectors.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Accessor,
  Buffer,
  type Item,
  type Queue,
  type RecordOf,
  dot,
  float,
  float3,
  float4,
  int,
  kernel,
  normalize,
  range,
  record,
  sqrt,
} from "muxkit/sycl";

const Sphere = record({ center: float3, radius: float, color: float4 });
type Sphere = RecordOf<typeof Sphere>;
const Ray = record({ origin: float3, direction: float3 });
type Ray = RecordOf<typeof Ray>;

/** Distance to a sphere along a ray; -1 where the ray misses it. */
const distanceTo = (sphere: Sphere, ray: Ray): float => {
  const between = ray.origin.sub(sphere.center);
  const b = dot(between, ray.direction);
  const c = dot(between, between) - sphere.radius ** 2;
  const inside = b * b - c;
  return inside < 0 ? -1 : -b - sqrt(inside);
};

const cast = kernel(
  (item: Item<2>, spheres: Accessor<Sphere, "read">, count: int, image: Accessor<float4, "write", 2>) => {
    const [y, x] = [item.getId(0), item.getId(1)];
    const u = ((float(x) + 0.5) / float(item.getRange(1))) * 2 - 1;
    const v = ((float(y) + 0.5) / float(item.getRange(0))) * 2 - 1;
    const ray = Ray({ origin: float3(0, 0, -3), direction: normalize(float3(u, v, 1.5)) });
    let nearest = Infinity;
    let color = float4(0, 0, 0, 1);
    for (let i = 0; i < count; i++) {
      const sphere = spheres[i]!;
      const distance = distanceTo(sphere, ray);
      if (distance > 0 && distance < nearest) {
        nearest = distance;
        const place = ray.origin.add(ray.direction.mul(distance));
        const normal = place.sub(sphere.center).div(sphere.radius);
        color = sphere.color.mul(Math.max(dot(normal, float3(0, 0.6, -0.8)), 0.1));
      }
    }
    image[y]![x] = color;
  },
);

/** Brightness of a few pixels. */
export function run(queue: Queue): unknown {
  const spheres = new Float32Array(2 * 12);
  spheres.set([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], 0);
  spheres.set([1, 0, -1, 0, 0.5, 0, 0, 0, 0, 1, 0, 1], 12);
  const image = new Float32Array(16 * 16 * 4);
  {
    using from = new Buffer(spheres);
    // Ranges of buffers count numbers: a row has 16 colors.
    using to = new Buffer(image, range(16, 16 * 4));
    queue.submit((handler) => {
      handler.parallelFor(range(16, 16), cast, from.getAccess(handler, "read"), 2, to.getAccess(handler, "write"));
    });
  }
  return Array.from({ length: 16 }, (_, x) =>
    Math.round(100 * (image[(8 * 16 + x) * 4]! + image[(8 * 16 + x) * 4 + 1]!)),
  );
}
