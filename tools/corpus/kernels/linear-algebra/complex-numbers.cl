// SPDX-License-Identifier: Apache-2.0
// construct: complex numbers as vectors and as records, conjugates by masks

typedef struct { double re, im; } complex_double;

complex_double multiply(complex_double a, complex_double b) {
  return (complex_double){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

kernel void multiply_complex(global const complex_double *a, global const complex_double *b, global complex_double *c,
    int n) {
  int row = get_global_id(1), column = get_global_id(0);
  complex_double sum = {0, 0};
  for (int k = 0; k < n; k++) {
    complex_double p = multiply(a[row * n + k], b[k * n + column]);
    sum.re += p.re, sum.im += p.im;
  }
  c[row * n + column] = sum;
}

kernel void conjugates(global float2 *v) {
  size_t i = get_global_id(0);
  v[i] = as_float2(as_uint2(v[i]) ^ (uint2)(0, 0x80000000));
}

kernel void divide_complex(global const float2 *a, global const float2 *b, global float2 *c) {
  size_t i = get_global_id(0);
  float2 x = a[i], y = b[i];
  c[i] = (float2)(dot(x, y), x.y * y.x - x.x * y.y) / dot(y, y);
}
