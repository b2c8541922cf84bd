// SPDX-License-Identifier: Apache-2.0
// construct: 9 and 19 populations in arrays of constants, layouts by macros

constant int2 directions[9] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
constant float weights[9] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f,
    1 / 36.0f};
constant char opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
#define AT(i, x, y) ((i) * width * height + (y) * width + (x))

kernel void collide_and_stream(global const float *from, global float *to, global const uchar *walls, int width,
    int height,
                               float omega) {
  int x = get_global_id(0), y = get_global_id(1);
  float f[9], density = 0;
  float2 momentum = 0;
  for (int i = 0; i < 9; i++) {
    f[i] = from[AT(i, (x - directions[i].x + width) % width, (y - directions[i].y + height) % height)];
    density += f[i];
    momentum += f[i] * convert_float2(directions[i]);
  }
  if (walls[y * width + x]) {
    for (int i = 0; i < 9; i++)
      to[AT(i, x, y)] = f[opposite[i]];
    return;
  }
  float2 u = momentum / density;
  for (int i = 0; i < 9; i++) {
    float eu = 3.0f * dot(convert_float2(directions[i]), u);
    float balance = weights[i] * density * (1.0f + eu + 0.5f * eu * eu - 1.5f * dot(u, u));
    to[AT(i, x, y)] = mix(f[i], balance, omega);
  }
}
kernel void spins(global char *lattice, global uint *seeds, int n, int parity, float beta) {
  int x = get_global_id(0), y = get_global_id(1);
  if (((x + y) & 1) != parity)
    return;
  int sum = lattice[y * n + (x + 1) % n] + lattice[y * n + (x + n - 1) % n] + lattice[(y + 1) % n * n + x] +
      lattice[(y + n - 1) % n * n + x];
  uint s = seeds[y * n + x] = seeds[y * n + x] * 747796405U + 2891336453U;
  if (s * 2.3283064e-10f < exp(-2.0f * beta * lattice[y * n + x] * sum))
    lattice[y * n + x] *= -1;
}
