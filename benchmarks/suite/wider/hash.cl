// Hashes of one message for a work-item.

// SHA-1 of a message of 64 bytes, two compressions; words are big-endian.
void sha1Block(uint *h, uint *w) {
  uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (uint t = 0; t < 80u; t++) {
    if (t >= 16u) w[t & 15u] = rotate(w[(t + 13u) & 15u] ^ w[(t + 8u) & 15u] ^ w[(t + 2u) & 15u] ^ w[t & 15u], 1u);
    uint f, k;
    if (t < 20u) f = bitselect(d, c, b), k = 0x5a827999u;
    else if (t < 40u) f = b ^ c ^ d, k = 0x6ed9eba1u;
    else if (t < 60u) f = (b & c) | (d & (b | c)), k = 0x8f1bbcdcu;
    else f = b ^ c ^ d, k = 0xca62c1d6u;
    uint next = rotate(a, 5u) + f + e + k + w[t & 15u];
    e = d;
    d = c;
    c = rotate(b, 30u);
    b = a;
    a = next;
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
}

kernel void sha1(global const uint *message, global uint *digest) {
  size_t i = get_global_id(0);
  uint w[16], h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  for (uint t = 0; t < 16u; t++) w[t] = message[i * 16 + t];
  sha1Block(h, w);
  for (uint t = 0; t < 15u; t++) w[t] = t == 0u ? 0x80000000u : 0u;
  w[15] = 512u;
  sha1Block(h, w);
  for (uint t = 0; t < 5u; t++) digest[i * 5 + t] = h[t];
}

// A hash of the shape of xxHash with 32 bits: four accumulators, multiplications and rotations.
uint lane(uint acc, uint word) { return rotate(acc + word * 2246822519u, 13u) * 2654435761u; }

kernel void xxhash(uint words, uint seed, global const uint *data, global uint *hash) {
  size_t i = get_global_id(0);
  global const uint *own = data + i * words;
  uint a = seed + 606290984u, b = seed + 2246822519u, c = seed, d = seed - 2654435761u;
  for (uint k = 0; k < words; k += 4u) {
    a = lane(a, own[k]);
    b = lane(b, own[k + 1u]);
    c = lane(c, own[k + 2u]);
    d = lane(d, own[k + 3u]);
  }
  uint h = rotate(a, 1u) + rotate(b, 7u) + rotate(c, 12u) + rotate(d, 18u) + words * 4u;
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  hash[i] = h ^ h >> 16;
}
