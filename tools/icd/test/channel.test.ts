// SPDX-License-Identifier: Apache-2.0
// The channel that frames travel in, with the addon and without it: nothing is lost, nothing runs while nobody asks,
// and a library that breaks its rules ends its own server.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { present, remains, serversOf, until } from "./remains.ts";
import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
/** Most processor time that a side may take of two seconds in which nothing is asked, in ms. */
const MOST_IDLE = 40;
const TICK_MS = 10;
/** Most time of a program that has written over the channel, in ms: it notices after a second or two. */
const MOST_TO_NOTICE = 60_000;
/** What a side that finds it out prints, at most both. */
const COMPLAINTS = /^(?:muxkit icd: [^\n]+\n){0,2}$/u;
/** Seeds and numbers of writes over what both processes share. */
const SCRIBBLES: readonly (readonly [seed: number, writes: number, environment: NodeJS.ProcessEnv])[] = [
  [11, 1, {}],
  [12, 20, {}],
  [13, 2000, {}],
  [14, 2000, { MUXKIT_ICD_ADDON: "off" }],
];
/** What is done to the channel, what becomes of the program, and what is said. */
const MISHAPS: readonly (readonly [what: string, end: string, said: RegExp])[] = [
  ["asleep", "ok it goes on", /^$/u],
  ["request", "ok it ends in an error", /^muxkit icd: something has written over [^\n]* \(a frame\)/u],
  ["length", "ok it ends in an error", /^muxkit icd: the streams of the library end in a part of a frame/u],
  ["produced", "ok it ends in an error", /^muxkit icd: something has written over [^\n]* \(its counters\)/u],
];

/** Processor time of a process in ms. */
function timeOf(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, "utf8")
    .replace(/^.*\) /su, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describe.skipIf(!HAS_LOADER)("the channel", () => {
  let driver: Driver;
  let program: string;
  let before: ReadonlySet<string>;
  beforeAll(() => {
    driver = makeDriver();
    program = compile(driver, "channel.c");
    before = present(driver);
  }, LIMIT);
  afterAll(async () => {
    const left = await remains(driver, before);
    removeDriver(driver);
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  }, LIMIT);

  test.each([
    ["with the addon", {}],
    ["without it", { MUXKIT_ICD_ADDON: "off" }],
  ])(
    "%s, frames longer than it and more than it holds arrive whole",
    (_, more) => {
      expect(run(driver, program, ["large"], more)).toEqual({
        status: 0,
        output: "ok long frames and many frames arrive whole\n",
        errors: "",
      });
    },
    LIMIT,
  );

  test(
    "takes no processor time while nobody asks",
    async () => {
      const child = spawn(program, ["idle"], { env: driver.environment, stdio: ["ignore", "pipe", "inherit"] });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      const ended = new Promise((resolve) => child.on("close", resolve));
      expect(await until(() => output.includes("idle"), 60_000)).toBe(true);
      const [server = 0] = serversOf(driver);
      // What the engine still compiles, and its collection of garbage, come to an end first: on a busy machine late.
      let last = timeOf(server);
      const isIdle = async (): Promise<boolean> => {
        await pause(1000);
        const now = timeOf(server);
        const took = now - last;
        last = now;
        return took <= MOST_IDLE;
      };
      expect((await isIdle()) || (await isIdle()) || (await isIdle()) || (await isIdle()) || (await isIdle())).toBe(
        true,
      );
      await ended;
      expect(Number(/^took (?<time>[\d.]+) ms$/mu.exec(output)?.groups?.["time"])).toBeLessThan(MOST_IDLE);
    },
    LIMIT,
  );

  test.each(MISHAPS)(
    "%s is other than it was written: %s",
    (what, end, said) => {
      const { status, output, errors } = run(driver, program, ["mishap", what], {}, MOST_TO_NOTICE);
      expect({ status, lines: output.trim().split("\n") }).toEqual({
        status: 0,
        lines: ["ok all is well before", "ok the memory cannot shrink", "ok the server is found", end],
      });
      expect(errors).toMatch(said);
      expect(errors).toMatch(COMPLAINTS);
    },
    LIMIT,
  );

  test.each(SCRIBBLES)(
    "a library that writes over all (seed %i, %i times) goes on or gets errors",
    (seed, writes, more) => {
      const words = ["scribble", String(seed), String(writes)];
      const { status, output, errors } = run(driver, program, words, more, MOST_TO_NOTICE);
      expect({ status, output }).toEqual({
        status: 0,
        output: "ok the memory cannot shrink\nok it goes on, or ends in an error\n",
      });
      expect(errors).toMatch(COMPLAINTS);
    },
    LIMIT,
  );
});
