// SPDX-License-Identifier: Apache-2.0
// Devices, queues, command groups, launches, events, failures.
import {
  Buffer,
  Context,
  Device,
  type Event,
  LocalAccessor,
  Platform,
  Queue,
  type SyclException,
  acceleratorSelector,
  aspectSelector,
  build,
  cpuSelector,
  createWithSource,
  defaultSelector,
  gpuSelector,
  id,
  ndRange,
  range,
  selectDevice,
} from "@muxkit/sycl";

import { vi } from "vitest";

import { type ErrorRow, type Row, context, counting, errorOf, expect, kernel, mallocInts, newQueue, queue } from "./rig.ts";

const untyped = (value: unknown): never => value as never;

/** A kernel that traps when its element is past the end of memory. */
const TRAP = "kernel void trap(global int* x) { x[0x2fffffff] = 1; }";
const trap = (): ReturnType<typeof kernel> => build(createWithSource(context, TRAP)).getKernel("trap");

const DEVICE_ROWS: readonly Row[] = [
  {
    id: "devices/list",
    what: "the platform lists the devices, each as one object",
    run: () => {
      const [platform] = Platform.getPlatforms();
      expect(platform?.getDevices()).toEqual(Device.getDevices());
      expect(Device.getDevices()[0]).toBe(Device.getDevices()[0]);
      expect(Device.getDevices()[0]?.getPlatform()).toBe(platform);
      expect(platform?.getInfo("name")).toBe("Muxkit");
    },
  },
  ...(
    [
      ["name", "string"],
      ["vendor", "string"],
      ["version", "string"],
      ["max_compute_units", "number"],
      ["max_work_group_size", "number"],
      ["max_work_item_sizes", "object"],
      ["global_mem_size", "number"],
      ["max_mem_alloc_size", "number"],
      ["local_mem_size", "number"],
      ["mem_base_addr_align", "number"],
      ["sub_group_sizes", "object"],
      ["native_vector_width", "number"],
      ["aspects", "object"],
    ] as const
  ).map(([name, type]) => ({
    id: `devices/info-${name}`,
    what: `a device has the fact ${name}`,
    run: () => {
      expect(typeof queue.getDevice().getInfo(name)).toBe(type);
    },
  })),
  {
    id: "devices/selectors",
    what: "selectors score devices; the highest is taken",
    run: () => {
      expect(selectDevice()).toBe(selectDevice(defaultSelector));
      expect(selectDevice(cpuSelector).has("cpu")).toBe(true);
      expect(selectDevice(aspectSelector("cpu", "fp64")).has("fp64")).toBe(true);
      expect(selectDevice((device) => (device === queue.getDevice() ? 5 : 1))).toBe(queue.getDevice());
    },
  },
  {
    id: "devices/context-selector",
    what: "a context and a queue take a selector",
    run: () => {
      expect(new Context(cpuSelector).getDevices()).toHaveLength(1);
      expect(new Queue({ device: cpuSelector }).getDevice().has("cpu")).toBe(true);
    },
  },
  {
    id: "queues/default-context",
    what: "queues of a device share a context",
    run: () => {
      expect(new Queue().getContext()).toBe(new Queue().getContext());
      expect(newQueue().getContext()).toBe(context);
    },
  },
];

const LAUNCH_ROWS: readonly Row[] = [
  {
    id: "launches/range-1",
    what: "parallelFor runs a kernel for each place of a range",
    run: () => {
      const pointer = mallocInts(100);
      pointer.view(100).set(counting(100));
      queue.parallelFor(range(100), kernel("twice"), pointer).wait();
      expect([...pointer.view(100)]).toEqual([...counting(100)].map((value) => 2 * value));
    },
  },
  {
    id: "launches/range-2",
    what: "the last dimension is the fastest",
    run: () => {
      const pointer = mallocInts(12);
      queue.parallelFor(range(3, 4), kernel("places"), pointer, 4).wait();
      expect([...pointer.view(12)]).toEqual([0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203]);
    },
  },
  {
    id: "launches/range-3",
    what: "three dimensions are reversed likewise",
    run: () => {
      const source = "kernel void f(global int* x) { x[(get_global_id(2) * 3 + get_global_id(1)) * 4 + get_global_id(0)] = 100 * get_global_size(2) + 10 * get_global_size(1) + get_global_size(0); }";
      const pointer = mallocInts(24);
      queue.parallelFor(range(2, 3, 4), build(createWithSource(context, source)).getKernel("f"), pointer).wait();
      expect(new Set(pointer.view(24))).toEqual(new Set([234]));
    },
  },
  {
    id: "launches/offset",
    what: "a range may begin elsewhere",
    run: () => {
      const pointer = mallocInts(10);
      pointer.view(10).fill(1);
      queue.parallelFor(range(3), id(4), kernel("twice"), pointer).wait();
      expect([...pointer.view(10)]).toEqual([1, 1, 1, 1, 2, 2, 2, 1, 1, 1]);
    },
  },
  {
    id: "launches/offset-2",
    what: "offsets of two dimensions are reversed as ranges are",
    run: () => {
      const pointer = mallocInts(12);
      queue.parallelFor(range(1, 2), id(2, 1), kernel("places"), pointer, 4).wait();
      expect([...pointer.view(12)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 201, 202, 0]);
    },
  },
  {
    id: "launches/nd-range",
    what: "an nd-range has work-groups with local memory and barriers",
    run: () => {
      const pointer = mallocInts(8);
      queue.parallelFor(ndRange(range(8), range(4)), kernel("groups"), pointer, new LocalAccessor(Int32Array, 4)).wait();
      expect([...pointer.view(8)]).toEqual([3, 2, 1, 0, 7, 6, 5, 4]);
    },
  },
  {
    id: "launches/single-task",
    what: "singleTask runs a kernel once",
    run: () => {
      const pointer = mallocInts(1);
      queue.singleTask(kernel("one"), pointer).wait();
      expect(pointer.view(1)[0]).toBe(1);
    },
  },
  {
    id: "launches/empty",
    what: "a range of no places runs nothing, and its event completes",
    run: () => {
      const event = queue.parallelFor(range(0), kernel("twice"), null);
      event.wait();
      expect(event.status).toBe("complete");
    },
  },
  {
    id: "launches/set-args",
    what: "arguments may be set before the kernel is named",
    run: () => {
      const pointer = mallocInts(12);
      queue
        .submit((handler) => {
          handler.setArgs(pointer, 0);
          handler.setArg(1, 4);
          handler.parallelFor(range(3, 4), kernel("places"));
        })
        .wait();
      expect(pointer.view(12)[11]).toBe(203);
    },
  },
  {
    id: "launches/vector",
    what: "an array is a vector",
    run: () => {
      const source = "kernel void f(global int* x, int4 v, short2 w) { x[0] = v.s0 + v.s3; x[1] = w.s1; }";
      const pointer = mallocInts(2);
      queue.singleTask(build(createWithSource(context, source)).getKernel("f"), pointer, [1, 2, 3, 4], Int16Array.of(5, 6)).wait();
      expect([...pointer.view(2)]).toEqual([5, 6]);
    },
  },
  ...(["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"] as const).map((type) => ({
    id: `launches/value-${type}`,
    what: `a number is a value of type ${type}`,
    run: () => {
      const source = `kernel void f(global int* x, ${type} v) { x[0] = (int)(v * 2); }`;
      const pointer = mallocInts(1);
      queue.singleTask(build(createWithSource(context, source)).getKernel("f"), pointer, 21).wait();
      expect(pointer.view(1)[0]).toBe(42);
    },
  })),
  {
    id: "launches/repeated",
    what: "a launch that comes again has the arguments of each time",
    run: () => {
      const [left, right] = [mallocInts(1), mallocInts(1)];
      for (let i = 0; i < 10; i++) queue.singleTask(kernel("one"), i % 3 === 0 ? left : right).wait();
      expect([left.view(1)[0], right.view(1)[0]]).toEqual([4, 6]);
    },
  },
  {
    id: "launches/printf",
    what: "kernels print",
    run: () => {
      const source = 'kernel void f(void) { if (get_global_id(0) > 5) printf("item %zu\\n", get_global_id(0)); }';
      const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
      try {
        queue.parallelFor(range(8), build(createWithSource(context, source)).getKernel("f")).wait();
        expect(written.mock.calls.map(([text]) => String(text)).join("")).toBe("item 6\nitem 7\n");
      } finally {
        written.mockRestore();
      }
    },
  },
];

const QUEUE_ROWS: readonly Row[] = [
  {
    id: "queues/in-order",
    what: "a queue in order runs its groups in the order of their submission",
    run: () => {
      const on = newQueue({ inOrder: true });
      expect([on.isInOrder(), queue.isInOrder()]).toEqual([true, false]);
      const pointer = mallocInts(1);
      pointer.view(1)[0] = 1;
      for (let i = 0; i < 10; i++) on.parallelFor(range(1), kernel("twice"), pointer);
      on.wait();
      expect(pointer.view(1)[0]).toBe(1024);
    },
  },
  {
    id: "queues/depends-on",
    what: "a group waits for the events that it depends on",
    run: () => {
      const pointer = mallocInts(1);
      let last: Event = queue.singleTask(kernel("one"), pointer);
      for (let i = 0; i < 5; i++) {
        const before = last;
        last = queue.submit((handler) => {
          handler.dependsOn(before);
          handler.parallelFor(range(1), kernel("twice"), pointer);
        });
      }
      last.wait();
      expect(pointer.view(1)[0]).toBe(32);
    },
  },
  {
    id: "queues/depends-on-several",
    what: "a group waits for several events, of other queues too",
    run: () => {
      const [x, y] = [mallocInts(4), mallocInts(4)];
      const other = newQueue();
      const events = [queue.fill(x, 3, 4), other.fill(y, 4, 4)];
      const sum = newQueue().submit((handler) => {
        handler.dependsOn(events);
        handler.parallelFor(range(4), kernel("add"), x, y);
      });
      sum.wait();
      expect([...y.view(4)]).toEqual([7, 7, 7, 7]);
    },
  },
  {
    id: "queues/host-task",
    what: "a host task runs in its turn",
    run: () => {
      const on = newQueue({ inOrder: true });
      const pointer = mallocInts(1);
      const seen: (number | undefined)[] = [];
      on.singleTask(kernel("one"), pointer);
      on.submit((handler) => {
        handler.hostTask(() => {
          seen.push(pointer.view(1)[0]);
        });
      });
      on.singleTask(kernel("one"), pointer);
      on.wait();
      expect([seen, pointer.view(1)[0]]).toEqual([[1], 2]);
    },
  },
  {
    id: "queues/empty-group",
    what: "a group without a command completes",
    run: () => {
      const event = queue.submit(() => undefined);
      event.wait();
      expect(event.status).toBe("complete");
    },
  },
  {
    id: "queues/group-throws",
    what: "what the group's function throws is thrown, and nothing is submitted",
    run: () => {
      // On a queue of its own: tests of errors leave groups on the other one that wait for ever.
      const [pointer, on] = [mallocInts(1), newQueue()];
      expect(() =>
        on.submit((handler) => {
          handler.singleTask(kernel("one"), pointer);
          throw new TypeError("mine");
        }),
      ).toThrow(/mine/u);
      on.wait();
      expect(pointer.view(1)[0]).toBe(0);
    },
  },
  {
    id: "queues/dispose",
    what: "using waits for what a queue has to do",
    run: () => {
      const pointer = mallocInts(1);
      {
        using on = newQueue();
        on.singleTask(kernel("one"), pointer);
      }
      expect(pointer.view(1)[0]).toBe(1);
    },
  },
  {
    id: "queues/many",
    what: "thousands of groups run",
    run: () => {
      const on = newQueue({ inOrder: true });
      const pointer = mallocInts(1);
      for (let i = 0; i < 2000; i++) on.singleTask(kernel("one"), pointer);
      on.wait();
      expect(pointer.view(1)[0]).toBe(2000);
    },
  },
  {
    id: "events/await",
    what: "await waits for an event without blocking",
    run: async () => {
      const pointer = mallocInts(1);
      await queue.singleTask(kernel("one"), pointer);
      expect(pointer.view(1)[0]).toBe(1);
    },
  },
  {
    id: "events/done",
    what: "await queue.done() waits for all",
    run: async () => {
      const on = newQueue();
      const pointer = mallocInts(8);
      on.fill(pointer, 5, 8);
      await on.done();
      expect(pointer.view(8)[7]).toBe(5);
    },
  },
  {
    id: "events/turn",
    what: "groups run although nobody waits, when the event loop turns",
    run: async () => {
      const on = newQueue({ inOrder: true });
      const pointer = mallocInts(1);
      const events = Array.from({ length: 20 }, () => on.singleTask(kernel("one"), pointer));
      await expect.poll(() => pointer.view(1)[0], { timeout: 60_000 }).toBe(20);
      expect(pointer.view(1)[0]).toBe(20);
      expect(events.every(({ status }) => status === "complete")).toBe(true);
    },
  },
  {
    id: "events/status",
    what: "an event is submitted or running, and complete at the end",
    run: () => {
      const event = queue.singleTask(kernel("one"), mallocInts(1));
      expect(["submitted", "running", "complete"]).toContain(event.status);
      event.wait();
      expect(event.status).toBe("complete");
    },
  },
  {
    id: "events/wait-list",
    what: "an event lists what it waits for, until that is complete",
    run: () => {
      const buffer = new Buffer(Int32Array, range(4));
      const host = buffer.getHostAccess();
      const first = queue.submit((handler) => {
        handler.fill(buffer.getAccess(handler, "write"), 1);
      });
      const second = queue.submit((handler) => {
        handler.dependsOn(first);
      });
      expect(second.getWaitList()).toEqual([first]);
      host[Symbol.dispose]();
      second.wait();
      expect(second.getWaitList()).toEqual([]);
      buffer[Symbol.dispose]();
    },
  },
  {
    id: "events/profiling",
    what: "a queue that profiles tells when a group was submitted, began and ended",
    run: () => {
      const on = newQueue({ enableProfiling: true });
      expect(on.profiles).toBe(true);
      const event = on.parallelFor(range(1000), kernel("twice"), mallocInts(1000));
      event.wait();
      const [start, end] = [event.getProfilingInfo("command_start"), event.getProfilingInfo("command_end")];
      expect(end >= start).toBe(true);
      // Clocks of host and device are compared to some microseconds.
      expect(event.getProfilingInfo("command_submit") <= start + 1_000_000n).toBe(true);
    },
  },
  {
    id: "failures/event",
    what: "a kernel that traps fails its event",
    run: async () => {
      const error = await errorOf(() => newQueue().singleTask(trap(), mallocInts(1)));
      expect(error.code).toBe("runtime");
      expect(error.message).toMatch(/trap|outside|memory/u);
    },
  },
  {
    id: "failures/dependants",
    what: "what depends on a failed group is not run, and fails",
    run: async () => {
      const on = newQueue({ inOrder: true, asyncHandler: () => undefined });
      const pointer = mallocInts(1);
      const first = on.singleTask(trap(), pointer);
      const second = on.singleTask(kernel("one"), pointer);
      expect((await errorOf(() => second)).message).toMatch(/./u);
      expect((await errorOf(() => first)).code).toBe("runtime");
      expect(pointer.view(1)[0]).toBe(0);
      on.waitAndThrow();
    },
  },
  {
    id: "failures/handler",
    what: "the handler of a queue gets failures when the program asks for them",
    run: () => {
      const seen: SyclException[] = [];
      const on = newQueue({ asyncHandler: (errors) => seen.push(...errors) });
      on.singleTask(trap(), mallocInts(1));
      on.wait();
      expect(seen).toEqual([]);
      on.waitAndThrow();
      expect(seen.map(({ code }) => code)).toEqual(["runtime"]);
      on.throwAsynchronous();
      expect(seen).toHaveLength(1);
    },
  },
  {
    id: "failures/afterwards",
    what: "a queue goes on once a failure was reported",
    run: () => {
      const seen: SyclException[] = [];
      const on = newQueue({ inOrder: true, asyncHandler: (errors) => seen.push(...errors) });
      const pointer = mallocInts(1);
      on.singleTask(trap(), pointer);
      on.waitAndThrow();
      on.singleTask(kernel("one"), pointer);
      on.waitAndThrow();
      expect([seen.length, pointer.view(1)[0]]).toEqual([1, 1]);
    },
  },
];

/** All rows. */
export const QUEUE_TABLE: readonly Row[] = [...DEVICE_ROWS, ...LAUNCH_ROWS, ...QUEUE_ROWS];

/** All errors. */
export const QUEUE_ERRORS: readonly ErrorRow[] = [
  ...(
    [
      ["gpu", gpuSelector],
      ["accelerator", acceleratorSelector],
      ["aspect", aspectSelector("gpu", "cpu")],
      ["negative", () => -1],
    ] as const
  ).map(([what, selector]) => ({
    id: `errors/selector-${what}`,
    what: `a selector that takes no device (${what})`,
    code: "runtime",
    message: /the selector takes none of "/u,
    run: () => selectDevice(selector),
  })),
  {
    id: "errors/device-info",
    what: "a fact that devices do not have",
    code: "invalid",
    message: /no fact "colour"/u,
    run: () => queue.getDevice().getInfo(untyped("colour")),
  },
  {
    id: "errors/device-aspect",
    what: "an aspect that there is not",
    code: "invalid",
    message: /no aspect "fast"/u,
    run: () => queue.getDevice().has(untyped("fast")),
  },
  {
    id: "errors/range-negative",
    what: "a negative size",
    code: "invalid",
    message: /size in dimension 1 is -1/u,
    run: () => range(1, -1),
  },
  {
    id: "errors/range-fraction",
    what: "half a place",
    code: "invalid",
    message: /is 0\.5/u,
    run: () => range(0.5),
  },
  {
    id: "errors/range-dimensions",
    what: "a range of four dimensions",
    code: "invalid",
    message: /one to three dimensions, not 4/u,
    run: () => (range as (...sizes: readonly number[]) => unknown)(1, 2, 3, 4),
  },
  {
    id: "errors/id-none",
    what: "an id of no dimension",
    code: "invalid",
    message: /one to three dimensions, not 0/u,
    run: () => (id as (...sizes: readonly number[]) => unknown)(),
  },
  {
    id: "errors/id-negative",
    what: "a negative coordinate",
    code: "invalid",
    message: /coordinate in dimension 0 is -2/u,
    run: () => id(-2),
  },
  {
    id: "errors/nd-range-multiple",
    what: "a global size that is no multiple of the local one",
    code: "nd_range",
    message: /10, which is not a multiple of the local size 4/u,
    run: () => ndRange(range(10), range(4)),
  },
  {
    id: "errors/nd-range-zero",
    what: "work-groups without work-items",
    code: "nd_range",
    message: /local size 0/u,
    run: () => ndRange(range(10), range(0)),
  },
  {
    id: "errors/nd-range-dimensions",
    what: "local and global sizes of different dimensions",
    code: "nd_range",
    message: /have 1 and 2 dimensions/u,
    run: () => ndRange(range(4), untyped(range(2, 2))),
  },
  {
    id: "errors/launch-range",
    what: "a launch over what is no range",
    code: "nd_range",
    message: /no range/u,
    run: () => queue.parallelFor(untyped(4), kernel("one"), null),
  },
  {
    id: "errors/launch-offset",
    what: "an offset of other dimensions than the range",
    code: "nd_range",
    message: /range has 1 dimensions, and the offset 2/u,
    run: () => queue.parallelFor(range(4), id(1, 1), kernel("one"), null),
  },
  {
    id: "errors/launch-group-size",
    what: "a work-group that is too large",
    code: "nd_range",
    message: /too large|work-items; the device has at most/u,
    run: () => {
      const most = queue.getDevice().getInfo("max_work_group_size");
      return queue.parallelFor(ndRange(range(2 * most), range(2 * most)), kernel("twice"), null);
    },
  },
  {
    id: "errors/launch-required",
    what: "another work-group size than the kernel requires",
    code: "nd_range",
    message: /requires work-groups of 1 × 1 × 8/u,
    run: () => {
      const source = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(global int* x) { x[0] = 1; }";
      return queue.parallelFor(ndRange(range(8), range(4)), build(createWithSource(context, source)).getKernel("f"), null);
    },
  },
  {
    id: "errors/launch-required-multiple",
    what: "a range that is no multiple of the work-group size that the kernel requires",
    code: "nd_range",
    message: /not a multiple of 8/u,
    run: () => {
      const source = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(global int* x) { x[0] = 1; }";
      return queue.parallelFor(range(12), build(createWithSource(context, source)).getKernel("f"), null);
    },
  },
  {
    id: "errors/launch-too-many",
    what: "more ids than the device counts",
    code: "nd_range",
    message: /the device counts to/u,
    run: () => queue.parallelFor(range(2 ** 33), kernel("one"), null),
  },
  {
    id: "errors/argument-count-few",
    what: "too few arguments",
    code: "kernel_argument",
    message: /"add" takes 2 arguments \(x, y\), and 1 were passed/u,
    run: () => queue.parallelFor(range(1), kernel("add"), null),
  },
  {
    id: "errors/argument-count-many",
    what: "too many arguments",
    code: "kernel_argument",
    message: /"one" takes 1 arguments \(out\), and 2 were passed/u,
    run: () => queue.parallelFor(range(1), kernel("one"), null, 1),
  },
  {
    id: "errors/argument-number-for-pointer",
    what: "a number for a pointer",
    code: "kernel_argument",
    message: /argument 0 \(int\* out\) requires an accessor/u,
    run: () => queue.singleTask(kernel("one"), 5),
  },
  {
    id: "errors/argument-pointer-for-number",
    what: "a pointer for a number",
    code: "kernel_argument",
    message: /argument 1 \(float factor\) requires a value/u,
    run: () => queue.parallelFor(range(1), kernel("scale"), null, mallocInts(1)),
  },
  {
    id: "errors/argument-fraction",
    what: "half for an int",
    code: "kernel_argument",
    message: /argument 1 \(int columns\) is 0\.5; int requires integers/u,
    run: () => queue.parallelFor(range(1, 1), kernel("places"), null, 0.5),
  },
  {
    id: "errors/argument-vector",
    what: "a vector for a scalar",
    code: "kernel_argument",
    message: /has 2 values; float has 1/u,
    run: () => queue.parallelFor(range(1), kernel("scale"), null, [1, 2]),
  },
  {
    id: "errors/argument-bytes",
    what: "an array of other bytes than the argument has",
    code: "kernel_argument",
    message: /has 8 bytes; float has 4/u,
    run: () => queue.parallelFor(range(1), kernel("scale"), null, Float64Array.of(1)),
  },
  {
    id: "errors/argument-local",
    what: "a pointer for local memory",
    code: "kernel_argument",
    message: /argument 1 \(local int\* shared\) requires local memory/u,
    run: () => queue.parallelFor(range(4), kernel("groups"), null, null),
  },
  {
    id: "errors/argument-unset",
    what: "an argument that was not set",
    code: "kernel_argument",
    message: /argument 0 is not set/u,
    run: () =>
      queue.submit((handler) => {
        handler.setArg(1, 4);
        handler.parallelFor(range(1, 1), kernel("places"));
      }),
  },
  {
    id: "errors/argument-index",
    what: "an argument that there cannot be",
    code: "kernel_argument",
    message: /there is no argument -1/u,
    run: () =>
      queue.submit((handler) => {
        handler.setArg(-1, 4);
      }),
  },
  {
    id: "errors/local-none",
    what: "no local memory",
    code: "accessor",
    message: /at least one element/u,
    run: () => new LocalAccessor(Int32Array, 0),
  },
  {
    id: "errors/local-too-much",
    what: "more local memory than there is",
    code: "accessor",
    message: /bytes of local memory; a work-group has/u,
    run: () => queue.parallelFor(range(4), kernel("groups"), null, new LocalAccessor(Int32Array, 2 ** 26)),
  },
  {
    id: "errors/two-commands",
    what: "two commands in a group",
    code: "invalid",
    message: /has a command already; submit another group/u,
    run: () =>
      queue.submit((handler) => {
        handler.singleTask(kernel("one"), null);
        handler.singleTask(kernel("one"), null);
      }),
  },
  {
    id: "errors/handler-later",
    what: "a handler after its group",
    code: "invalid",
    message: /use the handler inside of it only/u,
    run: () => {
      let kept: { hostTask: (task: () => void) => void } | null = null;
      queue.submit((handler) => {
        kept = handler;
      });
      (kept as unknown as { hostTask: (task: () => void) => void }).hostTask(() => undefined);
    },
  },
  {
    id: "errors/depends-on-nothing",
    what: "a dependence on what is no event",
    code: "invalid",
    message: /depends on events/u,
    run: () =>
      queue.submit((handler) => {
        handler.dependsOn(untyped(null));
      }),
  },
  {
    id: "errors/host-task-none",
    what: "a host task that is no function",
    code: "invalid",
    message: /a host task is a function/u,
    run: () =>
      queue.submit((handler) => {
        handler.hostTask(untyped(5));
      }),
  },
  {
    id: "errors/host-task-throws",
    what: "a host task that throws",
    code: "runtime",
    message: /the host task has thrown: oh/u,
    run: () =>
      newQueue().submit((handler) => {
        handler.hostTask(() => {
          throw new Error("oh");
        });
      }),
  },
  {
    id: "errors/queue-device",
    what: "a queue for a device that is not the context's",
    code: "invalid",
    message: /not a device of the context/u,
    run: () => new Queue({ context, device: new Device(queue.getDevice().info) }),
  },
  {
    id: "errors/queue-throws",
    what: "waiting for a queue without a handler throws the first failure",
    code: "runtime",
    message: /trap|outside|memory/u,
    run: () => {
      const on = newQueue();
      on.singleTask(trap(), mallocInts(1));
      on.wait();
    },
  },
  {
    id: "errors/profiling-off",
    what: "times of a queue that does not measure them",
    code: "invalid",
    message: /make it with enableProfiling: true/u,
    run: () => queue.singleTask(kernel("one"), null).getProfilingInfo("command_start"),
  },
  {
    id: "errors/profiling-failed",
    what: "times of a group that failed",
    code: "profiling",
    message: /has failed and has no times/u,
    run: async () => {
      const on = newQueue({ enableProfiling: true, asyncHandler: () => undefined });
      const event = on.singleTask(trap(), mallocInts(1));
      await errorOf(() => event);
      return event.getProfilingInfo("command_end");
    },
  },
  {
    id: "errors/profiling-early",
    what: "times of a group that is held back",
    code: "profiling",
    message: /not complete; wait for it first/u,
    run: () => {
      const on = newQueue({ enableProfiling: true });
      const buffer = new Buffer(Int32Array, range(4));
      buffer.getHostAccess();
      const event = on.submit((handler) => {
        handler.fill(buffer.getAccess(handler, "write"), 1);
      });
      return event.getProfilingInfo("command_end");
    },
  },
];
