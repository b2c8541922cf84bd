// SPDX-License-Identifier: Apache-2.0
// The rows of queues.table.ts.
import { describe } from "vitest";

import { QUEUE_ERRORS, QUEUE_TABLE } from "./queues.table.ts";
import { runErrorRows, runRows } from "./rig.ts";

describe("queues", () => {
  runRows(QUEUE_TABLE);
});

describe("errors of queues", () => {
  runErrorRows(QUEUE_ERRORS);
});
