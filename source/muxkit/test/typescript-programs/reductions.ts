// SPDX-License-Identifier: Apache-2.0
// Reductions: by operators and by a function of the file, with early returns, into buffers and shared memory.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Accessor,
  Buffer,
  type Item,
  type NdItem,
  type Queue,
  type RecordOf,
  type Reducer,
  bitXor,
  float,
  float2,
  hostReducer,
  int,
  kernel,
  mallocShared,
  maximum,
  minimum,
  multiplies,
  ndRange,
  plus,
  range,
  record,
  reduction,
} from "muxkit/sycl";

const Best = record({ value: float, place: int });
type Best = RecordOf<typeof Best>;

const better = (a: Best, b: Best): Best => {
  if (a.value > b.value || (a.value === b.value && a.place < b.place)) return a;
  return b;
};

const statistics = kernel(
  (
    item: Item<1>,
    x: Accessor<float, "read">,
    sum: Reducer<float, "plus">,
    most: Reducer<float, "maximum">,
    best: Reducer<Best, typeof better>,
    bits: Reducer<int, "bit_xor">,
  ) => {
    const i = item.getId(0);
    bits.combine(i);
    if (x[i]! < 0) return;
    sum.combine(x[i]!);
    most.combine(x[i]!);
    best.combine(Best({ value: x[i]!, place: i }));
  },
);

const product = kernel((item: NdItem<2>, n: Accessor<int, "read", 2>, all: Reducer<int, "multiplies">) => {
  all.combine(n[item.getGlobalId(0)]![item.getGlobalId(1)]!);
});

const bounds = kernel((item: Item<1>, points: Accessor<float2, "read">, least: Reducer<float2, "minimum">) => {
  least.combine(points[item.getId(0)]!);
});

const COUNT = 1003;

/** Everything that is combined. */
export function run(queue: Queue): unknown {
  const x = Float32Array.from({ length: COUNT }, (_, i) => ((i * 37) % 101) - 5);
  const sum = mallocShared(Float32Array, 1, queue);
  const most = mallocShared(Float32Array, 1, queue);
  const bits = mallocShared(Int32Array, 1, queue);
  const best = mallocShared(Float32Array, 2, queue);
  sum.view(1)[0] = 1000;
  using buffer = new Buffer(x);
  for (let i = 0; i < 2; i++)
    queue.submit((handler) => {
      handler.parallelFor(
        range(COUNT),
        statistics,
        buffer.getAccess(handler, "read"),
        reduction(sum, 0, plus),
        reduction(most, -Infinity, maximum, { initializeToIdentity: true }),
        reduction(best, { value: -Infinity, place: 0 }, better, { initializeToIdentity: true }),
        reduction(bits, 0, bitXor),
      );
    });
  queue.wait();
  const factors = Int32Array.from({ length: 64 }, (_, i) => (i % 7 === 0 ? 3 : 1));
  const all = new Int32Array(1);
  const corners = Float32Array.from({ length: 200 }, (_, i) => (i * 29) % 83);
  const least = new Float32Array(2);
  {
    using from = new Buffer(factors, range(8, 8));
    using to = new Buffer(all);
    using points = new Buffer(corners);
    using corner = new Buffer(least);
    queue.submit((handler) => {
      handler.parallelFor(
        ndRange(range(8, 8), range(4, 2)),
        product,
        from.getAccess(handler, "read"),
        reduction(to.getAccess(handler, "write"), 1, multiplies, { initializeToIdentity: true }),
      );
    });
    queue.submit((handler) => {
      handler.parallelFor(
        range(100),
        bounds,
        points.getAccess(handler, "read"),
        reduction(corner.getAccess(handler, "write"), float2(Infinity), minimum, { initializeToIdentity: true }),
      );
    });
  }
  const [host, hostBest] = [hostReducer(0, (a, b) => a + b), hostReducer(Best({ value: -1, place: 0 }), better)];
  const hostBits = hostReducer(0, (a, b) => a ^ b);
  if (statistics.function !== null)
    statistics.runOnHost(range(COUNT), x, host, hostReducer(0, Math.max), hostBest, hostBits);
  return {
    sum: sum.view(1)[0],
    most: most.view(1)[0],
    bits: bits.view(1)[0],
    best: best.view(2)[0],
    place: new Int32Array(best.view(2).buffer, best.view(2).byteOffset + 4, 1)[0],
    product: all[0],
    least: [...least],
    host:
      statistics.function === null ? null : [host.value, hostBest.value.value, hostBest.value.place, hostBits.value],
  };
}
