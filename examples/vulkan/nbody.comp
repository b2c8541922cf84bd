#version 450
// A step of bodies that attract each other: velocities first, then positions by them (semi-implicit Euler). A work-group
// keeps a tile of the bodies in its memory.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Before { vec4 before[]; };
layout(set = 0, binding = 1) writeonly buffer After { vec4 after[]; };
layout(set = 0, binding = 2) buffer Velocities { vec4 velocity[]; };
layout(push_constant) uniform Step { uint count; float seconds; float softening; };
shared vec4 tile[gl_WorkGroupSize.x];
void main() {
  uint own = gl_GlobalInvocationID.x;
  vec4 body = own < count ? before[own] : vec4(0.0);
  vec3 pull = vec3(0.0);
  for (uint first = 0; first < count; first += gl_WorkGroupSize.x) {
    uint other = first + gl_LocalInvocationID.x;
    tile[gl_LocalInvocationID.x] = other < count ? before[other] : vec4(0.0);
    barrier();
    for (uint i = 0; i < gl_WorkGroupSize.x; i++) {
      vec3 way = tile[i].xyz - body.xyz;
      float square = dot(way, way) + softening;
      pull += way * (tile[i].w / (square * sqrt(square)));
    }
    barrier();
  }
  if (own >= count) return;
  vec3 speed = velocity[own].xyz + pull * seconds;
  velocity[own] = vec4(speed, 0.0);
  after[own] = vec4(body.xyz + speed * seconds, body.w);
}
