// SPDX-License-Identifier: Apache-2.0
// The baked library: whole, valid, and read function by function.
import { findLibraryFunction, libraryLayout } from "@muxkit/builtins";
import { LAYOUT_32, decodeLibrary, verifyModule } from "@muxkit/ir";
import { expect, test } from "vitest";

import { MODULES } from "../source/generated/modules.ts";

const libraries = MODULES.map(({ name, base64 }) => {
  const library = decodeLibrary(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  if (!library.ok) throw new Error(`${name}: ${library.error.message}`);
  return { name, library: library.value };
});

test("every function of the library can be read, and is valid IR", () => {
  expect(libraries.length).toBeGreaterThan(1);
  for (const { library } of libraries) {
    for (const name of library.names) expect(library.load(name).ok, name).toBe(true);
    expect(verifyModule(library.module)).toEqual([]);
  }
});

test("functions are found by symbol, with the bodies of what they call", () => {
  const exp = findLibraryFunction("exp(float)");
  expect(exp?.returnType.text).toBe("f32");
  expect(exp?.blocks.length).toBeGreaterThan(0);
  const called =
    exp?.blocks.flatMap(({ instructions }) =>
      instructions.flatMap(({ symbol }) => (symbol?.kind === "function" ? [symbol] : [])),
    ) ?? [];
  for (const { name, blocks } of called) expect(blocks.length, name).toBeGreaterThan(0);
  expect(findLibraryFunction("exp(float)")).toBe(exp);
  expect(findLibraryFunction("exp(int)")).toBeNull();
});

test("reading one function leaves the others alone", () => {
  const [first] = MODULES;
  const library = decodeLibrary(Uint8Array.from(atob(first?.base64 ?? ""), (character) => character.charCodeAt(0)));
  if (!library.ok) throw new Error(library.error.message);
  const { names, load, module } = library.value;
  const loaded = load(names[0] ?? "");
  expect(loaded.ok).toBe(true);
  const withBodies = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0);
  expect(withBodies.length).toBeGreaterThan(0);
  expect(withBodies.length).toBeLessThan(names.length);
});

test("the layout is that of a 32-bit device", () => {
  expect(libraryLayout()).toEqual(LAYOUT_32);
});
