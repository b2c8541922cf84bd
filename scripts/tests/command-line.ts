// SPDX-License-Identifier: Apache-2.0
// The command line of `npm test`: packages and test files first, then options of vitest.
import { basename } from "node:path";

/** A command line that makes no sense: `message` is the whole text for the user. */
export interface Refused {
  readonly ok: false;
  readonly message: string;
}

/** What vitest is started with. */
export interface TestRun {
  readonly ok: true;
  /** Arguments of vitest, without `run` and reporters. */
  readonly args: readonly string[];
  /** True: vitest stays and runs again what a change concerns. */
  readonly watch: boolean;
  /** True when the user chose a reporter. */
  readonly hasReporter: boolean;
  /** The pattern of test names that `-t` selects; null: all. */
  readonly filter: string | null;
}

/** Words that name a file or a folder instead of a package. */
const PATH = /[/\\]|\.ts$/u;

/**
 * Reads the arguments of `npm test`. Words before the first option are packages (`passes`, `@muxkit/passes`,
 * `modules/passes`) or test files (any part of a path: `passes/test/inline.test.ts`); the first option and what follows
 * go to vitest as they are. `--coverage` may come first, so that `npm run coverage -- passes` works: vitest then counts
 * which sources of the packages ran. `folders` are the packages' folders, relative to the repository.
 */
export function readTestArguments(words: readonly string[], folders: readonly string[]): TestRun | Refused {
  const coverage = words[0] === "--coverage";
  const rest = coverage ? words.slice(1) : words;
  const firstOption = rest.findIndex((word) => word.startsWith("-"));
  const names = firstOption < 0 ? rest : rest.slice(0, firstOption);
  const options = firstOption < 0 ? [] : rest.slice(firstOption);
  const chosen: string[] = [];
  const files: string[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const folder = folders.find((candidate) => isCalled(candidate, name));
    if (folder !== undefined) chosen.push(folder);
    else if (PATH.test(name)) files.push(name);
    else unknown.push(name);
  }
  if (unknown.length > 0) return { ok: false, message: unknownPackage(unknown, folders) };
  return {
    ok: true,
    args: [
      ...chosen.flatMap((folder) => ["--project", basename(folder)]),
      ...(coverage ? ["--coverage.enabled"] : []),
      ...files,
      ...options,
    ],
    watch: options.some((option) => ["--watch", "-w", "--ui"].includes(option)),
    hasReporter: options.some((option) => option.startsWith("--reporter")),
    filter: nameFilter(options),
  };
}

/** The value of `-t` or `--testNamePattern`. */
function nameFilter(options: readonly string[]): string | null {
  for (const [index, option] of options.entries()) {
    const [, value] = /^(?:-t|--testNamePattern)(?:=(.*))?$/u.exec(option) ?? [null, null];
    if (value !== null) return value ?? options[index + 1] ?? null;
  }
  return null;
}

function isCalled(folder: string, name: string): boolean {
  const path = name.replace(/^\.\//u, "").replace(/\/$/u, "");
  return path === folder || path === basename(folder) || path === `@muxkit/${basename(folder)}`;
}

function unknownPackage(unknown: readonly string[], folders: readonly string[]): string {
  const names = folders.map((folder) => basename(folder)).toSorted();
  return (
    `There is no package "${unknown.join('", "')}" with tests. Packages: ` +
    `${names.join(", ")}. A test file is named by its path, a test by -t.`
  );
}
