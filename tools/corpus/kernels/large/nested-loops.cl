// SPDX-License-Identifier: Apache-2.0
// construct: ten loops within each other, with conditions at each level

#define LOOP(v) for (int v = 0; v < n; v++) { if (v == skip) continue; sum += v;
kernel void nested_loops(global int *p, int n, int skip) {
  int sum = get_global_id(0);
  LOOP(a) LOOP(b) LOOP(c) LOOP(d) LOOP(e) LOOP(f) LOOP(g) LOOP(h) LOOP(i) LOOP(j)
  sum ^= a * b + c * d + e * f + g * h + i * j;
  }}}}}}}}}}
  p[get_global_id(0)] = sum;
}
