#version 450
// A blur in one direction: nine weights of a bell, read through a sampler that is clamped to the edge.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform sampler2D source;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
layout(push_constant) uniform Direction { vec2 direction; };
const float WEIGHTS[5] = float[](0.227027, 0.1945946, 0.1216216, 0.054054, 0.016216);
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(target);
  if (any(greaterThanEqual(at, size))) return;
  vec2 place = (vec2(at) + 0.5) / vec2(size);
  vec4 sum = textureLod(source, place, 0.0) * WEIGHTS[0];
  for (int i = 1; i < 5; i++) {
    vec2 way = direction * float(i) / vec2(size);
    sum += (textureLod(source, place + way, 0.0) + textureLod(source, place - way, 0.0)) * WEIGHTS[i];
  }
  imageStore(target, at, sum);
}
