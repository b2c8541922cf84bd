// SPDX-License-Identifier: Apache-2.0
// What later processes may need, in files of one folder: written whole or not at all, the least recently used ones
// removed when they take too much.
import { readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ProgramStore } from "@muxkit/loader";

import { makeFolder } from "../make-folder.ts";

/** Most bytes that a folder keeps. */
const MOST_BYTES: number = 64 * 2 ** 20;
/** One write in so many looks at the whole folder. */
const WRITES_A_LOOK = 16;
/** Files that are not whole after this time, in ms, were left behind by a process that ended. */
const FORGOTTEN_MS = 3_600_000;
/** What files are called that are not whole. */
const PARTIAL = ".part";

/** A file of the store. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was used, in ms since 1970. */
  readonly used: number;
}

/** How a folder is kept; what is left out has a default. */
export interface DiskStoreOptions {
  readonly mostBytes?: number;
  readonly writesALook?: number;
}

/** What a call gives; null when the file system refuses. */
function attempt<T>(call: () => T): T | null {
  try {
    return call();
  } catch {
    // A folder that is gone, full or not ours keeps nothing: everything works without it.
    return null;
  }
}

/** Files of a folder by name. No method throws. */
export class DiskStore implements ProgramStore {
  readonly folder: string;
  /** Most bytes that it keeps. */
  readonly mostBytes: number;
  readonly #writesALook: number;

  constructor(folder: string, { mostBytes = MOST_BYTES, writesALook = WRITES_A_LOOK }: DiskStoreOptions = {}) {
    this.folder = folder;
    this.mostBytes = mostBytes;
    this.#writesALook = writesALook;
  }

  read(name: string): Uint8Array | null {
    const bytes = this.peek(name);
    if (bytes !== null) {
      const now = new Date();
      attempt(() => utimesSync(join(this.folder, name), now, now));
    }
    return bytes;
  }

  /** The same, which is no use: what goes first stays what goes first. */
  peek(name: string): Uint8Array | null {
    const bytes = attempt(() => readFileSync(join(this.folder, name)));
    // Not Node's class, whose slices are no copies.
    return bytes === null ? null : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  write(name: string, bytes: Uint8Array): void {
    // Others may write the same at the same time, threads of this process among them: each its own file, and the last
    // one that takes the name stays.
    const partial = join(this.folder, `${name}.${process.pid}.${Math.random().toString(36).slice(2)}${PARTIAL}`);
    const done = attempt(() => {
      makeFolder(this.folder, 0o700);
      writeFileSync(partial, bytes, { mode: 0o600, flag: "wx" });
      renameSync(partial, join(this.folder, name));
      return true;
    });
    if (done === null) attempt(() => rmSync(partial, { force: true }));
    // Processes write little each, so it is chance that shares the looks among them.
    else if (Math.random() * this.#writesALook < 1) this.#prune();
  }

  /** Its files, the least recently used first; nothing where there is no folder. */
  files(): readonly StoredFile[] {
    const names = attempt(() => readdirSync(this.folder)) ?? [];
    const files = names.flatMap((name): readonly StoredFile[] => {
      const found = attempt(() => statSync(join(this.folder, name)));
      return found?.isFile() === true ? [{ name, bytes: found.size, used: found.mtimeMs }] : [];
    });
    return files.toSorted((left, right) => left.used - right.used);
  }

  /** Removes all files. */
  clear(): void {
    for (const { name } of this.files()) this.#remove(name);
  }

  #remove(name: string): void {
    attempt(() => rmSync(join(this.folder, name), { force: true }));
  }

  #prune(): void {
    const files = this.files();
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const forgotten = Date.now() - FORGOTTEN_MS;
    for (const { name, bytes, used } of files) {
      if (total <= this.mostBytes && !(name.endsWith(PARTIAL) && used < forgotten)) continue;
      this.#remove(name);
      total -= bytes;
    }
  }
}
