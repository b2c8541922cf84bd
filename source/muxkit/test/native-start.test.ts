// SPDX-License-Identifier: Apache-2.0
// When machine code begins: not before a kernel is hot, and then with the same results; and that a deadline ends it in
// a thread that is terminated.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const IS_SUPPORTED = process.platform === "linux" && process.arch === "x64";
if (!IS_SUPPORTED) process.stderr.write("!! machine code is tested on Linux on x86-64 only\n");

const START = "native-start-program.ts";
const folder = mkdtempSync(join(tmpdir(), "muxkit-native-start-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  /** Options of Node. */
  readonly options?: readonly string[];
  /** Environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

function output(program: string, launches: number, { options = [], settings = {} }: Run = {}): string {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawnSync(
    process.execPath,
    [
      "--conditions=source",
      "--disable-warning=ExperimentalWarning",
      ...options,
      join(import.meta.dirname, program),
      String(launches),
    ],
    {
      encoding: "utf8",
      env: { ...env, MUXKIT_NATIVE: "auto", MUXKIT_TAKEOVER: "250", MUXKIT_CACHE: folder, ...settings },
    },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  return child.stdout;
}

function run(program: string, launches: number, given?: Run): unknown {
  return JSON.parse(output(program, launches, given));
}

describe.skipIf(!IS_SUPPORTED)("with MUXKIT_NATIVE=auto", () => {
  test("one launch opens nothing of machine code", () => {
    expect(run(START, 1)).toMatchObject({ first: 3, isEarly: false, isLate: false, isRight: true });
  });

  test("launches that come again run machine code, and not the first one", () => {
    expect(run(START, 1_000_000)).toMatchObject({ first: 3, isEarly: false, isLate: true, isRight: true });
  });

  test("a process that may not load it computes the same without it", () => {
    expect(run(START, 50, { options: ["--no-addons"] })).toMatchObject({
      first: 3,
      isLate: false,
      isRight: true,
      count: 50,
    });
  });
});

const cached = (name: string): Readonly<Record<string, string>> => ({ MUXKIT_CACHE: join(folder, name) });

function takeover(settings: Readonly<Record<string, string>>): string {
  return output("native-takeover-program.ts", 1, { settings });
}

test.skipIf(!IS_SUPPORTED)("machine code takes over launches that run: results and output are the same", () => {
  const expected = takeover({ MUXKIT_NATIVE: "off", ...cached("off") });
  const taken = takeover({ MUXKIT_TAKEOVER: "0", ...cached("taken") });
  expect(taken).toBe(expected.replace('"isLoaded":false', '"isLoaded":true'));
  expect(taken).not.toBe(expected);
  expect(takeover({ MUXKIT_TAKEOVER: "1e9", ...cached("none") })).toBe(expected);
});

test.skipIf(!IS_SUPPORTED)("a thread that is terminated in an endless kernel leaves it at the deadline", () => {
  expect(run("native-terminate-program.ts", 0)).toEqual({ code: 1, isStopped: true });
});
