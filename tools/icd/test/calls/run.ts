// SPDX-License-Identifier: Apache-2.0
// Runs the program of all rows with a driver, again after a row in which it crashes or hangs.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { numberOf, readSchema } from "../../../../source/cl/tools/schema.ts";
import { programOf } from "./native.ts";
import type { Row } from "./values.ts";

const PROGRAMS: string = fileURLToPath(new URL("../programs/", import.meta.url));
const NAMES: ReadonlyMap<number, string> = new Map([
  ...readSchema()
    .group.filter(({ form }) => form === "error")
    .flatMap(({ constant }) => constant.map((row) => [numberOf(row), row.name] as const)),
  [1000, "null"],
  [1001, "an object and an error"],
  [1002, "no object and no error"],
  [1003, "no code"],
]);

/** Compiles the program of rows into a folder; returns the executable. */
export function compileRows(folder: string, rows: readonly Row[]): string {
  const source = join(folder, "calls.c");
  const target = join(folder, "calls");
  writeFileSync(source, programOf(rows));
  execFileSync("cc", ["-O0", "-w", "-I", PROGRAMS, "-o", target, source, "-lOpenCL"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return target;
}

/** What each row came to: an error's name, "crash" or "hang"; nothing for rows that are left out. */
export function answers(
  program: string,
  rows: readonly Row[],
  environment: NodeJS.ProcessEnv,
  leftOut: readonly number[] = [],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (let next = 0; next < rows.length;) {
    const { stdout, stderr, status, signal } = spawnSync(program, [next, ...leftOut].map(String), {
      env: environment,
      encoding: "utf8",
      timeout: 500_000,
    });
    let last: number | null = null;
    for (const line of stdout.split("\n")) {
      const [row = "", code = ""] = line.split(" ");
      if (!/^\d+$/u.test(row)) continue;
      last = Number(row);
      if (code !== "") found.set(last, NAMES.get(Number(code)) ?? code);
    }
    if (status === 0) break;
    if (last === null) throw new Error(`the program did not begin: ${stderr}`);
    found.set(last, signal === "SIGALRM" ? "hang" : "crash");
    next = last + 1;
  }
  return found;
}
