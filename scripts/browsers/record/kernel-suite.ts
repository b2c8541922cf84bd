// SPDX-License-Identifier: Apache-2.0
// Stands in for @muxkit/kernel-suite while its tests run: each launch is run by the reference alone and written down
// with what it leaves in memory. The types of elements come from what the tests compare afterwards.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";

import { expect } from "vitest";

import type { RecordedCase } from "../project/case.ts";
import {
  type DifferentialArgument,
  type DifferentialLaunch,
  type ElementKind,
  type Outcome,
  firstDifference as compare,
  runReference,
} from "@muxkit/kernel-suite";

// What is not below is the suite's own.
export * from "@muxkit/kernel-suite";

const { MUXKIT_RECORD: folder = "" } = process.env;
const file = join(folder, `${process.pid}.${threadId}.jsonl`);

/** Numbers of the outcomes whose elements' types are not known yet. */
const numbers = new WeakMap<Outcome, number>();
let count = 0;

/** Many buffers begin as zeros, or are all of one kind: those are a number. */
function bytesOf(bytes: Uint8Array): string | number {
  return bytes.every((byte) => byte === 0) ? bytes.length : Buffer.from(bytes).toString("base64");
}

function argumentOf(argument: DifferentialArgument): RecordedCase["arguments"][number] {
  if ("value" in argument) return { value: bytesOf(argument.value) };
  if (!("contents" in argument)) return argument;
  return { contents: bytesOf(argument.contents), ...(argument.image === undefined ? {} : { image: argument.image }) };
}

/** The reference alone. */
export function runEveryWay(launch: DifferentialLaunch): readonly Outcome[] {
  const outcome = runReference(launch);
  const { source, kernel, next = [], options = "", global, local, offset = [] } = launch;
  const recorded: RecordedCase = {
    number: count,
    test: expect.getState().currentTestName ?? "",
    source,
    kernels: [kernel, ...next],
    options,
    global,
    local,
    offset,
    arguments: launch.arguments.map(argumentOf),
    buffers: outcome.buffers.map(bytesOf),
    printed: outcome.printed,
    kinds: null,
  };
  appendFileSync(file, `${JSON.stringify(recorded)}\n`);
  numbers.set(outcome, count++);
  // Tests compare each other way with the first: a copy of it gets the types.
  return [outcome, { ...outcome }];
}

/** Compares, and writes down what is compared as floats, once. */
export function firstDifference(left: Outcome, right: Outcome, kinds: readonly ElementKind[]): string | null {
  const number = numbers.get(left);
  if (number !== undefined) appendFileSync(file, `${JSON.stringify({ number, kinds })}\n`);
  numbers.delete(left);
  return compare(left, right, kinds);
}
