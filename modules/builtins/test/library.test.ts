// SPDX-License-Identifier: Apache-2.0
// The baked library: whole, valid, and read function by function.
import { builtinLibrary } from "@muxkit/builtins";
import { LAYOUT_32, LAYOUT_64, PRIVATE, decodeLibrary, verifyModule } from "@muxkit/ir";
import { expect, test } from "vitest";

import { MODULES } from "../source/generated/modules.js";

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
  const library = builtinLibrary(LAYOUT_32);
  const exp = library?.find("exp(float)");
  expect(exp?.returnType.text).toBe("f32");
  expect(exp?.blocks.length).toBeGreaterThan(0);
  const called =
    exp?.blocks.flatMap(({ instructions }) =>
      instructions.flatMap(({ symbol }) => (symbol?.kind === "function" ? [symbol] : [])),
    ) ?? [];
  for (const { name, blocks } of called) expect(blocks.length, name).toBeGreaterThan(0);
  expect(library?.find("exp(float)")).toBe(exp);
  expect(library?.find("exp(int)")).toBeNull();
});

test("what one source calls of another one has its body", () => {
  const bodies = new Set<string>();
  const library = builtinLibrary(LAYOUT_32);
  const work = [
    "__muxkit_samplef(image2d_t,sampler_t,float4,float)",
    "__muxkit_sample_cubei(image2d_array_t,sampler_t,float4,float)",
  ].map((symbol) => library?.find(symbol));
  for (let fn = work.pop(); fn !== undefined; fn = work.pop()) {
    if (fn === null || bodies.has(fn.name)) continue;
    expect(fn.blocks.length, fn.name).toBeGreaterThan(0);
    bodies.add(fn.name);
    for (const { instructions } of fn.blocks)
      for (const { symbol } of instructions) if (symbol?.kind === "function") work.push(symbol);
  }
  expect([...bodies].some((name) => name.startsWith("__muxkit_pixelf("))).toBe(true);
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

test("code that no width of size_t changes is there once, the rest for each width", () => {
  const names = MODULES.map(({ name, sizeBits }) => `${name} ${sizeBits ?? "any"}`);
  expect(names).toContain("math.cl any");
  expect(names.filter((name) => !name.endsWith(" any"))).toEqual([
    "cubes.cl 32",
    "cubes.cl 64",
    "image.cl 32",
    "image.cl 64",
    "pipes.cl 32",
    "pipes.cl 64",
    "printf.cl 32",
    "printf.cl 64",
  ]);
  const [narrow, wide] = [LAYOUT_32, LAYOUT_64].map((layout) => builtinLibrary(layout));
  expect(wide?.find("exp(float)")).toBe(narrow?.find("exp(float)"));
  const query = "get_image_array_size(image2d_array_t)";
  expect(narrow?.find(query)?.returnType.text).toBe("i32");
  expect(wide?.find(query)?.returnType.text).toBe("i64");
});

test("a layout whose global addresses are not as wide as size_t, or big-endian, has no library", () => {
  expect(builtinLibrary({ ...LAYOUT_64, littleEndian: false })).toBeNull();
  expect(builtinLibrary({ ...LAYOUT_64, sizeBits: 32 })).toBeNull();
  const pointerBytes = LAYOUT_64.pointerBytes.map((bytes, space) => (space === PRIVATE ? 4 : bytes));
  expect(builtinLibrary({ ...LAYOUT_64, pointerBytes, nativeF64: false })).toBe(builtinLibrary(LAYOUT_64));
});
