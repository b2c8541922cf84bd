// SPDX-License-Identifier: Apache-2.0
// The rows of memory.table.ts and memory-errors.table.ts.
import { describe } from "vitest";

import { MEMORY_ERRORS } from "./memory-errors.table.ts";
import { MEMORY_ROWS } from "./memory.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("memory", () => {
  runRows(MEMORY_ROWS);
});

describe("errors of memory", () => {
  runErrorRows(MEMORY_ERRORS);
});
