// SPDX-License-Identifier: Apache-2.0
// The rows of dispatch.table.ts.
import { describe } from "vitest";

import { DISPATCH_ERRORS, DISPATCH_ROWS } from "./dispatch.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("dispatch", () => {
  runRows(DISPATCH_ROWS);
});

describe("errors of dispatch", () => {
  runErrorRows(DISPATCH_ERRORS);
});
