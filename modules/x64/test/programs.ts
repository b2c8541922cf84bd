// SPDX-License-Identifier: Apache-2.0
// Programs of the system that tests look at files with, in a folder of the test's own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether all of some programs are installed; says loudly when not. */
export function areInstalled(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
  if (missing.length > 0) process.stderr.write(`!! ${missing.join(", ")}: not installed, tests are skipped\n`);
  return missing.length === 0;
}

/** A folder for the time of `use`, with files in it, and a way to run programs there; they must succeed. */
export function inFolder(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (run: (program: string, ...args: readonly string[]) => string) => void,
): void {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-x64-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    use((program, ...args) => {
      const { status, signal, stdout, stderr } = spawnSync(program, args, {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, LD_LIBRARY_PATH: folder, DEBUGINFOD_URLS: "" },
      });
      if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${signal ?? status}\n${stdout}${stderr}`);
      return stdout;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
