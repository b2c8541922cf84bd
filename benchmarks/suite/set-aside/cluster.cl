// The nearest of k centres for each point; features of the points lie in planes.
kernel void kmeans_assign(uint n, uint k, uint features, global const float *points, constant float *centres,
                          global int *nearest) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float best = INFINITY;
  int which = 0;
  for (uint c = 0; c < k; c++) {
    float d = 0.0f;
    for (uint f = 0; f < features; f++) {
      float difference = points[f * n + i] - centres[c * features + f];
      d += difference * difference;
    }
    if (d < best) {
      best = d;
      which = (int)c;
    }
  }
  nearest[i] = which;
}
