#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { uint rows; } p;
layout(set = 0, binding = 0) readonly buffer R { uint ptr[]; };
layout(set = 0, binding = 1) readonly buffer C { uint col[]; };
layout(set = 0, binding = 2) readonly buffer V { float val[]; };
layout(set = 0, binding = 3) readonly buffer X { float x[]; };
layout(set = 0, binding = 4) writeonly buffer Y { float y[]; };
void main() {
  uint r = gl_GlobalInvocationID.x;
  if (r >= p.rows) return;
  float acc = 0.0;
  for (uint k = ptr[r]; k < ptr[r + 1]; k++) acc += val[k] * x[col[k]];
  y[r] = acc;
}
