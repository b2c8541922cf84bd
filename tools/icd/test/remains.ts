// SPDX-License-Identifier: Apache-2.0
// What a driver's programs leave on the machine: processes, files, shared memory. Afterwards there must be nothing.
import { globSync, readFileSync, readdirSync } from "node:fs";

import type { Driver } from "./rig.ts";

/** The content of a file of /proc; empty when its process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * Processes that were started with a driver's environment, its servers among them, by number. Zombies are none: their
 * environment is gone.
 */
export function processesOf({ folder }: Driver): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((id) => read(`/proc/${id}/environ`).split("\0").includes(`MUXKIT_ICD_TEST=${folder}`));
}

/** The servers among them. */
export function serversOf(driver: Driver): readonly number[] {
  return processesOf(driver).filter((id) => read(`/proc/${id}/cmdline`).split("\0").includes("serve"));
}

/** Resources of a process. */
export interface Usage {
  /** Resident memory in bytes. */
  readonly memory: number;
  /** Open descriptors. */
  readonly descriptors: number;
  readonly threads: number;
}

/** The current resources of a process; null when it has ended. */
export function usageOf(id: number): Usage | null {
  const status = read(`/proc/${id}/status`);
  const number = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(status)?.[1] ?? Number.NaN);
  try {
    return status === ""
      ? null
      : {
          memory: number("VmRSS") * 1024,
          descriptors: readdirSync(`/proc/${id}/fd`).length,
          threads: number("Threads"),
        };
  } catch {
    return null;
  }
}

/**
 * Files below the folders that programs get for their own, and all shared memory objects with a name; browsers on the
 * same machine have theirs.
 */
function files({ temporary, runtime }: Driver): readonly string[] {
  return [
    ...globSync(`${temporary}/**/*`),
    ...globSync(`${runtime}/**/*`),
    ...globSync("/dev/shm/*").filter((file) => !/chrom|firefox|mozilla/iu.test(file)),
  ];
}

/** The processes and files before programs run. */
export function present(driver: Driver): ReadonlySet<string> {
  return new Set(files(driver));
}

/** Waits until something holds, at most so many ms. */
export async function until(holds: () => boolean, time: number): Promise<boolean> {
  if (holds() || time <= 0) return holds();
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  return until(holds, time - 20);
}

/** Leftovers of the programs: processes after at most ten seconds, and files. */
export async function remains(driver: Driver, before: ReadonlySet<string>): Promise<readonly string[]> {
  await until(() => processesOf(driver).length === 0, 10_000);
  return [
    ...processesOf(driver).map((id) => `process ${id}: ${read(`/proc/${id}/cmdline`).replaceAll("\0", " ")}`),
    ...files(driver).filter((file) => !before.has(file)),
  ];
}
