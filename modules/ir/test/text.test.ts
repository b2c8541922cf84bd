// SPDX-License-Identifier: Apache-2.0
// The text form: what is printed is read back, byte by byte; broken texts give errors with line and column.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  type Module,
  describeParseError,
  describeVerifierError,
  parseConstant,
  parseModule,
  printConstant,
  printModule,
  verifyModule,
  F16,
  F32,
  F64,
  I32,
  I64,
  I8,
  constantBits,
  pointerType,
  vectorType,
} from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Random, randomConstant, randomModule } from "./random-module.ts";

const golden = join(import.meta.dirname, "golden");

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${describeParseError(result.error)}\n${text}`);
  return result.value;
}

const seeds = fc.nat(0x7fff_ffff);

test("random modules are well-formed", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      expect(verifyModule(randomModule(seed)).map(describeVerifierError)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("printed modules are read back, with locations and names too", () => {
  fc.assert(
    fc.property(seeds, fc.boolean(), fc.boolean(), (seed, locations, names) => {
      const text = printModule(randomModule(seed), { locations, names });
      const module = parsed(text);
      expect(printModule(module, { locations, names })).toBe(text);
      expect(verifyModule(module)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("a constant is read back as the same object", () => {
  const types = [
    I8,
    I32,
    I64,
    F16,
    F32,
    F64,
    pointerType(1),
    vectorType(F32, 4),
    vectorType(I64, 3),
    vectorType(F16, 8),
  ];
  fc.assert(
    fc.property(seeds, fc.constantFrom(...types), (seed, type) => {
      const constant = randomConstant(new Random(seed), type);
      const back = parseConstant(printConstant(constant), type);
      expect(back).toEqual({ ok: true, value: constant });
      expect(back.ok && back.value === constant).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("floats are printed as the shortest decimal that reads back as the same bits", () => {
  expect(
    [0x3dcccccd, 0x3f800000, 0x80000000, 0x00000001, 0x7f7fffff, 0x7f800000, 0xffc00001].map((bits) =>
      printConstant(constantBits(F32, bits)),
    ),
  ).toEqual(["0.1", "1.0", "-0.0", "1e-45", "3.4028235e+38", "0x7f800000", "0xffc00001"]);
  expect([0x2e66, 0x7bff, 0x0001, 0x7c00].map((bits) => printConstant(constantBits(F16, bits)))).toEqual([
    "0.1",
    "65500.0",
    "6e-8",
    "0x7c00",
  ]);
});

test("a module with every construct of the text form", async () => {
  const text = readFileSync(join(golden, "everything.ir"), "utf8");
  const module = parsed(text);
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  await expect(printModule(module, { locations: true, names: true })).toMatchFileSnapshot(
    join(golden, "everything.out.ir"),
  );
});

// A folder of broken texts: one idea per file, with its error in a second file.
for (const file of readdirSync(join(golden, "parse")).filter((name) => name.endsWith(".ir"))) {
  test(`golden/parse/${file}`, async () => {
    const result = parseModule(readFileSync(join(golden, "parse", file), "utf8"));
    await expect(`${result.ok ? "no error" : describeParseError(result.error)}\n`).toMatchFileSnapshot(
      join(golden, "parse", file.replace(".ir", ".diag")),
    );
  });
}

test("the example of docs/ir.md is well-formed and in the printer's form", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/ir.md"), "utf8");
  const example = /```\n(module [^]*?)```/u.exec(page)?.[1] ?? "";
  const module = parsed(example);
  expect(verifyModule(module)).toEqual([]);
  expect(printModule(module, { names: true })).toBe(example);
});

test("damaged texts give errors, never exceptions", () => {
  fc.assert(
    fc.property(seeds, seeds, seeds, (seed, where, what) => {
      const text = printModule(randomModule(seed % 50), { locations: true });
      const start = where % text.length;
      const other =
        ['"', "{", "%1", "^9", "<", "-", "0x", ";", "9999999999999999999999", "\\", "struct x", "", "  ", "-0x1"][
          what % 14
        ] ?? "";
      const damaged = text.slice(0, start) + other + text.slice(start + (what % 7));
      const result = parseModule(damaged);
      const seen = result.ok ? verifyModule(result.value).length : result.error.line;
      expect(seen).toBeGreaterThanOrEqual(result.ok ? 0 : 1);
    }),
    { numRuns: 500 },
  );
});
