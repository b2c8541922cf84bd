#version 450
// Copies texels of an image that is sampled, as bits of floats, and one filtered read.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Data { vec4 data[]; };
void main() {
  ivec2 at = ivec2(gl_LocalInvocationID.xy);
  data[at.y * 4 + at.x] = texelFetch(image, at, 0);
  if (at == ivec2(0)) data[16] = textureLod(image, vec2(0.25, 0.5), 0.0);
}
