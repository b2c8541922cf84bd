// SPDX-License-Identifier: Apache-2.0
/**
 * Times of commands by events. An event has no time of its own, only a distance in ms, as a float, from another one: so
 * times are distances from an event that was recorded in the last second, whose time is the host's.
 */
import { type Result, ok } from "@muxkit/cargo";
import { type MuxDevice, MuxQueryPool, type MuxQueue, type MuxQueryType } from "@muxkit/mux";

import type { CudaGpu, DriverError, Handle } from "./driver.ts";

/** One query. */
export interface QuerySlot {
  start: Handle | null;
  end: Handle | null;
  /** Bits: 1 the start was recorded, 2 the end was. */
  marks: number;
}

const STARTED = 1;
const ENDED = 2;
const NANOSECONDS_PER_MILLISECOND = 1e6;
/** How long a distance is exact to half a microsecond. */
const FRESH_MS = 1000;

/** Queries of a pool. */
export class CudaMuxQueryPool extends MuxQueryPool {
  readonly slots: readonly QuerySlot[];

  constructor(device: MuxDevice, queue: MuxQueue, type: MuxQueryType, count: number) {
    super({ device, queue, type, count });
    this.slots = Array.from({ length: count }, () => ({ start: null, end: null, marks: 0 }));
  }
}

/** Marks a moment of a stream. */
export function markTime(
  gpu: CudaGpu,
  stream: Handle,
  slots: readonly QuerySlot[],
  mark: "start" | "end" | "reset",
): Result<void, DriverError> {
  for (const slot of slots) {
    if (mark === "reset") {
      slot.marks = 0;
      continue;
    }
    if (slot[mark] === null) {
      const event = gpu.createEvent(true);
      if (!event.ok) return event;
      slot[mark] = event.value;
    }
    const recorded = gpu.record(slot[mark], stream);
    if (!recorded.ok) return recorded;
    slot.marks |= mark === "start" ? STARTED : ENDED;
  }
  return ok();
}

/** Gives back the events of queries. */
export function freeQueries(gpu: CudaGpu, { slots }: CudaMuxQueryPool): void {
  for (const slot of slots)
    for (const mark of ["start", "end"] as const) {
      if (slot[mark] !== null) gpu.destroyEvent(slot[mark]);
      slot[mark] = null;
      slot.marks = 0;
    }
}

/** The clock of a GPU. */
export class GpuClock {
  private readonly gpu: CudaGpu;
  private readonly stream: Handle;
  private readonly base: Handle;
  /** When the base was recorded, in ns; 0: never. */
  private baseTime = 0;

  private constructor(gpu: CudaGpu, stream: Handle, base: Handle) {
    this.gpu = gpu;
    this.stream = stream;
    this.base = base;
  }

  /** Starts it. */
  static open(gpu: CudaGpu): Result<GpuClock, DriverError> {
    const stream = gpu.createStream();
    if (!stream.ok) return stream;
    const base = gpu.createEvent(true);
    return base.ok ? ok(new GpuClock(gpu, stream.value, base.value)) : base;
  }

  private refresh(): Result<void, DriverError> {
    const now = performance.now();
    if (this.baseTime !== 0 && now - this.baseTime / NANOSECONDS_PER_MILLISECOND < FRESH_MS) return ok();
    const recorded = this.gpu.record(this.base, this.stream);
    const done = recorded.ok ? this.gpu.finish(this.base) : recorded;
    if (done.ok) this.baseTime = ((now + performance.now()) / 2) * NANOSECONDS_PER_MILLISECOND;
    return done;
  }

  /** Start and end of a query in ns; zeros where it was not used, or is not complete. */
  times({ start, end, marks }: QuerySlot): Result<{ readonly start: bigint; readonly end: bigint }, DriverError> {
    const none = { start: 0n, end: 0n };
    if ((marks & STARTED) === 0 || start === null) return ok(none);
    const last = (marks & ENDED) === 0 ? null : end;
    const isOver = this.gpu.isDone(last ?? start);
    if (!isOver.ok) return isOver;
    if (!isOver.value) return ok(none);
    const fresh = this.refresh();
    if (!fresh.ok) return fresh;
    const since = this.gpu.elapsed(this.base, start);
    if (!since.ok) return since;
    const first = BigInt(Math.max(1, Math.round(this.baseTime + since.value)));
    if (last === null) return ok({ start: first, end: 0n });
    const length = this.gpu.elapsed(start, last);
    return length.ok ? ok({ start: first, end: first + BigInt(Math.max(0, Math.round(length.value))) }) : length;
  }

  /** Stops it. */
  close(): void {
    this.gpu.destroyEvent(this.base);
    this.gpu.destroyStream(this.stream);
  }
}
