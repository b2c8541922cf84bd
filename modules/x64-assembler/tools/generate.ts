// SPDX-License-Identifier: Apache-2.0
// Writes source/generated/forms.ts from the tables of instructions. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import { formsOfRows, packedForms } from "../source/pack-forms.ts";

const file = new URL("../source/generated/forms.ts", import.meta.url);
const text = packedForms(formsOfRows());
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("modules/x64-assembler/source/generated/forms.ts is stale: run npm run x64-forms");
  process.exitCode = 1;
}
