// A Feistel cipher of the shape of DES: sixteen rounds, each eight look-ups by six bits in tables that hold
// substitution and permutation. Tables and round keys are inputs.
uint mixed(uint half_, constant uint *table, uint keyA, uint keyB) {
  uint even = half_ ^ keyA, odd = rotate(half_, 28u) ^ keyB;
  return table[even & 63u] ^ table[64u + (even >> 8 & 63u)] ^ table[128u + (even >> 16 & 63u)] ^
         table[192u + (even >> 24 & 63u)] ^ table[256u + (odd & 63u)] ^ table[320u + (odd >> 8 & 63u)] ^
         table[384u + (odd >> 16 & 63u)] ^ table[448u + (odd >> 24 & 63u)];
}

kernel void feistel_table(constant uint *table, constant uint *key, global const uint2 *plain, global uint2 *secret) {
  size_t i = get_global_id(0);
  uint left = plain[i].x, right = plain[i].y;
  for (uint round = 0; round < 16u; round++) {
    uint next = left ^ mixed(right, table, key[2u * round], key[2u * round + 1u]);
    left = right;
    right = next;
  }
  secret[i] = (uint2)(right, left);
}
