// SPDX-License-Identifier: Apache-2.0
// construct: all atomics of OpenCL C 1.2 on global and local memory, and those of 64 bits

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define ALL(space, type, name)                                                                                         \
  kernel void name(volatile space type *p, global type *out, type v) {                                                 \
    size_t i = get_global_id(0);                                                                                       \
    type old = atomic_add(p, v) + atomic_sub(p, v) + atomic_inc(p) + atomic_dec(p) + atomic_xchg(p, v);                \
    old += atomic_cmpxchg(p, v, (type)3) + atomic_min(p, v) + atomic_max(p, v);                                        \
    out[i] = old + (atomic_and(p, v) | atomic_or(p, v) | atomic_xor(p, v));                                            \
  }
ALL(global, int, all_global_int)
ALL(global, uint, all_global_uint)
ALL(local, int, all_local_int)
ALL(local, uint, all_local_uint)

kernel void wide(volatile global long *p, volatile global ulong *u, long v) {
  atom_add(p, v);
  atom_max(u, (ulong)v);
  atom_inc(p);
  atom_cmpxchg(u, 1UL, 2UL);
  atom_xor(p, v);
}

kernel void exchanged_floats(volatile global float *p, float v) {
  float old = atomic_xchg(p, v);
  p[1] = old;
}
