// SPDX-License-Identifier: Apache-2.0
// construct: kernels that share a macro for the type of their elements

#define REAL float

kernel void multiply_rows(global const REAL *a, global const REAL *x, global REAL *y, int rows, int columns) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  REAL sum = 0;
  for (int i = 0; i < columns; i++)
    sum += a[row * columns + i] * x[i];
  y[row] = sum;
}

kernel void multiply_columns(global const REAL *a, global const REAL *x, global REAL *y, int rows, int columns) {
  int column = get_global_id(0);
  if (column < columns) {
    y[column] = 0;
    for (int i = 0; i < rows; i++)
      y[column] += a[i * columns + column] * x[i];
  }
}

kernel void normal_equations_first(global const REAL *a, global const REAL *x, global REAL *temporary, int m, int n) {
  int i = get_global_id(0);
  if (i < m) {
    temporary[i] = 0;
    for (int j = 0; j < n; j++)
      temporary[i] += a[i * n + j] * x[j];
  }
}

kernel void rank_two_update(global REAL *a, global const REAL *u1, global const REAL *v1, global const REAL *u2,
                            global const REAL *v2, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n)
    a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}
