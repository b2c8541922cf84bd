// SPDX-License-Identifier: Apache-2.0
// construct: hashes over bytes, with switch that falls through, and with 64-bit products

uint mix(uint h) {
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= h >> 13;
  h *= 0xc2b2ae35U;
  return h ^ (h >> 16);
}

uint murmur(global const uchar *key, uint length, uint seed) {
  uint h = seed, k = 0;
  for (uint i = 0; i + 4 <= length; i += 4) {
    k = as_uint(vload4(i / 4, key)) * 0xcc9e2d51U;
    h = rotate(h ^ (rotate(k, 15U) * 0x1b873593U), 13U) * 5 + 0xe6546b64U;
  }
  k = 0;
  switch (length & 3) {
  case 3:
    k ^= key[(length & ~3U) + 2] << 16;
  case 2:
    k ^= key[(length & ~3U) + 1] << 8;
  case 1:
    k ^= key[length & ~3U];
    h ^= rotate(k * 0xcc9e2d51U, 15U) * 0x1b873593U;
  }
  return mix(h ^ length);
}

kernel void hash_keys(global const uchar *keys, global const uint2 *places, global uint *hashes, uint seed) {
  size_t i = get_global_id(0);
  hashes[i] = murmur(keys + places[i].x, places[i].y, seed);
}

kernel void fnv(global const uchar *keys, global ulong *hashes, uint length) {
  ulong h = 0xcbf29ce484222325UL;
  for (uint i = 0; i < length; i++)
    h = (h ^ keys[get_global_id(0) * length + i]) * 0x100000001b3UL;
  hashes[get_global_id(0)] = h;
}

kernel void multiply_and_fold(global const ulong2 *in, global ulong *out) {
  ulong2 v = in[get_global_id(0)];
  out[get_global_id(0)] = mul_hi(v.x, v.y) ^ v.x * v.y;
}

kernel void checksum(global const uchar *data, global uint *sums, uint length, constant uint *table) {
  uint crc = ~0U;
  global const uchar *p = data + get_global_id(0) * length;
  for (uint i = 0; i < length; i++)
    crc = table[(crc ^ *p++) & 0xff] ^ (crc >> 8);
  sums[get_global_id(0)] = ~crc;
}
