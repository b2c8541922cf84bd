// SPDX-License-Identifier: Apache-2.0
// Functions of floats with implementations of their own: at the ends of their ranges, and beyond.
import { expect, test } from "vitest";

import { runEveryWay } from "@muxkit/kernel-suite";

const TINY = 2 ** -149;
/** Arguments, and the float nearest to the true value. */
const CASES: Readonly<Record<string, readonly (readonly [x: number, y: number])[]>> = {
  exp: [
    [0, 1],
    [-0, 1],
    [Infinity, Infinity],
    [-Infinity, 0],
    [NaN, NaN],
    [88.72, Math.fround(Math.exp(Math.fround(88.72)))],
    [89, Infinity],
    [3e38, Infinity],
    [-103.9, TINY],
    [-104.1, 0],
    [-3e38, 0],
  ],
  exp2: [
    [0, 1],
    [10, 1024],
    [-149, TINY],
    [-151, 0],
    [-150.5, 0],
    [128, Infinity],
    [-126, 2 ** -126],
    [127, 2 ** 127],
    [NaN, NaN],
    [Infinity, Infinity],
    [-Infinity, 0],
  ],
  exp10: [
    [0, 1],
    [1, 10],
    [2, 100],
    [39, Infinity],
    [-46, 0],
    [NaN, NaN],
    [-Infinity, 0],
    [Infinity, Infinity],
  ],
  log: [
    [1, 0],
    [0, -Infinity],
    [-0, -Infinity],
    [-1, NaN],
    [-Infinity, NaN],
    [Infinity, Infinity],
    [NaN, NaN],
    [TINY, Math.fround(Math.log(TINY))],
    [2 ** -127, Math.fround(Math.log(2 ** -127))],
  ],
  log2: [
    [1, 0],
    [2, 1],
    [8, 3],
    [0.25, -2],
    [TINY, -149],
    [2 ** -126, -126],
    [0, -Infinity],
    [-2, NaN],
    [Infinity, Infinity],
    [NaN, NaN],
  ],
  sin: [
    [0, 0],
    [Infinity, NaN],
    [-Infinity, NaN],
    [NaN, NaN],
    [2 ** 20, Math.fround(Math.sin(2 ** 20))],
    [2 ** 100, Math.fround(Math.sin(2 ** 100))],
    [TINY, TINY],
  ],
  cos: [
    [0, 1],
    [Infinity, NaN],
    [NaN, NaN],
    [2 ** 20, Math.fround(Math.cos(2 ** 20))],
    [-(2 ** 100), Math.fround(Math.cos(2 ** 100))],
  ],
};

/** A float's position in the order of floats, signed, so that neighbours differ by 1. */
const view = new DataView(new ArrayBuffer(4));
function place(value: number): number {
  view.setFloat32(0, value);
  const bits = view.getInt32(0);
  return bits < 0 ? -(bits & 0x7fff_ffff) : bits;
}

test.each(Object.entries(CASES))("%s where it ends", (name, cases) => {
  const given = new Float32Array(cases.map(([x]) => x));
  const source = `kernel void k(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = ${name}(x[i]);
  }`;
  for (const { way, buffers } of runEveryWay({
    source,
    kernel: "k",
    global: [cases.length],
    local: [1],
    arguments: [{ contents: new Uint8Array(given.buffer) }, { contents: new Uint8Array(cases.length * 4) }],
  })) {
    const results = new Float32Array(buffers[1]?.slice().buffer ?? new ArrayBuffer(0));
    const wrong = cases.flatMap(([x, y], i) => {
      const result = results[i] ?? 0;
      const isNear =
        Number.isNaN(y) || Number.isNaN(result)
          ? Number.isNaN(y) && Number.isNaN(result)
          : Math.abs(place(result) - place(y)) <= 1;
      return isNear ? [] : [`${name}(${x}) is ${result}, not ${y}`];
    });
    expect(wrong, way).toEqual([]);
  }
});
