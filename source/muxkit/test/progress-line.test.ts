// SPDX-License-Identifier: Apache-2.0
// What terminals are shown while work goes on, and that nothing else is.
import { resolve } from "node:path";

import { expect, test } from "vitest";

import type { Streams } from "../source/command/command.ts";
import { main } from "../source/command/main.ts";
import { progressLine } from "../source/command/progress-line.ts";

const ERASE = "\r\u001B[K";
const JOB = resolve(import.meta.dirname, "../../../benchmarks/suite/tiny/saxpy.json");

/** Streams that keep what is written to one of them. */
function streamsOf(isTerminal: boolean): { readonly streams: Streams; readonly errors: readonly string[] } {
  const errors: string[] = [];
  return { streams: { out: () => undefined, error: (text) => errors.push(text), isTerminal }, errors };
}

test("a text takes the place of the last one, and the line is gone in the end", () => {
  const { streams, errors } = streamsOf(true);
  const line = progressLine(streams);
  line?.show("first", true);
  line?.show("too quick to be seen");
  line?.show("second", true);
  line?.clear();
  line?.clear();
  expect(errors).toEqual([`${ERASE}first`, `${ERASE}second`, ERASE]);
});

test("where there is no terminal nothing is written", () => {
  expect(progressLine(streamsOf(false).streams)).toBeNull();
  const { streams, errors } = streamsOf(false);
  expect(main(["run", JOB, "--runs", "3"], streams)).toBe(0);
  expect(errors).toEqual([]);
});

test("muxkit run says what it does, also where it fails", () => {
  const { streams, errors } = streamsOf(true);
  expect(main(["run", JOB, "--runs", "3"], streams)).toBe(0);
  expect(errors[0]).toBe(`${ERASE}saxpy: building`);
  expect(errors.at(-1)).toBe(ERASE);
  const failing = streamsOf(true);
  expect(main(["run", JOB, "--options", "-D"], failing.streams)).not.toBe(0);
  expect(failing.errors.slice(0, 2)).toEqual([`${ERASE}saxpy: building`, ERASE]);
});
