// SPDX-License-Identifier: Apache-2.0
// Modules that are made to take memory take less than ten times their size while they are validated, and those that are
// refused while they are read too.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { beforeAll, describe, expect, test } from "vitest";

import { LIARS } from "./liars.table.ts";
import type { Taken } from "./memory.ts";

/** What lives whatever the module is, as code that is compiled or thrown away meanwhile. */
const FLOOR = 2 ** 17;
/** Objects of the IR are larger than the words that they come from: most where a block is one branch. */
const MOST_READ = 30;

describe("memory", () => {
  const all = new Map<string, Taken>();

  beforeAll(() => {
    const program = fileURLToPath(new URL("memory.ts", import.meta.url));
    const argv = ["--expose-gc", "--conditions=source", program, "3000", "4"];
    const text = execFileSync(process.execPath, argv, { encoding: "utf8" });
    for (const line of text.trim().split("\n")) {
      const taken = JSON.parse(line) as Taken;
      all.set(taken.name, taken);
    }
  }, 600_000);

  test.each(Object.keys(LIARS))("%s", (name) => {
    const taken = all.get(name);
    // What is refused early would show nothing.
    expect(taken?.verdict).toBe("");
    const { bytes = 0, validated = Infinity, read = Infinity, refused = Infinity } = taken ?? {};
    expect(validated).toBeLessThan(bytes * 10 + FLOOR);
    expect(read).toBeLessThan(bytes * MOST_READ + FLOOR);
    expect(refused).toBeLessThan(bytes * 10 + FLOOR);
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
