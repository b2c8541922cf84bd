#version 450
#extension GL_EXT_nonuniform_qualifier : enable
// Adds up the first words of an array of buffers without a length.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Sum { uint sum; };
layout(set = 0, binding = 1) readonly buffer Source { uint data[]; } source[];
layout(push_constant) uniform Push { uint count; } push;
void main() {
  uint total = 0;
  for (uint i = 0; i < push.count; i++) total += source[nonuniformEXT(i)].data[0];
  sum += total;
}
