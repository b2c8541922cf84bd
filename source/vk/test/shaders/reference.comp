#version 450
// Adds the numbers of a list up. No descriptor names its memory: addresses come with the push constants.
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 4) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint value; Node next; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Sums { uint sum[]; };
layout(push_constant, std430) uniform Push { Node first; Sums sums; uint count; };
void main() {
  Node node = first;
  uint sum = gl_GlobalInvocationID.x;
  for (uint i = 0; i < count; i++) {
    sum += node.value;
    node = node.next;
  }
  sums.sum[gl_GlobalInvocationID.x] = sum;
}
