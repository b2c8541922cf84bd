// SPDX-License-Identifier: Apache-2.0
// MUXKIT_TRACE: a file that Perfetto reads, with calls, passes, commands and work-groups where and when they were.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Tracer, groupBy } from "@muxkit/cargo";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "muxkit-trace-"));

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: number;
  readonly bp?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

interface Trace {
  readonly traceEvents: readonly TraceEvent[];
  readonly otherData: { readonly events: number; readonly dropped: number };
}

function traced(
  file: string,
  more: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly out: string; readonly error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, "trace-child.ts")],
    {
      encoding: "utf8",
      env: {
        ...process.env,
        MUXKIT_CACHE: "off",
        NODE_OPTIONS: undefined,
        ...(file === "" ? {} : { MUXKIT_TRACE: file }),
        ...more,
      },
    },
  );
  return { status, out: stdout, error: stderr };
}

const readTrace = (file: string): Trace => JSON.parse(readFileSync(file, "utf8")) as Trace;

interface Span extends TraceEvent {
  readonly ts: number;
  readonly dur: number;
}

const spansOf = ({ traceEvents }: Trace, category: string): readonly Span[] =>
  traceEvents.filter(
    (event): event is Span =>
      event.ph === "X" && event.cat === category && event.ts !== undefined && event.dur !== undefined,
  );

/** Spans of one row that overlap without one being inside of the other. */
function crossings(spans: readonly Span[]): number {
  // Clocks have a grain: ends and begins that are a hundredth of a microsecond apart are one moment.
  const grain = 0.01;
  const open: number[] = [];
  let count = 0;
  for (const { ts, dur } of spans.toSorted((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    while ((open.at(-1) ?? Infinity) <= ts + grain) open.pop();
    if ((open.at(-1) ?? Infinity) < ts + dur - grain) count++;
    open.push(ts + dur);
  }
  return count;
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("a traced program", () => {
  const file = join(folder, "trace.json");
  let run: ReturnType<typeof traced>;
  let trace: Trace;

  beforeAll(() => {
    run = traced(file);
    trace = readTrace(file);
  });

  test("does what it does", () => {
    expect(run).toEqual({ status: 0, out: "2\n", error: "" });
  });

  test("has events of the known phases, each with what its phase needs", () => {
    for (const event of trace.traceEvents) {
      expect(["X", "s", "f", "M"]).toContain(event.ph);
      expect(Number.isInteger(event.pid) && Number.isInteger(event.tid)).toBe(true);
      expect(event.ph === "M" || (event.ts ?? -1) >= 0, JSON.stringify(event)).toBe(true);
      expect(event.ph === "X" ? (event.dur ?? -1) >= 0 : event.dur === undefined, JSON.stringify(event)).toBe(true);
    }
    expect(trace.otherData.dropped).toBe(0);
    expect(trace.otherData.events).toBe(trace.traceEvents.filter(({ ph }) => ph !== "M").length);
  });

  test("has calls of both interfaces, the compiler with its passes, commands and work-groups", () => {
    const names = (category: string): ReadonlySet<string> => new Set(spansOf(trace, category).map(({ name }) => name));
    expect(names("opencl")).toEqual(
      new Set([
        ...names("opencl"),
        "clBuildProgram",
        "clCreateBuffer",
        "clEnqueueNDRangeKernel",
        "clEnqueueReadBuffer",
        "clFinish",
        "clSetKernelArg",
      ]),
    );
    expect(names("mux")).toEqual(
      new Set([...names("mux"), "muxCreateDevice", "muxAllocateMemory", "muxCreateExecutable", "muxDispatch"]),
    );
    expect(names("compiler")).toEqual(new Set(["front end", "build"]));
    expect(names("pass")).toEqual(new Set([...names("pass"), "mem2reg", "gvn", "inline"]));
    expect(spansOf(trace, "command").filter(({ name }) => name === "scale")).toHaveLength(4);
    expect(names("command").has("READ_BUFFER")).toBe(true);
  });

  test("has spans that nest on each row", () => {
    const rows = groupBy(
      trace.traceEvents.filter((event): event is Span => event.ph === "X"),
      ({ tid }) => tid,
    );
    for (const [tid, spans] of rows) expect(crossings(spans), `row ${tid}`).toBe(0);
    for (const tid of rows.keys())
      expect(
        trace.traceEvents.some((event) => event.ph === "M" && event.name === "thread_name" && event.tid === tid),
        `row ${tid} has a name`,
      ).toBe(true);
  });

  test("has no row without an event", () => {
    const used = new Set(trace.traceEvents.filter(({ ph }) => ph !== "M").map(({ tid }) => tid));
    const named = trace.traceEvents.filter(({ name }) => name === "thread_name").map(({ tid }) => tid);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((tid) => !used.has(tid))).toEqual([]);
  });

  test("has every work-group of every launch once, within the time of a command", () => {
    const groups = spansOf(trace, "groups");
    const launches = spansOf(trace, "command").filter(({ args }) => args?.["kind"] === "NDRANGE_KERNEL");
    expect(new Set([...groups, ...launches].map(({ name }) => name))).toEqual(new Set(["scale"]));
    expect(groups.reduce((sum, { args }) => sum + Number(args?.["groups"]), 0)).toBe((4 * (1 << 18)) / 64);
    // Two clocks are compared, whose distance was measured; launches take a hundred times as long.
    const slack = 2000;
    const outside = groups.filter(
      ({ ts, dur }) =>
        !launches.some((launch) => launch.ts - slack <= ts && ts + dur <= launch.ts + launch.dur + slack),
    );
    expect(outside).toEqual([]);
    expect(new Set(groups.map(({ tid }) => tid)).size).toBeGreaterThan(1);
  });

  test("has an arrow from each enqueue to its command", () => {
    const begins = new Map(trace.traceEvents.filter(({ ph }) => ph === "s").map((event) => [event.id, event]));
    const ends = trace.traceEvents.filter(({ ph }) => ph === "f");
    const commands = spansOf(trace, "command");
    const calls = spansOf(trace, "opencl");
    expect(ends).toHaveLength(commands.length);
    for (const end of ends) {
      const begin = begins.get(end.id);
      expect(end.bp).toBe("e");
      expect(commands.some(({ tid, ts }) => tid === end.tid && ts === end.ts)).toBe(true);
      const at = begin?.ts ?? Number.NaN;
      expect(
        calls.some(({ name, ts, dur }) => name.startsWith("clEnqueue") && ts <= at && at <= ts + dur),
        `arrow ${end.id} begins in a call`,
      ).toBe(true);
    }
  });
});

test("keeps the last events, and reports how many it dropped", () => {
  const file = join(folder, "short.json");
  expect(traced(file, { MUXKIT_TRACE_EVENTS: "40" }).status).toBe(0);
  const { traceEvents, otherData } = readTrace(file);
  expect(otherData.events).toBe(40);
  expect(traceEvents.filter(({ ph }) => ph !== "M")).toHaveLength(40);
  expect(otherData.dropped).toBeGreaterThan(100);
});

test("reports what is wrong, and the program runs all the same", () => {
  const nowhere = join(folder, "nowhere", "trace.json");
  expect(traced(nowhere)).toMatchObject({
    status: 0,
    out: "2\n",
    error: expect.stringContaining(`cannot be written to ${nowhere} (MUXKIT_TRACE)`) as unknown,
  });
  expect(traced(join(folder, "wrong.json"), { MUXKIT_TRACE_EVENTS: "few" }).error).toBe(
    "muxkit: the environment variable MUXKIT_TRACE_EVENTS: a whole number of at least 1 is " +
      'needed, not "few"; nothing is traced\n',
  );
  expect(existsSync(join(folder, "wrong.json"))).toBe(false);
});

test("a ring keeps the newest events in their order", () => {
  const tracer = new Tracer(3);
  for (let i = 0; i < 5; i++) tracer.span("test", `span ${i}`, i, null, 7, i + 1);
  tracer.addSource(() => {
    tracer.drop(10);
  });
  const { traceEvents, otherData } = JSON.parse(tracer.json(1)) as Trace;
  expect(traceEvents.filter(({ ph }) => ph === "X").map(({ name, ts, dur, tid }) => [name, ts, dur, tid])).toEqual([
    ["span 2", 2, 1, 7],
    ["span 3", 3, 1, 7],
    ["span 4", 4, 1, 7],
  ]);
  expect(otherData).toMatchObject({ events: 3, dropped: 12 });
});

test("spans of a group that overlap get rows of their own", () => {
  const tracer = new Tracer(10);
  const rows = [
    [0, 10],
    [5, 15],
    [11, 12],
    [14, 20],
  ].map(([begin = 0, end = 0]) => tracer.spanInLane("test", "x", begin, end, 100));
  expect(rows).toEqual([100, 101, 100, 100]);
});
