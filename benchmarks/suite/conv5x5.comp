#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { int w, h; } p;
layout(set = 0, binding = 0) readonly buffer S { float src[]; };
layout(set = 0, binding = 1) readonly buffer C { float coef[]; };
layout(set = 0, binding = 2) writeonly buffer D { float dst[]; };
void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  float acc = 0.0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int sx = clamp(x + dx, 0, p.w - 1), sy = clamp(y + dy, 0, p.h - 1);
      acc += src[sy * p.w + sx] * coef[(dy + 2) * 5 + dx + 2];
    }
  dst[y * p.w + x] = acc;
}
