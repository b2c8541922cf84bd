// SPDX-License-Identifier: Apache-2.0
// The programs of this tree as they are packed: bundled once for all test files. One that Node loads from the sources
// takes several times as long to start.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

const PACKAGE = resolve(import.meta.dirname, "..");
let folder: string | null = null;

/** The folder of the programs. */
export function programFolder(): string {
  folder ??= execFileSync(process.execPath, [resolve(PACKAGE, "../../tools/build/kept-program.ts")], {
    cwd: PACKAGE,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
  return folder;
}

/** Words that start a program. */
export function programOf(name: "cli" | "clc"): readonly [node: string, script: string] {
  return [process.execPath, join(programFolder(), `${name}.cjs`)];
}

/** The environment of programs: the engine's form of the scripts is kept next to them. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MUXKIT_CACHE: join(programFolder(), "cache") };
}
