// Halves of bytes counted in private bins, added to global memory at the end.
kernel void hist_bytes_private(uint n, global const uchar *text, global uint *bins) {
  uint low[16], high[16];
  for (uint b = 0; b < 16u; b++) low[b] = high[b] = 0u;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    uchar c = text[i];
    low[c & 15]++;
    high[c >> 4]++;
  }
  for (uint b = 0; b < 16u; b++) {
    atomic_add(&bins[b], low[b]);
    atomic_add(&bins[16u + b], high[b]);
  }
}
