// SPDX-License-Identifier: Apache-2.0
// construct: 1,024 rounds of a hash written out: more than 20,000 operations without a loop

#define ROUND(k)                                                                                                       \
  t1 = h + (rotate(e, 26U) ^ rotate(e, 21U) ^ rotate(e, 7U)) + bitselect(g, f, e) + k + w[(k) & 15];                   \
  t2 = (rotate(a, 30U) ^ rotate(a, 19U) ^ rotate(a, 10U)) + bitselect(a, b, c ^ a);                                    \
  h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;                                                   \
  w[(k) & 15] += w[((k) + 9) & 15] + (rotate(w[((k) + 1) & 15], 25U) ^ (w[((k) + 1) & 15] >> 3));
#define ROUNDS_4(k) ROUND(k) ROUND(k + 1) ROUND(k + 2) ROUND(k + 3)
#define ROUNDS_16(k) ROUNDS_4(k) ROUNDS_4(k + 4) ROUNDS_4(k + 8) ROUNDS_4(k + 12)
#define ROUNDS_64(k) ROUNDS_16(k) ROUNDS_16(k + 16) ROUNDS_16(k + 32) ROUNDS_16(k + 48)
#define ROUNDS_256(k) ROUNDS_64(k) ROUNDS_64(k + 64) ROUNDS_64(k + 128) ROUNDS_64(k + 192)

kernel void hash_1024_rounds(global const uint16 *blocks, global uint8 *states) {
  size_t i = get_global_id(0);
  uint w[16], t1, t2;
  vstore16(blocks[i], 0, w);
  uint a = states[i].s0, b = states[i].s1, c = states[i].s2, d = states[i].s3;
  uint e = states[i].s4, f = states[i].s5, g = states[i].s6, h = states[i].s7;
  ROUNDS_256(0) ROUNDS_256(256) ROUNDS_256(512) ROUNDS_256(768)
  states[i] += (uint8)(a, b, c, d, e, f, g, h);
}
