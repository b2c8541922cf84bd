#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform P { uint words; } p;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer B { uint bins[]; };
shared uint counts[256];
void main() {
  uint lid = gl_LocalInvocationID.x, ls = gl_WorkGroupSize.x;
  for (uint b = lid; b < 256; b += ls) counts[b] = 0;
  barrier();
  for (uint i = gl_GlobalInvocationID.x; i < p.words; i += ls * gl_NumWorkGroups.x) {
    uint v = x[i];
    atomicAdd(counts[v & 255], 1);
    atomicAdd(counts[(v >> 8) & 255], 1);
    atomicAdd(counts[(v >> 16) & 255], 1);
    atomicAdd(counts[v >> 24], 1);
  }
  barrier();
  for (uint b = lid; b < 256; b += ls)
    if (counts[b] != 0) atomicAdd(bins[b], counts[b]);
}
