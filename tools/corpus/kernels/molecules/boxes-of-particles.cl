// SPDX-License-Identifier: Apache-2.0
// construct: records of records, loops over boxes with local copies, doubles

#define PARTICLES 100

typedef struct { double x, y, z; } three;
typedef struct { double v, x, y, z; } four;
typedef struct { int x, y, z, number; long offset; } neighbour;
typedef struct { int x, y, z, number; long offset; int count; neighbour list[26]; } box;
typedef struct { double alpha; } parameters;

#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

kernel void box_forces(parameters p, global const box *boxes, global const four *places, global const double *charges,
                       global four *forces, int count) {
  local four place_a[PARTICLES], place_b[PARTICLES];
  local double charge_b[PARTICLES];
  int group = get_group_id(0), x = get_local_id(0), size = get_local_size(0);
  if (group >= count)
    return;
  double a2 = 2.0 * p.alpha * p.alpha;
  long first = boxes[group].offset;
  for (int i = x; i < PARTICLES; i += size)
    place_a[i] = places[first + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 1 + boxes[group].count; k++) {
    int other = k == 0 ? group : boxes[group].list[k - 1].number;
    long second = boxes[other].offset;
    for (int i = x; i < PARTICLES; i += size) {
      place_b[i] = places[second + i];
      charge_b[i] = charges[second + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = x; i < PARTICLES; i += size)
      for (int j = 0; j < PARTICLES; j++) {
        double r2 = place_a[i].v + place_b[j].v - DOT(place_a[i], place_b[j]);
        double e = exp(-a2 * r2), fs = 2 * e;
        three d = {place_a[i].x - place_b[j].x, place_a[i].y - place_b[j].y, place_a[i].z - place_b[j].z};
        forces[first + i].v += charge_b[j] * e;
        forces[first + i].x += charge_b[j] * fs * d.x;
        forces[first + i].y += charge_b[j] * fs * d.y;
        forces[first + i].z += charge_b[j] * fs * d.z;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void count_cells(global const float4 *places, global int *counts, float size, int3 cells) {
  int3 c = convert_int3_rtn(places[get_global_id(0)].xyz / size);
  c = (c + cells) % cells;
  atomic_inc(&counts[(c.z * cells.y + c.y) * cells.x + c.x]);
}
