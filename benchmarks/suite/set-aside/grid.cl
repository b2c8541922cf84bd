// Stencils with edges.

// All 27 neighbours in space with a weight for each of the four kinds; the edge is copied.
kernel void stencil27(uint nx, uint ny, uint nz, float4 weight, global const float *in, global float *out) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), at = (z * ny + y) * nx + x;
  if (x == 0u || y == 0u || z == 0u || x + 1u >= nx || y + 1u >= ny || z + 1u >= nz) {
    out[at] = in[at];
    return;
  }
  float face = 0.0f, edge = 0.0f, corner = 0.0f;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int kind = dx * dx + dy * dy + dz * dz;
        float v = in[(int)at + (dz * (int)ny + dy) * (int)nx + dx];
        if (kind == 1) face += v;
        else if (kind == 2) edge += v;
        else if (kind == 3) corner += v;
      }
  out[at] = weight.x * in[at] + weight.y * face + weight.z * edge + weight.w * corner;
}

// Temperatures of a chip after a moment: at its edge a cell is its own neighbour.
kernel void hotspot(int width, int height, float step, float rx, float ry, float rz, float ambient,
                    global const float *temperature, global const float *power, global float *next) {
  int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
  float t = temperature[at];
  float north = y == 0 ? t : temperature[at - width], south = y == height - 1 ? t : temperature[at + width];
  float west = x == 0 ? t : temperature[at - 1], east = x == width - 1 ? t : temperature[at + 1];
  float flow = (north + south - 2.0f * t) * ry + (west + east - 2.0f * t) * rx + (ambient - t) * rz;
  next[at] = t + step * (power[at] + flow);
}
