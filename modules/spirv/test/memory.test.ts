// SPDX-License-Identifier: Apache-2.0
// Modules that are made to take memory take less than ten times their size while they are validated.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { beforeAll, describe, expect, test } from "vitest";

import { LIARS } from "./liars.table.ts";
import type { Taken } from "./memory.ts";

/** What lives whatever the module is, as code that is compiled or thrown away meanwhile. */
const FLOOR = 2 ** 18;
/** Objects of the IR are larger than the words that they come from. */
const MOST_READ = 70;

describe("memory", () => {
  const all = new Map<string, Taken>();

  beforeAll(() => {
    const program = fileURLToPath(new URL("memory.ts", import.meta.url));
    const text = execFileSync(process.execPath, ["--expose-gc", "--conditions=source", program], { encoding: "utf8" });
    for (const line of text.trim().split("\n")) {
      const taken = JSON.parse(line) as Taken;
      all.set(taken.name, taken);
    }
  }, 300_000);

  test.each(Object.keys(LIARS))("%s", (name) => {
    const taken = all.get(name);
    // What is refused early would show nothing.
    expect(taken?.verdict).toBe("");
    const { bytes = 0, validated = Infinity, read = Infinity } = taken ?? {};
    expect(validated).toBeLessThan(bytes * 10 + FLOOR);
    expect(read).toBeLessThan(bytes * MOST_READ + FLOOR);
  });

  test("what lives was seen: in all more than twice the bytes", () => {
    let [lives, bytes] = [0, 0];
    for (const taken of all.values()) {
      lives += taken.validated;
      bytes += taken.bytes;
    }
    expect(lives).toBeGreaterThan(2 * bytes);
  });
});
