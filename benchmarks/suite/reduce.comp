#version 450
#define PER 16
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { uint n; } p;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Q { float partial[]; };
shared float s[gl_WorkGroupSize.x];
void main() {
  uint lid = gl_LocalInvocationID.x, ls = gl_WorkGroupSize.x;
  uint base = gl_WorkGroupID.x * ls * PER + lid;
  float acc = 0.0;
  for (uint k = 0; k < PER; k++) {
    uint i = base + k * ls;
    if (i < p.n) acc += x[i];
  }
  s[lid] = acc;
  barrier();
  for (uint h = ls >> 1; h > 0; h >>= 1) {
    if (lid < h) s[lid] += s[lid + h];
    barrier();
  }
  if (lid == 0) partial[gl_WorkGroupID.x] = s[0];
}
