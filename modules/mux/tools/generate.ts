// SPDX-License-Identifier: Apache-2.0
// Writes types, entry points, the target interface, a stub target, the reference and the suite's table
// from api/mux.xml. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { entryPoints } from "./entry-points.ts";
import { reference, rulesTable } from "./reference.ts";
import { stub, target } from "./target.ts";
import { enums, structs } from "./types.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

const files: readonly (readonly [path: string, text: string])[] = [
  [`${folder}source/generated/enums.ts`, enums()],
  [`${folder}source/generated/structs.ts`, structs()],
  [`${folder}source/generated/target.ts`, target()],
  [`${folder}source/generated/stub-target.ts`, stub()],
  [`${folder}source/generated/entry-points.ts`, entryPoints()],
  [`${folder}../../docs/mux-reference.md`, reference()],
  [`${folder}../unitmux/source/generated/entry-points.ts`, rulesTable()],
];
for (const [path, text] of files) {
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path} is stale: run npm run mux-schema`);
    process.exitCode = 1;
  }
}
