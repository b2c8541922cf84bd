// SPDX-License-Identifier: Apache-2.0
// docs/vectoriser.md is what the tables say.
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { PAGE } from "../tools/page.ts";

test("docs/vectoriser.md is up to date: npm run vectoriser-page", () => {
  expect(readFileSync(new URL("../../../docs/vectoriser.md", import.meta.url), "utf8")).toBe(PAGE);
});
