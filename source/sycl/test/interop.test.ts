// SPDX-License-Identifier: Apache-2.0
// The rows of interop.table.ts.
import { describe } from "vitest";

import { INTEROP_ERRORS, INTEROP_ROWS } from "./interop.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("interop", () => {
  runRows(INTEROP_ROWS);
});

describe("errors of interop", () => {
  runErrorRows(INTEROP_ERRORS);
});
