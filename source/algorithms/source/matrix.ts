// SPDX-License-Identifier: Apache-2.0
// Products of matrices that are stored row by row.
//
// A work-item of a product computes one column of ROWS rows: the elements of the right matrix are read once for all of
// them, next to each other over the work-items, and those of the left one are the same for all.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, commonScalar, matrixOf } from "./element.ts";
import { programOf } from "./programs.ts";

/** Rows that a work-item computes. */
const ROWS = 8;

function productSource(scalar: string): string {
  const lines = Array.from({ length: ROWS }, (_, k) => k);
  return `kernel void multiply(global ${scalar}* restrict out, global const ${scalar}* restrict a,
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
  programOf(operation, left.device, scalar, () => productSource(scalar))("multiply")(
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
