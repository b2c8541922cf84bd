#version 450
// Counts the bodies at each pixel, seen from above.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Bodies { vec4 bodies[]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D hits;
layout(push_constant) uniform View { uint count; float scale; };
void main() {
  uint own = gl_GlobalInvocationID.x;
  if (own >= count) return;
  ivec2 size = imageSize(hits);
  ivec2 at = ivec2(floor(bodies[own].xy * scale)) + size / 2;
  if (all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, size))) imageAtomicAdd(hits, at, 1);
}
