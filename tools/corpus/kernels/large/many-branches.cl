// SPDX-License-Identifier: Apache-2.0
// construct: 200 conditions in a row that depend on the work-item

#define A(n) if (v & (1 << ((n) & 31))) r += n; else r ^= v >> ((n) & 7);
#define B(n) A(n) A(n + 1) A(n + 2) A(n + 3) A(n + 4) A(n + 5) A(n + 6) A(n + 7) A(n + 8) A(n + 9)
kernel void many_branches(global int *p) {
  int v = p[get_global_id(0)], r = 0;
  B(0) B(10) B(20) B(30) B(40) B(50) B(60) B(70) B(80) B(90)
  B(100) B(110) B(120) B(130) B(140) B(150) B(160) B(170) B(180) B(190)
  p[get_global_id(0)] = r;
}
