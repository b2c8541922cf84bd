// SPDX-License-Identifier: Apache-2.0
// Who makes progress when: queues while the host thread computes, chains over semaphores, promises, processes that end.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { afterEach, expect, test } from "vitest";

import * as L from "../source/control-layout.ts";
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

const nothing = { waits: [], signals: [], fence: 0, deadline: 0, part: 0, callback: null, done: null } as const;

/**
 * Keeps the host thread busy, without a call of the device, until others have done the work; a busy machine gets ten
 * seconds.
 */
function computeUntil(done: () => boolean): void {
  const start = performance.now();
  while (!done() && performance.now() - start < 10_000);
}

test("two queues make progress while the host thread computes", async () => {
  const rig = rigOf();
  await workersUp(rig);
  const count = 20_000;
  const first = words(rig, count);
  const second = words(rig, count);
  const semaphore = rig.core.semaphores.take();
  const chain = rig.batch([rig.launch("slow", count, [first.address, 200])]);
  const follower = rig.batch([rig.launch("slow", count, [first.address, 200])]);
  const other = rig.batch([rig.launch("slow", count, [second.address, 200])]);
  void chain.dispatch({ ...nothing, signals: [semaphore] });
  // The second command buffer of the first queue starts without the host thread.
  void follower.dispatch({ ...nothing, waits: [semaphore] });
  void other.dispatch(nothing);
  computeUntil(() => first.view().every((value) => value === 2) && second.view().every((value) => value === 1));
  expect(first.view().every((value) => value === 2)).toBe(true);
  expect(second.view().every((value) => value === 1)).toBe(true);
  expect(rig.core.host.block(() => rig.core.host.pending === 0, 5e9)).toBe("done");
});

test("small work without a waiter is done while the host thread computes, once workers are up", async () => {
  const rig = rigOf();
  await workersUp(rig);
  const out = words(rig, 4);
  rig.run([rig.launch("slow", 2000, [words(rig, 2000).address, 2000])]);
  const batch = rig.batch([rig.launch("fill", 4, [out.address, 9], { cost: { perItem: 1, measured: true } })]);
  void batch.dispatch(nothing);
  computeUntil(() => out.view()[3] === 12);
  expect([...out.view()]).toEqual([9, 10, 11, 12]);
  rig.core.host.block(() => rig.core.host.pending === 0, 5e9);
});

test("the event loop finishes work without a blocking call", async () => {
  for (const threads of [1, 2]) {
    const rig = rigOf({ threads });
    const count = 20_000;
    const out = words(rig, count);
    const batch = rig.batch([
      rig.launch("slow", count, [out.address, 500]),
      { waits: null, body: { kind: "host", run: () => void order.push("host") } },
    ]);
    const order: string[] = [];
    void batch.dispatch({ ...nothing, callback: () => order.push("callback"), done: () => order.push("done") });
    // oxlint-disable-next-line no-await-in-loop -- one device after the other
    expect(await rig.core.host.wait(() => order.length === 3, 5e9)).toBe("done");
    expect(order).toEqual(["host", "callback", "done"]);
    expect(out.view().every((value) => value === 1)).toBe(true);
  }
});

test("a wait with a time limit gives up and the work still completes", async () => {
  const rig = rigOf();
  rig.core.host.startWorkers();
  const out = words(rig, 4);
  const batch = rig.batch([
    rig.launch("slow", 4, [out.address, 60_000_000], { cost: { perItem: 1e8, measured: true } }),
  ]);
  void batch.dispatch(nothing);
  expect(await rig.core.host.wait(() => !batch.inFlight, 1e6)).toBe("timeout");
  expect(await rig.core.host.wait(() => !batch.inFlight, 30e9)).toBe("done");
  expect([...out.view()]).toEqual([1, 1, 1, 1]);
});

test("a wait for a semaphore that is never signalled ends with an error instead of waiting for ever", () => {
  const rig = rigOf();
  const batch = rig.batch([]);
  void batch.dispatch({ ...nothing, waits: [rig.core.semaphores.take()] });
  expect(rig.core.host.block(() => !batch.inFlight, Infinity)).toBe("stuck");
});

test("a failure goes to what depends on it, and only there", () => {
  const rig = rigOf();
  const semaphore = rig.core.semaphores.take();
  const fence = rig.core.fences.take();
  const out = words(rig, 2);
  const messages: (string | null)[] = [];
  const note = (failure: { readonly message: string } | null): void => {
    messages.push(failure?.message ?? null);
  };
  const bad = rig.batch([rig.launch("trap", 8, []), rig.launch("fill", 2, [out.address, 1])]);
  const dependent = rig.batch([rig.launch("fill", 2, [out.address, 1])]);
  const independent = rig.batch([rig.launch("fill", 1, [out.address + 4, 7])]);
  void bad.dispatch({ ...nothing, signals: [semaphore], fence, done: note });
  void dependent.dispatch({ ...nothing, waits: [semaphore], done: note });
  void independent.dispatch({ ...nothing, done: note });
  rig.core.host.block(() => messages.length === 3, 5e9);
  expect(new Set(messages.map((message) => message?.replace(/ in .*/u, "") ?? null))).toEqual(
    new Set(['kernel "trap" divided an integer by zero', null, "something that this work waits for has failed"]),
  );
  expect([...out.view()]).toEqual([0, 7]);
  expect(rig.core.board.words[L.FENCES + fence]).toBe(L.FENCE_FAILED);
});

test("commands with wait lists wait for exactly these", () => {
  const rig = rigOf();
  const out = words(rig, 1);
  const seen: number[] = [];
  const host = (waits: readonly number[] | null, name: number): Parameters<Rig["batch"]>[0][number] => ({
    waits,
    body: { kind: "host", run: () => void seen.push(name) },
  });
  expect(
    rig.run([rig.launch("fill", 1, [out.address, 3]), host([0], 1), host([0], 2), host([1, 2], 3), host(null, 4)]),
  ).toBeNull();
  expect(new Set(seen.slice(0, 2))).toEqual(new Set([1, 2]));
  expect(seen.slice(2)).toEqual([3, 4]);
});

test("five commands may wait for one", () => {
  const rig = rigOf();
  const out = words(rig, 6);
  const followers = [1, 2, 3, 4, 5].map((i) => ({
    body: rig.launch("fill", 1, [out.address + 4 * i, i]).body,
    waits: [0],
  }));
  expect(rig.run([rig.launch("fill", 1, [out.address, 10]), ...followers])).toBeNull();
  expect([...out.view()]).toEqual([10, 1, 2, 3, 4, 5]);
});

function runChild(name: string): { readonly output: string; readonly time: number } {
  const start = performance.now();
  const child = fileURLToPath(new URL("exit-child.ts", import.meta.url));
  const output = execFileSync(
    process.execPath,
    ["--conditions=source", "--disable-warning=ExperimentalWarning", child, name],
    { encoding: "utf8", timeout: 20_000 },
  );
  return { output: output.trim(), time: performance.now() - start };
}

test("a process with nothing pending ends by itself, with workers up or not", () => {
  expect(runChild("idle").output).toBe("idle");
  expect(runChild("workers").output).toBe("workers done");
});

test("a process stays until what is pending is complete", () => {
  expect(runChild("pending").output.split("\n")).toEqual(["end of main", "complete"]);
});
