// Forces by Lennard-Jones' potential with lists of neighbours, the k-th ones of all bodies side by side; positions are
// gathered as vectors, those out of reach add nothing.
kernel void lj_neighbours(uint n, uint most, float reach, global const float4 *position, global const int *neighbour,
                          global float4 *force) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float4 own = position[i], acc = (float4)(0.0f);
  for (uint k = 0; k < most; k++) {
    float4 other = position[neighbour[k * n + i]];
    float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
    float square = dx * dx + dy * dy + dz * dz + 0.5f;
    if (square < reach) {
      float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
      float pull = inverse * sixth * (1.5f * sixth - 2.0f);
      acc.x += dx * pull;
      acc.y += dy * pull;
      acc.z += dz * pull;
    }
  }
  force[i] = acc;
}
