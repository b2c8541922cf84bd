// SPDX-License-Identifier: Apache-2.0
// The rows of images.table.ts.
import { describe } from "vitest";

import { IMAGE_ERRORS, IMAGE_ROWS } from "./images.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("images", () => {
  runRows(IMAGE_ROWS);
});

describe("errors of images", () => {
  runErrorRows(IMAGE_ERRORS);
});
