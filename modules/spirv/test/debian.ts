// SPDX-License-Identifier: Apache-2.0
// Debian's spirv-tools, which tests compare with where they are.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** True where a program of spirv-tools runs; says loudly that tests are skipped where none does. */
export function hasTool(name: string): boolean {
  const isHere = spawnSync(name, ["--version"]).status === 0;
  if (!isHere) console.warn(`!! ${name} is not here (Debian package spirv-tools): what compares with it is skipped`);
  return isHere;
}

/** What a program says of some bytes. */
export interface ToolResult {
  readonly status: number | null;
  readonly output: string;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  readonly error: string;
}

/** Runs a program on a file with these bytes. */
export function runTool(name: string, options: readonly string[], bytes: Uint8Array | string): ToolResult {
  const folder = mkdtempSync(join(tmpdir(), "spirv-"));
  try {
    const file = join(folder, "module");
    writeFileSync(file, bytes);
    const { status, stdout, stderr } = spawnSync(name, [...options, file], { maxBuffer: 2 ** 28 });
    return { status, bytes: stdout, output: stdout.toString(), error: stderr.toString() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
