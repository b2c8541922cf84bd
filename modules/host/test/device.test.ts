// SPDX-License-Identifier: Apache-2.0
// The device through its public interface.
import type { Result } from "@muxkit/cargo";
import {
  type HostArgument,
  type HostCommandBuffer,
  type HostDevice,
  type HostError,
  type HostKernel,
  type HostOptions,
  HostPlatform,
  type LaunchRequest,
} from "@muxkit/host";
import { afterEach, expect, test } from "vitest";

import { argument, kernel, testExecutable, variant } from "./executable-rig.ts";

const devices: HostDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.close();
});

function must<T>(result: Result<T, HostError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function refusal(result: Result<unknown, HostError>): string {
  return result.ok ? "accepted" : `${result.error.code}: ${result.error.message}`;
}

function open(options: HostOptions = {}): HostDevice {
  const device = must(new HostPlatform({ threads: 2, ...options }).openDevice());
  devices.push(device);
  return device;
}

function kernelOf(device: HostDevice, name: string): HostKernel {
  return must(must(device.createExecutable(testExecutable())).kernel(name));
}

const number = (value: number): HostArgument => ({
  kind: "bytes",
  bytes: new Uint8Array(new Int32Array([value]).buffer),
});
const request = (of: HostKernel, groups: number, ...list: HostArgument[]): LaunchRequest => ({
  kernel: of,
  globalSize: [groups],
  localSize: [1],
  arguments: list,
});

function run(device: HostDevice, record: (commands: HostCommandBuffer) => void): Result<unknown, HostError> {
  const commands = device.createCommandBuffer();
  record(commands);
  must(commands.finalize());
  const fence = must(device.createFence());
  must(device.dispatch(commands, { fence }));
  const result = device.tryWait(fence, Infinity);
  must(commands.reset());
  must(fence.destroy());
  return result;
}

test("write, launch, copy, fill and read have the results that a program expects", () => {
  const device = open();
  const saxpy = kernelOf(device, "saxpy");
  const [x, y, z] = [must(device.createBuffer(400)), must(device.createBuffer(400)), must(device.createBuffer(400))];
  const output = new Float32Array(100);
  expect(
    run(device, (commands) => {
      must(
        commands.write(
          x,
          0,
          Float32Array.from({ length: 100 }, (_, i) => i),
        ),
      );
      must(commands.fill(y, 0, 400, new Uint8Array(new Float32Array([1, 2]).buffer)));
      must(
        commands.launch({
          kernel: saxpy,
          globalSize: [100],
          localSize: [1],
          arguments: [
            { kind: "buffer", buffer: x },
            { kind: "buffer", buffer: y },
            { kind: "bytes", bytes: new Uint8Array(new Float32Array([2]).buffer) },
          ],
        }),
      );
      must(commands.copy(y, 0, z, 0, 400));
      must(commands.read(z, 0, output));
    }),
  ).toEqual({ ok: true, value: "success" });
  expect([...output]).toEqual(Array.from({ length: 100 }, (_, i) => 2 * i + 1 + (i % 2)));
});

test("boxes are copied row by row, within the device and from and to arrays", () => {
  const device = open();
  const [a, b] = [must(device.createBuffer(64)), must(device.createBuffer(64))];
  const source = Uint8Array.from({ length: 64 }, (_, i) => i);
  const output = new Uint8Array(4);
  const size = { row: 2, rows: 2, slices: 1 };
  expect(
    run(device, (commands) => {
      must(
        commands.writeBox(
          a,
          { start: 0, rowPitch: 8, slicePitch: 0 },
          source,
          { start: 9, rowPitch: 16, slicePitch: 0 },
          size,
        ),
      );
      must(
        commands.copyBox(
          a,
          { start: 0, rowPitch: 8, slicePitch: 0 },
          b,
          { start: 4, rowPitch: 4, slicePitch: 0 },
          size,
        ),
      );
      must(
        commands.readBox(
          b,
          { start: 4, rowPitch: 4, slicePitch: 0 },
          output,
          { start: 0, rowPitch: 2, slicePitch: 0 },
          size,
        ),
      );
    }).ok,
  ).toBe(true);
  expect([...output]).toEqual([9, 10, 25, 26]);
});

test("shared arrays and arrays inside the device need no host thread", () => {
  const device = open({ helping: false });
  device.startWorkers();
  const buffer = must(device.createBuffer(300_000));
  const shared = new Uint8Array(new SharedArrayBuffer(300_000));
  const inside = must(device.allocateArray(Uint8Array, 300_000));
  shared.fill(7);
  const commands = device.createCommandBuffer();
  must(commands.write(buffer, 0, shared));
  must(commands.read(buffer, 0, inside.array));
  must(commands.finalize());
  must(device.dispatch(commands));
  // Every byte is waited for: the order in which a copy writes them is not specified. This thread leaves the processor
  // to the others, whose start alone takes seconds on a busy machine: how long it all takes is not what is tested.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + 240_000;
  while (!inside.array.every((value) => value === 7) && performance.now() < end) Atomics.wait(clock, 0, 0, 1);
  expect(inside.array.every((value) => value === 7)).toBe(true);
  must(device.waitAll());
});

test("a small write is copied at dispatch: later changes of the array are not seen", () => {
  const device = open();
  const buffer = must(device.createBuffer(4));
  const input = new Uint8Array([1, 2, 3, 4]);
  const commands = device.createCommandBuffer();
  must(commands.write(buffer, 0, input));
  must(commands.finalize());
  must(device.dispatch(commands));
  input.fill(9);
  must(device.waitAll());
  expect([...buffer.view()]).toEqual([1, 2, 3, 4]);
  must(device.dispatch(commands));
  must(device.waitAll());
  expect([...buffer.view()]).toEqual([9, 9, 9, 9]);
});

test("a finalized command buffer runs again, with other arguments, and its clone keeps its own", () => {
  const device = open();
  const buffer = must(device.createBuffer(8));
  const commands = device.createCommandBuffer();
  const launch = must(commands.launch(request(kernelOf(device, "fill"), 2, { kind: "buffer", buffer }, number(5))));
  must(commands.finalize());
  const clone = must(commands.clone());
  must(commands.updateArguments(launch, [[1, number(50)]]));
  const runs = (which: HostCommandBuffer): number[] => {
    must(device.dispatch(which));
    must(device.waitAll());
    return [...new Int32Array(buffer.view().slice().buffer)];
  };
  expect(runs(commands)).toEqual([50, 51]);
  expect(runs(clone)).toEqual([5, 6]);
  expect(refusal(commands.updateArguments(launch, [[2, number(1)]]))).toBe(
    'invalid_value: kernel "fill" has no argument 2',
  );
  expect(refusal(commands.updateArguments(launch, [[0, number(1)]]))).toBe(
    'invalid_value: argument 0 ("out") of kernel "fill" is a buffer, not a value',
  );
  expect(refusal(commands.updateArguments(7, []))).toBe("invalid_value: command 7 is no launch");
});

test("a part of a range runs only its groups, with the ids of the whole", () => {
  const device = open();
  const buffer = must(device.createBuffer(40));
  buffer.view().fill(0);
  expect(
    run(device, (commands) => {
      must(
        commands.launch({
          ...request(kernelOf(device, "fill"), 10, { kind: "buffer", buffer }, number(100)),
          part: { first: [3, 0, 0], count: [4, 1, 1] },
        }),
      );
    }).ok,
  ).toBe(true);
  expect([...new Int32Array(buffer.view().slice().buffer)]).toEqual([0, 0, 0, 103, 104, 105, 106, 0, 0, 0]);
});

test("queries measure on one clock, and start is never after end", () => {
  const device = open();
  const pool = must(device.createQueryPool(2));
  const buffer = must(device.createBuffer(4 * 50_000));
  const before = device.now();
  expect(
    run(device, (commands) => {
      must(commands.query("reset", pool, 0, 2));
      for (let i = 0; i < 2; i++) {
        must(commands.query("begin", pool, i, 1));
        must(commands.launch(request(kernelOf(device, "slow"), 50_000, { kind: "buffer", buffer }, number(100))));
        must(commands.query("end", pool, i, 1));
      }
    }).ok,
  ).toBe(true);
  const [first, second] = must(pool.results(0, 2));
  const times = [before, first?.start ?? 0, first?.end ?? 0, second?.start ?? 0, second?.end ?? 0, device.now()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[2]).toBeGreaterThan(times[1] ?? 0);
  expect(refusal(pool.results(1, 2))).toBe("invalid_value: queries 1 to 3 are not all among the pool's 2");
});

test("callbacks come after the commands and before the fence; what they throw fails the dispatch", async () => {
  const device = open();
  const order: string[] = [];
  const commands = device.createCommandBuffer();
  must(commands.callback(() => void order.push("command")));
  must(commands.finalize());
  const fence = must(device.createFence());
  must(
    device.dispatch(commands, {
      fence,
      callback: (failure) => {
        order.push(`${failure?.message ?? "good"}, fence ${fence.state}`);
      },
    }),
  );
  expect(must(await device.tryWaitAsync(fence, Infinity))).toBe("success");
  expect(order).toEqual(["command", "good, fence pending"]);
  expect(
    refusal(
      run(device, (failing) => {
        must(
          failing.callback(() => {
            throw new Error("disk full");
          }),
        );
      }),
    ),
  ).toBe("fence_failure: a command of the host thread failed: disk full");
});

test("a callback that goes on elsewhere is over when it says so, in a blocking call and without one", async () => {
  const device = open();
  const order: string[] = [];
  let isOver = false;
  const wakes: (() => void)[] = [];
  let questions = 0;
  const commands = device.createCommandBuffer();
  must(
    commands.callback(() => (wake) => {
      wakes.push(wake);
      questions++;
      return isOver;
    }),
  );
  must(commands.callback(() => void order.push(`next, over ${isOver}`)));
  must(commands.finalize());
  const fence = must(device.createFence());
  must(device.dispatch(commands, { fence }));
  const complete = device.tryWaitAsync(fence, Infinity);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(order).toEqual([]);
  expect(questions).toBeGreaterThan(1);
  isOver = true;
  wakes.at(-1)?.();
  expect(must(await complete)).toBe("success");
  isOver = false;
  must(device.dispatch(commands, { fence }));
  expect(must(device.tryWait(fence, 2e6))).toBe("not_ready");
  const before = questions;
  expect(must(device.tryWait(fence, 2e6))).toBe("not_ready");
  expect(questions).toBeGreaterThan(before);
  isOver = true;
  expect(must(device.tryWait(fence, Infinity))).toBe("success");
  expect(order).toEqual(["next, over true", "next, over true"]);
  const failing = run(device, (list) => {
    must(
      list.callback(() => () => {
        throw new Error("lost");
      }),
    );
  });
  expect(refusal(failing)).toBe("fence_failure: a command of the host thread failed: lost");
});

test("a fence reports not ready, complete or why it failed", () => {
  const device = open();
  const fence = must(device.createFence());
  expect(refusal(device.tryWait(fence, 0))).toBe("invalid_value: no dispatch uses the fence");
  const commands = device.createCommandBuffer();
  must(commands.launch({ ...request(kernelOf(device, "endless"), 4), deadline: 60 }));
  must(commands.finalize());
  must(device.dispatch(commands, { fence }));
  expect(must(device.tryWait(fence, 0))).toBe("not_ready");
  expect(refusal(fence.destroy())).toBe(
    "invalid_value: the fence belongs to a dispatch that is not complete: wait for it first",
  );
  expect(refusal(commands.reset())).toBe("invalid_value: the command buffer is in flight: wait for it first");
  expect(refusal(device.dispatch(commands))).toBe(
    "invalid_value: the command buffer is in flight; clone it to run it twice at once",
  );
  expect(refusal(device.tryWait(fence, Infinity))).toBe(
    'fence_failure: kernel "endless" was stopped: it ran longer than its deadline of 60 ms',
  );
});

test.each([
  { threads: 1 },
  { threads: 1, sharedMemory: false },
  { threads: 2 },
  { threads: 4, helping: false },
] satisfies HostOptions[])("who only polls gets to the end: %o", (options) => {
  for (const [name, groups, ...list] of [
    ["fill", 4, 1],
    ["slow", 20_000, 50],
  ] as const) {
    const device = open(options);
    const buffer = must(device.createBuffer(groups * 4));
    const fence = must(device.createFence());
    const commands = device.createCommandBuffer();
    const ran: string[] = [];
    must(commands.callback(() => void ran.push("before")));
    must(commands.launch(request(kernelOf(device, name), groups, { kind: "buffer", buffer }, ...list.map(number))));
    must(commands.callback(() => void ran.push("behind")));
    must(commands.finalize());
    must(device.dispatch(commands, { fence }));
    // The first look runs no groups: a queue that looks once at each of its dispatches stays quick.
    expect(must(device.tryWait(fence, 0))).toBe("not_ready");
    const end = performance.now() + 20_000;
    while (must(device.tryWait(fence, 0)) !== "success") expect(performance.now(), name).toBeLessThan(end);
    expect(ran).toEqual(["before", "behind"]);
  }
});

test("mistakes of the caller are errors that name what and where", () => {
  const device = open();
  const commands = device.createCommandBuffer();
  const buffer = must(device.createBuffer(16));
  const fill = kernelOf(device, "fill");
  const list: HostArgument[] = [{ kind: "buffer", buffer }, number(1)];
  const launch = (extra: Partial<LaunchRequest>): string =>
    refusal(commands.launch({ ...request(fill, 4, ...list), ...extra }));
  expect(launch({ globalSize: [] })).toBe("invalid_value: a range has 1 to 3 dimensions, not 0");
  expect(launch({ globalSize: [4, 4] })).toBe(
    "invalid_value: global size, local size and offset have different numbers of dimensions",
  );
  expect(launch({ localSize: [0] })).toBe("invalid_value: the local size of dimension 0 is 0; it has to be at least 1");
  expect(launch({ localSize: [2000] })).toBe(
    "invalid_value: a work-group of 2000 x 1 x 1 has 2000 work-items; 1024 are the most",
  );
  expect(launch({ globalSize: [2 ** 32] })).toMatch(
    /^invalid_value: global size 4294967296 .* not both whole numbers below 2\^32$/u,
  );
  expect(launch({ globalSize: [2 ** 32 - 1], globalOffset: [2] })).toMatch(/reach beyond 2\^32$/u);
  expect(launch({ deadline: -1 })).toMatch(/^invalid_value: a deadline is a whole number of ms/u);
  expect(launch({ part: { first: [3, 0, 0], count: [2, 1, 1] } })).toBe(
    "invalid_value: the part runs groups 3 to 5 in dimension 0, but the range has 4",
  );
  expect(launch({ arguments: [{ kind: "buffer", buffer, offset: 16 }, number(1)] })).toBe(
    "invalid_value: argument 0 begins at byte 16 of a buffer of 16 bytes",
  );
  expect(launch({ arguments: [{ kind: "local", size: 40_000 }, number(1)] })).toBe(
    "out_of_memory: argument 0 needs 40000 bytes of local memory; a work-group has 32768",
  );
  expect(refusal(commands.read(buffer, 8, new Uint8Array(9)))).toBe(
    "invalid_value: 9 bytes from byte 8 on are not within a buffer of 16 bytes, or are none",
  );
  expect(refusal(commands.fill(buffer, 0, 16, new Uint8Array(0)))).toBe(
    "invalid_value: a pattern has 1 to 128 bytes, not 0",
  );
  expect(refusal(commands.copy(buffer, 0, buffer, 0, 4, [0]))).toBe(
    "invalid_value: a command cannot wait for command 0: 0 were recorded before it",
  );
  expect(
    refusal(
      commands.readBox(
        buffer,
        { start: 0, rowPitch: 8, slicePitch: 0 },
        new Uint8Array(64),
        { start: 0, rowPitch: 9, slicePitch: 0 },
        { row: 9, rows: 2, slices: 1 },
      ),
    ),
  ).toMatch(/is not within 16 bytes, or is empty$/u);
  expect(refusal(device.dispatch(commands))).toBe("invalid_value: the command buffer is not finalized");
  must(commands.finalize());
  expect(refusal(commands.callback(() => {}))).toBe(
    "invalid_value: the command buffer is finalized: reset it before recording again",
  );
  expect(refusal(open().dispatch(commands))).toBe("invalid_value: the command buffer belongs to another device");
  expect(refusal(must(device.createExecutable(testExecutable())).kernel("nobody"))).toBe(
    'missing_kernel: the executable has no kernel "nobody"; it has fill, saxpy, trap, endless, slow, empty, stray',
  );
  expect(refusal(device.createBuffer(0))).toBe("invalid_value: a buffer has at least one byte, not 0");
  must(buffer.destroy());
  expect(refusal(buffer.destroy())).toBe("invalid_value: the buffer was destroyed before");
  expect(refusal(device.createCommandBuffer().launch(request(fill, 4, ...list)))).toBe(
    "invalid_value: argument 0 is a buffer that was destroyed",
  );
});

test("required work-group sizes and local memory are checked", () => {
  const device = open();
  const executable = must(
    device.createExecutable(
      testExecutable({
        kernels: [
          kernel("empty", [], { requiredWorkGroupSize: [8, 1, 1] }),
          kernel("fill", [argument("tile", "local", 0)], { variants: [variant("fill", { staticLocalBytes: 32_000 })] }),
        ],
      }),
    ),
  );
  const commands = device.createCommandBuffer();
  expect(refusal(commands.launch(request(must(executable.kernel("empty")), 4)))).toBe(
    'invalid_value: kernel "empty" requires work-groups of 8 x 1 x 1, not 1 x 1 x 1',
  );
  expect(refusal(commands.launch(request(must(executable.kernel("fill")), 4, { kind: "local", size: 1000 })))).toBe(
    'out_of_memory: kernel "fill" needs 33024 bytes of local memory; a work-group has 32768',
  );
});

test("a debug device reports writes through null pointers, red zones those next to buffers", () => {
  const device = open({ debug: true, redZone: 128 });
  const buffer = must(device.createBuffer(64));
  const stray = kernelOf(device, "stray");
  expect(
    refusal(
      run(device, (commands) => {
        must(commands.launch(request(stray, 1, number(8))));
      }),
    ),
  ).toBe("fence_failure: a kernel wrote to address 8, which no object has: a null pointer or an index far below zero");
  const written = 'kernel "stray" wrote to byte 64 of a buffer of 64 bytes, which is no argument of it';
  expect(
    refusal(
      run(device, (commands) => {
        must(commands.launch(request(stray, 1, number(buffer.address + 64))));
        must(commands.launch(request(stray, 1, number(buffer.address))));
      }),
    ),
  ).toBe(`fence_failure: ${written}`);
  expect(buffer.destroy().ok).toBe(true);
  const other = must(device.createBuffer(64));
  new Uint8Array(other.view().buffer)[other.address - 2] = 0;
  expect(refusal(other.destroy())).toBe("failure: something wrote 2 bytes before the start of a buffer of 64 bytes");
});

test("devices of a target share memory unless they are isolated; closing fails what is in flight", () => {
  const target = new HostPlatform({ threads: 2 });
  const [first, second] = [must(target.openDevice()), must(target.openDevice())];
  const buffer = must(first.createBuffer(4));
  expect(
    run(second, (commands) => {
      must(commands.launch(request(kernelOf(second, "fill"), 1, { kind: "buffer", buffer }, number(3))));
    }).ok,
  ).toBe(true);
  expect(buffer.view()[0]).toBe(3);
  first.close();
  expect(refusal(first.createBuffer(4))).toBe("invalid_value: the device was closed");
  const fence = must(second.createFence());
  const commands = second.createCommandBuffer();
  must(commands.launch(request(kernelOf(second, "endless"), 4)));
  must(commands.finalize());
  must(second.dispatch(commands, { fence }));
  second.close();
  expect(fence.failure).toEqual({ code: "failure", message: "the device was closed" });
  const isolated = new HostPlatform({ threads: 1, isolated: true });
  const [one, other] = [must(isolated.openDevice()), must(isolated.openDevice())];
  expect(must(one.createBuffer(4)).view().buffer).not.toBe(must(other.createBuffer(4)).view().buffer);
  one.close();
  other.close();
});

test("the device info reports what is true here", () => {
  const { info } = open({ threads: 3 });
  expect(info.computeUnits).toBe(3);
  expect(info.addressCapabilities).toBe(2);
  expect(info.halfCapabilities).toBe(1 + 2 + 4 + 64);
  expect(info.doubleCapabilities).not.toBe(0);
  expect(info.imageSupport).toBe(true);
  expect(info.memorySize).toBeLessThan(2 ** 32);
});
