// SPDX-License-Identifier: Apache-2.0
// What is known of commands is not asked again, and nothing is taken as known that is not.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Driver, HAS_LOADER, type Outcome, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;

describe.skipIf(!HAS_LOADER)("commands", () => {
  let driver: Driver;
  let outcome: Outcome;
  beforeAll(() => {
    driver = makeDriver();
    outcome = run(driver, compile(driver, "known.c"), [], { MUXKIT_ICD_TRACE: "1" });
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  /** How often the calls of a step waited for the server, without those that come behind it. */
  function waitsOf(step: string, calls: RegExp): number {
    const part = outcome.errors.split(/^step /mu).find((text) => text.startsWith(`${step}\n`)) ?? "";
    const lines = [...part.matchAll(/^muxkit: trace: (?<call>\w+) .* waits (?<waits>\d+)$/gmu)];
    const first = lines.findIndex(({ groups }) => !calls.test(groups?.["call"] ?? ""));
    const own = first < 0 ? lines : lines.slice(0, first);
    expect(own.length).toBeGreaterThan(0);
    return own.reduce((sum, { groups }) => sum + Number(groups?.["waits"]), 0);
  }

  test("every contract that known.c names holds", () => {
    expect(outcome.output.split("\n").filter((line) => line.startsWith("not ok"))).toEqual([]);
    expect(outcome.status).toBe(0);
    expect(outcome.output.split("\n").filter((line) => line.startsWith("ok ")).length).toBeGreaterThan(18);
  });

  test.each([
    ["finish of a queue without commands", 0],
    ["behind a blocking write", 0],
    ["behind clFinish", 0],
    ["behind a wait for the last event", 0],
    ["behind a wait for an event that is not the last", 1],
    ["the blocking one of a queue without order", 0],
    ["clFinish behind a blocking command of a queue without order", 1],
    ["clFinish once more", 0],
  ])("%s: the server is asked %i times", (step, waits) => {
    expect(waitsOf(step, /^cl(?:Finish|Flush|WaitForEvents|GetEvent(?:Profiling)?Info)$/u)).toBe(waits);
  });
});
