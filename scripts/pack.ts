// SPDX-License-Identifier: Apache-2.0
// Packs every published package into out/packages, and prints the line that installs them into another project.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { basename, relative, resolve } from "node:path";

import { packAll } from "./packages.ts";

const folder = resolve(import.meta.dirname, "..", "out", "packages");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const packed = packAll(folder);
for (const { manifest, tarball } of packed)
  console.log(`${manifest.name.padEnd(28)} ${basename(tarball)}  ${(statSync(tarball).size / 1000).toFixed(0)} kB`);
console.log(`\n${packed.length} packages are in ${relative(process.cwd(), folder)}. In a project of your own:\n`);
console.log(`  npm install ${folder}/*.tgz`);
