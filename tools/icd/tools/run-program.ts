// SPDX-License-Identifier: Apache-2.0
// Runs a program of others once with a driver, from an empty home, and judges what it says.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

const LIMIT = 280_000;
/** A program that failed shows so much of what it said. */
const SHOWN = 2000;

/** How a program ran. */
export interface ProgramResult {
  /** Its standard output, a character a byte. */
  readonly said: string;
  readonly isRight: boolean;
  readonly seconds: number;
}

/** What is run. */
export interface Runnable {
  readonly words: readonly string[];
  readonly isRight: (said: string) => boolean;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Version of a package; null when it is not installed. */
export function versionOf(name: string): string | null {
  const { status, stdout } = spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status} ${Version}", name], {
    encoding: "utf8",
  });
  return status === 0 && stdout.startsWith("installed ") ? stdout.slice("installed ".length) : null;
}

/** How far two rows of bytes are from one another at most; what is above `enough` is not looked at further. */
export function distanceOf(left: string, right: string, enough: number = 1): number {
  let most = left.length === right.length ? 0 : Number.POSITIVE_INFINITY;
  for (let at = 0; at < left.length && most <= enough; at++)
    most = Math.max(most, Math.abs(left.charCodeAt(at) - right.charCodeAt(at)));
  return most;
}

/** Runs it with the driver that an environment chooses; homes and caches are new folders in `scratch`. */
export function runProgram(
  { words: [program = "", ...rest], isRight, environment }: Runnable,
  scratch: string,
  driver: NodeJS.ProcessEnv,
): ProgramResult {
  const home = mkdtempSync(join(scratch, "home-"));
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: "latin1",
    timeout: LIMIT,
    cwd: home,
    env: {
      ...process.env,
      HOME: home,
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_DATA_HOME: join(home, "data"),
      MUXKIT_CACHE: "off",
      POCL_CACHE_DIR: join(home, "pocl"),
      ...environment,
      ...driver,
    },
    maxBuffer: 2 ** 28,
  });
  const seconds = (performance.now() - start) / 1000;
  const right = isRight(stdout) && status !== null;
  if (!right) {
    const shown = [stdout, stderr].map((text) => text.slice(-SHOWN).replaceAll(/[^\n -~]/gu, "."));
    console.error(`${program} with ${JSON.stringify(driver)}: status ${String(status)}\n${shown.join("\n")}`);
  }
  return { said: stdout, isRight: right, seconds };
}
