// SPDX-License-Identifier: Apache-2.0
// Deadlines and signals of launches: what is stopped, what goes on, and what each side is told.
import { spawnSync } from "node:child_process";

import { integer, record, sample } from "fast-check";
import { DeadlineError, type Device, openDeviceSync } from "muxkit";
import { afterAll, describe, expect, test } from "vitest";

const SOURCE = `
kernel void spin(global volatile int* x) { while (x[0] == 0) x[1 + get_global_id(0)]++; }
kernel void work(global int* x, int rounds) {
  int i = get_global_id(0), own = x[i];
  for (int r = 0; r < rounds; r++) own = own * 1664525 + 1013904223;
  x[i] = own;
}
kernel void add(global int* x, int n) { x[get_global_id(0)] += n; }`;

const DEVICES: readonly (readonly [name: string, open: () => Device])[] = [
  ["one thread", () => openDeviceSync({ threads: 1 })],
  ["two threads", () => openDeviceSync({ threads: 2 })],
  ["four threads", () => openDeviceSync({ threads: 4 })],
];

/** What a promise rejects with; null: it does not. */
async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return null;
}

const wait = async (ms: number): Promise<void> => {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
};

describe.each(DEVICES)("launches with limits on %s", (_name, open) => {
  const device = open();
  const { spin, work, add } = device.build(SOURCE);
  const endless = device.array(Int32Array, 65);
  afterAll(() => {
    device.close();
  });

  test("a deadline stops a launch, and what follows goes on", async () => {
    const x = device.array(Int32Array, 8);
    const long = spin({ global: 64, local: 1, deadline: 30 }, endless);
    const later = add(8, x, 5);
    const error = await failureOf(long);
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({ kernel: "spin", deadline: 30 });
    expect((error as Error).message).toBe('kernel "spin" was stopped: it ran longer than its deadline of 30 ms');
    await later;
    expect([...(await x.read())]).toEqual(Array.from({ length: 8 }, () => 5));
  });

  test("a launch that is quick enough reports its time", async () => {
    const x = device.array(Int32Array, 8);
    const { duration } = await add({ global: 8, deadline: 60_000, signal: new AbortController().signal }, x, 1);
    expect(duration).toBeGreaterThan(0);
  });

  test("finish says that a deadline has passed where nobody waited", async () => {
    spin({ global: 1, deadline: 5 }, endless);
    await expect(device.finish()).rejects.toBeInstanceOf(DeadlineError);
    await device.finish();
  });

  test("a blocking wait ends with the deadline too", () => {
    spin({ global: 4, local: 1, deadline: 5 }, endless);
    expect(() => {
      device.finishSync();
    }).toThrow(DeadlineError);
  });

  test("a signal stops a launch that runs, with its reason", async () => {
    const x = device.array(Int32Array, 8);
    const controller = new AbortController();
    const long = spin({ global: 64, local: 1, signal: controller.signal }, endless);
    const later = add(8, x, 2);
    const failure = failureOf(long);
    await wait(20);
    expect(String(long)).toBe("spin (under way)");
    controller.abort(new Error("no longer wanted"));
    expect(await failure).toMatchObject({ message: "no longer wanted" });
    expect(String(long)).toBe("spin (stopped by its signal)");
    await later;
    expect([...(await x.read())]).toEqual(Array.from({ length: 8 }, () => 2));
    await device.finish();
  });

  test("a launch that waits never starts, and is rejected at once", async () => {
    const x = device.array(Int32Array, 8);
    const [first, second] = [new AbortController(), new AbortController()];
    const running = failureOf(spin({ global: 1, signal: first.signal }, endless));
    const waiting = failureOf(add({ global: 8, signal: second.signal }, x, 100));
    await wait(10);
    second.abort();
    expect(await waiting).toMatchObject({ name: "AbortError" });
    first.abort();
    expect(await running).toMatchObject({ name: "AbortError" });
    await add(8, x, 1);
    expect([...(await x.read())]).toEqual(Array.from({ length: 8 }, () => 1));
    expect(await failureOf(add({ global: 8, signal: second.signal }, x, 100))).toMatchObject({ name: "AbortError" });
    expect([...(await x.read())]).toEqual(Array.from({ length: 8 }, () => 1));
  });

  test("500 random aborts lose no wake-up and no data of other launches", async () => {
    const cases = sample(record({ rounds: integer({ min: 0, max: 200_000 }), turns: integer({ max: 3, min: -1 }) }), {
      numRuns: 500,
      seed: 7,
    });
    const [x, scratch] = [device.array(Int32Array, 64), device.array(Int32Array, 64)];
    let count = 0;
    const failures: Promise<unknown>[] = [];
    for (const { rounds, turns } of cases) {
      const controller = new AbortController();
      failures.push(failureOf(work({ global: 64, local: 8, signal: controller.signal }, scratch, rounds)));
      add(64, x, 1);
      count++;
      if (turns < 0) controller.abort();
      // oxlint-disable-next-line no-await-in-loop -- the device goes on meanwhile
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
    }
    const ends = await Promise.all(failures);
    const stopped = ends.filter((end) => end !== null);
    expect(stopped.length).toBeGreaterThan(0);
    for (const end of stopped) expect(end).toMatchObject({ name: "AbortError" });
    await device.finish();
    expect([...(await x.read())]).toEqual(Array.from({ length: 64 }, () => count));
  });

  test("mistakes", () => {
    const x = device.array(Int32Array, 8);
    expect(() => add({ global: 8, deadline: 0.5 }, x, 1)).toThrow(
      "add: a deadline is a whole number of ms from 1 to 2000000000, not 0.5",
    );
    expect(() => add({ global: 8, signal: {} as AbortSignal }, x, 1)).toThrow(
      "add: a signal is that of an AbortController: new AbortController().signal, or AbortSignal.timeout(ms)",
    );
  });
});

test.each([1, 2])("a deadline of launches that are done keeps no process alive, with %i threads", (threads) => {
  const program = `import { openDevice } from "muxkit";
    const device = await openDevice({ deadline: 300_000, threads: ${threads} });
    const { f } = device.build("kernel void f(global float* x) { x[get_global_id(0)] += 1; }");
    const x = device.array(Float32Array, 4);
    f(4, x);
    console.log((await x.read()).join());`;
  const args = ["--conditions=source", "--input-type=module", "-e", program];
  const run = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8", timeout: 60_000 });
  expect(run.error).toBeUndefined();
  expect(run.stdout).toBe("1,1,1,1\n");
});
