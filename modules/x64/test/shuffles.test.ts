// SPDX-License-Identifier: Apache-2.0
// Shuffles move bytes, so that what they must give is known without an interpreter: regular patterns that have
// instructions of their own, and random ones.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const TYPES = ["i8", "i16", "i32", "f32", "i64", "f64"] as const;

/** A shuffle of two vectors of so many lanes. */
interface Case {
  readonly type: string;
  readonly count: number;
  readonly lanes: readonly number[];
}

/** Lane i of the result by its number and the number of lanes of a source. */
const PATTERNS: Readonly<Record<string, (i: number, n: number) => number>> = {
  same: (i) => i,
  second: (i, n) => n + i,
  reversed: (i, n) => n - 1 - i,
  "first lane": () => 0,
  "last lane": (_, n) => n - 1,
  even: (i) => 2 * i,
  odd: (i) => 2 * i + 1,
  "every third": (i, n) => (3 * i + 1) % (2 * n),
  "every fourth": (i, n) => (4 * i) % (2 * n),
  turns: (i, n) => (i >> 1) + (i & 1) * n,
  "turns of upper halves": (i, n) => (n >> 1) + (i >> 1) + (i & 1) * n,
  "pairs exchanged": (i) => i ^ 1,
  "fours reversed": (i, n) => Math.min(n - 1, i ^ 3),
  "halves exchanged": (i, n) => (i + (n >> 1)) % n,
  "slid by one": (i) => i + 1,
  "slid by five": (i, n) => (i + 5) % (2 * n),
  blended: (i, n) => (((i * 7) & 4) === 0 ? i : n + i),
  "lower half and zeros": (i, n) => (i < n >> 1 ? i : -1),
  zeros: () => -1,
};

function regular(): readonly Case[] {
  return TYPES.flatMap((type) =>
    [2, 3, 4, 8, 16].flatMap((count) =>
      Object.values(PATTERNS).map((lane) => ({
        type,
        count,
        lanes: Array.from({ length: count }, (_, i) => lane(i, count)),
      })),
    ),
  );
}

/** Lanes from anywhere, and from the first few, which fewer instructions can bring together. */
const RANDOM: fc.Arbitrary<Case> = fc
  .record({
    type: fc.constantFrom(...TYPES),
    count: fc.constantFrom(2, 3, 4, 8, 16),
    results: fc.constantFrom(2, 3, 4, 8, 16),
    reach: fc.constantFrom(0.25, 0.5, 1, 2),
    seeds: fc.array(fc.nat(999), { minLength: 16, maxLength: 16 }),
  })
  .map(({ type, count, results, reach, seeds }) => ({
    type,
    count,
    lanes: seeds.slice(0, results).map((seed) => (seed > 900 ? -1 : (seed % Math.max(1, count * reach)) | 0)),
  }));

function text(cases: readonly Case[]): string {
  const parts = cases.map(({ type, count, lanes }, i) => {
    const bytes = Number(type.slice(1)) / 8;
    const source = `<${count} x ${type}>`;
    return `func @f${i}(%a: ptr<global>, %b: ptr<global>, %out: ptr<global>) {
^0:
  %x = load %a {align ${bytes}}: ${source}
  %y = load %b {align ${bytes}}: ${source}
  %z = shuffle %x, %y {[${lanes.join(", ")}]}: <${lanes.length} x ${type}>
  store %z, %out {align ${bytes}}
  ret
}
`;
  });
  return parts.join("");
}

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  /** What comes out wrong, as text; nothing where all is right. */
  function wrong(cases: readonly Case[]): readonly string[] {
    const { bytes, call } = compile(moduleOf(text(cases)));
    const second = INPUT + 512;
    for (let i = 0; i < 128; i++) {
      bytes[INPUT + i] = i + 1;
      bytes[second + i] = 128 + i;
    }
    return cases.flatMap(({ type, count, lanes }, number) => {
      const size = Number(type.slice(1)) / 8;
      bytes.fill(0xee, OUTPUT, OUTPUT + 160);
      call(`f${number}`, INPUT, second, OUTPUT);
      const wanted = lanes.flatMap((lane) =>
        Array.from({ length: size }, (_, k) =>
          lane < 0 ? 0 : lane < count ? 1 + lane * size + k : 128 + (lane - count) * size + k,
        ),
      );
      const got = [...bytes.subarray(OUTPUT, OUTPUT + wanted.length + 1)].join();
      const isRight = got === [...wanted.map((byte) => byte & 255), 0xee].join();
      return isRight ? [] : [`${count} lanes of ${type}, ${lanes.join()}: ${got}`];
    });
  }

  test("regular shuffles", () => expect(wrong(regular())).toEqual([]));

  test("random shuffles", () => expect(wrong(fc.sample(RANDOM, { numRuns: 600, seed: 1 }))).toEqual([]));
});
