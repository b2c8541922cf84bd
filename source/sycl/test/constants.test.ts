// SPDX-License-Identifier: Apache-2.0
// The rows of constants.table.ts.
import { describe } from "vitest";

import { CONSTANT_ERRORS, CONSTANT_ROWS } from "./constants.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("specialization constants", () => {
  runRows(CONSTANT_ROWS);
});

describe("errors of specialization constants", () => {
  runErrorRows(CONSTANT_ERRORS);
});
