// SPDX-License-Identifier: Apache-2.0
// Valid usage: each entry point with what it does, for values that matter and for each way to write the call.
import { expect, test } from "vitest";

import { functionsOf } from "../tools/schema.ts";
import { casesOf, schema, seen } from "./effect.ts";
import { COMMAND_EFFECTS } from "./effects/commands.table.ts";
import { DEBUGGING_EFFECTS } from "./effects/debugging.table.ts";
import { DEVICE_EFFECTS } from "./effects/devices.table.ts";
import { FACT_EFFECTS } from "./effects/facts.table.ts";
import { IMAGE_EFFECTS } from "./effects/images.table.ts";
import { MEMORY_EFFECTS } from "./effects/memory.table.ts";
import { PIPELINE_EFFECTS } from "./effects/pipelines.table.ts";
import { SYNCHRONISATION_EFFECTS } from "./effects/synchronisation.table.ts";

const EFFECTS = [
  ...DEVICE_EFFECTS,
  ...FACT_EFFECTS,
  ...DEBUGGING_EFFECTS,
  ...MEMORY_EFFECTS,
  ...IMAGE_EFFECTS,
  ...PIPELINE_EFFECTS,
  ...COMMAND_EFFECTS,
  ...SYNCHRONISATION_EFFECTS,
];

test.each(casesOf(EFFECTS))("$title", (one) => {
  expect(seen(one)).toEqual(one.expected);
});

test("every entry point is among them", () => {
  const tried = new Set(EFFECTS.map(({ name }) => name));
  expect(functionsOf(schema).flatMap(({ name }) => (tried.has(name) ? [] : [name]))).toEqual([]);
});
