// Dense linear algebra: one result or one row of results for a work-item.

// q = A p and s = transpose(A) r in one sweep: rows with a stride, columns side by side.
kernel void bicg(uint n, global const float *a, global const float *p, global const float *r, global float *q,
                 global float *s) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float row = 0.0f, column = 0.0f;
  for (uint j = 0; j < n; j++) {
    row += a[i * n + j] * p[j];
    column += a[j * n + i] * r[j];
  }
  q[i] = row;
  s[i] = column;
}

// Covariance of m variables over some points; the lower triangle is computed and mirrored.
kernel void covariance(uint points, uint m, global const float *data, global const float *mean, global float *cov) {
  uint i = get_global_id(0), j = get_global_id(1);
  if (j > i) return;
  float meanI = mean[i], meanJ = mean[j], sum = 0.0f;
  for (uint k = 0; k < points; k++) sum += (data[k * m + i] - meanI) * (data[k * m + j] - meanJ);
  sum /= (float)(points - 1);
  cov[j * m + i] = sum;
  cov[i * m + j] = sum;
}

// Each line of a three-dimensional array times one matrix.
kernel void doitgen(uint np, global const float *a, global const float *c4, global float *sum) {
  uint p = get_global_id(0), line = get_global_id(1) + get_global_id(2) * get_global_size(1);
  if (p >= np) return;
  float acc = 0.0f;
  for (uint s = 0; s < np; s++) acc += a[line * np + s] * c4[s * np + p];
  sum[line * np + p] = acc;
}
