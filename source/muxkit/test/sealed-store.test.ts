// SPDX-License-Identifier: Apache-2.0
// Seals of kept programs: what another user, another key or another place has made is not taken for verified.
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { SealedStore } from "../source/cache/sealed-store.ts";

const root = mkdtempSync(join(tmpdir(), "muxkit-seal-"));
let folder = "";
let state = "";
let number = 0;
beforeEach(() => {
  folder = join(root, `${number}-programs`);
  state = join(root, `${number++}-state`);
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const BYTES = Uint8Array.of(1, 2, 3, 4, 5);
const keyPath = (): string => join(state, "muxkit", "cache-key");

/** A store as another process opens it. */
function open(key: string = state): SealedStore {
  return new SealedStore(folder, { XDG_STATE_HOME: key });
}

/** What a process reads under a name, and whether it was verified. */
function found(
  name: string = "a",
  store: SealedStore = open(),
): readonly [bytes: number[] | null, isVerified: boolean] {
  const bytes = store.read(name);
  return [bytes === null ? null : [...bytes], bytes !== null && store.isVerified(name, bytes)];
}

test("files come back without their seals", () => {
  open().write("a", BYTES);
  expect(found()).toEqual([[1, 2, 3, 4, 5], false]);
  open().write("a", BYTES, true);
  expect(found()).toEqual([[1, 2, 3, 4, 5], true]);
  writeFileSync(join(folder, "short"), BYTES);
  expect(found("short")).toEqual([null, false]);
});

// What says who owns files is the system's.
describe.skipIf(process.getuid === undefined)("what was written as verified is verified for a process that", () => {
  beforeEach(() => {
    open().write("a", BYTES, true);
  });

  test("has the key, which is the user's alone", () => {
    expect(found()[1]).toBe(true);
    expect(statSync(keyPath()).mode & 0o777).toBe(0o600);
    expect(statSync(keyPath()).size).toBe(32);
  });

  test("finds the same bytes under the same name", () => {
    copyFileSync(join(folder, "a"), join(folder, "b"));
    expect(found("b")).toEqual([[1, 2, 3, 4, 5], false]);
    const file = readFileSync(join(folder, "a"));
    for (const place of [0, 4, 5, file.length - 1]) {
      const changed = new Uint8Array(file);
      changed[place] = (changed[place] ?? 0) ^ 1;
      writeFileSync(join(folder, "b"), changed);
      renameSync(join(folder, "b"), join(folder, "a"));
      expect(found()[1], `byte ${place}`).toBe(false);
    }
    const store = open();
    store.read("a");
    expect(store.isVerified("a", BYTES)).toBe(false);
  });

  test("has not come to the folder from elsewhere", () => {
    expect(found("a", open(join(root, "another")))).toEqual([[1, 2, 3, 4, 5], false]);
    const other = join(root, `${number}-other`);
    open(other).write("b", BYTES, true);
    expect(found("b")[1]).toBe(false);
    expect(found("b", open(other))[1]).toBe(true);
  });

  test("finds a key that nobody else can have read or written", () => {
    const store = open();
    expect(found("a", store)[1]).toBe(true);
    chmodSync(keyPath(), 0o640);
    expect(found()[1]).toBe(false);
    // Nor is anything written as verified.
    open().write("b", BYTES, true);
    chmodSync(keyPath(), 0o600);
    expect([found()[1], found("b")[1]]).toEqual([true, false]);
    chmodSync(join(state, "muxkit"), 0o770);
    expect(found()[1]).toBe(false);
    chmodSync(join(state, "muxkit"), 0o700);
    const key = readFileSync(keyPath());
    writeFileSync(keyPath(), key.subarray(1));
    expect(found()[1]).toBe(false);
    rmSync(keyPath());
    writeFileSync(join(state, "copy"), key, { mode: 0o600 });
    symlinkSync(join(state, "copy"), keyPath());
    expect(found()[1]).toBe(false);
  });
});

test("without a place for the key nothing is verified, and nothing is written there unasked", () => {
  open().write("a", BYTES);
  found();
  expect(() => statSync(state)).toThrow(/ENOENT/u);
  writeFileSync(state, "a file");
  open().write("a", BYTES, true);
  expect(found()).toEqual([[1, 2, 3, 4, 5], false]);
});
