// Steps of blocked factorisations.
#define B 16

// The inner blocks lose the product of a block left of them and one above them; row 0 and column 0 of blocks are these.
kernel void lu_internal(uint n, global const float *matrix, global float *result) {
  local float left[B * B], above[B * B];
  uint x = get_local_id(0), y = get_local_id(1);
  uint column = get_group_id(0) * B + x + B, row = get_group_id(1) * B + y + B;
  left[y * B + x] = matrix[row * n + x];
  above[y * B + x] = matrix[y * n + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = 0; k < B; k++) sum += left[y * B + k] * above[k * B + x];
  result[row * n + column] = matrix[row * n + column] - sum;
}

// A step of modified Gram-Schmidt: what is along column k leaves each later column; a column for a work-item.
kernel void gram_schmidt(uint rows, uint n, uint k, float scale, global const float *a, global float *r,
                         global float *result) {
  uint j = get_global_id(0);
  if (j <= k || j >= n) return;
  float along = 0.0f;
  for (uint i = 0; i < rows; i++) along += scale * a[i * n + k] * a[i * n + j];
  r[j] = along;
  for (uint i = 0; i < rows; i++) result[i * n + j] = a[i * n + j] - scale * a[i * n + k] * along;
}
