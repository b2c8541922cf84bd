// SPDX-License-Identifier: Apache-2.0
// construct: words of 64 bits: products, carries, conversions, in vectors

kernel void carries(global const ulong *a, global const ulong *b, global ulong *c, int n) {
  size_t at = get_global_id(0) * n;
  ulong carry = 0;
  for (int i = 0; i < n; i++) {
    ulong s = a[at + i] + b[at + i], t = s + carry;
    carry = (s < a[at + i]) | (t < s);
    c[at + i] = t;
  }
}
kernel void wide_product(global const uint *a, global const uint *b, global uint *c, int n) {
  ulong sum = 0;
  for (int k = 0; k < 2 * n - 1; k++) {
    ulong high = 0;
    for (int i = max(0, k - n + 1); i <= min(k, n - 1); i++) {
      ulong p = (ulong)a[i] * b[k - i];
      sum += (uint)p;
      high += p >> 32;
    }
    c[k] = (uint)sum;
    sum = (sum >> 32) + high;
  }
}
