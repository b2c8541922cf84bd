// SPDX-License-Identifier: Apache-2.0
// construct: a sorting network written by macros on a private array

#define SWAP(a, b) { uchar4 low = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = low; }

kernel void median_of_nine(global const uchar4 *from, global uchar4 *to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  uchar4 v[9];
  for (int i = 0; i < 9; i++) {
    int sx = clamp(x + i % 3 - 1, 0, width - 1), sy = clamp(y + i / 3 - 1, 0, height - 1);
    v[i] = from[sy * width + sx];
  }
  SWAP(1, 2) SWAP(4, 5) SWAP(7, 8) SWAP(0, 1) SWAP(3, 4) SWAP(6, 7) SWAP(1, 2) SWAP(4, 5) SWAP(7, 8)
  SWAP(0, 3) SWAP(5, 8) SWAP(4, 7) SWAP(3, 6) SWAP(1, 4) SWAP(2, 5) SWAP(4, 7) SWAP(4, 2) SWAP(6, 4) SWAP(4, 2)
  to[y * width + x] = v[4];
}

kernel void histogram_private(global const uchar *from, global uint *bins, uint count, local uint *shared) {
  uint x = get_local_id(0), size = get_local_size(0);
  for (uint i = x; i < 256; i += size)
    shared[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < count; i += get_global_size(0))
    atomic_inc(&shared[from[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = x; i < 256; i += size)
    atomic_add(&bins[i], shared[i]);
}
