// A generation of Conway's Life on a torus of bits, 32 cells a word: neighbours are added by full adders on words.
kernel void life_bits(uint words, uint height, global const uint *board, global uint *next, global uint *alive) {
  uint x = get_global_id(0), y = get_global_id(1), west = (x == 0u ? words : x) - 1u, east = x + 1u == words ? 0u : x + 1u;
  uint ones = 0, twos = 0, fours = 0, own = 0;
  for (int dy = 0; dy < 3; dy++) {
    uint line = (y + height + dy - 1u) % height * words, middle = board[line + x];
    uint left = middle << 1 | board[line + west] >> 31, right = middle >> 1 | board[line + east] << 31;
    for (int k = 0; k < 3; k++) {
      if (dy == 1 && k == 1) {
        own = middle;
        continue;
      }
      uint bits = k == 0 ? left : k == 1 ? middle : right;
      uint carry = ones & bits;
      ones ^= bits;
      fours |= twos & carry;
      twos ^= carry;
    }
  }
  uint result = twos & ~fours & (ones | own);
  next[y * words + x] = result;
  alive[y * words + x] = popcount(result);
}
