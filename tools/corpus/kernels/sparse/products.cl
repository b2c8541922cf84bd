// SPDX-License-Identifier: Apache-2.0
// construct: rows of different lengths, by one work-item, by several, and column by column

kernel void csr_scalar(global const float *values, global const int *columns, global const int *starts,
                       global const float *x, global float *y, int rows) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

kernel void csr_vector(global const float *values, global const int *columns, global const int *starts,
                       global const float *x, global float *y, int rows, int lanes, local volatile float *partial) {
  int t = get_local_id(0), lane = t & (lanes - 1);
  int row = get_group_id(0) * (get_local_size(0) / lanes) + t / lanes;
  if (row < rows) {
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += lanes)
      sum += values[i] * x[columns[i]];
    partial[t] = sum;
  }
  for (int s = lanes / 2; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < rows && lane < s)
      partial[t] += partial[t + s];
  }
  if (row < rows && lane == 0)
    y[row] = partial[t];
}

kernel void ellpack(global const float *values, global const int *columns, global const int *lengths,
                    global const float *x, global float *y, int rows) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0;
    for (int i = 0, max = lengths[row]; i < max; i++) {
      int at = i * rows + row;
      sum += values[at] * x[columns[at]];
    }
    y[row] = sum;
  }
}

kernel void coordinates(global const int2 *places, global const double *values, global const double *x,
                        global double *y, int count) {
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
    int2 place = places[i];
    y[place.s0] = fma(values[i], x[place.s1], y[place.s0]);
  }
}
