// Dense linear algebra: one result for a work-item.

// y = transpose(A) t: columns side by side, t by tiles in local memory.
kernel void atax(uint rows, uint n, global const float *a, global const float *t, global float *y) {
  local float tile[64];
  uint j = get_global_id(0), lid = get_local_id(0);
  float acc = 0.0f;
  for (uint first = 0; first < rows; first += 64u) {
    if (lid < 64u && first + lid < rows) tile[lid] = t[first + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint end = min(64u, rows - first);
    for (uint i = 0; i < end; i++) acc += a[(first + i) * n + j] * tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[j] = acc;
}

// y = alpha A x + beta B x.
kernel void gesummv(uint n, float alpha, float beta, global const float *a, global const float *b,
                    global const float *x, global float *y) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float sumA = 0.0f, sumB = 0.0f;
  for (uint j = 0; j < n; j++) {
    sumA += a[i * n + j] * x[j];
    sumB += b[i * n + j] * x[j];
  }
  y[i] = alpha * sumA + beta * sumB;
}

// The lower triangle of C = alpha A transpose(A) + beta C.
kernel void syrk(uint n, uint m, float alpha, float beta, global const float *a, global const float *c,
                 global float *result) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j > i) return;
  float acc = beta * c[i * n + j];
  for (uint k = 0; k < m; k++) acc += alpha * a[i * m + k] * a[j * m + k];
  result[i * n + j] = acc;
}
