// SPDX-License-Identifier: Apache-2.0
// The rows of usm.table.ts.
import { describe } from "vitest";

import { USM_ERRORS, USM_ROWS } from "./usm.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("usm", () => {
  runRows(USM_ROWS);
});

describe("errors of usm", () => {
  runErrorRows(USM_ERRORS);
});
