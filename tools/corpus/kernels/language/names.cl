// SPDX-License-Identifier: Apache-2.0
// construct: names that hide others, of macros, of built-ins and in inner blocks

int length2(int x) { return x * x; }
kernel void names(global int *p, int max_value, int x) {
  int min_value = 3, dot_count = 2;
  {
    int x = p[0];
    for (int x = 0; x < 3; x++)
      min_value += x;
    p[1] = x;
  }
  struct x { int x; } y = {x};
  p[2] = y.x + length2(x) + min_value + dot_count + max_value;
}
