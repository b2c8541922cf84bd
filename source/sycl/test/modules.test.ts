// SPDX-License-Identifier: Apache-2.0
// The rows of modules.table.ts and module-errors.table.ts.
import { describe } from "vitest";

import { MODULE_ERRORS } from "./module-errors.table.ts";
import { MODULE_ROWS } from "./modules.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("modules", () => {
  runRows(MODULE_ROWS);
});

describe("errors of modules", () => {
  runErrorRows(MODULE_ERRORS);
});
