#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer B { uint bins[]; };
void main() {
  atomicAdd(bins[x[gl_GlobalInvocationID.x] >> 20], 1);
}
