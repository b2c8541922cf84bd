// SPDX-License-Identifier: Apache-2.0
// Programs that end with a transfer in flight, in every way: neither they nor their servers say anything, and nothing
// is left.
import { spawn } from "node:child_process";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains } from "./remains.ts";
import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver } from "./rig.ts";

const LIMIT = 200_000;
const KINDS = [
  "read",
  "write",
  "readRect",
  "writeRect",
  "readImage",
  "writeImage",
  "map",
  "unmap",
  "mapImage",
] as const;
/** Bytes that travel in frames, and those that do not. */
const SIZES = [40_000, 20_000_000];
const BEFORE = ["nothing", "kernel", "event"];
const ENDS = ["return", "_exit", "kill"];
/** Moments of the end, in µs after the transfer was enqueued. */
const DELAYS = [0, 300, 2000, 8000];

interface Ending {
  readonly words: readonly string[];
  readonly output: string;
  /** What the program and its server wrote on standard error until both had closed it. */
  readonly errors: string;
  readonly status: number | string | null;
}

function endingOf(driver: Driver, words: readonly string[]): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(compile(driver, "exits.c"), words, { env: driver.environment });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.on("close", (code, signal) => {
      resolve({ words, output, errors, status: signal ?? code });
    });
  });
}

describe.skipIf(!HAS_LOADER)("ends with a transfer in flight", () => {
  let driver: Driver;
  let before: ReadonlySet<string>;
  beforeAll(() => {
    driver = makeDriver();
    compile(driver, "exits.c");
    before = present(driver);
  }, LIMIT);
  afterAll(async () => {
    const left = await remains(driver, before);
    removeDriver(driver);
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  }, LIMIT);

  test.each(KINDS.map((kind, index) => [kind, index] as const))(
    "%s: silent, whatever it waits for and however the program ends",
    async (kind, index) => {
      const endings: Ending[] = [];
      for (const [at, waits] of BEFORE.entries()) {
        // Moments and ways of the end go round, so that each meets each of the others with some kind.
        const rows = SIZES.map((size, which) => [
          kind,
          String(size),
          waits,
          String(DELAYS[(index + at + which) % DELAYS.length]),
          ENDS[(index + at + 2 * which) % ENDS.length] ?? "return",
        ]);
        // eslint-disable-next-line no-await-in-loop
        endings.push(...(await Promise.all(rows.map((words) => endingOf(driver, words)))));
      }
      expect(endings).toEqual(
        endings.map(({ words }) => ({
          words,
          output: `ok ${kind} is in flight\n`,
          errors: "",
          status: words[4] === "kill" ? "SIGKILL" : 0,
        })),
      );
    },
    LIMIT,
  );
});
