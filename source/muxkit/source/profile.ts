// SPDX-License-Identifier: Apache-2.0
// What launches cost: a row for each kernel, and a file for a timeline.
import type { Command } from "./command.ts";
import { Described } from "./described.ts";
import type { Launches } from "./launches.ts";

/** What the launches of one kernel, or the fills or copies of a device, took. @public */
export interface ProfileRow {
  /** The kernel's name, or the operation's. */
  readonly name: string;
  /** Launches. */
  readonly calls: number;
  /** ms of all of them. */
  readonly total: number;
  /** ms of one in the mean. */
  readonly mean: number;
  /** ms of the shortest. */
  readonly least: number;
  /**
   * Bytes of the arrays that a launch was given, by the time that it took, in 10^9 bytes a second: what the kernel
   * would move if it touched each once.
   */
  readonly "GB/s": number;
}

interface Sample {
  readonly command: Command;
  readonly bytes: number;
}

/** Measures every launch of a device from `device.profile()` on until `stop()`. @public */
export class Profile extends Described {
  readonly #launches: Launches;
  readonly #samples: Sample[] = [];

  /** Made by `Device.profile`. @internal */
  constructor(launches: Launches) {
    super();
    this.#launches = launches;
    launches.profile = this;
    launches.queue.measure(true);
  }

  /** Notes a command. @internal */
  add(command: Command, bytes: number): void {
    this.#samples.push({ command, bytes });
  }

  /** A row for each kernel that has run so far, the most expensive first, once everything before is done. */
  async table(): Promise<readonly ProfileRow[]> {
    await this.#finish();
    const rows = new Map<string, { calls: number; total: number; least: number; bytes: number }>();
    for (const { command, bytes } of this.#samples) {
      if (command.event.error !== null) continue;
      const { start, end } = command.event.times;
      const row = rows.get(command.name) ?? { calls: 0, total: 0, least: Infinity, bytes: 0 };
      rows.set(command.name, row);
      row.calls++;
      row.total += (end - start) / 1e6;
      row.least = Math.min(row.least, (end - start) / 1e6);
      row.bytes += bytes;
    }
    return [...rows]
      .map(([name, { calls, total, least, bytes }]) => ({
        name,
        calls,
        total,
        mean: total / calls,
        least,
        "GB/s": bytes / total / 1e6,
      }))
      .toSorted((a, b) => b.total - a.total);
  }

  /** A file in the Trace Event Format, for ui.perfetto.dev: a slice for each command, by the device's clock. */
  async trace(): Promise<string> {
    await this.#finish();
    const first = Math.min(...this.#samples.map(({ command }) => command.event.times.start));
    const traceEvents = this.#samples.map(({ command, bytes }) => {
      const { start, end } = command.event.times;
      return {
        name: command.name,
        ph: "X",
        pid: 1,
        tid: 1,
        ts: (start - first) / 1e3,
        dur: (end - start) / 1e3,
        args: { bytes },
      };
    });
    return JSON.stringify({ traceEvents, displayTimeUnit: "ms" });
  }

  /** Measures no more; returns the table. */
  async stop(): Promise<readonly ProfileRow[]> {
    const table = await this.table();
    this[Symbol.dispose]();
    return table;
  }

  /** Measures no more. */
  [Symbol.dispose](): void {
    if (this.#launches.profile !== this) return;
    this.#launches.profile = null;
    this.#launches.queue.measure(false);
  }

  /** One line: how many commands it knows. */
  toString(): string {
    return `Profile of ${this.#samples.length} commands`;
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#samples.map(({ command }) => command.event.done));
  }
}
