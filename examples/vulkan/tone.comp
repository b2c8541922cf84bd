#version 450
// Counts as colours, from dark blue over orange to white.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, r32ui) readonly uniform uimage2D hits;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D picture;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, imageSize(picture)))) return;
  float light = log(1.0 + float(imageLoad(hits, at).x)) / log(256.0);
  vec3 color = clamp(vec3(light * 2.6, light * light * 2.4, 0.10 + light * light * light * 2.0), 0.0, 1.0);
  imageStore(picture, at, vec4(color, 1.0));
}
