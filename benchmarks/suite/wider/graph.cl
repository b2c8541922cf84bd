// A level of a breadth-first search over a graph in compressed rows: vertices of the frontier mark what they reach.
kernel void bfs_level(uint vertices, uint frontier, global const uint *row, global const uint *edge,
                      global uint *level, global uint *found) {
  uint v = get_global_id(0);
  if (v >= vertices || level[v] != frontier) return;
  for (uint e = row[v]; e < row[v + 1]; e++)
    if (atomic_cmpxchg(&level[edge[e]], 0u, frontier + 1u) == 0u) atomic_inc(found);
}
