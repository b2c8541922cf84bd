// SPDX-License-Identifier: Apache-2.0
// Layouts of records and the arguments of parameters.
import { expect, test } from "vitest";

import { type ElementType, argumentsOf, layoutRecord, openclRange, sizeOf } from "@muxkit/kernel-library";

const float: ElementType = { kind: "scalar", name: "float" };
const char: ElementType = { kind: "scalar", name: "char" };
const float3: ElementType = { kind: "vector", scalar: "float", lanes: 3 };

test("fields of a record are where C puts them", () => {
  const record = layoutRecord("Body", [
    { name: "tag", type: char },
    { name: "position", type: float3 },
    { name: "mass", type: float },
  ]);
  expect(record.fields.map(({ offset }) => offset)).toEqual([0, 16, 32]);
  expect([record.size, record.alignment]).toEqual([48, 16]);
  const outer = layoutRecord("Pair", [
    { name: "first", type: char },
    { name: "second", type: record },
  ]);
  expect(outer.fields.map(({ offset }) => offset)).toEqual([0, 16]);
  expect(sizeOf(outer)).toBe(64);
});

test.each([
  [1, ["memory"]],
  [2, ["memory", "range"]],
  [3, ["memory", "range", "range"]],
] as const)("an accessor of %d dimensions has its pointer and the ranges that indexing needs", (dimensions, roles) => {
  const parameter = { kind: "accessor", name: "x", element: float, dimensions, access: "read" } as const;
  expect(argumentsOf(parameter, false).map(({ role }) => role)).toEqual(roles);
});

test("a constant is an argument only where the image says so", () => {
  const parameter = { kind: "constant", name: "radius", type: { kind: "scalar", name: "int" } } as const;
  expect(argumentsOf(parameter, false)).toEqual([]);
  expect(argumentsOf(parameter, true)).toEqual([{ role: "value", type: parameter.type }]);
});

test("local memory counts in bytes of its element", () => {
  expect(argumentsOf({ kind: "local", name: "tile", element: float3 }, false)).toEqual([
    { role: "local", elementBytes: 16 },
  ]);
});

test("the last dimension of a range is OpenCL's first", () => {
  expect(openclRange([480, 640])).toEqual([640, 480]);
});
