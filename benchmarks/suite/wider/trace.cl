// Forces on bodies by a pyramid of masses over the unit square: a cell that is far for its size counts as one body,
// others are opened; cells to visit lie on a private stack.
kernel void barnes_hut(uint levels, float theta, global const float *mass, global const float2 *bodies,
                       global float2 *force) {
  uint i = get_global_id(0);
  float2 p = bodies[i], acc = (float2)(0.0f);
  uint stack[64];
  int top = 0;
  stack[top++] = 0u;
  while (top > 0) {
    // Level in four bits, row and column in twelve each.
    uint cell = stack[--top], level = cell >> 24, y = cell >> 12 & 4095u, x = cell & 4095u;
    float size = 1.0f / (float)(1u << level);
    float dx = ((float)x + 0.5f) * size - p.x, dy = ((float)y + 0.5f) * size - p.y;
    float square = dx * dx + dy * dy + 1e-4f;
    if (level == levels || size * size < theta * theta * square) {
      float m = mass[((1u << (2u * level)) - 1u) / 3u + (y << level) + x];
      float pull = m * rsqrt(square) / square;
      acc += pull * (float2)(dx, dy);
      continue;
    }
    uint child = (level + 1u) << 24 | y << 13 | x << 1;
    stack[top++] = child;
    stack[top++] = child | 1u;
    stack[top++] = child | 1u << 12;
    stack[top++] = child | 1u << 12 | 1u;
  }
  force[i] = acc;
}
