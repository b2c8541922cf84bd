// Random walks, one for a work-item.

// Philox with four words and ten rounds: steps on a lattice in space, four for each block of words.
kernel void walk_philox(uint key, uint blocks, global int *where) {
  uint id = get_global_id(0);
  int x = 0, y = 0, z = 0;
  for (uint block = 0; block < blocks; block++) {
    uint a = block, b = id, c = 0, d = 0, k0 = key, k1 = ~key;
    for (int round = 0; round < 10; round++) {
      uint high0 = mul_hi(0xd2511f53u, a), low0 = 0xd2511f53u * a;
      uint high1 = mul_hi(0xcd9e8d57u, c), low1 = 0xcd9e8d57u * c;
      a = high1 ^ b ^ k0;
      b = low1;
      c = high0 ^ d ^ k1;
      d = low0;
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    uint words[4] = {a, b, c, d};
    for (int w = 0; w < 4; w++) {
      uint axis = words[w] % 3u;
      int step = words[w] >> 31 ? 1 : -1;
      if (axis == 0u) x += step;
      else if (axis == 1u) y += step;
      else z += step;
    }
  }
  where[3u * id] = x;
  where[3u * id + 1u] = y;
  where[3u * id + 2u] = z;
}

// Steps until a walk on a line leaves an interval, with xorshift's bits: walks end at different times.
kernel void walk_xorshift(int limit, uint most, global const uint *seeds, global uint *steps) {
  uint id = get_global_id(0), state = seeds[id] | 1u, count = 0;
  int at = 0;
  while (at > -limit && at < limit && count < most) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    at += (int)popcount(state & 0xffu) - 4;
    count++;
  }
  steps[id] = count;
}
