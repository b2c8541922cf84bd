// SPDX-License-Identifier: Apache-2.0
// MUXKIT_TRACE over every entry point: each call is a span with its arguments, and the file is what the trace event
// format says.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { ENTRY_POINTS } from "./generated/entry-points.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Span {
  readonly name: string;
  readonly cat: string;
  readonly ts: number;
  readonly dur: number;
  readonly tid: number;
  readonly args?: Fields;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isWhole = (value: unknown): boolean => Number.isInteger(value);
const isMoment = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isFacts = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((one) => ["string", "number", "boolean"].includes(typeof one));
const EVENT = { name: isText, ph: isText, pid: isWhole, tid: isWhole };
const TIMED = { ...EVENT, cat: isText, ts: isMoment };

/** Fields that an event of a phase has, and those that it may have. */
const PHASES: Readonly<
  Record<
    string,
    {
      readonly needs: Readonly<Record<string, (value: unknown) => boolean>>;
      readonly may: Readonly<Record<string, (value: unknown) => boolean>>;
    }
  >
> = {
  X: { needs: { ...TIMED, dur: isMoment }, may: { args: isFacts } },
  s: { needs: { ...TIMED, id: isWhole }, may: {} },
  f: { needs: { ...TIMED, id: isWhole, bp: (value) => value === "e" }, may: {} },
  M: {
    needs: {
      ...EVENT,
      name: (value) => value === "process_name" || value === "thread_name",
      args: (value) => isFacts(value) && isText((value as Fields)["name"]),
    },
    may: {},
  },
};

const folder = mkdtempSync(join(tmpdir(), "muxkit-cl-trace-"));
const file = join(folder, "trace.json");
let trace: Fields = {};
let events: readonly Fields[] = [];
let spans: readonly Span[] = [];
let failed: readonly string[] = [];
let microseconds = 0;

beforeAll(() => {
  const begin = performance.now();
  const child = spawnSync(process.execPath, ["--conditions=source", join(import.meta.dirname, "trace-child.ts")], {
    encoding: "utf8",
    env: { ...process.env, MUXKIT_CACHE: "off", NODE_OPTIONS: "", MUXKIT_TRACE: file },
  });
  microseconds = (performance.now() - begin) * 1000;
  if (child.status !== 0 || child.stderr !== "")
    throw new Error(`the traced program ended with ${child.status}: ${child.stderr}`);
  failed = JSON.parse(child.stdout) as readonly string[];
  trace = JSON.parse(readFileSync(file, "utf8")) as Fields;
  events = trace["traceEvents"] as readonly Fields[];
  spans = events.filter(({ ph }) => ph === "X") as unknown as readonly Span[];
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const callsOf = (name: string): readonly Span[] => spans.filter((span) => span.cat === "opencl" && span.name === name);

test("the file is an object with its events", () => {
  expect(Object.keys(trace)).toEqual(["traceEvents", "displayTimeUnit", "otherData"]);
  expect(trace["displayTimeUnit"]).toBe("ns");
  expect(events.length).toBeGreaterThan(1000);
});

test("every event has the fields of its phase, and no others", () => {
  for (const event of events) {
    const phase = PHASES[String(event["ph"])];
    expect(phase, JSON.stringify(event)).toBeDefined();
    const { needs = {}, may = {} } = phase ?? {};
    for (const [field, is] of Object.entries(needs))
      expect(is(event[field]), `${field} of ${JSON.stringify(event)}`).toBe(true);
    for (const [field, value] of Object.entries(event))
      expect((needs[field] ?? may[field])?.(value), `${field} of ${JSON.stringify(event)}`).toBe(true);
  }
});

test("times are microseconds of one process, and arrows have both ends", () => {
  const begin = Math.min(...spans.map(({ ts }) => ts));
  const end = Math.max(...spans.map(({ ts, dur }) => ts + dur));
  // In milliseconds it would be a thousandth, in nanoseconds a thousand times as much.
  expect(end - begin).toBeGreaterThan(microseconds / 1000);
  expect(end - begin).toBeLessThan(microseconds);
  expect(new Set(events.map(({ pid }) => pid)).size).toBe(1);
  const begins = new Set(events.filter(({ ph }) => ph === "s").map(({ id }) => id));
  const ends = events.filter(({ ph }) => ph === "f").map(({ id }) => id);
  expect(ends.filter((id) => !begins.has(id))).toEqual([]);
  expect(new Set(ends).size).toBe(ends.length);
});

test.each(ENTRY_POINTS)("%s is a span with its arguments", (call, names) => {
  const calls = callsOf(call);
  expect(calls.length).toBeGreaterThan(0);
  for (const { args = {} } of calls)
    expect(Object.keys(args).filter((name) => name !== "error" && !names.includes(name))).toEqual([]);
  expect(calls.some(({ args }) => args?.["error"] !== undefined)).toBe(failed.includes(call));
});

test("arguments show what matters: bytes, kernels, sizes", () => {
  expect(callsOf("clEnqueueNDRangeKernel").at(-1)?.args).toEqual({
    queue: "command queue",
    kernel: "kernel add",
    dimensions: 2,
    globalSize: "32, 2",
    localSize: "8, 1",
  });
  expect(callsOf("clEnqueueReadBuffer").at(-1)?.args).toMatchObject({
    buffer: "buffer of 256 bytes",
    blocking: true,
    offset: 0,
  });
  expect(callsOf("clSetCommandQueueProperty").at(-1)?.args).toMatchObject({ error: "CL_INVALID_OPERATION" });
  expect(callsOf("clCreateImage").at(-1)?.args).toMatchObject({
    format: "channelOrder: CL_R, channelType: CL_UNSIGNED_INT32",
    description: "type: CL_MEM_OBJECT_IMAGE2D, width: 4, height: 4",
  });
  expect(spans.findLast(({ cat, name }) => cat === "command" && name === "add")?.args).toMatchObject({
    kernel: "add",
    globalSize: "32, 2",
    localSize: "8, 1",
  });
});
