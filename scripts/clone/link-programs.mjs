// SPDX-License-Identifier: Apache-2.0
// Makes `npx muxkit`, `npx clc` and `npx veczc` run the sources of this clone. Without this npx would ask the registry:
// the packages' own `bin` entries name bundles, which a clone does not have.
import { existsSync, lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The programs: each has a file of its name in this folder. */
export const PROGRAMS = ["muxkit", "clc", "veczc"];

/** Adds what is missing to `node_modules/.bin` of the clone in `root`; what npm or a user put there stays. */
export function linkPrograms(root) {
  const bin = join(root, "node_modules", ".bin");
  for (const name of PROGRAMS) {
    const target = join("..", "..", "scripts", "clone", `${name}.mjs`);
    if (process.platform === "win32") {
      const file = join(bin, `${name}.cmd`);
      if (!existsSync(file)) writeFileSync(file, `@node "%~dp0\\${target}" %*\r\n`);
    } else if (lstatSync(join(bin, name), { throwIfNoEntry: false }) === undefined) {
      symlinkSync(target, join(bin, name));
    }
  }
}
