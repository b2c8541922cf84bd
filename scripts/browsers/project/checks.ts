// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// What is particular to browsers, as a user meets it.
import { hostDevice } from "@muxkit/host";
import {
  CL_MAP_READ,
  clEnqueueMapBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueReadBuffer,
  clFinish,
  clWaitForEvents,
} from "muxkit/opencl";
import { OpenCLError, openDevice, openDeviceSync } from "muxkit";

import { scaled } from "./compiled.js";

/** How a check ended. */
export interface CheckResult {
  readonly name: string;
  /** Null: as it should. */
  readonly failure: string | null;
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** What a call refuses with. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof OpenCLError) return `${error.name} ${error.message}`;
    throw error;
  }
  return "nothing";
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  "threads are there exactly where the page is isolated": async () => {
    const device = await openDevice();
    expect(
      device.threads === (globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1),
      `${device.threads} threads`,
    );
    device.close();
  },
  "work-groups are run by every thread of an isolated page": async () => {
    const device = await openDevice();
    const { busy } = device.build(
      `kernel void busy(global float* p) {
        float x = get_global_id(0);
        for (int i = 0; i < 2000; i++) x = native_sin(x);
        p[get_global_id(0)] = x;
      }`,
    );
    const array = device.array(Float32Array, 1 << 16);
    for (let i = 0; i < 3; i++) busy({ global: 1 << 16, local: 64 }, array);
    await device.finish();
    const { groups, failure } = hostDevice(device.queue.device.open("a check").device).host.statistics();
    const ran = groups.filter((count) => count > 0).length;
    expect(
      failure === null && ran >= device.threads,
      `${ran} of ${device.threads} threads ran groups (${groups.join(", ")}): ${String(failure)}`,
    );
    device.close();
  },
  "what would block the page refuses and names what to do": async () => {
    const device = await openDevice();
    const array = device.array(new Float32Array(4));
    const { queue } = device;
    const event = clEnqueueMarkerWithWaitList(queue);
    const calls: readonly (readonly [call: () => unknown, instead: string])[] = [
      [() => openDeviceSync(), "await openDevice()"],
      [() => array.readSync(), "await read()"],
      [() => device.finishSync(), "await finish()"],
      [() => clFinish(queue), "await clFinishAsync(queue)"],
      [() => clWaitForEvents([event]), "await clWaitForEventsAsync(events)"],
      [() => clEnqueueReadBuffer(queue, array.buffer, true, 0, 16, new Float32Array(4)), "pass false for blocking"],
      [() => clEnqueueMapBuffer(queue, array.buffer, true, CL_MAP_READ, 0, 16), "pass false for blocking"],
    ];
    for (const [call, twin] of calls) {
      const message = refusal(call);
      expect(message.includes("CL_INVALID_OPERATION") && message.includes(twin), message);
    }
    device.close();
  },
  "a large launch is right, and writes and reads continue next to it": async () => {
    const device = await openDevice();
    const { step } = device.build(
      `kernel void step(global float* y, global const float* x, float a) {
        size_t i = get_global_id(0);
        y[i] = a * x[i] + y[i];
      }`,
    );
    const count = 1 << 20;
    const x = device.array(Float32Array.from({ length: count }, (_, i) => i % 1000));
    const y = device.array(Float32Array, count);
    for (let i = 0; i < 20; i++) step(count, y, x, 0.5);
    const patch = new Float32Array(100_000).fill(3);
    y.write(patch, 4);
    // The array is its owner's again at once.
    patch.fill(-1);
    const result = await y.read();
    const wrong = result.findIndex((value, i) => value !== (i >= 4 && i < 100_004 ? 3 : 10 * (i % 1000)));
    expect(wrong === -1, `element ${wrong} is ${String(result[wrong])}`);
    device.close();
  },
  "memory grows, and arrays keep what they hold": async () => {
    const device = await openDevice();
    const { add } = device.build("kernel void add(global int* p, int v) { p[get_global_id(0)] += v; }");
    const first = device.array(Int32Array.from({ length: 1000 }, (_, i) => i));
    const large = Array.from({ length: 4 }, () => device.array(Int32Array, 1 << 23));
    add(1000, first, 5);
    for (const array of large) add(1 << 23, array, 7);
    const ends = await Promise.all(large.map((array) => array.read()));
    expect(
      ends.every((array) => array[0] === 7 && array.at(-1) === 7),
      "a large array is wrong",
    );
    expect(
      (await first.read()).every((value, i) => value === i + 5),
      "the first array is wrong",
    );
    for (const array of large) array.destroy();
    device.close();
  },
  "a kernel that never ends is stopped by its deadline, and the device continues": async () => {
    const device = await openDevice({ deadline: 300 });
    const { spin, fine } = device.build(
      `kernel void spin(global volatile int* p) { while (p[0] == 0) p[1]++; }
      kernel void fine(global int* p) { p[0] = 42; }`,
    );
    const array = device.array(new Int32Array(2));
    const failure = await spin(1, array).done.then(
      () => "nothing",
      (error: unknown) => String(error),
    );
    expect(failure.includes("CL_OUT_OF_RESOURCES"), failure);
    const other = device.array(new Int32Array(1));
    await fine(1, other).done;
    const [value] = await other.read().catch(() => other.read());
    expect(value === 42, "the device does not go on");
    device.close();
  },
  "many launches in one turn, more than are in flight at once": async () => {
    const device = await openDevice();
    const { next } = device.build("kernel void next(global int* p) { p[0]++; }");
    const array = device.array(new Int32Array(1));
    for (let i = 0; i < 20_000; i++) next(1, array);
    const [value] = await array.read();
    expect(value === 20_000, `${String(value)} launches ran`);
    device.close();
  },
  "kernels that were compiled with the page run": async () => {
    const result = await scaled(Float32Array.of(1, 2, 3), 2.5);
    expect([...result].join(" ") === "2.5 5 7.5", [...result].join(" "));
  },
  "an error in a program is one with a place": async () => {
    const device = await openDevice();
    const message = refusal(() => device.build("kernel void broken(global float* x) { x[0] = ; }"));
    expect(message.includes("CL_BUILD_PROGRAM_FAILURE") && message.includes("1:46"), message);
    device.close();
  },
};

/** Runs all of them, one after the other. */
export async function runChecks(): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      // Each has the machine for itself.
      // oxlint-disable-next-line no-await-in-loop
      await check();
      results.push({ name, failure: null });
    } catch (error) {
      results.push({ name, failure: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}
