// The greatest common divisor of two 64-bit numbers by halving and subtracting.
ulong withoutTwos(ulong a) { return a >> popcount((a & -a) - 1ul); }

kernel void gcd64(global const ulong *a, global const ulong *b, global ulong *divisor) {
  size_t i = get_global_id(0);
  ulong x = a[i] | 1ul << 40, y = b[i] | 1ul << 41;
  ulong twos = popcount(((x | y) & -(x | y)) - 1ul);
  x = withoutTwos(x);
  while (y != 0ul) {
    y = withoutTwos(y);
    ulong low = min(x, y);
    y = max(x, y) - low;
    x = low;
  }
  divisor[i] = x << twos;
}
