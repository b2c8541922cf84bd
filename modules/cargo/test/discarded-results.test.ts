// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURE = join(import.meta.dirname, "fixtures/discarded-results.ts");

function check(...files: readonly string[]): { readonly status: number | null; readonly lines: readonly string[] } {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/check-discarded-results.ts"), ...files], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return { status, lines: stderr.trim().split("\n") };
}

test("the lint rule finds every discarded Result of the fixture and nothing else", () => {
  const expected = readFileSync(FIXTURE, "utf8")
    .split("\n")
    .flatMap((line, i) => Array.from(line.matchAll(/\bBAD\b/gu), () => i + 1))
    .slice(1);
  const { status, lines } = check(FIXTURE);
  const found = lines.map((line) =>
    Number(/^modules\/cargo\/test\/fixtures\/discarded-results\.ts:(\d+):\d+: .*discarded.*$/u.exec(line)?.[1]),
  );
  expect(found).toEqual(expected);
  expect(status).toBe(1);
});

test("a file that is not there is reported", () => {
  expect(check(join(import.meta.dirname, "no-such-file.ts"))).toEqual({
    status: 1,
    lines: ["modules/cargo/test/no-such-file.ts: there is no such file"],
  });
});
