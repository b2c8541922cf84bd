// SPDX-License-Identifier: Apache-2.0
// Sizes and data of the suite's kernels, the same for OpenCL C, TypeScript and plain JavaScript.
import { readFileSync } from "node:fs";

import { translate } from "@muxkit/typescript-kernels";

type Numbers = Float32Array | Uint32Array;

/** A kernel with its launch. */
export interface SuiteJob {
  readonly name: string;
  /** The file of the OpenCL C version. */
  readonly file: string;
  /** Sizes in OpenCL's order. */
  readonly global: readonly number[];
  readonly local: readonly number[];
  /** Numbers, arrays, or bytes of local memory. */
  readonly arguments: readonly (number | Numbers | { readonly localBytes: number })[];
  /** Results may differ by this much, relatively: rounding by contraction. */
  readonly tolerance: number;
  /** Untransformed JavaScript has the same results: no barriers, no arithmetic that wraps. */
  readonly isPlain: boolean;
}

/** Numbers from a generator, the same each time. */
function numbers(count: number, least: number, greatest: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return least + (state / 2 ** 32) * (greatest - least);
  });
}

function words(count: number, limit: number, seed: number): Uint32Array {
  return Uint32Array.from(numbers(count, 0, limit, seed), Math.floor);
}

/** The jobs; `scale` 1 is for tests, more for measuring: items of the longest dimension. */
export function suiteJobs(scale: number): readonly SuiteJob[] {
  const n = 4096 * scale;
  const side = 64 * Math.floor(Math.sqrt(scale));
  const cube = 16 * Math.floor(Math.cbrt(scale));
  const rowStarts = Uint32Array.from({ length: n + 1 }, (_, i) => i * 8);
  return [
    {
      name: "saxpy",
      file: "stream.cl",
      global: [n],
      local: [64],
      arguments: [n, 2.5, numbers(n, -1, 1, 1), numbers(n, -1, 1, 2)],
      tolerance: 1e-6,
      isPlain: true,
    },
    {
      name: "sgemm_tiled",
      file: "sgemm.cl",
      global: [side, side],
      local: [16, 16],
      arguments: [
        side,
        side,
        side,
        numbers(side * side, -1, 1, 3),
        numbers(side * side, -1, 1, 4),
        new Float32Array(side * side),
      ],
      tolerance: 1e-4,
      isPlain: false,
    },
    {
      name: "nbody",
      file: "nbody.cl",
      global: [side * 4],
      local: [64],
      arguments: [side * 4, 0.01, numbers(side * 16, -1, 1, 5), new Float32Array(side * 16)],
      tolerance: 1e-3,
      isPlain: true,
    },
    {
      name: "mandelbrot",
      file: "mandelbrot.cl",
      global: [side, side],
      local: [16, 16],
      arguments: [side, side, -2, -1.5, 3 / side, 256, new Uint32Array(side * side)],
      tolerance: 0,
      isPlain: true,
    },
    {
      name: "blackscholes",
      file: "blackscholes.cl",
      global: [n],
      local: [64],
      arguments: [
        0.02,
        0.3,
        numbers(n, 5, 30, 6),
        numbers(n, 1, 100, 7),
        numbers(n, 0.25, 10, 8),
        new Float32Array(n),
        new Float32Array(n),
      ],
      tolerance: 1e-3,
      isPlain: true,
    },
    {
      name: "conv5x5",
      file: "conv.cl",
      global: [side, side],
      local: [16, 4],
      arguments: [side, side, numbers(side * side, 0, 1, 9), numbers(25, -0.2, 0.2, 10), new Float32Array(side * side)],
      tolerance: 1e-4,
      isPlain: true,
    },
    {
      name: "hist_local",
      file: "histogram.cl",
      global: [1024],
      local: [256],
      arguments: [n, words(n, 2 ** 32, 11), new Uint32Array(256), { localBytes: 1024 }],
      tolerance: 0,
      isPlain: false,
    },
    {
      name: "reduce_sum",
      file: "reduce.cl",
      global: [n],
      local: [256],
      arguments: [n * 16, numbers(n * 16, -1, 1, 12), new Float32Array(n / 256), { localBytes: 1024 }],
      tolerance: 1e-4,
      isPlain: false,
    },
    {
      name: "transpose",
      file: "transpose.cl",
      global: [side, side],
      local: [16, 16],
      arguments: [side, side, numbers(side * side, -1, 1, 13), new Float32Array(side * side)],
      tolerance: 0,
      isPlain: false,
    },
    {
      name: "spmv_csr",
      file: "spmv.cl",
      global: [n],
      local: [64],
      arguments: [
        n,
        rowStarts,
        words(n * 8, n, 14),
        numbers(n * 8, -1, 1, 15),
        numbers(n, -1, 1, 16),
        new Float32Array(n),
      ],
      tolerance: 1e-4,
      isPlain: true,
    },
    {
      name: "stencil7",
      file: "stencil.cl",
      global: [cube, cube, cube],
      local: [16, 1, 1],
      arguments: [cube, cube, cube, 0.5, 0.1, numbers(cube ** 3, -1, 1, 17), new Float32Array(cube ** 3)],
      tolerance: 1e-5,
      isPlain: true,
    },
    {
      name: "sha256",
      file: "sha256.cl",
      global: [n / 4],
      local: [64],
      arguments: [words(n * 4, 2 ** 32, 18), new Uint32Array(n * 2)],
      tolerance: 0,
      isPlain: false,
    },
  ];
}

/** The OpenCL C of a job's own file. */
export function ownSource({ file }: SuiteJob): string {
  return readFileSync(new URL(`../../../../benchmarks/suite/${file}`, import.meta.url), "utf8");
}

/** The OpenCL C that the translator makes of the kernels in TypeScript. */
export function translatedSource(): string {
  const url = new URL("kernels.ts", import.meta.url);
  const { unit, diagnostics } = translate({ path: url.pathname, text: readFileSync(url, "utf8") });
  if (unit === null)
    throw new Error(
      diagnostics.map(({ message, span }) => `${message}: ${span?.file.text.slice(span.start, span.end)}`).join("\n"),
    );
  return unit.openclC;
}
