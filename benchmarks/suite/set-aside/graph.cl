// All shortest paths, one step of Floyd and Warshall: ways by vertex k replace longer ones.
kernel void floyd_step(uint n, uint k, global uint *distance, global uint *by) {
  uint to = get_global_id(0), from = get_global_id(1), at = from * n + to;
  uint way = distance[from * n + k] + distance[k * n + to];
  if (way < distance[at]) {
    distance[at] = way;
    by[at] = k;
  }
}
