// SPDX-License-Identifier: Apache-2.0
// Which places of the source code comes from.
import { generateModule } from "@muxkit/wasm";
import { expect, test } from "vitest";

import { opcodesOfCode } from "./instructions.ts";
import { moduleOf } from "./run.ts";

/** A loop whose sum has a constant from a local, more than 128 locals, and a product that is computed where it is used. */
const TEXT = `func @f(%in: ptr<global>, %out: ptr<global>, %n: i32) {
^0:
${Array.from({ length: 40 }, (_, i) => `  %a${i} = load %in {align 4}: <16 x i32> loc("k.cl":2:1 in "f")\n`).join("")}  br ^1(0: i32)
^1(%i: i32):
  %p = mul %i, 7: i32 loc("k.cl":4:3 in "f")
  %q = sub %p, %n: i32 loc("k.cl":5:3 in "f")
  %s = splat %q: <16 x i32> loc("k.cl":6:1 in "f")
  %x = xor %s, <1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>: <16 x i32> loc("k.cl":7:1 in "f")
  store %x, %out {align 4} loc("k.cl":8:1 in "f")
  %j = add %i, 1: i32 loc("k.cl":9:1 in "f")
  %c = slt %j, %n: i1 loc("k.cl":9:8 in "f")
  cond_br %c, ^1(%j: i32), ^2 loc("k.cl":9:8 in "f")
^2:
${Array.from({ length: 40 }, (_, i) => `  store %a${i}, %out {align 4} loc("k.cl":10:1 in "f")\n`).join("")}  ret loc("k.cl":11:1 in "f")
}`;

const [I32_SUB, I32_MUL, I32_LT_S, RETURN] = [0x6b, 0x6c, 0x48, 0x0f];
const [V128_XOR, V128_STORE] = [0xfd * 65_536 + 0x51, 0xfd * 65_536 + 0x0b];

function options(places: boolean): Parameters<typeof generateModule>[1] {
  return { exports: [], sharedMemory: true, places };
}

test("instructions have the line of the operation they are of", () => {
  const { bytes, places = [] } = generateModule(moduleOf(TEXT), options(true));
  const starts: number[][] = [];
  const [list = []] = opcodesOfCode(bytes, starts);
  const [body = []] = places;
  const lines = new Map<number, Set<number | undefined>>();
  for (const [i, op] of list.entries()) {
    const place = body.findLast(({ offset }) => offset <= (starts[0]?.[i] ?? 0));
    lines.set(op, (lines.get(op) ?? new Set()).add(place?.location?.line));
  }
  expect([I32_MUL, I32_SUB, V128_XOR, V128_STORE, I32_LT_S, RETURN].map((op) => [...(lines.get(op) ?? [])])).toEqual([
    [4],
    [5],
    [7],
    [8, 10],
    [9],
    [11],
  ]);
});

test("places are where instructions begin, in order", () => {
  const { bytes, places = [] } = generateModule(moduleOf(TEXT), options(true));
  const starts: number[][] = [];
  opcodesOfCode(bytes, starts);
  const offsets = places[0]?.map(({ offset }) => offset) ?? [];
  expect(offsets.length).toBeGreaterThan(5);
  expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b));
  expect(offsets.filter((offset) => starts[0]?.includes(offset) !== true)).toEqual([]);
});

test("the code is the same where nobody asks", () => {
  const asked = generateModule(moduleOf(TEXT), options(true));
  const plain = generateModule(moduleOf(TEXT), options(false));
  expect(plain.bytes).toEqual(asked.bytes);
  expect(plain.places).toBeUndefined();
});
