// SPDX-License-Identifier: Apache-2.0
// construct: 80 rounds by macros with a schedule that is computed in place

#define W(i) (w[(i) & 15] = rotate(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i) & 15], 1U))
#define R0(a, b, c, d, e, i) e += rotate(a, 5U) + bitselect(d, c, b) + 0x5a827999U + w[i]; b = rotate(b, 30U);
#define R1(a, b, c, d, e, i) e += rotate(a, 5U) + bitselect(d, c, b) + 0x5a827999U + W(i); b = rotate(b, 30U);
#define R2(a, b, c, d, e, i) e += rotate(a, 5U) + (b ^ c ^ d) + 0x6ed9eba1U + W(i); b = rotate(b, 30U);
#define R3(a, b, c, d, e, i) e += rotate(a, 5U) + ((b & c) | (d & (b | c))) + 0x8f1bbcdcU + W(i); b = rotate(b, 30U);
#define R4(a, b, c, d, e, i) e += rotate(a, 5U) + (b ^ c ^ d) + 0xca62c1d6U + W(i); b = rotate(b, 30U);
#define FIVE(R, i) R(a, b, c, d, e, i) R(e, a, b, c, d, i + 1) R(d, e, a, b, c, i + 2) R(c, d, e, a, b, i + 3) R(b, \
    c, d, e, a, i + 4)
#define TWENTY(R, i) FIVE(R, i) FIVE(R, i + 5) FIVE(R, i + 10) FIVE(R, i + 15)

kernel void sha1(global const uint16 *blocks, global uint *digests, int count) {
  uint h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, w[16];
  for (int i = 0; i < count; i++) {
    vstore16(blocks[get_global_id(0) * count + i], 0, w);
    for (int j = 0; j < 16; j++)
      w[j] = as_uint(as_uchar4(w[j]).wzyx);
    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    FIVE(R0, 0) FIVE(R0, 5) FIVE(R0, 10)
    R0(a, b, c, d, e, 15) R1(e, a, b, c, d, 16) R1(d, e, a, b, c, 17) R1(c, d, e, a, b, 18) R1(b, c, d, e, a, 19)
    TWENTY(R2, 20) TWENTY(R3, 40) TWENTY(R4, 60)
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
  }
  for (int i = 0; i < 5; i++)
    digests[get_global_id(0) * 5 + i] = h[i];
}
