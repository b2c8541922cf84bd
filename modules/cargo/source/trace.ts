// SPDX-License-Identifier: Apache-2.0
// Traces: spans on threads, in a ring buffer, written in the trace event format (Perfetto, Chrome) when the process
// ends. When tracing is off, it costs a test of a constant: an environment variable decides when this file is loaded.
import { type DescribedSetting, type Environment, SETTING_KINDS, settingValue } from "./setting.ts";

/** Arguments of an event. @public */
export type TraceArguments = Readonly<Record<string, string | number | boolean>>;

/** The phase of an event: a span, the start or end of a flow arrow, an instant. */
type Phase = "X" | "s" | "f" | "i";

interface Entry {
  readonly phase: Phase;
  readonly category: string;
  readonly name: string;
  /** µs. */
  readonly begin: number;
  /** µs; 0 for all but spans. */
  readonly duration: number;
  readonly thread: number;
  /** Number of a flow arrow, the same at both ends. */
  readonly id: number;
  readonly given: TraceArguments | null;
}

/** The row of the calling thread: API calls, passes and nested spans. @public */
export const TRACE_HOST_THREAD = 1;
/** Rows of a group whose spans may overlap. */
const LANES = 16;

/** Collects events. Times are µs of the clock of `performance.now()`. @public */
export class Tracer {
  readonly #limit: number;
  readonly #entries: Entry[] = [];
  #next = 0;
  #dropped = 0;
  #flows = 0;
  readonly #flowOf = new WeakMap<object, number>();
  readonly #threads = new Map<number, string>([[TRACE_HOST_THREAD, "calls and passes"]]);
  readonly #laneEnds = new Map<number, number>();
  readonly #sources: (() => void)[] = [];

  /** A tracer that keeps the last `limit` events. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Now, in µs. */
  now(): number {
    return performance.now() * 1000;
  }

  #add(entry: Entry): void {
    if (this.#entries.length < this.#limit) {
      this.#entries.push(entry);
      return;
    }
    // A ring buffer: the oldest entry is overwritten.
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#limit;
    this.#dropped++;
  }

  /** Counts events that were dropped elsewhere. */
  drop(count: number): void {
    this.#dropped += count;
  }

  /** A span from `begin` to `end` (default: now) on a thread. */
  span(
    category: string,
    name: string,
    begin: number,
    given: TraceArguments | null = null,
    thread: number = TRACE_HOST_THREAD,
    end: number = this.now(),
  ): void {
    this.#add({ phase: "X", category, name, begin, duration: Math.max(0, end - begin), thread, id: 0, given });
  }

  /** A span of a group whose spans may overlap, on the first free row of the group. Returns the row. */
  spanInLane(
    category: string,
    name: string,
    begin: number,
    end: number,
    group: number,
    given: TraceArguments | null = null,
  ): number {
    let lane = 0;
    while (lane < LANES - 1 && (this.#laneEnds.get(group + lane) ?? -Infinity) > begin) lane++;
    this.#laneEnds.set(group + lane, end);
    this.span(category, name, begin, given, group + lane, end);
    return group + lane;
  }

  /** Starts a flow arrow for an object; {@link Tracer.flowEnd} with the same object ends it. */
  flowBegin(subject: object, at: number, thread: number = TRACE_HOST_THREAD): void {
    const id = ++this.#flows;
    this.#flowOf.set(subject, id);
    this.#add({ phase: "s", category: "flow", name: "enqueue", begin: at, duration: 0, thread, id, given: null });
  }

  /** Ends the flow arrow of an object. */
  flowEnd(subject: object, at: number, thread: number): void {
    const id = this.#flowOf.get(subject);
    if (id !== undefined)
      this.#add({ phase: "f", category: "flow", name: "enqueue", begin: at, duration: 0, thread, id, given: null });
  }

  /** Names a row. */
  nameThread(thread: number, name: string): void {
    this.#threads.set(thread, name);
  }

  /** Called before the trace is written: adds what was collected elsewhere. */
  addSource(drain: () => void): void {
    this.#sources.push(drain);
  }

  /** Everything that was collected, in the trace event format. */
  json(process: number): string {
    for (const drain of this.#sources.splice(0)) drain();
    // A row that has a name and no event would be shown empty.
    const used = new Set(this.#entries.map(({ thread }) => thread));
    const names = [
      { name: "process_name", ph: "M", pid: process, tid: TRACE_HOST_THREAD, args: { name: "muxkit" } },
      ...[...this.#threads]
        .filter(([tid]) => used.has(tid))
        .map(([tid, name]) => ({ name: "thread_name", ph: "M", pid: process, tid, args: { name } })),
    ];
    const ordered = [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
    const events = ordered.map(({ phase, category, name, begin, duration, thread, id, given }) => ({
      name,
      cat: category,
      ph: phase,
      pid: process,
      tid: thread,
      ts: begin,
      ...(phase === "X" ? { dur: duration } : {}),
      ...(phase === "s" || phase === "f" ? { id } : {}),
      ...(phase === "f" ? { bp: "e" } : {}),
      ...(given === null ? {} : { args: given }),
    }));
    // One event a line: people look into traces with other tools too.
    const lines = [...names, ...events].map((event) => JSON.stringify(event)).join(",\n");
    const data = JSON.stringify({ tool: "muxkit", events: events.length, dropped: this.#dropped });
    return `{"traceEvents":[\n${lines}\n],"displayTimeUnit":"ns","otherData":${data}}\n`;
  }
}

/** Default number of events of a trace. */
const EVENTS = 200_000;

/** The settings of traces. @public */
export const TRACE_SETTINGS: {
  readonly trace: DescribedSetting<string | null>;
  readonly traceEvents: DescribedSetting<number>;
} = {
  trace: {
    kind: SETTING_KINDS.text,
    variable: "MUXKIT_TRACE",
    option: null,
    doc:
      "File for a trace of calls, passes, commands and work-groups, which Perfetto (ui.perfetto.dev) shows; " +
      "it is written when the process ends.",
    fallback: () => null,
  },
  traceEvents: {
    kind: SETTING_KINDS.count,
    variable: "MUXKIT_TRACE_EVENTS",
    option: null,
    doc: "Most events of a trace; the oldest go first, and the trace has their number.",
    fallback: () => EVENTS,
  },
};

/** The parts of Node's `process` that are used. */
interface NodeProcess {
  readonly pid: number;
  readonly env: Environment;
  readonly on: (event: "exit", call: () => void) => unknown;
  readonly getBuiltinModule?: (name: string) => unknown;
  readonly stderr: { readonly write: (text: string) => unknown };
}

const KEY = Symbol.for("muxkit.tracer");

function writeAtExit(node: NodeProcess, tracer: Tracer, file: string): void {
  const files = node.getBuiltinModule?.("node:fs") as
    | { readonly writeFileSync: (path: string, text: string) => void }
    | undefined;
  node.on("exit", () => {
    try {
      files?.writeFileSync(file, tracer.json(node.pid));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      node.stderr.write(`muxkit: the trace cannot be written to ${file} (MUXKIT_TRACE): ${reason}\n`);
    }
  });
}

/** The tracer that the environment enables; null: none. The kit's own threads have none: they log to shared memory. */
function startTracer(): Tracer | null {
  const { process: node } = globalThis as { readonly process?: NodeProcess };
  if (node?.env === undefined || node.getBuiltinModule === undefined) return null;
  const file = settingValue("trace", TRACE_SETTINGS.trace, node.env);
  if (!file.ok || file.value.value === null) return null;
  const { isMainThread } = node.getBuiltinModule("node:worker_threads") as { readonly isMainThread: boolean };
  if (!isMainThread) return null;
  const limit = settingValue("traceEvents", TRACE_SETTINGS.traceEvents, node.env);
  if (!limit.ok) {
    node.stderr.write(`muxkit: ${limit.error}; nothing is traced\n`);
    return null;
  }
  const tracer = new Tracer(limit.value.value);
  writeAtExit(node, tracer, file.value.value);
  return tracer;
}

/** One tracer per process, even if a program contains this file several times. */
function sharedTracer(): Tracer | null {
  const shared = globalThis as { [KEY]?: Tracer | null };
  if (shared[KEY] === undefined) shared[KEY] = startTracer();
  return shared[KEY];
}

/** The process's tracer; null unless MUXKIT_TRACE is set. @public */
export const TRACER: Tracer | null = sharedTracer();
