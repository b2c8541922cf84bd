#version 450
// Writes texels of one image, and copies them from another.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D to;
layout(set = 0, binding = 1, r32ui) uniform readonly uimage2D from;
void main() {
  ivec2 at = ivec2(gl_LocalInvocationID.xy);
  imageStore(to, at, imageLoad(from, at));
}
