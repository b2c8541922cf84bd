// SPDX-License-Identifier: Apache-2.0
// A page with one kernel, over arrays.
import { type Accessor, type Item, type float, kernel, ready, run } from "muxkit/run";

import { COUNT, data, report, result } from "./report.ts";

const saxpy = kernel((item: Item, a: float, x: Accessor<float, "read">, y: Accessor<float>) => {
  const i = item.getId(0);
  y[i] = a * x[i]! + y[i]!;
});

await run(saxpy, COUNT, 2, data, result);
const failure: unknown = await run(saxpy, COUNT, 2, new Int32Array(COUNT), result).catch((error: unknown) => error);
const { threads } = await ready();
await report(threads, failure, /^the argument x of the kernel "saxpy" requires a Float32Array, not a Int32Array$/u);
