// y = A x, A as a list of values by rows: products are summed by segments in local memory. Rows that begin or end
// outside of a work-group go to its two carries. A row's number is an eighth of what `row` says.
kernel void spmv_coo(global const uint *row, global const uint *col, global const float *val, global const float *x,
                     global float *y, global float *carry) {
  local float sum[128];
  local uint rows[128];
  uint lid = get_local_id(0), i = get_global_id(0), own = row[i] >> 3;
  float value = val[i] * x[col[i]];
  rows[lid] = own;
  sum[lid] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < 128u; distance *= 2u) {
    float more = 0.0f;
    if (lid >= distance && rows[lid - distance] == own) more = sum[lid - distance];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[lid] += more;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  bool isLast = lid == 127u;
  if (!isLast && rows[lid + 1u] == own) return;
  float result = sum[lid];
  if (isLast) carry[2 * get_group_id(0) + 1] = result;
  else if (own == rows[0]) carry[2 * get_group_id(0)] = result;
  else y[own] = result;
}
