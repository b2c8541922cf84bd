// SPDX-License-Identifier: Apache-2.0
// A page with one kernel, with queues and buffers.
import { type Accessor, Buffer, type Item, Queue, type float, kernel, range } from "muxkit/sycl";

import { COUNT, data, report, result } from "./report.ts";

const saxpy = kernel((item: Item, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
  const i = item.getId(0);
  y[i] = a * x[i]! + y[i]!;
});

const queue = new Queue();
let failure: unknown = null;
{
  await using x = new Buffer(data);
  await using y = new Buffer(result);
  queue.submit((handler) => {
    handler.parallelFor(range(COUNT), saxpy, 2, x.getAccess(handler, "read"), y.getAccess(handler, "read_write"));
  });
  try {
    range(-1);
  } catch (error) {
    failure = error;
  }
}
await report(
  queue.getDevice().getInfo("max_compute_units"),
  failure,
  /^range: the size in dimension 0 is -1; it must be an integer from 0$/u,
);
