// SPDX-License-Identifier: Apache-2.0
// construct: changes between formats of sparse matrices, by counting and scanning

kernel void count_rows(global const int2 *places, global volatile int *counts, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(counts + places[i].y);
}
kernel void starts_of_rows(global const int *counts, global int *starts, int rows) {
  if (get_global_id(0) == 0) {
    starts[0] = 0;
    for (int i = 0; i < rows; i++)
      starts[i + 1] = starts[i] + counts[i];
  }
}
kernel void dense_to_rows(global const float *dense, global const int *starts, global float *values,
    global int *columns, int width) {
  int row = get_global_id(0), at = starts[row];
  for (int i = 0; i < width; i++) {
    float v = dense[row * width + i];
    if (v != 0.0f) {
      values[at] = v;
      columns[at++] = i;
    }
  }
}
kernel void multiply_diagonals(global const float *diagonals, constant int *offsets, global const float *x,
    global float *y, int count, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int d = 0; d < count; d++) {
    int column = i + offsets[d];
    if (column >= 0 && column < n)
      sum = mad(diagonals[d * n + i], x[column], sum);
  }
  y[i] = sum;
}
