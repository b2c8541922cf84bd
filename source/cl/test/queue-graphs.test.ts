// SPDX-License-Identifier: Apache-2.0
// Graphs of commands drawn at random over queues of both kinds, with user events, failures, markers and barriers,
// against a model of the specification: each command's status, and that it saw all that it had to come after.
import {
  CL_COMPLETE,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PROFILING_ENABLE,
  type CommandQueue,
  type Event,
  clCreateUserEvent,
  clEnqueueBarrierWithWaitList,
  clEnqueueFillBuffer,
  clEnqueueMarkerWithWaitList,
  clEnqueueNDRangeKernel,
  clEnqueueNativeKernel,
  clFinish,
  clFinishAsync,
  clFlush,
  clGetEventInfo,
  clReleaseCommandQueue,
  clReleaseEvent,
  clReleaseMemObject,
  clSetKernelArg,
  clSetUserEventStatus,
  clWaitForEvents,
} from "@muxkit/opencl";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { GRAPH_SOURCE, combined } from "./graph-kernels.ts";
import { context, int, ints, kernelsOf, newQueue, readInts } from "./rig.ts";

const [stepKernel, faultKernel] = kernelsOf(GRAPH_SOURCE, "", ["step", "fault"]);
const MOST = 40;

/** What a command does. Those of \`DATA\` write a slot of their own. */
type Kind = "step" | "fault" | "fill" | "native" | "marker" | "barrier";

interface CommandStep {
  readonly do: "command";
  readonly kind: Kind;
  readonly queue: number;
  /** Commands and user events before it, counted from the last one backwards. */
  readonly waits: readonly number[];
  readonly delay: number;
}

type Step =
  | CommandStep
  | { readonly do: "gate" }
  | { readonly do: "set"; readonly gate: number; readonly fails: boolean }
  | { readonly do: "flush" | "wait" | "look"; readonly at: number };

const command: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("command" as const),
  kind: fc.constantFrom<Kind>("step", "step", "step", "step", "fill", "native", "fault", "marker", "barrier"),
  queue: fc.nat(3),
  waits: fc.array(fc.nat(5), { maxLength: 3 }),
  delay: fc.constantFrom(0, 0, 1000, 50_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: command },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gate" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("set" as const), gate: fc.nat(3), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("flush", "wait", "look"), at: fc.nat(7) }) },
);

/** A command or user event: what the device made of it, and what it should. */
interface Item {
  readonly event: Event;
  readonly kind: Kind | "gate";
  readonly queue: number;
  readonly waits: readonly Item[];
  /** Slot of its result; -1: it has none. */
  readonly place: number;
  /** Commands that it comes after though no wait list names them. */
  readonly predecessors: readonly Item[];
  /** Of a user event: what it was set to; null: it was not. */
  set: number | null;
  /** Slots that it saw. */
  seen: readonly number[];
}

const DATA: ReadonlySet<Kind | "gate"> = new Set<Kind | "gate">(["step", "fault", "fill", "native"]);

function statusOf(item: Item): number {
  if (item.kind === "gate") return item.set ?? CL_COMPLETE;
  if (item.waits.some((wait) => statusOf(wait) < 0)) return -14;
  return item.kind === "fault" ? -5 : CL_COMPLETE;
}

/**
 * True when an item may not come to its end well: then what comes after it without waiting for it need not come after
 * what it waited for.
 */
function mayFail({ kind, waits, set }: Item): boolean {
  return kind === "fault" || (kind === "gate" && set !== CL_COMPLETE) || waits.some(mayFail);
}

/**
 * Slots whose results an item has to see: its own for data, and for markers and barriers those that they come after.
 * Failed commands contribute none.
 */
function visible(item: Item): readonly number[] {
  if (DATA.has(item.kind)) return [item.place];
  return item.kind === "gate" || mayFail(item) ? [] : seenBy(item);
}

function seenBy({ waits, predecessors }: Item): readonly number[] {
  return [...new Set([...waits, ...predecessors].flatMap(visible))].toSorted((a, b) => a - b);
}

/** One graph, on the device and in the model. */
class Run {
  readonly #orders: readonly boolean[];
  readonly #queues: readonly CommandQueue[];
  readonly #items: Item[] = [];
  readonly #out = ints(...Array.from({ length: MOST }, () => 0));
  readonly #view: Uint32Array;
  readonly #lists: { readonly buffer: ReturnType<typeof ints> }[] = [];
  readonly #wrong: string[] = [];
  #places = 0;

  constructor(orders: readonly boolean[], profiled: boolean) {
    this.#orders = orders;
    this.#queues = orders.map((isInOrder) =>
      newQueue((isInOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) | (profiled ? CL_QUEUE_PROFILING_ENABLE : 0)),
    );
    const bytes = this.#out.view("a test", 0, MOST * 4);
    this.#view = new Uint32Array(bytes.buffer, bytes.byteOffset, MOST);
  }

  play(steps: readonly Step[]): void {
    for (const one of steps) {
      if (one.do === "command") this.#enqueue(one);
      else if (one.do === "gate")
        this.#items.push({
          event: clCreateUserEvent(context),
          kind: "gate",
          queue: -1,
          waits: [],
          place: -1,
          predecessors: [],
          set: null,
          seen: [],
        });
      else if (one.do === "set") this.#set(one.gate, one.fails);
      else this.#ask(one.do, one.at);
    }
  }

  #enqueue({ kind, queue: number, waits: back, delay }: CommandStep): void {
    if (this.#places === MOST) return;
    const place = DATA.has(kind) ? this.#places++ : -1;
    const queueNumber = number % this.#queues.length;
    const queue = this.#queues[queueNumber] as CommandQueue;
    const waits = [...new Set(back.flatMap((one) => this.#items.at(-1 - one) ?? []))];
    const events = waits.map(({ event }) => event);
    const predecessors = this.#predecessors(kind, queueNumber, waits.length > 0);
    const planned = { kind, queue: queueNumber, waits, place, predecessors, set: null } as const;
    const seen = seenBy({ ...planned, event: undefined as unknown as Event, seen: [] });
    this.#items.push({ ...planned, seen, event: this.#give(kind, queue, events, place, seen, delay) });
  }

  #give(
    kind: Kind,
    queue: CommandQueue,
    events: readonly Event[],
    place: number,
    seen: readonly number[],
    delay: number,
  ): Event {
    const run: Readonly<Record<Kind, () => Event>> = {
      marker: () => clEnqueueMarkerWithWaitList(queue, events),
      barrier: () => clEnqueueBarrierWithWaitList(queue, events),
      fill: () => clEnqueueFillBuffer(queue, this.#out, int(place + 1), place * 4, 4, events),
      native: () =>
        clEnqueueNativeKernel(
          queue,
          () => {
            this.#view[place] = combined(place, seen, this.#view);
          },
          [this.#out],
          events,
        ),
      step: () => this.#launch("step", queue, events, place, seen, delay),
      fault: () => this.#launch("fault", queue, events, place, seen, delay),
    };
    return run[kind]();
  }

  #launch(
    name: "step" | "fault",
    queue: CommandQueue,
    events: readonly Event[],
    place: number,
    seen: readonly number[],
    delay: number,
  ): Event {
    const kernel = name === "step" ? stepKernel : faultKernel;
    if (kernel === undefined) throw new Error("the program has the kernel");
    const list = ints(...seen, 0);
    this.#lists.push({ buffer: list });
    for (const [i, value] of [this.#out, list, int(0), int(seen.length), int(place), int(delay)].entries())
      clSetKernelArg(kernel, i, value);
    return clEnqueueNDRangeKernel(queue, kernel, 1, null, [1], [1], events);
  }

  /** Items of the same queue that come first, whatever the status of their events. */
  #predecessors(kind: Kind, queue: number, hasWaits: boolean): readonly Item[] {
    const before = this.#items.filter((item) => item.queue === queue);
    if (this.#orders[queue] === true || ((kind === "marker" || kind === "barrier") && !hasWaits)) return before;
    return before.filter((item) => item.kind === "barrier");
  }

  #set(index: number, fails: boolean): void {
    const open = this.#items.filter((item) => item.kind === "gate" && item.set === null);
    const gate = open[index % Math.max(1, open.length)];
    if (gate === undefined) return;
    gate.set = fails ? -3 : CL_COMPLETE;
    clSetUserEventStatus(gate.event, gate.set);
  }

  #ask(what: "flush" | "wait" | "look", at: number): void {
    const item = this.#items.at(-1 - at);
    if (what === "flush") clFlush(this.#queues[at % this.#queues.length] as CommandQueue);
    if (item === undefined || what === "flush") return;
    if (what === "look") {
      // Nothing is complete in another way than it is in the end; not yet is always possible.
      const status = clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS");
      if (status <= 0) this.#compare(item, status);
      return;
    }
    if (this.#items.some(({ kind, set }) => kind === "gate" && set === null)) return;
    try {
      clWaitForEvents([item.event]);
    } catch (error) {
      if (statusOf(item) === CL_COMPLETE) this.#wrong.push(`${this.#describe(item)}: waiting threw ${String(error)}`);
    }
    this.#compare(item, clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
  }

  #describe(item: Item): string {
    return (
      `${this.#items.indexOf(item)} ${item.kind} of queue ${item.queue}, waits for ` +
      `[${item.waits.map((wait) => this.#items.indexOf(wait)).join()}]`
    );
  }

  #compare(item: Item, status: number): void {
    if (status !== statusOf(item))
      this.#wrong.push(`${this.#describe(item)}: status ${status} instead of ${statusOf(item)}`);
  }

  /** Waits for everything and compares it with the model: returns the differences. */
  async finish(blocks: boolean): Promise<readonly string[]> {
    while (this.#items.some(({ kind, set }) => kind === "gate" && set === null)) this.#set(0, false);
    for (const queue of this.#queues) {
      if (blocks) clFinish(queue);
      // One after the other, as a program would.
      // eslint-disable-next-line no-await-in-loop
      else await clFinishAsync(queue);
    }
    const wanted = new Uint32Array(MOST);
    const got = readInts(newQueue(), this.#out).map((value) => value >>> 0);
    for (const item of this.#items) {
      this.#compare(item, clGetEventInfo(item.event, "CL_EVENT_COMMAND_EXECUTION_STATUS"));
      if (item.place < 0) continue;
      if (statusOf(item) === CL_COMPLETE)
        wanted[item.place] = item.kind === "fill" ? item.place + 1 : combined(item.place, item.seen, wanted);
      if (got[item.place] !== wanted[item.place])
        this.#wrong.push(`${this.#describe(item)}: result ${got[item.place]} instead of ${wanted[item.place]}`);
    }
    this.#release();
    return this.#wrong;
  }

  #release(): void {
    for (const { event } of this.#items) clReleaseEvent(event);
    for (const queue of this.#queues) clReleaseCommandQueue(queue);
    for (const { buffer } of this.#lists) clReleaseMemObject(buffer);
    clReleaseMemObject(this.#out);
  }
}

const graphs = fc.record({
  orders: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  profiled: fc.boolean(),
  blocks: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 60 }),
});

/** A barrier that fails at once while an earlier one is incomplete: what comes next still comes after that one. */
const FAILED_BARRIER = {
  orders: [false],
  profiled: false,
  blocks: false,
  steps: [
    { do: "gate" },
    ...(["step", "step", "barrier", "step"] as const).map(newCommand),
    { do: "set", gate: 0, fails: true },
    { ...newCommand("barrier"), waits: [4] },
    newCommand("native"),
    { do: "flush", at: 0 },
  ] satisfies readonly Step[],
};

function newCommand(kind: Kind): CommandStep {
  return { do: "command", kind, queue: 0, waits: [], delay: kind === "step" ? 50_000 : 0 };
}

test("graphs of commands over queues of both kinds: every status, and everybody sees what comes first", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async ({ orders, profiled, blocks, steps }) => {
      const run = new Run(orders, profiled);
      run.play(steps);
      expect(await run.finish(blocks)).toEqual([]);
    }),
    { numRuns: 300, examples: [[{ ...FAILED_BARRIER, steps: [...FAILED_BARRIER.steps] }]] },
  );
});

test("graphs without failures or user events, larger", async () => {
  const calm = graphs.map(({ steps, ...rest }) => ({
    ...rest,
    steps: steps.filter(
      (one) => one.do !== "gate" && one.do !== "set" && !(one.do === "command" && one.kind === "fault"),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(calm, { minLength: 1, maxLength: 3 }), fc.boolean(), async (list, blocks) => {
      const runs = list.map(({ orders, profiled, steps }) => {
        const run = new Run(orders, profiled);
        run.play(steps);
        return run;
      });
      // eslint-disable-next-line no-await-in-loop
      for (const run of runs) expect(await run.finish(blocks)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
