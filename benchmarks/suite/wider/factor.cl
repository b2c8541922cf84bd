// Steps of blocked factorisations.
#define B 16

// The blocks right of and below a factored diagonal block, one work-group of 32 for each such pair: half of the
// work-items solve for columns of the one, half for rows of the other. `shift` is added to the pivots.
kernel void lu_perimeter(float shift, global const float *diagonal, global const float *right,
                         global const float *below, global float *upper, global float *lower) {
  local float dia[B * B], rows[B * B], columns[B * B];
  uint lid = get_local_id(0), base = get_group_id(0) * B * B;
  for (uint k = lid; k < B * B; k += 2 * B) {
    dia[k] = diagonal[base + k];
    rows[k] = right[base + k];
    columns[k] = below[base + k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid < B) {
    for (uint i = 1; i < B; i++)
      for (uint k = 0; k < i; k++) rows[i * B + lid] -= dia[i * B + k] * rows[k * B + lid];
  } else {
    uint r = lid - B;
    for (uint i = 0; i < B; i++) {
      for (uint k = 0; k < i; k++) columns[r * B + i] -= columns[r * B + k] * dia[k * B + i];
      columns[r * B + i] /= dia[i * B + i] + shift;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = lid; k < B * B; k += 2 * B) {
    upper[base + k] = rows[k];
    lower[base + k] = columns[k];
  }
}
