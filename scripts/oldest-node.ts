// SPDX-License-Identifier: Apache-2.0
// The oldest Node that the packages support, from the registry: the exact version that `engines` promises.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** The version; `engines` of every package says at least this. */
export const OLDEST_NODE = "20.19.0";

/** The program's path; null, with the reason on standard error, where the registry cannot be reached or has none. */
export function oldestNode(): string | null {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, "node_modules", ".cache", `oldest-node-${OLDEST_NODE}`);
  const program = join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "oldest-node", private: true }));
    const installed = spawnSync(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${OLDEST_NODE}`],
      { cwd: folder, encoding: "utf8" },
    );
    if (installed.status !== 0) {
      console.error(`!! skipped under Node ${OLDEST_NODE}: ${name} cannot be installed: ${installed.stderr}`);
      return null;
    }
  }
  return program;
}
