// SPDX-License-Identifier: Apache-2.0
// Graphs of commands drawn at random over queues of the host and of two GPUs, with user events and failures, against a
// model: each command's status, what every read saw, and the bytes of every buffer in the end.
//
// Buffers have quarters. What uses the same quarter of a buffer is ordered by wait lists, unless both only read it:
// then the commands could run one after the other as they were enqueued, and the model runs them so. Everything else
// may overlap.
import {
  type Buffer,
  CL_COMPLETE,
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MAP_WRITE_INVALIDATE_REGION,
  CL_MEM_READ_WRITE,
  CL_MIGRATE_MEM_OBJECT_HOST,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  type CommandQueue,
  type Device,
  type Event,
  type Kernel,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateSubBuffer,
  clCreateUserEvent,
  clEnqueueCopyBuffer,
  clEnqueueFillBuffer,
  clEnqueueMapBuffer,
  clEnqueueMigrateMemObjects,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clFinish,
  clFinishAsync,
  clFlush,
  clGetEventInfo,
  clReleaseCommandQueue,
  clReleaseEvent,
  clReleaseMemObject,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Rig, host, intsOf, newGpus, setArguments } from "./several-memories-rig.ts";

const SOURCE = `
kernel void mix(global uint* out, global const uint* in, uint k) {
  size_t i = get_global_id(0);
  out[i] = out[i] * 31u + in[i] + k;
}
kernel void fault(global uint* out) { out[0x2fffffff] = 1; }
`;
const QUARTERS = 4;
/** Integers in a quarter, which begins where a sub-buffer can. */
const EACH = 64;
const WORDS = QUARTERS * EACH;
const BUFFERS = 3;

/** The devices that a graph runs on, and what it runs there. */
interface World {
  readonly rig: Rig;
  readonly mix: Kernel;
  readonly fault: Kernel;
  /** What the kernel that fails gets. */
  readonly scratch: Buffer;
}

/** GPUs that read each other's memory, or whose bytes go by the host. */
function worldOf(reachesPeers: boolean): World {
  const [left, right] = newGpus({ count: 2, reachesPeers }) as [Device, Device];
  const rig = new Rig([left, host, right]);
  const [mix, fault] = rig.kernels(SOURCE, "mix", "fault") as [Kernel, Kernel];
  return { rig, mix, fault, scratch: rig.ints(0) };
}

const BY_HOST = worldOf(false);
const BY_PEERS = worldOf(true);

/** Part of a buffer: a quarter, or all of it. */
interface Part {
  readonly buffer: number;
  /** Null: the whole buffer. */
  readonly quarter: number | null;
}

type Kind = "kernel" | "fault" | "fill" | "write" | "read" | "copy" | "native" | "migrate" | "map";

interface CommandStep {
  readonly do: "command";
  readonly kind: Kind;
  readonly queue: number;
  readonly to: Part;
  readonly from: Part;
  /** First integer and their number in the quarter, for what writes a part of it. */
  readonly at: number;
  readonly count: number;
  readonly value: number;
  readonly waits: readonly number[];
}

type Step =
  | CommandStep
  | { readonly do: "gate"; readonly fails: boolean }
  | { readonly do: "open"; readonly gate: number }
  | { readonly do: "flush" | "wait" | "look"; readonly at: number };

const part: fc.Arbitrary<Part> = fc.record({
  buffer: fc.nat(BUFFERS - 1),
  quarter: fc.option(fc.nat(QUARTERS - 1), { freq: 3 }),
});
const command: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("command" as const),
  kind: fc.constantFrom<Kind>(
    ...(["kernel", "kernel", "kernel", "kernel", "fill", "write", "write", "read", "copy", "native"] as const),
    ...(["migrate", "map", "fault"] as const),
  ),
  queue: fc.nat(5),
  to: part,
  from: part,
  at: fc.nat(EACH - 1),
  count: fc.integer({ min: 1, max: EACH }),
  value: fc.nat(1000),
  waits: fc.array(fc.nat(5), { maxLength: 2 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: command },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gate" as const), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("open" as const), gate: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("flush", "wait", "look"), at: fc.nat(7) }) },
);

/** A command or user event, and the status that it must end with. */
interface Item {
  readonly event: Event;
  readonly what: string;
  readonly status: number;
  readonly isGate: boolean;
  isOpen: boolean;
}

/** Commands that a later one has to come after. */
interface Users {
  writer: Item | null;
  readers: Item[];
}

function quartersOf({ buffer, quarter }: Part): readonly number[] {
  return quarter === null
    ? Array.from({ length: QUARTERS }, (_, i) => buffer * QUARTERS + i)
    : [buffer * QUARTERS + quarter];
}

const firstOf = ({ quarter }: Part): number => (quarter ?? 0) * EACH;
const sizeOf = ({ quarter }: Part): number => (quarter === null ? WORDS : EACH);

/** What a command does in the model, and in a queue. */
interface Action {
  readonly reads: readonly Part[];
  readonly writes: readonly Part[];
  readonly give: (queue: CommandQueue, waits: readonly Event[]) => Event;
  readonly model: () => void;
  readonly fails?: boolean;
}

/** One graph, on the devices and in the model. */
class Run {
  readonly #world: World;
  readonly #queues: readonly CommandQueue[];
  readonly #buffers: readonly Buffer[];
  readonly #parts: readonly (readonly Buffer[])[];
  readonly #model = Array.from({ length: BUFFERS }, () => new Uint32Array(WORDS));
  readonly #users = Array.from({ length: BUFFERS * QUARTERS }, (): Users => ({ writer: null, readers: [] }));
  readonly #items: Item[] = [];
  readonly #seen: { readonly item: () => Item; readonly got: Uint32Array; readonly wanted: Uint32Array }[] = [];
  readonly #wrong: string[] = [];

  constructor(world: World, orders: readonly boolean[]) {
    const { rig } = world;
    this.#world = world;
    this.#queues = orders.map((isInOrder, i) =>
      clCreateCommandQueue(
        rig.context,
        rig.devices[i % rig.devices.length] ?? host,
        isInOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
      ),
    );
    // The first buffer has contents, the others get them here or there.
    this.#buffers = this.#model.map((values, i) => {
      if (i > 0) return clCreateBuffer(rig.context, CL_MEM_READ_WRITE, WORDS * 4);
      values.forEach((_, at) => (values[at] = at * 7));
      return rig.ints(...values);
    });
    this.#parts = this.#buffers.map((buffer) =>
      Array.from({ length: QUARTERS }, (_, i) =>
        clCreateSubBuffer(buffer, 0, { origin: i * EACH * 4, size: EACH * 4 }),
      ),
    );
    for (const [i, buffer] of this.#buffers.entries()) {
      const to: Part = { buffer: i, quarter: null };
      if (i > 0)
        this.#enqueue(i, {
          reads: [],
          writes: [to],
          give: (queue) => clEnqueueFillBuffer(queue, buffer, Uint32Array.of(i), 0, WORDS * 4),
          model: () => this.#model[i]?.fill(i),
        });
    }
  }

  play(steps: readonly Step[]): void {
    for (const one of steps) {
      if (one.do === "command") this.#command(one);
      else if (one.do === "gate")
        this.#items.push({
          event: clCreateUserEvent(this.#world.rig.context),
          what: "gate",
          status: one.fails ? -3 : CL_COMPLETE,
          isGate: true,
          isOpen: false,
        });
      else if (one.do === "open") this.#open(one.gate);
      else this.#ask(one.do, one.at);
    }
  }

  get #isClosed(): boolean {
    return this.#items.some(({ isGate, isOpen }) => isGate && !isOpen);
  }

  #command(given: CommandStep): void {
    const action = this.#action(given);
    if (action === null) return;
    const more = given.waits.flatMap((back) => this.#items.at(-1 - back) ?? []);
    this.#enqueue(given.queue, action, more, `${this.#items.length} ${JSON.stringify(given)}`);
  }

  #enqueue(queue: number, action: Action, more: readonly Item[] = [], what = "fill of a new buffer"): void {
    const before = new Set(more);
    const used = [
      ...action.reads.map((one) => ({ part: one, isWritten: false })),
      ...action.writes.map((one) => ({ part: one, isWritten: true })),
    ];
    for (const { part: one, isWritten } of used) {
      for (const quarter of quartersOf(one)) {
        const { writer, readers } = this.#users[quarter] as Users;
        if (writer !== null) before.add(writer);
        if (isWritten) for (const reader of readers) before.add(reader);
      }
    }
    const isStopped = [...before].some(({ status }) => status < 0);
    const item: Item = {
      event: action.give(
        this.#queues[queue % this.#queues.length] as CommandQueue,
        [...before].map(({ event }) => event),
      ),
      what,
      status: isStopped ? -14 : action.fails === true ? -5 : CL_COMPLETE,
      isGate: false,
      isOpen: true,
    };
    this.#items.push(item);
    if (item.status !== CL_COMPLETE) return;
    action.model();
    for (const { part: one, isWritten } of used)
      for (const quarter of quartersOf(one)) {
        const users = this.#users[quarter] as Users;
        if (isWritten) {
          users.writer = item;
          users.readers = [];
        } else users.readers.push(item);
      }
  }

  #bufferOf({ buffer, quarter }: Part): Buffer {
    return (quarter === null ? this.#buffers[buffer] : this.#parts[buffer]?.[quarter]) as Buffer;
  }

  #wordsOf(one: Part): Uint32Array {
    return (this.#model[one.buffer] as Uint32Array).subarray(firstOf(one), firstOf(one) + sizeOf(one));
  }

  #action({ kind, to, from: given, at, count: asked, value }: CommandStep): Action | null {
    const target = this.#bufferOf(to);
    const count = Math.min(asked, EACH - at);
    const words = this.#wordsOf(to);
    const { mix, fault, scratch } = this.#world;
    const from: Part = { buffer: given.buffer, quarter: to.quarter };
    const isSelf = from.buffer === to.buffer;
    const actions: Readonly<Record<Kind, () => Action | null>> = {
      kernel: () => {
        if (isSelf) return null;
        const source = this.#wordsOf(from);
        return {
          reads: [from],
          writes: [to],
          give: (queue, waits) => {
            setArguments(mix, target, this.#bufferOf(from), Uint32Array.of(value));
            return clEnqueueNDRangeKernel(queue, mix, 1, null, [sizeOf(to)], null, waits);
          },
          model: () => words.forEach((old, i) => (words[i] = Math.imul(old, 31) + (source[i] ?? 0) + value)),
        };
      },
      fault: () => ({
        reads: [],
        writes: [],
        // A GPU would be lost.
        give: (_queue, waits) => {
          setArguments(fault, scratch);
          return clEnqueueNDRangeKernel(this.#queues[1] as CommandQueue, fault, 1, null, [1], null, waits);
        },
        model: () => undefined,
        fails: true,
      }),
      fill: () => ({
        reads: [],
        writes: [to],
        give: (queue, waits) => clEnqueueFillBuffer(queue, target, Uint32Array.of(value), at * 4, count * 4, waits),
        model: () => words.fill(value, at, at + count),
      }),
      write: () => {
        const array = Uint32Array.from({ length: count }, (_, i) => value + i * 3);
        return {
          reads: [],
          writes: [to],
          give: (queue, waits) => clEnqueueWriteBuffer(queue, target, false, at * 4, count * 4, array, waits),
          model: () => words.set(array, at),
        };
      },
      read: () => {
        const got = new Uint32Array(sizeOf(to));
        const place = this.#items.length;
        return {
          reads: [to],
          writes: [],
          give: (queue, waits) => clEnqueueReadBuffer(queue, target, false, 0, sizeOf(to) * 4, got, waits),
          model: () => this.#seen.push({ item: () => this.#items[place] as Item, got, wanted: words.slice() }),
        };
      },
      copy: () => {
        if (isSelf) return null;
        const source = this.#wordsOf(from);
        return {
          reads: [from],
          writes: [to],
          give: (queue, waits) =>
            clEnqueueCopyBuffer(queue, this.#bufferOf(from), target, at * 4, at * 4, count * 4, waits),
          model: () => words.set(source.subarray(at, at + count), at),
        };
      },
      native: () => ({
        reads: [],
        writes: [to],
        give: (queue, waits) =>
          clEnqueueNativeKernel(
            queue,
            (bytes) => {
              const view = new Uint32Array(bytes.buffer, bytes.byteOffset, sizeOf(to));
              view.forEach((old, i) => (view[i] = old ^ value));
            },
            [target],
            waits,
          ),
        model: () => words.forEach((old, i) => (words[i] = old ^ value)),
      }),
      migrate: () => ({
        reads: [to],
        writes: [],
        give: (queue, waits) =>
          clEnqueueMigrateMemObjects(queue, [target], value % 2 === 0 ? 0 : CL_MIGRATE_MEM_OBJECT_HOST, waits),
        model: () => undefined,
      }),
      map: () => this.#map(to, target, words, at, count, value),
    };
    return actions[kind]();
  }

  /**
   * A map that is written once it is complete, and unmapped by another queue: while no user event holds things back.
   */
  #map(to: Part, target: Buffer, words: Uint32Array, at: number, count: number, value: number): Action | null {
    if (this.#isClosed) return null;
    const invalidates = value % 3 === 0;
    return {
      reads: [],
      writes: [to],
      give: (queue, waits) => {
        if (waits.some((wait) => (this.#items.find(({ event }) => event === wait)?.status ?? 0) < 0))
          return clEnqueueMigrateMemObjects(queue, [target], 0, waits);
        const flags = invalidates ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ | CL_MAP_WRITE;
        const { array } = clEnqueueMapBuffer(queue, target, true, flags, at * 4, count * 4, waits);
        const view = new Uint32Array(array.buffer, array.byteOffset, count);
        view.forEach((old, i) => {
          const wanted = words[at + i];
          if (!invalidates && old !== wanted) this.#wrong.push(`a map showed ${old} instead of ${wanted}`);
          view[i] = value + i;
        });
        return clEnqueueUnmapMemObject(this.#queues[value % this.#queues.length] as CommandQueue, target, array);
      },
      model: () => {
        for (let i = 0; i < count; i++) words[at + i] = value + i;
      },
    };
  }

  #open(index: number): void {
    const closed = this.#items.filter(({ isGate, isOpen }) => isGate && !isOpen);
    const gate = closed[index % Math.max(1, closed.length)];
    if (gate === undefined) return;
    gate.isOpen = true;
    clSetUserEventStatus(gate.event, gate.status);
  }

  #ask(what: "flush" | "wait" | "look", at: number): void {
    const item = this.#items.at(-1 - at);
    if (what === "flush") clFlush(this.#queues[at % this.#queues.length] as CommandQueue);
    if (item === undefined || what === "flush") return;
    if (what === "look") {
      const status = clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS");
      if (status <= 0) this.#compare(item, status);
      return;
    }
    if (this.#isClosed) return;
    try {
      clWaitForEvents([item.event]);
    } catch (error) {
      if (item.status === CL_COMPLETE) this.#wrong.push(`${item.what}: waiting threw ${String(error)}`);
    }
    this.#compare(item, clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
  }

  #compare({ what, status, event }: Item, got: number): void {
    if (got !== status) this.#wrong.push(`${what}: status ${got} instead of ${status}: ${event.error?.message ?? ""}`);
  }

  /** Waits for everything and compares it with the model: returns the differences. */
  async finish(blocks: boolean): Promise<readonly string[]> {
    while (this.#isClosed) this.#open(0);
    for (const queue of this.#queues) {
      if (blocks) clFinish(queue);
      // One after the other, as a program would.
      // eslint-disable-next-line no-await-in-loop
      else await clFinishAsync(queue);
    }
    for (const item of this.#items)
      this.#compare(item, clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
    for (const { item, got, wanted } of this.#seen)
      if (got.join() !== wanted.join())
        this.#wrong.push(`${item().what}: read ${got.join()} instead of ${wanted.join()}`);
    for (const [i, buffer] of this.#buffers.entries()) {
      const got = Uint32Array.from(intsOf(this.#queues[i % this.#queues.length] as CommandQueue, buffer));
      const wanted = this.#model[i] as Uint32Array;
      const at = got.findIndex((value, place) => value !== wanted[place]);
      if (at >= 0) this.#wrong.push(`buffer ${i} has ${got[at]} at ${at} instead of ${wanted[at]}`);
    }
    for (const { event } of this.#items) clReleaseEvent(event);
    for (const queue of this.#queues) clReleaseCommandQueue(queue);
    for (const buffer of [...this.#parts.flat(), ...this.#buffers]) clReleaseMemObject(buffer);
    return this.#wrong;
  }
}

test("graphs of commands over the queues of three memories: every status, every read, every byte", async () => {
  const graphs = fc.record({
    orders: fc.array(fc.boolean(), { minLength: 3, maxLength: 5 }),
    blocks: fc.boolean(),
    reachesPeers: fc.boolean(),
    steps: fc.array(step, { minLength: 1, maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(graphs, async ({ orders, blocks, reachesPeers, steps }) => {
      const run = new Run(reachesPeers ? BY_PEERS : BY_HOST, orders);
      run.play(steps);
      expect(await run.finish(blocks)).toEqual([]);
    }),
    { numRuns: Number(process.env["MUXKIT_GRAPHS"] ?? 100) },
  );
});
