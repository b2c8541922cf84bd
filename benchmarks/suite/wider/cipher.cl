// A block cipher of the shape of AES with 128-bit keys: nine rounds of look-ups in four tables of 256 words, a last
// round by a table of bytes. Tables and round keys are inputs.
kernel void aes_table(constant uint *table, constant uchar *box, constant uint *key, global const uint4 *plain,
                      global uint4 *secret) {
  size_t i = get_global_id(0);
  uint4 s = plain[i] ^ (uint4)(key[0], key[1], key[2], key[3]);
  for (uint round = 1; round < 10u; round++) {
    uint4 t;
    t.x = table[s.x & 255u] ^ table[256u + (s.y >> 8 & 255u)] ^ table[512u + (s.z >> 16 & 255u)] ^ table[768u + (s.w >> 24)];
    t.y = table[s.y & 255u] ^ table[256u + (s.z >> 8 & 255u)] ^ table[512u + (s.w >> 16 & 255u)] ^ table[768u + (s.x >> 24)];
    t.z = table[s.z & 255u] ^ table[256u + (s.w >> 8 & 255u)] ^ table[512u + (s.x >> 16 & 255u)] ^ table[768u + (s.y >> 24)];
    t.w = table[s.w & 255u] ^ table[256u + (s.x >> 8 & 255u)] ^ table[512u + (s.y >> 16 & 255u)] ^ table[768u + (s.z >> 24)];
    s = t ^ vload4(round, key);
  }
  uint4 last;
  last.x = box[s.x & 255u] | (uint)box[s.y >> 8 & 255u] << 8 | (uint)box[s.z >> 16 & 255u] << 16 | (uint)box[s.w >> 24] << 24;
  last.y = box[s.y & 255u] | (uint)box[s.z >> 8 & 255u] << 8 | (uint)box[s.w >> 16 & 255u] << 16 | (uint)box[s.x >> 24] << 24;
  last.z = box[s.z & 255u] | (uint)box[s.w >> 8 & 255u] << 8 | (uint)box[s.x >> 16 & 255u] << 16 | (uint)box[s.y >> 24] << 24;
  last.w = box[s.w & 255u] | (uint)box[s.x >> 8 & 255u] << 8 | (uint)box[s.y >> 16 & 255u] << 16 | (uint)box[s.z >> 24] << 24;
  secret[i] = last ^ vload4(10, key);
}
