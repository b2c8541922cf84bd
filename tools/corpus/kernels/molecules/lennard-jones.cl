// SPDX-License-Identifier: Apache-2.0
// construct: three-component vectors in structs and by vload3, neighbour lists, boxes

typedef struct {
  float4 position;
  float charge;
  int kind;
} atom;

kernel void pair_forces(global const float4 *positions, global float4 *forces, int neighbours,
                        global const int *list, float cutoff, float lj1, float lj2, int count) {
  uint id = get_global_id(0);
  float4 own = positions[id], force = 0;
  for (int j = 0; j < neighbours; j++) {
    float4 other = positions[list[j * count + id]];
    float3 d = own.xyz - other.xyz;
    float r2 = dot(d, d);
    if (r2 < cutoff) {
      r2 = 1.0f / r2;
      float r6 = r2 * r2 * r2;
      force.xyz += d * (r2 * r6 * (lj1 * r6 - lj2));
    }
  }
  forces[id] = force;
}

kernel void box_energy(global const atom *atoms, global float *energy, float3 box, int count) {
  local atom tile[64];
  float sum = 0;
  atom own = atoms[get_global_id(0)];
  for (int t = 0; t < count; t += 64) {
    if (get_local_id(0) < 64)
      tile[get_local_id(0)] = atoms[t + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 64; i++) {
      float3 d = own.position.xyz - tile[i].position.xyz;
      d -= box * round(d / box);
      float r = fast_length(d);
      sum += tile[i].kind == own.kind ? own.charge * tile[i].charge / (r + 1e-6f) : native_exp(-r);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  energy[get_global_id(0)] = sum;
}

kernel void integrate(global float *positions, global float *velocities, global const float *forces, float step) {
  size_t i = get_global_id(0);
  float3 v = vload3(i, velocities) + vload3(i, forces) * step;
  vstore3(vload3(i, positions) + v * step, i, positions);
  vstore3(v, i, velocities);
}
