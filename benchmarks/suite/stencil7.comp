#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { uint nx, ny, nz; float c0, c1; } p;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer B { float b[]; };
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, z = gl_GlobalInvocationID.z;
  uint i = (z * p.ny + y) * p.nx + x;
  if (x == 0 || y == 0 || z == 0 || x == p.nx - 1 || y == p.ny - 1 || z == p.nz - 1) {
    b[i] = a[i];
    return;
  }
  uint layer = p.nx * p.ny;
  b[i] = p.c0 * a[i] + p.c1 * (a[i - 1] + a[i + 1] + a[i - p.nx] + a[i + p.nx] + a[i - layer] + a[i + layer]);
}
