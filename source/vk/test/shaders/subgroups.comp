#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
// The size of sub-groups, how many there are, and a sum over each.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
  uint own = gl_LocalInvocationIndex;
  data[own] = subgroupAdd(1u);
  data[32 + own] = gl_SubgroupSize;
  data[64 + own] = gl_NumSubgroups;
}
