// SPDX-License-Identifier: Apache-2.0
// construct: distances to centres, minima with their indices, swapped layouts

kernel void swap_layout(global const float *from, global float *to, int points, int features) {
  unsigned int p = get_global_id(0);
  for (int f = 0; f < features; f++)
    to[p + points * f] = from[p * features + f];
}

kernel void assign(global const float *features, global const float *centres, global int *membership, int points,
                   int clusters, int count) {
  unsigned int p = get_global_id(0);
  if (p >= points)
    return;
  int index = 0;
  float least = FLT_MAX;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int f = 0; f < count; f++) {
      float d = features[f * points + p] - centres[c * count + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      index = c;
    }
  }
  membership[p] = index;
}

kernel void cost_of_opening(global const float *points, global const float *weights, global const long *assigned,
                            global const float *costs, local float *own, global float *lower, global int *table, int n,
                            int dimensions, long candidate) {
  const int id = get_global_id(0), x = get_local_id(0);
  if (x == 0)
    for (int d = 0; d < dimensions; d++)
      own[d] = points[d * n + candidate];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < n) {
    float distance = 0;
    for (int d = 0; d < dimensions; d++)
      distance += (points[d * n + id] - own[d]) * (points[d * n + id] - own[d]);
    float change = distance * weights[id] - costs[id];
    if (change < 0)
      lower[id] += change;
    else
      lower[n + table[assigned[id]]] -= change;
  }
}

kernel void nearest_neighbours(global const float2 *places, global float *distances, int n, float latitude,
    float longitude) {
  int i = get_global_id(0);
  if (i < n)
    distances[i] = hypot(latitude - places[i].x, longitude - places[i].y);
}
