// SPDX-License-Identifier: Apache-2.0
// construct: bytes, sums of comparisons, and 64 cells in one word

kernel void life_bytes(global const uchar *from, global uchar *to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), count = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      count += from[((y + dy + height) % height) * width + (x + dx + width) % width];
  uchar own = from[y * width + x];
  to[y * width + x] = count == 3 || (count == 4 && own);
}
kernel void life_words(global const ulong *from, global ulong *to, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  ulong one = 0, two = 0, four = 0;
  for (int dy = -1; dy <= 1; dy++) {
    ulong w = from[(y + 1 + dy) * width + x];
    ulong neighbours[3] = {w << 1, w, w >> 1};
    for (int i = 0; i < 3; i++) {
      if (dy == 0 && i == 1)
        continue;
      ulong c = one & neighbours[i];
      one ^= neighbours[i];
      ulong d = two & c;
      two ^= c;
      four |= d;
    }
  }
  to[(y + 1) * width + x] = two & ~four & (one | from[(y + 1) * width + x]);
}
kernel void forest_fire(global const char *from, global char *to, global uint *seeds, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  enum { EMPTY, TREE, FIRE };
  seeds[i] = seeds[i] * 1664525U + 1013904223U;
  switch (from[i]) {
  case FIRE:
    to[i] = EMPTY;
    break;
  case TREE:
    to[i] = (x > 0 && from[i - 1] == FIRE) || (x < width - 1 && from[i + 1] == FIRE) ? FIRE : TREE;
    break;
  default:
    to[i] = seeds[i] > 0xfff00000U ? TREE : EMPTY;
  }
}
