// SPDX-License-Identifier: Apache-2.0
// construct: structs in global memory, flags in bytes, irregular loops

typedef struct {
  int first;
  int count;
} vertex;

kernel void visit_frontier(global const vertex *vertices, global const int *edges, global char *frontier,
                           global char *updating, global const char *visited, global int *cost, int count) {
  int id = get_global_id(0);
  if (id < count && frontier[id]) {
    frontier[id] = false;
    for (int i = vertices[id].first; i < vertices[id].first + vertices[id].count; i++) {
      int next = edges[i];
      if (!visited[next]) {
        cost[next] = cost[id] + 1;
        updating[next] = true;
      }
    }
  }
}

kernel void commit_frontier(global char *frontier, global char *updating, global char *visited, global char *again,
                            int count) {
  int id = get_global_id(0);
  if (id < count && updating[id]) {
    frontier[id] = true;
    visited[id] = true;
    *again = true;
    updating[id] = false;
  }
}

kernel void visit_level(global volatile uint *levels, global const uint *starts, global const uint *edges,
                        uint count, int level, global int *changed) {
  for (uint id = get_global_id(0); id < count; id += get_global_size(0)) {
    if (levels[id] != level)
      continue;
    for (uint i = starts[id], end = starts[id + 1]; i < end; ++i) {
      if (levels[edges[i]] == UINT_MAX) {
        levels[edges[i]] = level + 1;
        *changed = 1;
      }
    }
  }
}

kernel void visit_queue(global const uint *queue, uint length, global uint *next, global volatile uint *next_length,
                        global volatile uint *levels, global const uint *starts, global const uint *edges, uint level,
                        local uint *block, local volatile uint *block_length, local uint *block_start) {
  if (get_local_id(0) == 0)
    *block_length = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint at = get_global_id(0);
  if (at < length) {
    uint id = queue[at];
    for (uint i = starts[id]; i < starts[id + 1]; i++) {
      uint neighbour = edges[i];
      if (atomic_cmpxchg(&levels[neighbour], UINT_MAX, level + 1) == UINT_MAX)
        block[atomic_inc(block_length)] = neighbour;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    *block_start = atomic_add(next_length, *block_length);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < *block_length; i += get_local_size(0))
    next[*block_start + i] = block[i];
}
