// SPDX-License-Identifier: Apache-2.0
// construct: ciphers with tables in constant and local memory, bytes in words, little keys

#define TEA_DELTA 0x9e3779b9U

kernel void tea(global uint2 *blocks, uint4 key) {
  uint2 v = blocks[get_global_id(0)];
  uint sum = 0;
  for (int i = 0; i < 32; i++) {
    sum += TEA_DELTA;
    v.x += ((v.y << 4) + key.x) ^ (v.y + sum) ^ ((v.y >> 5) + key.y);
    v.y += ((v.x << 4) + key.z) ^ (v.x + sum) ^ ((v.x >> 5) + key.w);
  }
  blocks[get_global_id(0)] = v;
}

#define QUARTER(a, b, c, d)                                                                                            \
  a += b; d = rotate(d ^ a, 16U); c += d; b = rotate(b ^ c, 12U); a += b; d = rotate(d ^ a, 8U); c += d; \
      b = rotate(b ^ c, 7U);

kernel void chacha(global uint16 *stream, constant uint8 *key, uint2 nonce, int rounds) {
  uint16 s = (uint16)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, *key, (uint)get_global_id(0), 0, nonce), x = s;
  for (int i = 0; i < rounds; i += 2) {
    QUARTER(x.s0, x.s4, x.s8, x.sc) QUARTER(x.s1, x.s5, x.s9, x.sd) QUARTER(x.s2, x.s6, x.sa, x.se) QUARTER(x.s3, x.s7,
        x.sb, x.sf)
    QUARTER(x.s0, x.s5, x.sa, x.sf) QUARTER(x.s1, x.s6, x.sb, x.sc) QUARTER(x.s2, x.s7, x.s8, x.sd) QUARTER(x.s3, x.s4,
        x.s9, x.se)
  }
  stream[get_global_id(0)] = x + s;
}

kernel void substitute(global uchar16 *blocks, constant uchar *box, constant uchar16 *keys, local uchar *table,
    int rounds) {
  for (int i = get_local_id(0); i < 256; i += get_local_size(0))
    table[i] = box[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  uchar16 s = blocks[get_global_id(0)] ^ keys[0];
  for (int r = 1; r <= rounds; r++) {
    uchar *bytes = (uchar *)&s;
    for (int i = 0; i < 16; i++)
      bytes[i] = table[bytes[i]];
    s = s.s05af49e38d27c16b;
    if (r < rounds) {
      uchar16 twice = (s << (uchar)1) ^ ((s >> (uchar)7) * (uchar)0x1b), t = s ^ s.s123056749ab8defc;
      s = twice ^ t;
    }
    s ^= keys[r];
  }
  blocks[get_global_id(0)] = s;
}
