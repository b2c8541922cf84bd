// SPDX-License-Identifier: Apache-2.0
// construct: scattered sums by atomics on floats, permutations, and triangular solves

inline void add_float(volatile global float *p, float v) {
  uint expected, seen = as_uint(*p);
  do {
    expected = seen;
    seen = atomic_cmpxchg((volatile global uint *)p, expected, as_uint(as_float(expected) + v));
  } while (seen != expected);
}

kernel void assemble(global const int4 *elements, global const float16 *blocks, global float *vector, int count) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  int4 e = elements[i];
  float16 b = blocks[i];
  add_float(&vector[e.x], b.s0 + b.s1 + b.s2 + b.s3);
  add_float(&vector[e.y], dot(b.s4567, (float4)(1)));
  add_float(&vector[e.z], dot(b.hi.lo, (float4)(1)));
  add_float(&vector[e.w], dot(b.hi.hi, (float4)(1)));
}

kernel void permute(global const int *order, global const double *in, global double *out) {
  out[order[get_global_id(0)]] = in[get_global_id(0)];
}

kernel void solve_level(global const int *level, global const int *starts, global const int *columns,
                        global const double *values, global const double *b, global double *x, int first) {
  int row = level[first + get_global_id(0)];
  double sum = b[row];
  int end = starts[row + 1] - 1;
  for (int i = starts[row]; i < end; i++)
    sum -= values[i] * x[columns[i]];
  x[row] = sum / values[end];
}

kernel void block_rows(global const float4 *blocks, global const int *columns, global const int *starts,
                       global const float4 *x, global float4 *y) {
  int row = get_global_id(0);
  float4 sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; i++) {
    float4 v = x[columns[i]];
    global const float4 *b = blocks + 4 * i;
    sum += (float4)(dot(b[0], v), dot(b[1], v), dot(b[2], v), dot(b[3], v));
  }
  y[row] = sum;
}
