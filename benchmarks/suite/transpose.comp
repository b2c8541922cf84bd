#version 450
#define T 16
layout(local_size_x = T, local_size_y = T) in;
layout(push_constant) uniform P { uint w, h; } p;
layout(set = 0, binding = 0) readonly buffer S { float src[]; };
layout(set = 0, binding = 1) writeonly buffer D { float dst[]; };
shared float tile[T][T + 1];
void main() {
  uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y;
  uint bx = gl_WorkGroupID.x * T, by = gl_WorkGroupID.y * T;
  tile[ly][lx] = src[(by + ly) * p.w + bx + lx];
  barrier();
  dst[(bx + ly) * p.h + by + lx] = tile[lx][ly];
}
