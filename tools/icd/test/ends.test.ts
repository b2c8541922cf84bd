// SPDX-License-Identifier: Apache-2.0
// Abrupt ends: of the server, of the program, of one of its children. No process hangs, and nothing is
// left.
import { type ChildProcess, spawn } from "node:child_process";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { present, remains, serversOf, until } from "./remains.ts";
import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";
import { MOST_THREADS, most, settled, soak } from "./soak.ts";

const LIMIT = 200_000;

/** A program that runs. */
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [status: number | null, signal: string | null]>;
  readonly said: () => string;
}

function start(driver: Driver, mode: string): Running {
  const child = spawn(compile(driver, "ends.c"), [mode], {
    env: driver.environment,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return {
    child,
    said: () => output,
    ended: new Promise((resolve) => {
      child.on("close", (...how) => {
        resolve(how);
      });
    }),
  };
}

/**
 * Its threads are in the middle of commands, reads, writes, maps, callbacks, builds, and waits for what never comes.
 */
async function middle({ said, child }: Running): Promise<void> {
  await until(() => said().includes("ready") || child.exitCode !== null, 100_000);
  expect(said()).toContain("ready");
}

const wrong = (said: string): readonly string[] =>
  said.split("\n").filter((line) => !line.startsWith("ok ") && line !== "" && line !== "ready");

describe.skipIf(!HAS_LOADER)("ends", () => {
  let driver: Driver;
  let before: ReadonlySet<string>;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });
  beforeEach(() => {
    before = present(driver);
  });
  afterEach(async () => {
    const left = await remains(driver, before);
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  }, LIMIT);

  // Where the server is differs with the time.
  test.each([0, 3, 11, 40, 150, 400])(
    "the server is killed %i ms after the middle: every thread comes back, every event's callback is called",
    async (time) => {
      const running = start(driver, "server");
      await middle(running);
      await new Promise((resolve) => {
        setTimeout(resolve, time);
      });
      const [server] = serversOf(driver);
      expect(server).toBeDefined();
      process.kill(server ?? 0, "SIGKILL");
      expect(await running.ended).toEqual([0, null]);
      expect(wrong(running.said())).toEqual([]);
      expect(running.said()).toContain("ok every callback of an event was called");
    },
    LIMIT,
  );

  test.each([0, 7, 60])(
    "the program is killed %i ms after the middle: its server ends",
    async (time) => {
      const running = start(driver, "busy");
      await middle(running);
      await new Promise((resolve) => {
        setTimeout(resolve, time);
      });
      running.child.kill("SIGKILL");
      expect(await running.ended).toEqual([null, "SIGKILL"]);
    },
    LIMIT,
  );

  test(
    "an interrupt of the whole group ends the program and its server",
    async () => {
      const running = start(driver, "busy");
      await middle(running);
      process.kill(-(running.child.pid ?? 0), "SIGINT");
      expect(await running.ended).toEqual([null, "SIGINT"]);
    },
    LIMIT,
  );

  test.each([
    ["exit", 11],
    ["return", 0],
  ])(
    "%s in the middle of other threads' commands ends the program",
    async (mode, status) => {
      const running = start(driver, mode);
      expect(await running.ended).toEqual([status, null]);
      expect(running.said()).toBe("ready\n");
    },
    LIMIT,
  );

  test(
    "handlers of signals that interrupt system calls, and of an interrupt of the group, disturb nothing",
    async () => {
      const running = start(driver, "interrupt");
      expect(await running.ended).toEqual([0, null]);
      expect(running.said()).toBe("ok commands are right while signals interrupt\n");
    },
    LIMIT,
  );

  test.each([
    ["fork", 6],
    ["early", 1],
  ])(
    "children: %s",
    async (mode, contracts) => {
      const running = start(driver, mode);
      expect(await running.ended).toEqual([0, null]);
      expect(wrong(running.said())).toEqual([]);
      expect(
        running
          .said()
          .split("\n")
          .filter((line) => line.startsWith("ok ")).length,
      ).toBe(contracts);
    },
    LIMIT,
  );

  test(
    "a driver that is unloaded with commands and a callback under way",
    () => {
      const { status, output, errors } = run(driver, compile(driver, "unload.c"), [driver.library]);
      expect({ status, output, errors }).toEqual({
        status: 0,
        output:
          "ok a loader takes the platform\nok commands by the driver's own table\nok the " +
          "program goes on without the driver\n",
        errors: "",
      });
    },
    LIMIT,
  );

  test(
    "32 threads for ten seconds: every result is right, descriptors stay what they are",
    async () => {
      const { status, output, client, server, left } = await soak(driver, 32, 10, 2026);
      expect({ status, wrong: output.split("\n").filter((line) => line.startsWith("not ok")), left }).toEqual({
        status: 0,
        wrong: [],
        left: [],
      });
      expect(output).toMatch(/^ok \d{3,} actions of 32 threads, \d{2,} callbacks, \d+ contexts, 0 differences$/mu);
      for (const steady of [settled(client), settled(server)]) {
        // Thousands of actions lie between the halves.
        expect(steady.length).toBeGreaterThanOrEqual(4);
        expect(most(steady, "descriptors", 0.5, 1)).toBeLessThanOrEqual(most(steady, "descriptors", 0, 0.5));
      }
      expect(most(server, "threads", 0, 1)).toBeLessThanOrEqual(MOST_THREADS);
    },
    LIMIT,
  );
});
