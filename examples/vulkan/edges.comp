#version 450
// Edges of a blurred picture by Sobel's kernels, drawn over the sharp one.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D blurred;
layout(set = 0, binding = 1) uniform sampler2D sharp;
layout(set = 0, binding = 2, rgba8) writeonly uniform image2D target;
float grey(ivec2 at, ivec2 last) {
  return dot(texelFetch(blurred, clamp(at, ivec2(0), last), 0).rgb, vec3(0.299, 0.587, 0.114));
}
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 last = imageSize(target) - 1;
  if (any(greaterThan(at, last))) return;
  float a = grey(at + ivec2(-1, -1), last), b = grey(at + ivec2(0, -1), last), c = grey(at + ivec2(1, -1), last);
  float d = grey(at + ivec2(-1, 0), last), e = grey(at + ivec2(1, 0), last);
  float f = grey(at + ivec2(-1, 1), last), g = grey(at + ivec2(0, 1), last), h = grey(at + ivec2(1, 1), last);
  float edge = length(vec2(c + 2.0 * e + h - a - 2.0 * d - f, f + 2.0 * g + h - a - 2.0 * b - c));
  vec3 color = texelFetch(sharp, at, 0).rgb;
  imageStore(target, at, vec4(mix(color, vec3(1.0, 0.85, 0.1), clamp(edge * 2.0 - 0.2, 0.0, 1.0)), 1.0));
}
