// SPDX-License-Identifier: Apache-2.0
// Builds the checks of conformance (native/*.c) and runs them on an implementation of OpenCL.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { readSchema } from "../../../../source/cl/tools/schema.ts";

const NATIVE: string = fileURLToPath(new URL("native/", import.meta.url));

/** The areas, in the order in which they run. */
export const AREAS = [
  "queries",
  "properties",
  "sub-devices",
  "atomics",
  "async-copies",
  "vector-memory",
  "dimensions",
  "images",
] as const;

/** The rows of queries.c: every token of OpenCL itself that is answered, with the type of its answer. */
function queryRows(): string {
  return readSchema()
    .info.filter(({ query }) => !/KHR$|INTEL$|MUXKIT$/u.test(query))
    .flatMap(({ query, token }) =>
      token
        // Binaries go to addresses in an array: queries.c has checks of its own for them.
        .filter(({ since, absent, type }) => since !== undefined && absent === undefined && !type.includes("*["))
        .map(({ name, type }) => {
          const [element = "", count] = type.split(/[[\]]/u);
          return `ROW(${query}, ${name}, sizeof(${element}), ${count === undefined ? 1 : Number(count)}, ${element === "char"})`;
        }),
    )
    .join("\n");
}

/** Compiles the program of all checks into a folder; returns the executable. */
export function compileConformance(folder: string): string {
  const target = join(folder, "conformance");
  writeFileSync(join(folder, "queries.rows.h"), `${queryRows()}\n`);
  execFileSync(
    "cc",
    [
      "-std=gnu11",
      "-O1",
      "-Wall",
      "-Wextra",
      "-I",
      folder,
      "-o",
      target,
      ...globSync(`${NATIVE}*.c`),
      "-lOpenCL",
      "-lm",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  return target;
}

/** What checks came to. */
export interface Verdicts {
  /** By name: true where it holds. */
  readonly checks: ReadonlyMap<string, boolean>;
  /** The reasons of those that do not hold, by name. */
  readonly reasons: ReadonlyMap<string, string>;
  /** How the program ended: 0 or 1 unless it crashed. */
  readonly status: number | null;
  readonly errors: string;
}

/** Runs checks: words are `whole` and names of areas. */
export function runConformance(
  program: string,
  environment: NodeJS.ProcessEnv,
  words: readonly string[],
  timeout: number,
): Verdicts {
  const { stdout, stderr, status } = spawnSync(program, words, {
    env: environment,
    encoding: "utf8",
    timeout,
    maxBuffer: 2 ** 28,
  });
  const checks = new Map<string, boolean>();
  const reasons = new Map<string, string>();
  let last = "";
  for (const line of stdout.split("\n")) {
    const groups = /^(?<verdict>ok|not ok) \d+ - (?<name>.*)$/u.exec(line)?.groups;
    if (groups !== undefined) {
      last = groups["name"] ?? "";
      if (checks.has(last)) throw new Error(`two checks are called "${last}"`);
      checks.set(last, groups["verdict"] === "ok");
    } else if (line.startsWith("# ") && checks.get(last) === false) reasons.set(last, line.slice(2));
  }
  return { checks, reasons, status, errors: stderr };
}
