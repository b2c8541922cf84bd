// SPDX-License-Identifier: Apache-2.0
// construct: pointers to float that are read as structs and vectors

typedef struct {
  int row;
  float factor;
} pivot;

kernel void eliminate_factors(global float *m, global const float *a, int size, int step) {
  int id = get_global_id(0);
  if (id < size - 1 - step) {
    global float *target = m + size * (id + step + 1) + step;
    *target = *(a + size * (id + step + 1) + step) / *(a + size * step + step);
  }
}

kernel void eliminate_rows(global const float *m, global float *a, global float *b, int size, int step) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < size - 1 - step && y < size - step) {
    int row = size * (x + 1 + step);
    a[row + y + step] -= m[row + step] * a[size * step + y + step];
    if (y == 0)
      b[x + 1 + step] -= m[row + step] * b[step];
  }
}

kernel void find_pivot(global const float *a, global pivot *found, int size, int step) {
  pivot best = {step, fabs(a[size * step + step])};
  for (int i = step + 1; i < size; i++) {
    float value = fabs(a[size * i + step]);
    if (value > best.factor)
      best = (pivot){i, value};
  }
  found[step] = best;
}

kernel void scale_by_four(global float *rows, float factor) {
  global float4 *four = (global float4 *)rows;
  four[get_global_id(0)] *= factor;
}
