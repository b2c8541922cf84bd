// SPDX-License-Identifier: Apache-2.0
// construct: records of five values, fluxes through four faces, functions with many pointer parameters

#define GAMMA 1.4f
#define FACES 4

typedef struct {
  float density, energy;
  float3 momentum;
} state;

typedef struct {
  float3 x, y, z;
} flux;

float pressure_of(float density, float energy, float speed2) { return (GAMMA - 1.0f)
    * (energy - 0.5f * density * speed2); }

void fluxes(float density, float3 momentum, float energy, float pressure, float3 velocity, flux *of_momentum,
            float3 *of_energy) {
  of_momentum->x = velocity.x * momentum + (float3)(pressure, 0, 0);
  of_momentum->y = velocity.y * momentum + (float3)(0, pressure, 0);
  of_momentum->z = velocity.z * momentum + (float3)(0, 0, pressure);
  *of_energy = velocity * (energy + pressure);
}

kernel void step_factor(global const state *cells, global const float *areas, global float *factors, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  state s = cells[i];
  float3 v = s.momentum / s.density;
  float speed2 = dot(v, v), p = pressure_of(s.density, s.energy, speed2);
  factors[i] = 0.5f / (sqrt(areas[i]) * (sqrt(speed2) + sqrt(GAMMA * p / s.density)));
}

kernel void compute_flux(global const int *neighbours, global const float *normals, global const state *cells,
                         global state *out, constant state *far, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  state own = cells[i], sum = {0};
  float3 v = own.momentum / own.density, own_energy;
  float p = pressure_of(own.density, own.energy, dot(v, v));
  flux own_flux;
  fluxes(own.density, own.momentum, own.energy, p, v, &own_flux, &own_energy);
  for (int face = 0; face < FACES; face++) {
    int other = neighbours[i + face * n];
    float3 normal = vload3(i + face * n, normals);
    float size = length(normal);
    state s = other >= 0 ? cells[other] : *far;
    if (other == -1) {
      sum.momentum += normal * p;
      continue;
    }
    float3 w = s.momentum / s.density, energy;
    float q = pressure_of(s.density, s.energy, dot(w, w));
    flux f;
    fluxes(s.density, s.momentum, s.energy, q, w, &f, &energy);
    float factor = -size * 0.2f * 0.5f * (fast_length(v) + fast_length(w) + sqrt(GAMMA * (p / own.density +
        q / s.density)));
    sum.density += factor * (own.density - s.density) + 0.5f * dot(normal, s.momentum + own.momentum);
    sum.energy += factor * (own.energy - s.energy) + 0.5f * dot(normal, energy + own_energy);
    sum.momentum += factor * (own.momentum - s.momentum);
    sum.momentum.x += 0.5f * dot(normal, f.x + own_flux.x);
    sum.momentum.y += 0.5f * dot(normal, f.y + own_flux.y);
    sum.momentum.z += 0.5f * dot(normal, f.z + own_flux.z);
  }
  out[i] = sum;
}
