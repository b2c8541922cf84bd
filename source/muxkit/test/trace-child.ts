// SPDX-License-Identifier: Apache-2.0
// A short program for trace.test.ts: builds, copies, launches, waits.
import { openDevice } from "muxkit";

const device = await openDevice({ threads: 3 });
const { scale } = device.build(
  `kernel void scale(global float* p, float by) {
    size_t i = get_global_id(0);
    float v = p[i];
    for (int j = 0; j < 1000; j++) v = v * by + 1.0f;
    p[i] = v;
  }`,
);
const numbers = device.array(new Float32Array(1 << 18));
for (let i = 0; i < 4; i++) scale({ global: 1 << 18, local: 64 }, numbers, 0.5);
const values = await numbers.read();
device.finishSync();
device.close();
process.stdout.write(`${String(values[7])}\n`);
