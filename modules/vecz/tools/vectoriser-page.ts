// SPDX-License-Identifier: Apache-2.0
// Writes docs/vectoriser.md. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import { PAGE } from "./page.ts";

const page = new URL("../../../docs/vectoriser.md", import.meta.url);

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== PAGE) {
    console.error("docs/vectoriser.md is stale: run npm run vectoriser-page");
    process.exitCode = 1;
  }
} else writeFileSync(page, PAGE);
