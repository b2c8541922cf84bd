// SPDX-License-Identifier: Apache-2.0
// construct: enumerations as types, sizes of arrays, indices and in switches

enum { WIDTH = 4, HEIGHT = WIDTH * 2, LAST };
typedef enum colour { RED = -1, GREEN, BLUE = 5 } colour;
constant int table[LAST] = {[GREEN] = 1, [BLUE] = 2};
kernel void enumerated(global int *out, global const int *in) {
  colour c = (colour)in[get_global_id(0)];
  int tile[HEIGHT] = {0};
  tile[WIDTH] = c == RED ? table[BLUE] : c;
  out[get_global_id(0)] = tile[WIDTH] + LAST + (c < BLUE);
}
