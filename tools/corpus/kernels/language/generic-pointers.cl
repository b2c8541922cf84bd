// SPDX-License-Identifier: Apache-2.0
// construct: pointers without an address space that point to any, program-scope variables

global int total;
global atomic_int counter;

int load(const int *p, int at) { return p[at]; }

void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

kernel void any_space(global int *g, local int *l) {
  int own[2] = {3, 4};
  l[get_local_id(0)] = g[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  swap(&own[0], &g[get_global_id(0)]);
  swap(&l[get_local_id(0)], &own[1]);
  int *p = get_global_id(0) & 1 ? (int *)g : own;
  global int *back = to_global(p);
  g[get_global_id(0)] = load(p, 0) + load(l, 0) + (back != 0);
  atomic_fetch_add(&counter, 1);
  if (get_global_id(0) == 0)
    total = load(&total, 0) + 1;
}
