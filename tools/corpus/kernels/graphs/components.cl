// SPDX-License-Identifier: Apache-2.0
// construct: pointer jumping with atomics, ranks with doubles, triangles by binary search

kernel void hook(global const uint2 *edges, global volatile uint *parents, global int *again, uint count) {
  uint i = get_global_id(0);
  if (i >= count)
    return;
  uint u = edges[i].x, v = edges[i].y, pu = parents[u], pv = parents[v];
  if (pu != pv) {
    uint high = max(pu, pv), low = min(pu, pv);
    if (atomic_min(&parents[high], low) > low)
      *again = 1;
  }
}

kernel void jump(global uint *parents, uint count) {
  uint i = get_global_id(0);
  if (i < count) {
    uint p = parents[i];
    while (p != parents[p])
      p = parents[p];
    parents[i] = p;
  }
}

kernel void rank_pages(global const uint *starts, global const uint *sources, global const double *ranks,
                       global const uint *degrees, global double *next, double damping, uint count) {
  uint i = get_global_id(0);
  if (i < count) {
    double sum = 0;
    for (uint e = starts[i]; e < starts[i + 1]; e++)
      sum += ranks[sources[e]] / degrees[sources[e]];
    next[i] = (1 - damping) / count + damping * sum;
  }
}

bool has_edge(global const uint *edges, uint low, uint high, uint wanted) {
  while (low < high) {
    uint middle = low + (high - low) / 2;
    if (edges[middle] == wanted)
      return true;
    if (edges[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

kernel void count_triangles(global const uint *starts, global const uint *edges, global uint *counts, uint count) {
  uint u = get_global_id(0), found = 0;
  if (u >= count)
    return;
  for (uint i = starts[u]; i < starts[u + 1]; i++)
    for (uint j = i + 1; j < starts[u + 1]; j++)
      found += has_edge(edges, starts[edges[i]], starts[edges[i] + 1], edges[j]);
  counts[u] = found;
}
