// A step of the lattice Boltzmann method with nine velocities on a periodic plane: distributions are pulled from the
// neighbours, relaxed and stored, each velocity in a plane of its own.
kernel void lbm_step(uint width, uint height, float omega, global const float *from, global float *to) {
  uint x = get_global_id(0), y = get_global_id(1), n = width * height;
  uint west = (x == 0u ? width : x) - 1u, east = x + 1u == width ? 0u : x + 1u;
  uint north = (y == 0u ? height : y) - 1u, south = y + 1u == height ? 0u : y + 1u;
  float f[9];
  f[0] = from[y * width + x];
  f[1] = from[n + y * width + west];
  f[2] = from[2 * n + y * width + east];
  f[3] = from[3 * n + north * width + x];
  f[4] = from[4 * n + south * width + x];
  f[5] = from[5 * n + north * width + west];
  f[6] = from[6 * n + south * width + east];
  f[7] = from[7 * n + north * width + east];
  f[8] = from[8 * n + south * width + west];
  float density = 0.0f;
  for (int k = 0; k < 9; k++) density += f[k];
  float u = (f[1] - f[2] + f[5] - f[6] - f[7] + f[8]) / density;
  float v = (f[3] - f[4] + f[5] - f[6] + f[7] - f[8]) / density;
  const float ex[9] = {0, 1, -1, 0, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 0, 1, -1, 1, -1, 1, -1};
  float square = 1.5f * (u * u + v * v);
  for (int k = 0; k < 9; k++) {
    float weight = k == 0 ? 4.0f / 9.0f : k < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
    float along = 3.0f * (ex[k] * u + ey[k] * v);
    float rest = weight * density * (1.0f + along + 0.5f * along * along - square);
    to[k * n + y * width + x] = f[k] + omega * (rest - f[k]);
  }
}
