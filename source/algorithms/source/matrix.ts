// SPDX-License-Identifier: Apache-2.0
// Matrices, row by row: transposition and products.
//
// A work-item of a product computes one column of ROWS rows: the elements of the right matrix are read once for all of
// them, next to each other over the work-items, and those of the left one are the same for all. Products of large
// matrices go through the inner dimension in steps, so that a step's rows of the right matrix stay in the cache.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, commonScalar, matrixOf, scalarOf } from "./element.ts";
import { kernelOf } from "./programs.ts";

/** Rows that a work-item computes. */
const ROWS = 8;
/** Rows and columns that a work-item transposes, and work-items of a group both ways. */
const TILE = 4;
const GROUP = 8;

/**
 * Rows become columns. Error: AlgorithmError for an array that has not two dimensions.
 *
 * @public
 */
export function transpose<T extends TypedArray>(matrix: DeviceArray<T>): DeviceArray<T> {
  const operation = "transpose";
  const [rows, columns] = matrixOf(operation, matrix);
  const scalar = scalarOf(operation, matrix.type);
  const out = DeviceArray.unfilled(matrix.device, matrix.type, [columns, rows]);
  // A work-item turns four by four elements in registers; those of a group are next to each other both ways.
  const vector = `${scalar}4`;
  const source = `kernel void transpose(global ${scalar}* restrict out, global const ${scalar}* restrict x, uint rows, uint columns) {
  uint column = get_global_id(0) * ${TILE}, row = get_global_id(1) * ${TILE};
  if (row + ${TILE} <= rows && column + ${TILE} <= columns) {
    ${vector} a = vload4(0, x + (row + 0) * columns + column), b = vload4(0, x + (row + 1) * columns + column);
    ${vector} c = vload4(0, x + (row + 2) * columns + column), d = vload4(0, x + (row + 3) * columns + column);
    vstore4((${vector})(a.x, b.x, c.x, d.x), 0, out + (column + 0) * rows + row);
    vstore4((${vector})(a.y, b.y, c.y, d.y), 0, out + (column + 1) * rows + row);
    vstore4((${vector})(a.z, b.z, c.z, d.z), 0, out + (column + 2) * rows + row);
    vstore4((${vector})(a.w, b.w, c.w, d.w), 0, out + (column + 3) * rows + row);
  } else
    for (uint y = row; y < min(row + ${TILE}, rows); y++)
      for (uint z = column; z < min(column + ${TILE}, columns); z++) out[z * rows + y] = x[y * columns + z];
}`;
  const items = [Math.ceil(columns / TILE), Math.ceil(rows / TILE)] as const;
  // Groups of whole cache lines both ways, where the sizes allow it.
  const local = items.every((count) => count % GROUP === 0) ? { local: [GROUP, GROUP] } : {};
  kernelOf(operation, matrix.device, source, "transpose")({ global: items, ...local }, out, matrix, rows, columns);
  return out;
}

/**
 * The product of two matrices of floats, doubles or whole numbers. Errors: AlgorithmError for arrays that have not two
 * dimensions, or do not fit.
 *
 * @public
 */
export function multiply<T extends TypedArray>(left: DeviceArray<T>, right: DeviceArray<T>): DeviceArray<T> {
  const operation = "multiply";
  const scalar = commonScalar(operation, [left, right]);
  const [rows, inner] = matrixOf(operation, left);
  const [other, columns] = matrixOf(operation, right);
  if (inner !== other)
    throw new AlgorithmError(
      operation,
      `${rows} × ${inner} and ${other} × ${columns} do not fit: ${inner} columns meet ${other} rows`,
    );
  const out = DeviceArray.unfilled(left.device, left.type, [rows, columns]);
  const lines = Array.from({ length: ROWS }, (_, k) => k);
  const source = `kernel void multiply(global ${scalar}* restrict out, global const ${scalar}* restrict a,
    global const ${scalar}* restrict b,
    uint rows, uint inner, uint columns) {
  uint column = get_global_id(0), row = get_global_id(1) * ${ROWS};
  ${lines.map((k) => `global const ${scalar}* a${k} = a + (size_t)min(row + ${k}, rows - 1) * inner;`).join("\n  ")}
  ${scalar} ${lines.map((k) => `s${k} = 0`).join(", ")};
  for (uint i = 0; i < inner; i++) {
    ${scalar} own = b[(size_t)i * columns + column];
    ${lines.map((k) => `s${k} += a${k}[i] * own;`).join(" ")}
  }
  out += (size_t)row * columns + column;
  ${lines.map((k) => `if (row + ${k} < rows) out[${k} * (size_t)columns] = s${k};`).join("\n  ")}
}`;
  kernelOf(operation, left.device, source, "multiply")(
    [columns, Math.ceil(rows / ROWS)],
    out,
    left,
    right,
    rows,
    inner,
    columns,
  );
  return out;
}
