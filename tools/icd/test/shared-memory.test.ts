// SPDX-License-Identifier: Apache-2.0
// The addon: the pages of a linear memory are those of a file, in every version of Node that is here.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

import { internals } from "@muxkit/icd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, addonOf, compile, makeDriver, removeDriver, script } from "./rig.ts";

/** This Node, and the system's where that is another one. */
const NODES: readonly string[] = [process.execPath, "/usr/bin/node"].filter(
  (node) => node === process.execPath || spawnSync(node, ["--version"]).status === 0,
);

describe.skipIf(!HAS_LOADER)("the addon", () => {
  let driver: Driver;
  let starter: string;
  beforeAll(() => {
    driver = makeDriver();
    starter = compile(driver, "with_memory.c");
  });
  afterAll(() => {
    removeDriver(driver);
  });

  function shared(node: string, kind: string, starting: readonly string[] = []): string {
    const { stdout, stderr } = spawnSync(
      starting[0] ?? starter,
      [
        ...starting.slice(1),
        ...(starting.length === 0 ? [] : [starter]),
        kind,
        node,
        "--expose-gc",
        script("device_memory.mjs"),
        addonOf(driver.library),
      ],
      { encoding: "utf8", timeout: 60_000 },
    );
    return stdout + stderr;
  }

  test.each(NODES)("%s: file and threads see the same bytes, before and after growth; the end still traps", (node) => {
    expect(shared(node, "open").trim().split("\n")).toEqual([
      "a thread reads what the file has: 11",
      "this thread reads it: 11",
      "the file has what a thread writes: 12",
      "beyond the end, before growth: -1",
      "the last page, before growth: -1",
      "a thread reads behind the old end: 13",
      "this thread reads it there: 13",
      "what was before growth stays: 12",
      "beyond the new end: -1",
      "the file has the last word: 14",
      "the memory cannot grow further: RangeError",
      "place of bytes: 12345",
      "place of other bytes: -1",
      "the file can be cut: EPERM",
      "the file can be widened: EPERM",
      "other memories: 8",
      "after other memories are gone: 12",
      "a second time: this is no new memory",
    ]);
  });

  test("a file that somebody may cut is refused", () => {
    expect(shared(process.execPath, "sealed")).toBe(
      "refused: the file cannot have this size: Operation not permitted\n",
    );
  });

  test("a limit on files is an error, not the signal of the system", () => {
    expect(shared(process.execPath, "open", ["/bin/sh", "-c", 'ulimit -f 1000; exec "$0" "$@"'])).toBe(
      "refused: the file cannot have this size: File too large\n",
    );
  });

  test("an addon that cannot be loaded is told, one that is off is not", () => {
    const told: string[] = [];
    const tell = (text: string): void => {
      told.push(text);
    };
    const broken = `${driver.library}.broken.node`;
    writeFileSync(broken, "no library");
    expect(internals.loadAddon({}, tell)).toBeNull();
    expect(internals.loadAddon({ MUXKIT_ICD_ADDON: "off" }, tell)).toBeNull();
    expect(told).toEqual([]);
    expect(internals.loadAddon({ MUXKIT_ICD_ADDON: broken }, tell)).toBeNull();
    expect(told).toEqual([expect.stringContaining(`${broken} cannot be loaded, so data is copied once more`)]);
    rmSync(broken);
  });
});
