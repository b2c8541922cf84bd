// SPDX-License-Identifier: Apache-2.0
// The core without mux: command nodes, threads, waits.
import { afterEach, expect, test } from "vitest";

import type { HostEnvironment, WorkerHandle } from "../source/environment.ts";
import { NODE_ENVIRONMENT } from "../source/node-environment.ts";
import { openCore, type Rig, words, workersUp } from "./core-rig.ts";

const open: Rig[] = [];
const rigOf = (...options: Parameters<typeof openCore>): Rig => {
  const rig = openCore(...options);
  open.push(rig);
  return rig;
};
afterEach(() => {
  for (const rig of open.splice(0)) rig.core.close();
});

test("a small launch runs on the calling thread and starts no worker", () => {
  // With a stopped clock, so that a busy machine does not make the launch look long.
  const rig = rigOf({ environment: { ...NODE_ENVIRONMENT, openClock: () => ({ epoch: [0, 0], clock: () => 0 }) } });
  const out = words(rig, 16);
  expect(rig.run([rig.launch("fill", 16, [out.address, 100])])).toBeNull();
  expect([...out.view()]).toEqual(Array.from({ length: 16 }, (_, i) => 100 + i));
  expect(rig.core.pool.running).toBe(false);
});

test("a large launch runs every group once, on all threads", () => {
  const rig = rigOf();
  const count = 200_000;
  const out = words(rig, count);
  for (let value = 1; value <= 3; value++) {
    expect(rig.run([rig.launch("slow", count, [out.address, 300])])).toBeNull();
    expect(out.view().every((word) => word === value)).toBe(true);
  }
  expect(rig.core.pool.running).toBe(true);
});

test("commands run in order, and the order holds on workers too", () => {
  const rig = rigOf();
  rig.core.host.startWorkers();
  const out = words(rig, 1000);
  const commands = [rig.launch("fill", 1000, [out.address, 0])];
  for (let i = 0; i < 20; i++) commands.push(rig.launch("slow", 1000, [out.address, 10]));
  expect(rig.run(commands)).toBeNull();
  expect([...out.view()]).toEqual(Array.from({ length: 1000 }, (_, i) => i + 20));
});

test("a trap names the kernel and the group, and the next command runs", () => {
  const rig = rigOf();
  expect(rig.run([rig.launch("trap", 1, [])])).toBeNull();
  expect(rig.run([rig.launch("trap", 16, [])])).toMatch(
    /^kernel "trap" divided an integer by zero in (one of the groups|group) \(/u,
  );
  const out = words(rig, 4);
  expect(rig.run([rig.launch("fill", 4, [out.address, 7])])).toBeNull();
  expect([...out.view()]).toEqual([7, 8, 9, 10]);
});

test("a deadline stops an endless kernel on the helping host thread, with and without workers", () => {
  for (const threads of [1, 2]) {
    const rig = rigOf({ threads });
    const start = performance.now();
    expect(rig.run([rig.launch("endless", 4, [], { deadline: 40 })])).toBe(
      'kernel "endless" was stopped: it ran longer than its deadline of 40 ms',
    );
    expect(performance.now() - start).toBeLessThan(2000);
    expect(rig.core.pool.terminated).toBe(0);
  }
});

test("a worker that does not answer is ended and replaced", async () => {
  const rig = rigOf({ helps: false });
  await workersUp(rig);
  expect(rig.run([rig.launch("stubborn", 4, [], { deadline: 200, cost: { perItem: 1e9, measured: true } })])).toMatch(
    /deadline of 200 ms/u,
  );
  expect(rig.core.pool.terminated).toBeGreaterThan(0);
  const out = words(rig, 400);
  expect(rig.run([rig.launch("slow", 400, [out.address, 100])])).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
});

test("a worker that does not answer is ended and replaced while the event loop waits", async () => {
  const rig = rigOf({ helps: false });
  await workersUp(rig);
  expect(
    await rig.runLater([rig.launch("stubborn", 4, [], { deadline: 200, cost: { perItem: 1e9, measured: true } })]),
  ).toMatch(/deadline of 200 ms/u);
  expect(rig.core.pool.terminated).toBeGreaterThan(0);
  const out = words(rig, 400);
  expect(await rig.runLater([rig.launch("slow", 400, [out.address, 100])])).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
});

/**
 * Workers that are terminated and run on for a while, as on a machine that has no core for them; `reportsEnd`: whether
 * their end can be seen.
 */
function lateEnds(reportsEnd: boolean, delay: number): HostEnvironment {
  return {
    ...NODE_ENVIRONMENT,
    startWorker: (url, settings, lost) => {
      const { terminate, isGone } = NODE_ENVIRONMENT.startWorker(url, settings, lost);
      let isTerminated = false;
      const end = (): void => {
        isTerminated = true;
        terminate();
      };
      return {
        terminate: () => {
          setTimeout(end, delay);
        },
        ...(reportsEnd ? { isGone: () => isTerminated && isGone?.() === true } : {}),
      };
    },
  };
}

test("a command whose worker was ended completes when the worker's thread writes no more", async () => {
  for (const reportsEnd of [true, false]) {
    const rig = rigOf({ helps: false, environment: lateEnds(reportsEnd, reportsEnd ? 300 : 30) });
    // oxlint-disable-next-line no-await-in-loop -- one device after the other
    await workersUp(rig);
    const out = words(rig, 4);
    const launch = rig.launch("scribbling", 1, [out.address, 5], {
      deadline: 100,
      cost: { perItem: 1e9, measured: true },
    });
    // oxlint-disable-next-line no-await-in-loop
    expect(await rig.runLater([launch])).toMatch(/deadline of 100 ms/u);
    expect(rig.core.pool.terminated).toBe(1);
    out.view()[0] = 7;
    const end = performance.now() + 400;
    while (performance.now() < end) expect(out.view()[0]).toBe(7);
  }
});

test("a wait without an event loop notices that a worker's thread has ended", async () => {
  const rig = rigOf({ helps: false });
  await workersUp(rig);
  const start = performance.now();
  expect(rig.run([rig.launch("stubborn", 1, [], { deadline: 50, cost: { perItem: 1e9, measured: true } })])).toMatch(
    /deadline of 50 ms/u,
  );
  // Less than the time after which the wait is given up.
  expect(performance.now() - start).toBeLessThan(4000);
  expect(rig.core.pool.failure).toBeNull();
});

test("a worker that never ends is given up: its command fails, its slot stays empty, and others do the work", async () => {
  const handles: WorkerHandle[] = [];
  const startWorker: HostEnvironment["startWorker"] = (url, settings, lost) => {
    const handle = NODE_ENVIRONMENT.startWorker(url, settings, lost);
    handles.push(handle);
    return { ...handle, terminate: () => {}, isGone: () => false };
  };
  const rig = rigOf({ helps: false, environment: { ...NODE_ENVIRONMENT, startWorker } });
  await workersUp(rig);
  expect(rig.run([rig.launch("stubborn", 1, [], { deadline: 50, cost: { perItem: 1e9, measured: true } })])).toMatch(
    /deadline of 50 ms/u,
  );
  expect([handles.length, rig.core.pool.size, rig.core.pool.failure]).toEqual([
    3,
    2,
    "a worker has not ended 5000 ms after it was terminated",
  ]);
  const out = words(rig, 400);
  expect(rig.run([rig.launch("slow", 400, [out.address, 100])])).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
  for (const { terminate } of handles) terminate();
});

test("work that was left to workers is done by the event loop when all of them are lost", async () => {
  const rig = rigOf({
    environment: {
      ...NODE_ENVIRONMENT,
      startWorker: (_url, _settings, lost) => {
        const timer = setTimeout(() => lost(new Error("no script")), 5);
        return { terminate: () => clearTimeout(timer) };
      },
    },
  });
  rig.core.host.startWorkers();
  const out = words(rig, 400);
  expect(
    await rig.runLater([rig.launch("slow", 400, [out.address, 100], { cost: { perItem: 1e9, measured: true } })]),
  ).toBeNull();
  expect(out.view().every((value) => value === 1)).toBe(true);
  expect([rig.core.pool.size, rig.core.pool.failure]).toEqual([0, "no script"]);
});
