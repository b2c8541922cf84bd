// y = A x, A in the ELLPACK format: the k-th values of all rows side by side.
kernel void spmv_ell(uint rows, uint most, global const uint *length, global const uint *col, global const float *val,
                     global const float *x, global float *y) {
  uint r = get_global_id(0);
  if (r >= rows) return;
  float acc = 0.0f;
  uint end = min(length[r], most);
  for (uint k = 0; k < end; k++) acc += val[k * rows + r] * x[col[k * rows + r]];
  y[r] = acc;
}
