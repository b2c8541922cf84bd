// SPDX-License-Identifier: Apache-2.0
// Halves, components by number, atomics of floats and sub-groups, as programs launch them.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Accessor,
  Buffer,
  type NdItem,
  type Queue,
  atomicRef,
  float,
  get_sub_group_local_id,
  type half,
  half4,
  halfBits,
  halfValue,
  int,
  kernel,
  ndRange,
  range,
  sub_group_reduce_add,
} from "muxkit/sycl";

const mixed = kernel(
  (item: NdItem<1>, x: Accessor<half, "read">, v: Accessor<half4>, sums: Accessor<float>, by: half) => {
    const i = item.getGlobalId();
    let a = v[i]!;
    a[i & 3] = x[i]! * by;
    v[i] = a.add(half4(0.5));
    atomicRef(sums, 0).fetchAdd(float(x[i]!));
    const sum = sub_group_reduce_add(float(x[i]!));
    if (get_sub_group_local_id() === 0) sums[1 + int(i / 8)] = sum;
  },
  { subGroupSize: 8 },
);

/** What the kernel leaves. */
export function run(queue: Queue): unknown {
  const x = Uint16Array.from({ length: 16 }, (_, i) => halfBits(i / 4));
  const v = new Uint16Array(64);
  const sums = new Float32Array(3);
  {
    using from = new Buffer(x);
    using to = new Buffer(v);
    using total = new Buffer(sums);
    queue.submit((handler) => {
      handler.parallelFor(
        ndRange(range(16), range(16)),
        mixed,
        from.getAccess(handler, "read"),
        to.getAccess(handler, "read_write"),
        total.getAccess(handler, "read_write"),
        2,
      );
    });
  }
  return { v: Array.from(v.subarray(4, 12), halfValue), sums: [...sums] };
}
