// SPDX-License-Identifier: Apache-2.0
// What launches cost: an empty one and the wait for it, a million of them in memory, saxpy in groups of odd sizes.
import { setFlagsFromString } from "node:v8";
import { setTimeout } from "node:timers/promises";
import { runInNewContext } from "node:vm";

import { type Device, openDeviceSync } from "muxkit";
import {
  clBuildProgram,
  clCreateKernel,
  clCreateProgramWithSource,
  clEnqueueNDRangeKernel,
  clFinish,
  clReleaseKernel,
  clReleaseProgram,
} from "muxkit/opencl";

import { median } from "../median.ts";

/** Workers start at the first launch that is large enough to need them. */
async function startWorkers(device: Device): Promise<void> {
  const { busy } = device.build(
    `kernel void busy(global int* x) {
      int s = 0;
      for (int i = 0; i < 100000; i++) s = s * 3 + x[i & 7];
      x[get_global_id(0)] = s;
    }`,
  );
  busy(4096, device.array(Int32Array, 4096));
  await device.finish();
  await setTimeout(200);
}

/** One launch of an empty kernel and the wait for it, in µs. */
export async function emptyLaunch(helping: boolean): Promise<number> {
  const device = openDeviceSync({ threads: 2, helping });
  if (!helping) await startWorkers(device);
  const program = clCreateProgramWithSource(device.context, ["kernel void empty(void) {}"]);
  clBuildProgram(program);
  const kernel = clCreateKernel(program, "empty");
  const once = (): void => {
    clEnqueueNDRangeKernel(device.queue, kernel, 1, null, [1], [1]);
    clFinish(device.queue);
  };
  for (let i = 0; i < 20_000; i++) once();
  const times: number[] = [];
  for (let part = 0; part < 20; part++) {
    const begin = performance.now();
    for (let i = 0; i < 1000; i++) once();
    times.push(performance.now() - begin);
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  device.close();
  return median(times);
}

/** What a process holds, in bytes. */
interface Held {
  readonly launches: number;
  readonly heap: number;
  /** What the engine has taken for its heap: room for young objects, which it enlarges once or twice in a process. */
  readonly reserved: number;
  readonly resident: number;
}

const FIRST_LAUNCHES = 100_000;
const ALL_LAUNCHES = 1_000_000;
const LAUNCHES_A_WAIT = 1000;

/**
 * Memory after the first hundred thousand tiny launches, and after a million; garbage is collected before each look.
 */
export function memoryOfLaunches(): readonly [Held, Held] {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const device = openDeviceSync();
  const { tiny } = device.build("kernel void tiny(global int* x) { x[get_global_id(0)]++; }");
  if (tiny === undefined) throw new Error("the program has the kernel");
  const x = device.array(Int32Array, 16);
  let done = 0;
  const upTo = (count: number): Held => {
    for (; done < count; done++) {
      tiny({ global: 16, local: 16 }, x);
      if (done % LAUNCHES_A_WAIT === LAUNCHES_A_WAIT - 1) clFinish(device.queue);
    }
    collect();
    const { heapUsed, heapTotal, rss } = process.memoryUsage();
    return { launches: done, heap: heapUsed, reserved: heapTotal, resident: rss };
  };
  const counts = [upTo(FIRST_LAUNCHES), upTo(ALL_LAUNCHES)] as const;
  device.close();
  return counts;
}

const SAXPY = `kernel void saxpy(uint n, float a, global const float* x, global float* y) {
  size_t i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}`;
const ITEMS: number = 2 ** 24;
/** The largest prime below {@link ITEMS}. */
const PRIME: number = ITEMS - 3;

/** Speed of saxpy in groups of a size, against groups of 256 in the same rounds. */
export function speedOfGroups(rounds: number): readonly (readonly [name: string, ratio: number])[] {
  const device = openDeviceSync({ threads: 2 });
  const { saxpy } = device.build(SAXPY);
  if (saxpy === undefined) throw new Error("the program has the kernel");
  const x = device.array(Float32Array, ITEMS);
  const y = device.array(Float32Array, ITEMS);
  const shapes = [
    { name: "256", items: ITEMS, local: [256] },
    { name: "1", items: ITEMS, local: [1] },
    { name: "NULL on a prime size", items: PRIME, local: null },
  ] as const;
  const times = shapes.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { items, local }] of shapes.entries()) {
      const begin = performance.now();
      saxpy(local === null ? items : { global: items, local }, items, 1e-6, x, y);
      clFinish(device.queue);
      times[i]?.push((performance.now() - begin) / items);
    }
  }
  device.close();
  const [base = Number.NaN, ...others] = times.map((list) => median(list.slice(rounds >> 2)));
  return others.map((time, i) => [shapes[i + 1]?.name ?? "", base / time]);
}
