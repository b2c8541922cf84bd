#version 450
// Steps each word of a buffer ROUNDS times and adds a word of another buffer from elsewhere: what it makes depends on
// what was there before, and on the order.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint ROUNDS = 1;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
layout(set = 0, binding = 1) readonly buffer Source { uint source[]; };
layout(push_constant) uniform Push { uint value; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = target[i];
  for (uint round = 0; round < ROUNDS; round++) x = x * 1664525 + 1013904223;
  target[i] = x + source[(i * 7 + 5) % source.length()] + push.value;
}
