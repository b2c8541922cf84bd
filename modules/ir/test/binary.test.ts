// SPDX-License-Identifier: Apache-2.0
// The binary form: what is encoded is decoded; libraries give single functions; damaged bytes give errors, never
// exceptions.
import {
  Builder,
  IrFunction,
  LAYOUT_32,
  LAYOUT_64,
  Module,
  VOID,
  constantZero,
  decodeLibrary,
  decodeModule,
  encodeModule,
  opaqueType,
  parseModule,
  printFunction,
  printModule,
  verifyModule,
} from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { randomModule } from "./random-module.ts";

const seeds = fc.nat(0x7fff_ffff);
const ALL = { locations: true, names: true } as const;

function decoded(bytes: Uint8Array): Module {
  const result = decodeModule(bytes);
  if (!result.ok) throw new Error(`byte ${result.error.offset}: ${result.error.message}`);
  return result.value;
}

test("what is encoded is decoded, and encoded to the same bytes", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const module = randomModule(seed);
      const bytes = encodeModule(module);
      const back = decoded(bytes);
      expect(printModule(back, ALL)).toBe(printModule(module, ALL));
      expect(verifyModule(back)).toEqual([]);
      expect(encodeModule(back)).toEqual(bytes);
    }),
    { numRuns: 150 },
  );
});

test("an empty module and another layout", () => {
  const module = new Module("nothing", {
    ...LAYOUT_64,
    littleEndian: false,
    nativeF16: true,
    nativeF64: false,
    nativeI64: false,
  });
  const back = decoded(encodeModule(module));
  expect(back.layout).toEqual(module.layout);
  expect(printModule(back)).toBe('module "nothing" pointers 8 8 8 8 8 size_t 64 big_endian f16 no_f64 no_i64\n');
});

const LIBRARY = `module "library" pointers 4 4 4 4 4 size_t 32
global @table: [2 x i32] constant align 4 = x"0100000002000000"
func @twice(%0: i32) -> i32 {
^0:
  %1 = add %0, %0: i32
  ret %1
}
func @four(%0: i32) -> i32 {
^0:
  %1 = call @twice %0: i32
  %2 = call @twice %1: i32
  ret %2
}
func @even(%0: i32) -> i32 {
^0:
  %1 = call @odd %0: i32
  ret %1
}
func @odd(%0: i32) -> i32 {
^0:
  %1 = call @even %0: i32
  ret %1
}
func @first() -> i32 {
^0:
  %0 = global_address @table: ptr<constant>
  %1 = load %0 {align 4}: i32
  ret %1
}
func @elsewhere()
`;

function library(): { readonly bytes: Uint8Array; readonly module: Module } {
  const parsed = parseModule(LIBRARY);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return { bytes: encodeModule(parsed.value), module: parsed.value };
}

test("a library reads a function and what it calls, no more", () => {
  const { bytes, module } = library();
  const opened = decodeLibrary(bytes);
  if (!opened.ok) throw new Error(opened.error.message);
  const { names, load, module: own } = opened.value;
  const read = (): string[] => [...own.functions.values()].filter((fn) => fn.blocks.length > 0).map((fn) => fn.name);
  expect(names).toEqual(["twice", "four", "even", "odd", "first"]);
  expect(read()).toEqual([]);
  const four = load("four");
  expect(read()).toEqual(["twice", "four"]);
  expect(four.ok ? printFunction(four.value) : "").toBe(
    printFunction(module.functions.get("four") ?? new IrFunction("", VOID, [])),
  );
  expect(load("four")).toEqual(four);
  expect(load("odd").ok).toBe(true);
  expect(read()).toEqual(["twice", "four", "even", "odd"]);
  expect(load("first").ok).toBe(true);
  expect(own.globals.get("table")?.initializer).toEqual(Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0));
  expect(load("elsewhere").ok).toBe(true);
  expect(load("sin")).toEqual({ ok: false, error: { offset: 0, message: "the library has no function @sin" } });
  expect(verifyModule(own)).toEqual([]);
});

test("a damaged body is found when it is read", () => {
  const { bytes } = library();
  const damaged = bytes.slice(0, -3);
  expect(decodeLibrary(damaged)).toEqual({
    ok: false,
    error: expect.objectContaining({ message: "the bodies differ from their lengths" }) as unknown,
  });
  const last = bytes.slice();
  last.fill(0xff, bytes.length - 6);
  const opened = decodeLibrary(last);
  expect(opened.ok).toBe(true);
  expect(opened.ok && opened.value.load("four").ok).toBe(true);
  expect(opened.ok && opened.value.load("first").ok).toBe(false);
});

function message(bytes: Uint8Array): string {
  const result = decodeModule(bytes);
  return result.ok ? "" : result.error.message;
}

test("other files are refused with a sentence", () => {
  const { bytes } = library();
  expect(message(new TextEncoder().encode("\u007fELF and so on"))).toBe("not a module in binary form");
  // The version follows the four bytes of the signature.
  expect(message(bytes.with(4, 77))).toBe(`this is a module of version 77; this reader takes version ${bytes[4] ?? 0}`);
  expect(decodeModule(new Uint8Array(0)).ok).toBe(false);
});

test("every shortened file gives an error", () => {
  const { bytes } = library();
  for (let length = 0; length < bytes.length; length++) expect(decodeModule(bytes.subarray(0, length)).ok).toBe(false);
});

test("damaged bytes never throw, and what still decodes can be verified, printed and encoded", () => {
  fc.assert(
    fc.property(seeds, fc.array(fc.tuple(seeds, fc.nat(255)), { minLength: 1, maxLength: 4 }), (seed, damage) => {
      const bytes = encodeModule(randomModule(seed % 40));
      for (const [where, value] of damage) bytes[where % bytes.length] = value;
      const result = decodeModule(bytes);
      const text = result.ok ? printModule(result.value, ALL) : result.error.message;
      if (result.ok && verifyModule(result.value).length === 0) encodeModule(result.value);
      expect(text).not.toBe("");
    }),
    { numRuns: 1500 },
  );
});

test("every byte of a small module, set to values that hurt", () => {
  const { bytes } = library();
  let decodedCount = 0;
  for (let i = 0; i < bytes.length; i++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const result = decodeModule(bytes.with(i, value));
      if (!result.ok) continue;
      decodedCount++;
      verifyModule(result.value);
    }
  }
  expect(decodedCount).toBeGreaterThan(0);
});

test("the constant of a handle is read back", () => {
  const module = new Module("handles", LAYOUT_32);
  const event = opaqueType("event");
  const fn = module.addFunction(new IrFunction("f", event, []));
  new Builder(fn.addBlock()).return(constantZero(event));
  const read = decodeModule(encodeModule(module));
  expect(read.ok ? printModule(read.value) : read.error.message).toBe(printModule(module));
});
