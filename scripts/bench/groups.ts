// SPDX-License-Identifier: Apache-2.0
// Groups of jobs, each a folder of its own: the suite, the wider jobs that the compiler is tuned by, and the half of
// them that is set aside: measured, and never looked at while tuning.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** A folder of jobs. */
export interface Group {
  /** What `--group` calls it. */
  readonly name: "suite" | "wider" | "set-aside";
  /** Folder of the jobs; the small ones are in its folder `tiny`. */
  readonly folder: string;
  /** In words, for reports. */
  readonly title: string;
  /** True: its jobs exist as hand-written WebAssembly and C, too. */
  readonly isHandWritten: boolean;
}

const suite = resolve(import.meta.dirname, "..", "..", "benchmarks", "suite");

/** All groups, in the order of reports. */
export const GROUPS: readonly Group[] = [
  { name: "suite", folder: suite, title: "the suite", isHandWritten: true },
  { name: "wider", folder: join(suite, "wider"), title: "tuned half", isHandWritten: false },
  { name: "set-aside", folder: join(suite, "set-aside"), title: "untouched half", isHandWritten: false },
];

/** A job of a group. */
export interface JobFile {
  readonly name: string;
  readonly group: Group;
  readonly path: string;
}

/** Which jobs are asked for. */
export interface Wanted {
  /** Names of groups with commas; undefined: all. */
  readonly groups: string | undefined;
  /** Names of jobs with commas; undefined: all. */
  readonly only: string | undefined;
  readonly isTiny: boolean;
}

/** What of a list is asked for by names with commas; undefined: all. Throws a RangeError where a name is unknown. */
export function named<T extends { readonly name: string }>(
  list: readonly T[],
  names: string | undefined,
  what: string,
): readonly T[] {
  if (names === undefined) return list;
  const asked = names.split(",");
  for (const name of asked)
    if (!list.some((one) => one.name === name))
      throw new RangeError(`there is no ${what} "${name}"; there are ${list.map((one) => one.name).join(", ")}`);
  return list.filter(({ name }) => asked.includes(name));
}

/** Jobs of a group, by name. */
export function jobsOf(group: Group, isTiny: boolean): readonly JobFile[] {
  const folder = isTiny ? join(group.folder, "tiny") : group.folder;
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => ({ name: file.slice(0, -".json".length), group, path: join(folder, file) }));
}

/** The jobs that are asked for, group after group. Throws a RangeError where a name is unknown. */
export function wantedJobs({ groups, only, isTiny }: Wanted): readonly JobFile[] {
  const jobs = named(GROUPS, groups, "group").flatMap((group) => jobsOf(group, isTiny));
  return named(jobs, only, "job");
}

/** The same; where a name is unknown, a sentence says so and the program ends. */
export function jobsOrExit(wanted: Wanted): readonly JobFile[] {
  return orExit(() => wantedJobs(wanted));
}

/** What a function gives; where it throws a RangeError, its sentence is said and the program ends. */
export function orExit<T>(wanted: () => T): T {
  try {
    return wanted();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    return process.exit(2);
  }
}
