// SPDX-License-Identifier: Apache-2.0
// Prepared launches: small ones run one after the other in one command node, each still a command of its own; launches
// in no order run at the same time.
import type { Result } from "@muxkit/cargo";
import {
  type HostArgument,
  type HostBuffer,
  type HostCommandBuffer,
  type HostDevice,
  type HostError,
  type HostKernel,
  HostPlatform,
  type LaunchRequest,
  type PreparedLaunch,
} from "@muxkit/host";
import { afterEach, expect, test } from "vitest";

import { testExecutable } from "./executable-rig.ts";

const devices: HostDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.close();
});

function must<T>(result: Result<T, HostError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function open(): HostDevice {
  const device = must(new HostPlatform({ threads: 2 }).openDevice());
  devices.push(device);
  return device;
}

const number = (value: number): HostArgument => ({
  kind: "bytes",
  bytes: new Uint8Array(new Int32Array([value]).buffer),
});

interface Kit {
  readonly device: HostDevice;
  readonly prepare: (name: string, groups: number, ...list: HostArgument[]) => PreparedLaunch;
  readonly buffer: (words: number) => HostBuffer;
  readonly run: (record: (commands: HostCommandBuffer) => void) => HostError | null;
}

const request = (of: HostKernel, groups: number, list: readonly HostArgument[]): LaunchRequest => ({
  kernel: of,
  globalSize: [groups],
  localSize: [1],
  arguments: list,
});

function kitOf(device: HostDevice): Kit {
  const executable = must(device.createExecutable(testExecutable()));
  return {
    device,
    prepare: (name, groups, ...list) => must(device.prepare(request(must(executable.kernel(name)), groups, list))),
    buffer: (words) => {
      const buffer = must(device.createBuffer(words * 4));
      buffer.view().fill(0);
      return buffer;
    },
    run: (record) => {
      const commands = device.createCommandBuffer();
      record(commands);
      must(commands.finalize());
      const fence = must(device.createFence());
      must(device.dispatch(commands, { fence }));
      const result = device.tryWait(fence, Infinity);
      must(commands.reset());
      must(fence.destroy());
      return result.ok ? null : result.error;
    },
  };
}

/** Runs launches once, so that their cost is known. */
function measure(kit: Kit, ...launches: readonly PreparedLaunch[]): void {
  for (let i = 0; i < 30; i++)
    for (const launch of launches) expect(kit.run((list) => must(list.launches([launch])))).toBeNull();
}

const wordsOf = (buffer: HostBuffer): number[] => [...new Int32Array(buffer.view().slice().buffer)];

test("more small launches than there are command nodes run in order, between other commands", () => {
  const kit = kitOf(open());
  const [out, copy, other] = [kit.buffer(1), kit.buffer(1), kit.buffer(1)];
  // Of one group each, so that they are small however long a busy machine takes for them.
  const first = kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(10));
  const second = kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(20));
  const third = kit.prepare("fill", 1, { kind: "buffer", buffer: other }, number(30));
  const many = Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? second : first));
  const failure = kit.run((list) => {
    must(list.launches(many));
    must(list.copy(out, 0, copy, 0, 4));
    must(list.launches([...many, third, second]));
  });
  expect(failure).toBeNull();
  expect([wordsOf(copy), wordsOf(out), wordsOf(other)]).toEqual([[10], [20], [30]]);
});

test("the launch that fails is named by its number; those before it have run, those after it have not", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  const slow = kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(1));
  const [good, bad] = [kit.prepare("trap", 5), kit.prepare("trap", 8)];
  measure(kit, slow, good);
  out.view().fill(0);
  const failure = kit.run((list) => must(list.launches([slow, good, slow, slow, bad, slow])));
  expect(failure?.command).toBe(4);
  expect(failure?.message).toMatch(/kernel "trap" divided an integer by zero in /u);
  expect(wordsOf(out)).toEqual([3]);
});

test("launches that were small and have become large are shared out, and all of them run", () => {
  const kit = kitOf(open());
  const out = kit.buffer(64);
  const small = kit.prepare("slow", 64, { kind: "buffer", buffer: out }, number(1));
  measure(kit, small);
  out.view().fill(0);
  const large = kit.prepare("slow", 64, { kind: "buffer", buffer: out }, number(3_000_000));
  const before = kit.device.statistics().groups;
  expect(kit.run((list) => must(list.launches([small, ...Array.from({ length: 12 }, () => large), small])))).toBeNull();
  expect(wordsOf(out)).toEqual(Array.from({ length: 64 }, () => 14));
  const ran = kit.device.statistics().groups.map((groups, thread) => groups - (before[thread] ?? 0));
  expect(ran.reduce((sum, groups) => sum + groups)).toBe(64 * 14);
  expect(ran.slice(1).some((groups) => groups > 0)).toBe(true);
});

test("wait lists hold for prepared launches", () => {
  const kit = kitOf(open());
  const out = kit.buffer(2);
  const [one, two] = [
    kit.prepare("fill", 2, { kind: "buffer", buffer: out }, number(1)),
    kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(9)),
  ];
  measure(kit, one, two);
  const seen: number[][] = [];
  const failure = kit.run((list) => {
    const early = must(
      list.callback(() => {
        seen.push(wordsOf(out));
        out.view().fill(0);
      }),
    );
    const last = must(list.launches([one, two, one], [early]));
    must(
      list.callback(() => {
        seen.push(wordsOf(out));
      }, [last]),
    );
  });
  expect(failure).toBeNull();
  expect(seen).toEqual([
    [9, 2],
    [1, 2],
  ]);
});

test("other arguments for one command leave the prepared launch and other command buffers as they are", () => {
  const kit = kitOf(open());
  const out = kit.buffer(2);
  const launch = kit.prepare("fill", 2, { kind: "buffer", buffer: out }, number(5));
  measure(kit, launch);
  const commands = kit.device.createCommandBuffer();
  must(commands.launches([launch, launch]));
  must(commands.finalize());
  const clone = must(commands.clone());
  must(commands.updateArguments(1, [[1, number(50)]]));
  launch.unuse();
  const runs = (which: HostCommandBuffer): number[] => {
    must(kit.device.dispatch(which));
    must(kit.device.waitAll());
    return wordsOf(out);
  };
  expect(runs(commands)).toEqual([50, 51]);
  expect(runs(clone)).toEqual([5, 6]);
});

test("a deadline is each launch's, not that of all together", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  const launch = kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(40_000));
  measure(kit, launch);
  out.view().fill(0);
  const commands = kit.device.createCommandBuffer();
  must(commands.launches(Array.from({ length: 20_000 }, () => launch)));
  must(commands.finalize());
  const fence = must(kit.device.createFence());
  const begin = kit.device.now();
  must(kit.device.dispatch(commands, { fence, deadline: 40 }));
  expect(kit.device.tryWait(fence, Infinity)).toMatchObject({ ok: true });
  expect(kit.device.now() - begin).toBeGreaterThan(80e6);
  expect(wordsOf(out)).toEqual([20_000]);
});

/** Runs launches until two threads have run some: on a busy machine workers start late. */
function workersUp(kit: Kit): void {
  const some = Array.from({ length: 16 }, () =>
    kit.prepare("slow", 1, { kind: "buffer", buffer: kit.buffer(1) }, number(5_000_000)),
  );
  const areUp = (): boolean => kit.device.statistics().groups.filter((groups) => groups > 0).length > 1;
  for (let times = 0; times < 1000 && !areUp(); times++)
    expect(kit.run((list) => must(list.parallel(some)))).toBeNull();
}

test("launches in no order run at the same time, between what is before and what is after them", () => {
  const kit = kitOf(open());
  const [out, copy] = [kit.buffer(1), kit.buffer(1)];
  const buffers = Array.from({ length: 16 }, () => kit.buffer(1));
  const heavy = buffers.map((buffer) => kit.prepare("slow", 1, { kind: "buffer", buffer }, number(50_000_000)));
  // One that says what they cost.
  expect(kit.run((list) => must(list.launches(heavy.slice(0, 1))))).toBeNull();
  workersUp(kit);
  const [left, right] = [buffers[0] as HostBuffer, buffers[1] as HostBuffer];
  const fill = kit.prepare("fill", 1, { kind: "buffer", buffer: left }, number(100));
  const before = kit.device.statistics().groups;
  const failure = kit.run((list) => {
    must(list.launches([fill]));
    must(list.parallel(heavy));
    const barrier = must(list.barrier());
    must(list.copy(left, 0, out, 0, 4, [barrier]));
    must(list.copy(right, 0, copy, 0, 4, [barrier]));
  });
  expect(failure).toBeNull();
  expect([wordsOf(out), wordsOf(copy)]).toEqual([[101], [1]]);
  // Each of the heavy ones is one group, so two threads had some each.
  const ran = kit.device.statistics().groups.map((groups, thread) => groups - (before[thread] ?? 0));
  expect(ran.filter((groups) => groups > 0).length).toBeGreaterThan(1);
  expect(ran.reduce((sum, groups) => sum + groups)).toBe(17);
});

test("large launches and small ones are one command where they have no order", () => {
  const kit = kitOf(open());
  const buffers = Array.from({ length: 6 }, () => kit.buffer(64));
  const prepared = buffers.map((buffer, i) =>
    kit.prepare("slow", i % 2 === 0 ? 64 : 1, { kind: "buffer", buffer }, number(i % 2 === 0 ? 300_000 : 1)),
  );
  for (let times = 1; times <= 5; times++) {
    expect(kit.run((list) => expect(must(list.parallel(prepared))).toBe(0))).toBeNull();
    expect(buffers.map((buffer) => wordsOf(buffer))).toEqual(
      buffers.map((_, i) => Array.from({ length: 64 }, (__, word) => (i % 2 === 0 || word === 0 ? times : 0))),
    );
  }
});

test("what fails among launches in no order is named, and what follows has not run", () => {
  const kit = kitOf(open());
  const [out, after] = [kit.buffer(1), kit.buffer(1)];
  const slow = kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(2_000_000));
  const bad = kit.prepare("trap", 8);
  measure(kit, slow, kit.prepare("trap", 5));
  const failure = kit.run((list) => {
    must(list.launches([slow]));
    must(list.parallel([slow, bad, slow]));
    must(list.fill(after, 0, 4, Uint8Array.of(1)));
  });
  expect(failure?.command).toBe(1);
  expect(failure?.message).toMatch(/kernel "trap" divided an integer by zero in /u);
  expect(wordsOf(after)).toEqual([0]);
});

test("a command buffer that is dispatched again runs what has turned out small in one node", () => {
  const kit = kitOf(open());
  const out = kit.buffer(4);
  const launch = kit.prepare("slow", 4, { kind: "buffer", buffer: out }, number(1));
  const commands = kit.device.createCommandBuffer();
  must(commands.launches(Array.from({ length: 100 }, () => launch)));
  must(commands.finalize());
  const { batch } = commands;
  for (let i = 1; i <= 40; i++) {
    must(kit.device.dispatch(commands));
    must(kit.device.waitAll());
    expect(wordsOf(out)).toEqual([i * 100, i * 100, i * 100, i * 100]);
  }
  // Nothing was known of the kernel when the hundred nodes of the first one were made.
  expect(commands.batch).not.toBe(batch);
  expect(commands.batch?.isOutdated()).toBe(false);
});

test("an endless launch among small ones is stopped at its deadline", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  const [slow, endless] = [
    kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(1)),
    kit.prepare("endless", 1),
  ];
  measure(kit, slow);
  const commands = kit.device.createCommandBuffer();
  must(commands.launches([slow, endless, slow]));
  must(commands.finalize());
  const fence = must(kit.device.createFence());
  must(kit.device.dispatch(commands, { fence, deadline: 30 }));
  const waited = kit.device.tryWait(fence, Infinity);
  expect(waited.ok ? null : [waited.error.command, waited.error.message]).toEqual([
    1,
    'kernel "endless" was stopped: it ran longer than its deadline of 30 ms',
  ]);
});

test("what is prepared is given back with its last user", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  measure(kit, kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(1)));
  const before = kit.device.statistics().memoryFree;
  const failures: (HostError | null)[] = [];
  for (let i = 0; i < 20_000; i++) {
    const launch = kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(i));
    if (i % 1000 === 0)
      failures.push(
        kit.run((list) => {
          must(list.launches([launch]));
          launch.unuse();
        }),
      );
    else launch.unuse();
  }
  expect(failures).toEqual(Array.from({ length: 20 }, () => null));
  expect(kit.device.statistics().memoryFree).toBe(before);
  expect(wordsOf(out)).toEqual([19_000]);
});

/** Records, runs and resets: returns what the command buffer was lowered to. */
function runAgain(
  { device }: Kit,
  commands: HostCommandBuffer,
  launches: readonly PreparedLaunch[],
): HostCommandBuffer["batch"] {
  must(commands.launches(launches));
  must(commands.finalize());
  const { batch } = commands;
  const fence = must(device.createFence());
  must(device.dispatch(commands, { fence }));
  must(device.tryWait(fence, Infinity));
  must(fence.destroy());
  must(commands.reset());
  return batch;
}

test("the same launches recorded again are not lowered again; others are, and do what they should", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  const add = kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(1));
  const fill = kit.prepare("fill", 1, { kind: "buffer", buffer: out }, number(40));
  measure(kit, add, fill);
  out.view().fill(0);
  for (const list of [[add], [add, add, add], [fill, add]]) {
    const commands = kit.device.createCommandBuffer();
    const first = runAgain(kit, commands, list);
    expect(runAgain(kit, commands, list)).toBe(first);
    expect(runAgain(kit, commands, [...list, add])).not.toBe(first);
    const other = runAgain(kit, commands, list.toReversed());
    expect(other).not.toBe(first);
  }
  // The last run ended with the fill.
  expect(wordsOf(out)).toEqual([40]);
});

test("launches that rested while they turned out large are lowered anew", () => {
  const kit = kitOf(open());
  const out = kit.buffer(2);
  const add = kit.prepare("slow", 2, { kind: "buffer", buffer: out }, number(1));
  measure(kit, add);
  const commands = kit.device.createCommandBuffer();
  // Small however long a busy machine took for it.
  add.launch.cost.perItem = 1;
  const first = runAgain(kit, commands, [add, add]);
  add.launch.cost.perItem = 1;
  expect(runAgain(kit, commands, [add, add])).toBe(first);
  add.launch.cost.perItem = 1e9;
  expect(runAgain(kit, commands, [add, add])).not.toBe(first);
});

test("few batches are kept for reuse, and they are freed when command nodes run out", () => {
  const kit = kitOf(open());
  const out = kit.buffer(1);
  const add = kit.prepare("slow", 1, { kind: "buffer", buffer: out }, number(1));
  const { core } = add;
  const before = core.nodes.used;
  const all = Array.from({ length: 200 }, () => kit.device.createCommandBuffer());
  for (const commands of all) runAgain(kit, commands, [add]);
  expect(core.reusable.size).toBe(64);
  expect(core.nodes.used - before).toBe(64 * 3);
  const taken: number[] = [];
  for (let node = core.takeNode(); node !== 0; node = core.takeNode()) taken.push(node);
  expect(core.reusable.size).toBe(0);
  for (const node of taken) core.nodes.release(node);
  out.view().fill(0);
  for (const commands of all) runAgain(kit, commands, [add]);
  expect(wordsOf(out)).toEqual([200]);
});
