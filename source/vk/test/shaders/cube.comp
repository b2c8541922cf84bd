#version 450
// Samples a cube and an array of cubes in directions.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform samplerCube image;
layout(set = 0, binding = 1) readonly buffer Places { vec4 places[]; };
layout(set = 0, binding = 2) writeonly buffer Data { vec4 data[]; };
layout(set = 0, binding = 3) uniform samplerCubeArray images;
void main() {
  uint i = gl_WorkGroupID.x;
  vec4 at = places[i];
  data[2 * i] = textureLod(image, at.xyz, at.w);
  data[2 * i + 1] = vec4(textureLod(images, vec4(at.xyz, 1), 0).x, textureSize(images, 0).z, textureGather(image, at.xyz).zw);
}
