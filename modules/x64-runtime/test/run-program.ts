// SPDX-License-Identifier: Apache-2.0
// Runs programs that load machine code in processes of their own, in each Node that is installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildSync } from "esbuild";

/** Whether bridges can be loaded here at all. */
export const IS_SUPPORTED: boolean = process.platform === "linux" && process.arch === "x64";
if (!IS_SUPPORTED) process.stderr.write("!! native code is tested on Linux on x86-64 only\n");

function versionOf(program: string): string {
  return spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim();
}

/** The Nodes: that of the tests, and the system's where it is another. */
export const NODES: readonly (readonly [version: string, program: string])[] = [process.execPath, "/usr/bin/node"]
  .filter((program) => existsSync(program))
  .map((program) => [versionOf(program), program] as const)
  .filter(([version], n, all) => all.findIndex(([other]) => other === version) === n);

/** A folder that is deleted after the tests. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "muxkit-x64-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Bundles a program, so that Nodes without types run it too. */
export function bundle(name: string, folder: string): string {
  const outfile = join(folder, `${name}.mjs`);
  buildSync({
    entryPoints: [join(import.meta.dirname, "programs", `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    logLevel: "error",
  });
  return outfile;
}

/** What a program printed, and how it ended. */
export interface Outcome {
  readonly text: string;
  readonly status: number | null;
  readonly signal: string | null;
}

/** Runs a bundled program. */
export function run(node: string, flags: readonly string[], program: string, args: readonly string[]): Outcome {
  const { stdout, stderr, status, signal } = spawnSync(node, [...flags, program, ...args], {
    encoding: "utf8",
    timeout: 240_000,
    // Settings of the tests' own process would change what is tested.
    env: { PATH: process.env["PATH"] },
  });
  return { text: `${stdout}${stderr}`, status, signal };
}

/** Makes an addon of a program in C; null, said loudly, where there is no compiler. */
export function compileAddon(name: string, folder: string): string | null {
  if (spawnSync("gcc", ["--version"]).status !== 0) {
    process.stderr.write(`!! gcc is not installed: ${name}.c is not tested\n`);
    return null;
  }
  const file = join(folder, `${name}.node`);
  const source = join(import.meta.dirname, "programs", `${name}.c`);
  const options = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", file, source];
  const { status, stderr } = spawnSync("gcc", options, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return file;
}
