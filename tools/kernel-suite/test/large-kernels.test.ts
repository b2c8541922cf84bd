// SPDX-License-Identifier: Apache-2.0
// Large kernels compile, pass the engine's validation and compute what the interpreter computes: small ones of each
// shape in every way and width, larger ones in the way of a user's build. MUXKIT_LARGE_OPERATIONS=100000 sets the size
// of the larger ones.
import { findCode } from "@muxkit/metadata";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type DifferentialLaunch, firstDifference, runEveryWay, runReference, build } from "@muxkit/kernel-suite";
import { LARGE_SHAPES, type LargeShape } from "./large-shapes.ts";

/** 0: as many as are tested in little time. */
const OPERATIONS = Number(process.env["MUXKIT_LARGE_OPERATIONS"] ?? "0");
/** Operations of a test that takes little time, over the weight of the shape. */
const FEW = 800;
const FEWEST = 120;
/** Widths: shapes with a weight take one, by the seed. */
const WIDTHS = [2, 4, 8, 16] as const;
const ITEMS = 16;
/** Bytes of a buffer: sixteen vectors of sixteen doubles for each work-item. */
const BYTES = ITEMS * 16 * 16 * 8;

const BYTES_OF: Readonly<Record<LargeShape["element"], number>> = { half: 2, float: 4, double: 8, int: 4, long: 8 };

/** Bits of 1 plus an eighth of i. */
function contents(element: LargeShape["element"]): Uint8Array {
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i * BYTES_OF[element] < BYTES; i++) {
    const [at, number] = [i * BYTES_OF[element], 1 + (i % 8) / 8];
    if (element === "half") view.setUint16(at, 0x3c00 + (i % 8) * 128, true);
    else if (element === "float") view.setFloat32(at, number, true);
    else if (element === "double") view.setFloat64(at, number, true);
    else view.setUint32(at, i * 7 + 1, true);
  }
  return bytes;
}

/** Numbers that a seed decides (xorshift). */
function numbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % Math.max(1, below);
  };
}

function launchOf(shape: LargeShape, operations: number, seed: number): DifferentialLaunch {
  const buffers = Array.from({ length: shape.buffers ?? 0 }, () => ({
    contents: contents(shape.element).slice(0, 64),
  }));
  return {
    source: shape.write(operations, numbers(seed)),
    kernel: "k",
    arguments: [
      { contents: new Uint8Array(BYTES) },
      { contents: contents(shape.element) },
      ...buffers,
      ...(shape.hasScratch === true ? [{ local: 256 }] : []),
      { value: new Uint8Array(Int32Array.of(3).buffer) },
    ],
    global: [ITEMS],
    local: [8],
  };
}

test.each(LARGE_SHAPES)("$name, in every way", (shape) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const [first, ...others] = runEveryWay({
        ...launchOf(shape, FEWEST / (shape.weight ?? 1), seed),
        widths: shape.weight === undefined ? WIDTHS : [WIDTHS[seed & 3] ?? 2],
      });
      if (first === undefined) throw new Error("a launch runs in some way");
      const kind = shape.element === "float" ? "f32" : shape.element === "double" ? "f64" : "bits";
      const differences = others.map((other) => firstDifference(first, other, [kind, kind]));
      expect(differences.filter((text) => text !== null)).toEqual([]);
    }),
    { numRuns: 1 },
  );
});

test.each(LARGE_SHAPES)("$name, larger", (shape) => {
  const launch = launchOf(shape, OPERATIONS > 0 ? OPERATIONS : FEW / (shape.weight ?? 1), 5);
  const image = build(launch.source, { verifyEach: false });
  for (const { section } of image.kernels.flatMap(({ variants }) => variants))
    expect(WebAssembly.validate(new Uint8Array(findCode(image, section)?.bytes ?? []))).toBe(true);
  const interpreted = runReference(launch);
  const compiled = runReference({ ...launch, isInterpreted: false });
  const kind = shape.element === "float" ? "f32" : shape.element === "double" ? "f64" : "bits";
  expect(firstDifference(interpreted, compiled, [kind, kind])).toBeNull();
});
