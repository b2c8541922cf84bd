// SPDX-License-Identifier: Apache-2.0
// Two-dimensional convolution with a small kernel of weights.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, commonScalar, matrixOf } from "./element.ts";
import { programOf } from "./programs.ts";

/** What is beyond the edges. @public */
export type EdgeMode = "clamp" | "zero" | "wrap";

const EDGES: Readonly<Record<EdgeMode, (index: string, size: string) => string>> = {
  clamp: (index, size) => `clamp(${index}, 0, ${size} - 1)`,
  zero: (index) => `(${index})`,
  wrap: (index, size) => `((${index}) % ${size} + ${size}) % ${size}`,
};

type Weights = readonly (readonly number[])[];

/** Rows above an element, and columns to its left, that weights reach. */
function marginsOf(weights: Weights): readonly [top: number, left: number] {
  return [(weights.length - 1) / 2, ((weights[0]?.length ?? 0) - 1) / 2];
}

function convolveSource(scalar: string, weights: Weights, edge: EdgeMode): string {
  const sum = scalar === "double" ? "double" : "float";
  const at = EDGES[edge];
  const [top, left] = marginsOf(weights);
  const number = (value: number): string =>
    sum === "double" ? `(double)${value}` : `${Math.fround(value)}f`.replace(/^(-?\d+)f$/u, "$1.0f");
  const terms = (isInside: boolean): string =>
    weights
      .flatMap((row, y) => {
        const line = isInside ? `(y + ${y - top})` : at(`y + ${y - top}`, "rows");
        return row.map((weight, x) => {
          if (weight === 0) return "";
          const column = isInside ? `(x + ${x - left})` : at(`x + ${x - left}`, "columns");
          const read = `image[${line} * columns + ${column}]`;
          const value =
            edge === "zero" && !isInside
              ? `((uint)(${line}) < (uint)rows && (uint)(${column}) < (uint)columns ? ${read} : 0)`
              : read;
          return `sum += ${number(weight)} * ${value};`;
        });
      })
      .filter((term) => term !== "")
      .join("\n    ");
  const store = `out[y * columns + x] = ${scalar === sum ? "sum" : `convert_${scalar}_sat_rte(sum)`};`;
  const kernel = (name: string, isInside: boolean): string => `
kernel void ${name}(global ${scalar}* restrict out, global const ${scalar}* restrict image, int rows, int columns) {
  int x = get_global_id(0), y = get_global_id(1);
  ${sum} sum = 0;
  ${terms(isInside)}
  ${store}
}`;
  return kernel("convolve_inside", true) + kernel("convolve_edge", false);
}

/**
 * Convolves an image of one channel with weights of an odd number of rows and columns, which are known when the kernel
 * is built: `convolve(image, [[0, 1, 0], [1, 4, 1], [0, 1, 0]])`. Weights are not turned round (a correlation, as image
 * filters have it). Errors: AlgorithmError for an array that has not two dimensions, and weights that are no matrix of
 * odd sizes or not finite.
 *
 * @public
 */
export function convolve<T extends TypedArray>(
  image: DeviceArray<T>,
  weights: readonly (readonly number[])[],
  edge: EdgeMode = "clamp",
): DeviceArray<T> {
  const operation = "convolve";
  const [rows, columns] = matrixOf(operation, image);
  const scalar = commonScalar(operation, [image]);
  const [height, width] = [weights.length, weights[0]?.length ?? 0];
  if (height % 2 === 0 || width % 2 === 0 || weights.some((row) => row.length !== width))
    throw new AlgorithmError(operation, `weights need an odd number of rows and columns, not ${height} × ${width}`);
  const odd = weights.flat().find((weight) => !Number.isFinite(scalar === "double" ? weight : Math.fround(weight)));
  if (odd !== undefined) throw new AlgorithmError(operation, `weights are finite numbers, not ${odd}`);
  const key = `${scalar} ${edge} ${weights.join(";")}`;
  const kernel = programOf(operation, image.device, key, () => convolveSource(scalar, weights, edge));
  const out = DeviceArray.unfilled(image.device, image.type, [rows, columns]);
  const [top, left] = marginsOf(weights);
  const [inner, lines] = [columns - 2 * left, rows - 2 * top];
  const launch = (name: string, x: number, y: number, across: number, down: number): void => {
    if (across > 0 && down > 0) kernel(name)({ global: [across, down], offset: [x, y] }, out, image, rows, columns);
  };
  // What is near no edge has no checks; the rest are four strips, or the whole of a small image.
  if (inner <= 0 || lines <= 0) launch("convolve_edge", 0, 0, columns, rows);
  else {
    launch("convolve_inside", left, top, inner, lines);
    launch("convolve_edge", 0, 0, columns, top);
    launch("convolve_edge", 0, rows - top, columns, top);
    launch("convolve_edge", 0, top, left, lines);
    launch("convolve_edge", columns - left, top, left, lines);
  }
  return out;
}
