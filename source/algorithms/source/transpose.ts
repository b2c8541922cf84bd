// SPDX-License-Identifier: Apache-2.0
// Transposition of matrices that are stored row by row.
//
// Four rows of four elements are one wide vector, whose permutation is the transpose: the compiler makes a tree of
// interleavings of it. On a processor a work-item takes a block of the matrix (cache blocking) and goes down it by 16
// rows, so that every line of the result is written whole; on a GPU a work-item takes four by four elements, and those
// of a group are next to each other both ways. Cost: a read and a write of the matrix.
import { DeviceArray, type TypedArray } from "muxkit";

import { matrixOf, scalarOf } from "./element.ts";
import { isProcessor, programOf } from "./programs.ts";

/** Rows and columns of a permutation. */
const TILE = 4;
/** Rows that are written at once: a cache line of floats. */
const LINE = 16;
/** Rows and columns of a block. */
const BLOCK = 64;
/** Work-items of a group on a GPU, both ways. */
const GROUP = 8;

/** Which lanes of a wide vector of four rows are each column. */
const COLUMNS = ["048c", "159d", "26ae", "37bf"];

/** Four rows from `row` on as a wide vector of this name. */
function load(scalar: string, name: string, row: number): string {
  const line = (k: number): string => `vload4(0, from + (size_t)${row + k} * columns)`;
  return `${scalar}16 ${name} = (${scalar}16)(${[0, 1, 2, 3].map(line).join(", ")});`;
}

/** Stores columns of vectors of four rows: a line of the result each. */
function store(names: readonly string[]): string {
  return COLUMNS.map((lanes, k) =>
    names.map((name, i) => `vstore4(${name}.s${lanes}, 0, to + (size_t)${k} * rows + ${TILE * i});`).join(" "),
  ).join("\n      ");
}

const EDGE = `for (uint y = row; y < low; y++)
        for (uint z = column; z < high; z++) out[(size_t)z * rows + y] = x[(size_t)y * columns + z];`;

function blockSource(scalar: string): string {
  const names = Array.from({ length: LINE / TILE }, (_, i) => `t${i}`);
  return `kernel void transpose(global ${scalar}* restrict out, global const ${scalar}* restrict x, uint rows, uint columns) {
  uint left = get_global_id(0) * ${BLOCK}, top = get_global_id(1) * ${BLOCK};
  uint right = min(left + ${BLOCK}, columns), bottom = min(top + ${BLOCK}, rows);
  for (uint column = left; column < right; column += ${TILE})
    for (uint row = top; row < bottom; row += ${LINE}) {
      uint low = min(row + ${LINE}, rows), high = min(column + ${TILE}, columns);
      if (low - row == ${LINE} && high - column == ${TILE}) {
      global const ${scalar}* from = x + (size_t)row * columns + column;
      global ${scalar}* to = out + (size_t)column * rows + row;
      ${names.map((name, i) => load(scalar, name, TILE * i)).join("\n      ")}
      ${store(names)}
      } else ${EDGE}
    }
}`;
}

function tileSource(scalar: string): string {
  return `kernel void transpose(global ${scalar}* restrict out, global const ${scalar}* restrict x, uint rows, uint columns) {
  uint column = get_global_id(0) * ${TILE}, row = get_global_id(1) * ${TILE};
  uint low = min(row + ${TILE}, rows), high = min(column + ${TILE}, columns);
  global const ${scalar}* from = x + (size_t)row * columns + column;
  global ${scalar}* to = out + (size_t)column * rows + row;
  if (row + ${TILE} <= rows && column + ${TILE} <= columns) {
      ${load(scalar, "t", 0)}
      ${store(["t"])}
  } else ${EDGE}
}`;
}

/**
 * Rows become columns. Error: AlgorithmError for an array that has not two dimensions.
 *
 * @public
 */
export function transpose<T extends TypedArray>(matrix: DeviceArray<T>): DeviceArray<T> {
  const operation = "transpose";
  const [rows, columns] = matrixOf(operation, matrix);
  const scalar = scalarOf(operation, matrix.type);
  const { device, type } = matrix;
  const out = DeviceArray.unfilled(device, type, [columns, rows]);
  const onProcessor = isProcessor(device);
  const size = onProcessor ? BLOCK : TILE;
  const global = [Math.ceil(columns / size), Math.ceil(rows / size)] as const;
  // Groups of whole cache lines both ways, where the sizes allow it.
  const local = onProcessor ? [1, 1] : global.every((count) => count % GROUP === 0) ? [GROUP, GROUP] : null;
  const source = onProcessor ? blockSource : tileSource;
  const kernel = programOf(operation, device, scalar, () => source(scalar))("transpose");
  kernel(local === null ? global : { global, local }, out, matrix, rows, columns);
  return out;
}
