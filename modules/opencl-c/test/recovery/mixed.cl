// Mistakes of every kind, side by side.
#include "nowhere.h" //! CL1106
#define ADD(a, b) ((a) + (b))
#define BROKEN(a, ) a //! CL1112
#defin N 4 //! CL1101
#define USES(p) (p + missing_in_macro)
typedef struct { float4 position; float mass; } body;

kernel void a(global int* x) {
  x[0] = ADD(1); //! CL1110
  x[1] = USES(1); //! CL2001
  x[2] = "text; //! CL1002
  x[3] = 1 @ 2; //! CL1004
  x[4] = 0x; //! CL1005
  x[5] = 08; //! CL1005
  x[6] = 1;
}

kernel void b(global body* bodies, int n) {
  int i = get_globl_id(0); //! CL2001
  bodies[i].positon += 1.0f; //! CL2009
  bodies[i]->mass = n; //! CL2011
  for (int j = 0; j < n; ++j) {
    float4 d = bodies[j].position - bodies[i].position //! CL1201
    float r = dot(d, d) + 1.0e-3f;
    bodies[i].mass += r;
  }
  body* self = &bodies[i]; //! CL2024
  self->mass += 1.0f;
  n = bodies; //! CL2005
}

kernel void c(global float* x, local float* tile) {
  int lid = get_local_id(0);
  tile[lid] = x[lid] * 2..0f; //! CL1005
  barrier(CLK_LOCAL_MEM_FENC); //! CL2001
  local int late; { local int inner; } //! CL2028
  x[lid] = tile[lid] + sqrtf(x[lid]); //! CL2001
  continue; //! CL2017
}

kernel void d(global int* x) {
  if (*x > 1) {
    *x = 1;
}

kernel void e(global int* x) { //! CL1221
  *x = nothing_here; //! CL2001
}
