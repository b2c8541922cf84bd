// Ways to place n queens: each work-item has the first three rows given by its number, and searches the rest with
// three masks a row on a private stack.
kernel void nqueens(uint n, global uint *ways) {
  uint id = get_global_id(0), rest = id, all = (1u << n) - 1u;
  uint columns = 0, left = 0, right = 0, count = 0;
  bool fits = id < n * n * n;
  for (int row = 0; row < 3; row++) {
    uint bit = 1u << rest % n;
    rest /= n;
    if (bit & (columns | left | right)) fits = false;
    columns |= bit;
    left = (left | bit) << 1;
    right = (right | bit) >> 1;
  }
  uint c[16], l[16], r[16], free[16];
  int depth = 0;
  c[0] = columns;
  l[0] = left;
  r[0] = right;
  free[0] = fits ? all & ~(columns | left | right) : 0u;
  while (depth >= 0) {
    uint open = free[depth];
    if (open == 0u) {
      depth--;
      continue;
    }
    uint bit = open & -open;
    free[depth] = open ^ bit;
    columns = c[depth] | bit;
    if (columns == all) {
      count++;
      continue;
    }
    left = (l[depth] | bit) << 1;
    right = (r[depth] | bit) >> 1;
    depth++;
    c[depth] = columns;
    l[depth] = left;
    r[depth] = right;
    free[depth] = all & ~(columns | left | right);
  }
  ways[id] = count;
}
