// SPDX-License-Identifier: Apache-2.0
// What is generated from the tables is what they say.
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { FORM_COUNT, formAt, formOf } from "@muxkit/x64-assembler";

import { formsOfRows, packedForms } from "../source/pack-forms.ts";

const forms = formsOfRows();

test("the generated file is that of the tables; npm run x64-forms writes it", () => {
  const file = new URL("../source/generated/forms.ts", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(packedForms(forms));
});

test("every form is read back as its row says", () => {
  expect(FORM_COUNT).toBe(forms.length);
  expect(forms.filter((form) => JSON.stringify(formAt(form.id)) !== JSON.stringify(form))).toEqual([]);
  expect(() => formAt(FORM_COUNT)).toThrow("there is no form");
  expect(() => formAt(-1)).toThrow("there is no form");
});

test("every key finds the first form that has it, or with `evex` the one of EVEX", () => {
  const first = new Map<string, number>();
  for (const { key, id } of forms.toReversed()) first.set(key, id);
  expect([...first].filter(([key, id]) => formOf(key) !== id)).toEqual([]);
  const twins = forms.filter(({ kind, key }) => kind === "EVEX" && first.has(key));
  expect(new Set(twins.map(({ key }) => formOf(`evex ${key}`)))).toEqual(new Set(twins.map(({ id }) => id)));
  for (const key of ["", "add", "lock", "lock add", "vaddps y, y", "vaddps y, y, y/m256 "])
    expect(() => formOf(key)).toThrow("has no form");
});
