// SPDX-License-Identifier: Apache-2.0
// construct: atomic minimum of floats by their bits, comparisons of unsigned with signed

void atomic_min_float(volatile global float *at, float value) {
  union {
    uint bits;
    float value;
  } old, next;
  old.value = *at;
  do {
    if (old.value <= value)
      return;
    next.value = value;
    uint seen = atomic_cmpxchg((volatile global uint *)at, old.bits, next.bits);
    if (seen == old.bits)
      return;
    old.bits = seen;
  } while (1);
}

kernel void relax_edges(global const int *starts, global const int *edges, global const float *weights,
                        global int *mask, global float *cost, global float *updating, int vertices, int count) {
  int id = get_global_id(0);
  if (mask[id] != 0) {
    mask[id] = 0;
    int end = id + 1 < vertices ? starts[id + 1] : count;
    for (int edge = starts[id]; edge < end; edge++)
      atomic_min_float(&updating[edges[edge]], cost[id] + weights[edge]);
  }
}

kernel void settle_vertices(global int *mask, global float *cost, global float *updating) {
  int id = get_global_id(0);
  if (cost[id] > updating[id]) {
    cost[id] = updating[id];
    mask[id] = 1;
  }
  updating[id] = cost[id];
}

kernel void all_pairs_step(global int *distances, int n, int k) {
  int x = get_global_id(0), y = get_global_id(1);
  int through = distances[y * n + k] + distances[k * n + x];
  if (through < distances[y * n + x])
    distances[y * n + x] = through;
}
