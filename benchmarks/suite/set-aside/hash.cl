// Hashes of one message for a work-item.

// CRC-32 of messages by a table of 256 words that each work-group makes in local memory; bytes come in words.
kernel void crc_table(uint words, global const uint *data, global uint *crc) {
  local uint table[256];
  for (uint b = get_local_id(0); b < 256u; b += get_local_size(0)) {
    uint value = b;
    for (int k = 0; k < 8; k++) value = value & 1u ? value >> 1 ^ 0xedb88320u : value >> 1;
    table[b] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint i = get_global_id(0), value = ~0u;
  for (uint k = 0; k < words; k++) {
    uint word = data[i * words + k];
    for (int byte = 0; byte < 4; byte++) {
      value = table[(value ^ word) & 255u] ^ value >> 8;
      word >>= 8;
    }
  }
  crc[i] = ~value;
}

constant uint sines[64] = {
  0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
  0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
  0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
  0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
  0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
  0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
  0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
  0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u
};
constant uint turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

// MD5 of a message of 55 bytes: its words with a mark and the length, one compression.
kernel void md5(global const uint *message, global uint4 *digest) {
  size_t i = get_global_id(0);
  uint w[16];
  for (uint t = 0; t < 14u; t++) w[t] = message[i * 14 + t];
  w[13] = (w[13] & 0x00ffffffu) | 0x80000000u;
  w[14] = 440u;
  w[15] = 0u;
  uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  for (uint t = 0; t < 64u; t++) {
    uint f, word;
    if (t < 16u) f = (b & c) | (~b & d), word = t;
    else if (t < 32u) f = (d & b) | (~d & c), word = (5u * t + 1u) & 15u;
    else if (t < 48u) f = b ^ c ^ d, word = (3u * t + 5u) & 15u;
    else f = c ^ (b | ~d), word = (7u * t) & 15u;
    uint next = b + rotate(a + f + sines[t] + w[word], turns[(t >> 4 << 2) + (t & 3u)]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
  digest[i] = (uint4)(a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u);
}
