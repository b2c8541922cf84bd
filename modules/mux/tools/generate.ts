// SPDX-License-Identifier: Apache-2.0
// Writes types, entry points, the target interface, a stub target, the reference and the suite's table
// from api/mux.xml. With --check, only compares.
import { fileURLToPath } from "node:url";

import { writeGenerated } from "../../../tools/build/schema-file.ts";
import { calls, entryPoints } from "./entry-points.ts";
import { reference, rulesTable } from "./reference.ts";
import { stub, target } from "./target.ts";
import { enums, structs } from "./types.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

writeGenerated(
  [
    [`${folder}source/generated/enums.ts`, enums()],
    [`${folder}source/generated/structs.ts`, structs()],
    [`${folder}source/generated/target.ts`, target()],
    [`${folder}source/generated/stub-target.ts`, stub()],
    [`${folder}source/generated/calls.ts`, calls()],
    [`${folder}source/generated/entry-points.ts`, entryPoints()],
    [`${folder}../../docs/mux-reference.md`, reference()],
    [`${folder}../unitmux/source/generated/entry-points.ts`, rulesTable()],
  ],
  "npm run mux-schema",
);
