#version 450
// Adds push.value to each word of a buffer.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEP = 1;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint value; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < data.length()) data[i] += push.value * STEP;
}
