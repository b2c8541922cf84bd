// SPDX-License-Identifier: Apache-2.0
// Permutations whose indices are more or fewer than the lanes that they choose from, and blocks of every size.
import { describe, expect, test } from "vitest";

import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const INDICES = INPUT + 256;

/** Bits of a lane, lanes to choose from, indices, lanes of a block. */
const SHAPES = [8, 16, 32, 64].flatMap((bits) =>
  [2, 4, 8, 16].flatMap((count) =>
    [2, 4, 8, 16].flatMap((indices) =>
      [2, 4, 8, 16].filter((scale) => scale <= count).map((scale) => ({ bits, count, indices, scale })),
    ),
  ),
);

const name = ({ bits, count, indices, scale }: (typeof SHAPES)[number]): string =>
  `b${bits}_${count}_${indices}_${scale}`;

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test("lanes by indices of each block, the blocks over and over", () => {
    const functions = SHAPES.map(
      (shape) => `func @${name(shape)}(%in: ptr<global>, %at: ptr<global>, %out: ptr<global>) {
^0:
  %v = load %in {align 1}: <${shape.count} x i${shape.bits}>
  %i = load %at {align 1}: <${shape.indices} x i${shape.bits}>
  %r = permute %v, %i {scale ${shape.scale}}: <${shape.indices} x i${shape.bits}>
  store %r, %out {align 1}
  ret
}`,
    );
    const { call, bytes } = compile(moduleOf(functions.join("\n")));
    for (const shape of SHAPES) {
      const { bits, count, indices, scale } = shape;
      const size = bits / 8;
      bytes.fill(0, INPUT, OUTPUT + 256);
      // Lane i is 100 + i, index i is 7 i + 3, which is beyond the block more often than not.
      for (let i = 0; i < count; i++) bytes[INPUT + i * size] = 100 + i;
      for (let i = 0; i < indices; i++) bytes[INDICES + i * size] = 7 * i + 3;
      call(name(shape), INPUT, INDICES, OUTPUT);
      const found = Array.from({ length: indices }, (_, i) => bytes[OUTPUT + i * size]);
      const expected = Array.from(
        { length: indices },
        (_, i) => 100 + ((i - (i % scale)) % count) + ((7 * i + 3) & (scale - 1)),
      );
      expect(found, name(shape)).toEqual(expected);
    }
  });
});
