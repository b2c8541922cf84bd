// SPDX-License-Identifier: Apache-2.0
// Records launches of the kernel suite: runs its tests with a suite that writes each launch down.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { RecordedCase } from "./project/case.ts";

const root = resolve(import.meta.dirname, "../..");

/** A line of a recording: a case, or what the elements of an earlier one are. */
type Line = RecordedCase | Pick<RecordedCase, "number" | "kinds">;

/**
 * Runs tests of the kernel suite (none named: all) and returns what they launched. Throws when a test fails: what it
 * launched would be no reference.
 */
export function recordCases(tests: readonly string[], folder: string): readonly RecordedCase[] {
  mkdirSync(folder);
  const run = spawnSync(
    "vitest",
    ["run", "--config", join(import.meta.dirname, "record/vitest.config.ts"), "--reporter=dot", ...tests],
    {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, MUXKIT_RECORD: folder, NO_COLOR: "1" },
    },
  );
  if (run.status !== 0)
    throw new Error(
      `the kernel suite fails while it is recorded:\n${run.stdout.slice(-4000)}${run.stderr.slice(-4000)}`,
    );
  return globSync("*.jsonl", { cwd: folder }).flatMap((file) => {
    const cases = new Map<number, RecordedCase>();
    for (const text of readFileSync(join(folder, file), "utf8").split("\n")) {
      if (text === "") continue;
      const line = JSON.parse(text) as Line;
      const known = cases.get(line.number);
      if ("source" in line) cases.set(line.number, line);
      else if (known !== undefined) cases.set(line.number, { ...known, kinds: line.kinds });
    }
    return [...cases.values()];
  });
}
