// SPDX-License-Identifier: Apache-2.0
// One program on two devices: the processor of this machine, and interpreter-device. They must agree.
import { openDevice } from "muxkit";

import { registerInterpreterDevice } from "./register.ts";

const SOURCE = `
kernel void saxpy(float a, global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
kernel void sum_of_group(global const float* x, global float* sums, local float* shared) {
  size_t i = get_local_id(0);
  shared[i] = x[get_global_id(0)];
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step) shared[i] += shared[i + step];
  }
  if (i == 0) sums[get_group_id(0)] = shared[0];
}`;

const ITEMS = 256;
const GROUP = 16;
const numbers = Float32Array.from({ length: ITEMS }, (_, i) => Math.fround(Math.sin(i)));

/** Runs both kernels on a device and returns the results. */
async function results(name: string | null): Promise<readonly number[]> {
  const device = await openDevice(name === null ? {} : { device: name });
  const { saxpy, sum_of_group: sum } = device.build(SOURCE);
  const [x, y, sums] = [
    device.array(numbers),
    device.array(Float32Array, ITEMS),
    device.array(Float32Array, ITEMS / GROUP),
  ];
  saxpy(ITEMS, 2, x, y);
  sum({ global: ITEMS, local: GROUP }, y, sums, { localBytes: GROUP * 4 });
  const values = [...(await y.read()), ...(await sums.read())];
  console.log(
    `${device.name}: sums of groups ${values
      .slice(ITEMS, ITEMS + 4)
      .map((value) => value.toFixed(4))
      .join(", ")}, …`,
  );
  device.close();
  return values;
}

registerInterpreterDevice();
const [own, others] = [await results("interpreter-device"), await results(null)];
const differing = own.filter((value, i) => !Object.is(value, others[i])).length;
console.log(
  differing === 0 ? `all ${own.length} values agree, bit for bit` : `${differing} of ${own.length} values differ`,
);
process.exitCode = differing === 0 ? 0 : 1;
