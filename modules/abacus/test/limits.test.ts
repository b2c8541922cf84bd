// SPDX-License-Identifier: Apache-2.0
// The table of limits names each function once, and only such as the library or the machine has.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { MATH_FUNCTIONS } from "@muxkit/abacus";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../source/opencl");
const text = readdirSync(folder)
  .map((name) => readFileSync(join(folder, name), "utf8"))
  .join("\n");
/** What the machine does, or the compiler makes of what it does. */
const OPERATIONS = new Set("ceil floor rint trunc fabs copysign fmax fmin fmod fma sqrt rsqrt".split(" "));

test("every function has one row and a definition", () => {
  const names = MATH_FUNCTIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter((name) => !OPERATIONS.has(name) && !new RegExp(String.raw`\b${name}[( )]`, "u").test(text)),
  ).toEqual([]);
});

test("doubles are allowed what floats are, but for roots", () => {
  for (const { name, limits } of MATH_FUNCTIONS) expect(limits.double, name).toBe(name === "sqrt" ? 0 : limits.float);
});
