// SPDX-License-Identifier: Apache-2.0
// Bundles the program of the package that is the working directory, for tests, and prints its folder. It is kept below
// node_modules, named by every source that it may be made of: all test files share it.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";

import type { ProgramParts } from "./bundle-program.ts";

/** What was made a day ago of other sources is removed: a run that is under way may still load the rest. */
const OLD_MS = 86_400_000;

const root = resolve(import.meta.dirname, "../..");
const own = relative(root, process.cwd());
const kept = join(root, "node_modules/.cache/muxkit-programs");

function sourcesHash(): string {
  const hash = createHash("sha256");
  const sources = ["{modules,source}/*/source/**/*.{ts,js}", `${own}/source/**/*.ts`, "tools/build/*.ts"];
  for (const file of new Set(sources.flatMap((glob) => globSync(glob, { cwd: root }).toSorted())))
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

const folder = join(kept, `${basename(own)}-${sourcesHash()}`);
if (!existsSync(folder)) {
  const { muxkit } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly muxkit: { readonly program: ProgramParts };
  };
  mkdirSync(kept, { recursive: true });
  for (const name of globSync("*", { cwd: kept }))
    if (Date.now() - statSync(join(kept, name)).mtimeMs > OLD_MS) rmSync(join(kept, name), { recursive: true });
  const made = `${folder}.${process.pid}`;
  const { bundleProgram } = await import("./bundle-program.ts");
  await bundleProgram(muxkit.program, "// test", made);
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true });
  }
}
console.log(folder);
