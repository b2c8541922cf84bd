#version 450
// Writes sums of a uniform buffer and an element of an array of buffers, by group.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform Params { uvec4 offset; };
layout(set = 0, binding = 1) readonly buffer Source { uint data[]; } source[2];
layout(set = 1, binding = 0) writeonly buffer Target { uint target[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  target[i] = source[gl_WorkGroupID.x & 1].data[i] + offset.x + 100 * gl_WorkGroupID.x;
}
