// SPDX-License-Identifier: Apache-2.0
// construct: 4,000 operations in a row on few variables: a polynomial by macros

#define A(n) x = fma(x, y, (float)n); y = y * 0.5f + x;
#define B(n) A(n) A(n + 1) A(n + 2) A(n + 3) A(n + 4) A(n + 5) A(n + 6) A(n + 7) A(n + 8) A(n + 9)
#define C(n) B(n) B(n + 10) B(n + 20) B(n + 30) B(n + 40) B(n + 50) B(n + 60) B(n + 70) B(n + 80) B(n + 90)
kernel void thousand_steps(global float *p) {
  float x = p[get_global_id(0)], y = 1.0f;
  C(0) C(100) C(200) C(300) C(400) C(500) C(600) C(700) C(800) C(900)
  p[get_global_id(0)] = x + y;
}
