// SPDX-License-Identifier: Apache-2.0
// A driver whose streams run later: work waits in queues, and which stream goes on next is chosen by a seed. Events
// come when their stream has come to them, and a wait holds its stream until then, as hardware does.
import { type Result, err, ok } from "@muxkit/cargo";
import { type CudaDriver, type CudaGpu, type DriverError, type GpuLaunch, type Handle, overSerial } from "@muxkit/cuda";

import { copyOfLaunch } from "../source/parameter.ts";
import type { MemoryDriver } from "./memory-driver.ts";

interface Stream {
  readonly queue: Task[];
}

/** One recording of an event: who waits for it does not wait for later ones. */
interface Recording {
  hasCome: boolean;
}

interface Event {
  last: Recording;
}

/** Something in a stream: true when it is done, false: the stream waits. */
type Task = () => boolean;

function later(stream: Handle, task: Task): Result<void, DriverError> {
  (stream as Stream).queue.push(task);
  return ok();
}

function run(stream: Handle, call: () => Result<void, DriverError>): Result<void, DriverError> {
  return later(stream, () => {
    const done = call();
    if (!done.ok) throw new Error(done.error.message);
    return true;
  });
}

/** A GPU whose streams run when {@link QueuedGpu.step} lets them. */
export class QueuedGpu {
  readonly gpu: CudaGpu;
  /** Streams that had work at the same time, at most. */
  mostBusy = 0;
  /** True for a launch that does nothing. */
  skips: (launch: GpuLaunch) => boolean = () => false;
  /** True while a launch that has begun goes on; its streams wait for it. */
  runsOn: (launch: GpuLaunch) => boolean = () => false;
  /** What starting work answers; null: it is started. */
  fail: DriverError | null = null;
  private readonly streams: Stream[] = [];
  private random: number;

  constructor(memory: MemoryDriver, seed: number) {
    const serial = overSerial(memory).open(0);
    if (!serial.ok) throw new Error(serial.error.message);
    this.random = seed >>> 0 || 1;
    this.gpu = this.queued(serial.value);
  }

  /** Chooses the order anew. */
  seed(seed: number): void {
    this.random = seed >>> 0 || 1;
  }

  private queued(serial: CudaGpu): CudaGpu {
    const own: Partial<CudaGpu> = {
      createStream: () => {
        const stream: Stream = { queue: [] };
        this.streams.push(stream);
        return ok(stream);
      },
      createEvent: () => ok({ last: { hasCome: true } } satisfies Event),
      record: (event, stream) => {
        const recording: Recording = { hasCome: false };
        (event as Event).last = recording;
        return later(stream, () => {
          recording.hasCome = true;
          return true;
        });
      },
      waitEvent: (stream, event) => {
        const { last } = event as Event;
        return later(stream, () => last.hasCome);
      },
      isDone: (event) => {
        this.step();
        return ok((event as Event).last.hasCome);
      },
      finish: (event) => {
        while (!(event as Event).last.hasCome) if (!this.step()) throw new Error("streams wait for each other");
        return ok();
      },
      finishLater: async (event) => {
        // oxlint-disable-next-line no-await-in-loop
        while (!(event as Event).last.hasCome && this.step()) await Promise.resolve();
        return ok();
      },
      // What is passed may change when the call returns.
      start: (stream, work) => {
        if (this.fail !== null) return err(this.fail);
        const kept = work.kind === "launch" ? copyOfLaunch(work) : work;
        let isBegun = false;
        return later(stream, () => {
          if (!isBegun && kept.kind === "launch" && this.skips(kept)) return true;
          const done = isBegun ? ok() : serial.start(stream, kept);
          isBegun = true;
          if (!done.ok) throw new Error(done.error.message);
          return kept.kind !== "launch" || !this.runsOn(kept);
        });
      },
      startGraph: (stream, graph) => run(stream, () => serial.startGraph(stream, graph)),
      write: (stream, address, from) => {
        const kept = from.slice();
        return run(stream, () => serial.write(stream, address, kept));
      },
      read: (stream, address, to) => {
        const all = this.drain(stream as Stream);
        return all.ok ? serial.read(stream, address, to) : all;
      },
    };
    return new Proxy(serial, {
      get: (target, name: keyof CudaGpu) => {
        const member: unknown = own[name] ?? target[name];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  private drain(stream: Stream): Result<void, DriverError> {
    while (stream.queue.length > 0) if (!this.step()) throw new Error("streams wait for each other");
    return ok();
  }

  /** One task of some stream; false: no stream can go on. */
  step(): boolean {
    const busy = this.streams.filter(({ queue }) => queue.length > 0);
    this.mostBusy = Math.max(this.mostBusy, busy.length);
    for (let tries = busy.length; tries > 0; tries--) {
      this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
      const [stream] = busy.splice(this.random % busy.length, 1);
      if (stream?.queue[0]?.() !== true) continue;
      stream.queue.shift();
      return true;
    }
    return false;
  }
}

/** The driver of such a GPU. */
export function queuedDriver(memory: MemoryDriver, queued: QueuedGpu): CudaDriver {
  return { gpus: memory.gpus, stopsKernels: true, reachesHost: false, version: "queued", open: () => ok(queued.gpu) };
}
