// SPDX-License-Identifier: Apache-2.0
// What kept programs are worth: how long a hit takes, and how long the engine then takes for the code, which no file
// saves.
import { type KeptFile, readKeptFile } from "@muxkit/loader";
import { type HostDevice, HostPlatform } from "@muxkit/host";

import type { DiskStore, StoredFile } from "./disk-store.ts";

/** Times in ms of all entries. */
export interface Times {
  readonly median: number;
  readonly most: number;
}

/** One entry of a store. */
export interface Entry extends StoredFile {
  /** What it holds; null: it is not whole, and would be built again. */
  readonly kept: KeptFile | null;
  /** Time to read and check it, in ms. */
  readonly readMs: number;
}

/** What there is to say about a store. */
export interface StoreStatistics {
  /** Most bytes that it keeps. */
  readonly mostBytes: number;
  readonly whole: number;
  readonly damaged: number;
  /** Reading and checking an entry; null: there is none. */
  readonly hit: Times | null;
  /** The engine's compilation of an entry's code; null: there is none. */
  readonly engine: Times | null;
}

function timesOf(list: readonly number[]): Times | null {
  const sorted = list.toSorted((left, right) => left - right);
  const most = sorted.at(-1);
  return most === undefined ? null : { median: sorted[sorted.length >> 1] ?? most, most };
}

/** The entries of a store, the least recently used first. */
export function entriesOf(store: DiskStore): readonly Entry[] {
  return store.files().flatMap((file): readonly Entry[] => {
    const begin = performance.now();
    // Who looks at a store does not use what is in it.
    const bytes = store.peek(file.name);
    const kept = bytes === null ? null : readKeptFile(bytes);
    const readMs = performance.now() - begin;
    return bytes === null ? [] : [{ ...file, kept, readMs }];
  });
}

/** How long an engine takes for an executable, in ms; null: it refuses it. */
function compileTime(device: HostDevice, code: Uint8Array): number | null {
  const begin = performance.now();
  const made = device.createExecutable(code);
  const time = performance.now() - begin;
  if (!made.ok) return null;
  made.value.destroy();
  return time;
}

/** Looks at all entries of a store, and has the engine compile their code. */
export function statisticsOf(store: DiskStore): StoreStatistics {
  const entries = entriesOf(store);
  const codes = entries.flatMap(({ kept }) => (kept === null || kept.binary.length === 0 ? [] : [kept.binary]));
  const device = codes.length === 0 ? null : new HostPlatform({ threads: 1, isolated: true }).openDevice();
  const times = device?.ok === true ? codes.flatMap((code) => compileTime(device.value, code) ?? []) : [];
  if (device?.ok === true) device.value.close();
  const whole = entries.filter(({ kept }) => kept !== null);
  return {
    mostBytes: store.mostBytes,
    whole: whole.length,
    damaged: entries.length - whole.length,
    hit: timesOf(whole.map(({ readMs }) => readMs)),
    engine: timesOf(times),
  };
}
