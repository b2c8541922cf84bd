// SPDX-License-Identifier: Apache-2.0
// Writes modules/builtins/source/generated/modules.ts. With --check, only compares. With --batched, writes the batched functions of modules/abacus too.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { bakeLibrary } from "./bake.ts";

const file = fileURLToPath(new URL("../../../modules/builtins/source/generated/modules.ts", import.meta.url));
const text = bakeLibrary();
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("modules/builtins/source/generated/modules.ts is stale: run npm run bake");
    process.exitCode = 1;
  }
} else writeFileSync(file, text);

if (process.argv.includes("--batched")) {
  // Loaded now: the compiler below it reads the library that was just written.
  const { bakeBatched } = await import("./batched.ts");
  writeFileSync(
    fileURLToPath(new URL("../../../modules/abacus/source/generated/batched.ts", import.meta.url)),
    bakeBatched(),
  );
}
