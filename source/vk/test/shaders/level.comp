#version 450
// Samples an image at places with a level of detail; fetches there, and asks for sizes.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) readonly buffer Places { vec4 places[]; };
layout(set = 0, binding = 2) writeonly buffer Data { vec4 data[]; };
void main() {
  uint i = gl_WorkGroupID.x;
  vec4 at = places[i];
  int level = int(at.z);
  data[2 * i] = textureLod(image, at.xy, at.z);
  data[2 * i + 1] = vec4(texelFetch(image, ivec2(at.w, 0), level).x, textureSize(image, level), textureQueryLevels(image));
}
