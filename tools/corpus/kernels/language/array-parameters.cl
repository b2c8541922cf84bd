// SPDX-License-Identifier: Apache-2.0
// construct: pointers to arrays as parameters, declared in two ways, and their differences

#define N 16

float row_sum(constant float (*m)[N], int row);
float column_sum(constant float m[][N], int column);

float row_sum(constant float m[][N], int row) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    sum += m[row][i];
  return sum;
}

float column_sum(constant float (*m)[N], int column) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    sum += m[i][column];
  return sum;
}

kernel void sums(constant float (*m)[N], global float *rows, global float *columns) {
  int i = get_global_id(0);
  rows[i] = row_sum(m, i);
  columns[i] = column_sum(m, i);
}

kernel void distances(global int *out, constant float *flat) {
  constant float (*p)[N] = (constant float (*)[N])flat, (*q)[N] = p + get_global_id(0);
  out[get_global_id(0)] = q - p + (&q[1] - &p[0]);
}

void fill(local int (*tile)[N], int value) {
  for (int i = 0; i < N; i++)
    tile[get_local_id(0)][i] = value;
}

__attribute__((reqd_work_group_size(N, 1, 1)))
kernel void tiles(global int *out) {
  local int tile[N][N];
  fill(tile, get_group_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  int (*own)[2], pair[4][2] = {{1, 2}, {3}};
  own = pair;
  out[get_global_id(0)] = tile[get_local_id(0) ^ 1][3] + own[1][0];
}
