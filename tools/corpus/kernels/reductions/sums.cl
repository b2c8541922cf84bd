// SPDX-License-Identifier: Apache-2.0
// construct: reductions by local memory, with a volatile last part and with a template of an operator

#define REDUCE(name, type, identity, combine)                                                                          \
  kernel void name(global const type *in, global type *out, uint n, local type *shared) {                              \
    uint x = get_local_id(0), i = get_group_id(0) * get_local_size(0) * 2 + x;                                         \
    uint grid = get_local_size(0) * 2 * get_num_groups(0);                                                             \
    type own = identity;                                                                                               \
    while (i < n) {                                                                                                    \
      own = combine(own, in[i]);                                                                                       \
      if (i + get_local_size(0) < n)                                                                                   \
        own = combine(own, in[i + get_local_size(0)]);                                                                 \
      i += grid;                                                                                                       \
    }                                                                                                                  \
    shared[x] = own;                                                                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (uint s = get_local_size(0) >> 1; s > 0; s >>= 1) {                                                            \
      if (x < s)                                                                                                       \
        shared[x] = combine(shared[x], shared[x + s]);                                                                 \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
    }                                                                                                                  \
    if (x == 0)                                                                                                        \
      out[get_group_id(0)] = shared[0];                                                                                \
  }

#define ADD(a, b) ((a) + (b))

REDUCE(sum_float, float, 0.0f, ADD)
REDUCE(sum_double, double, 0.0, ADD)
REDUCE(sum_int, int, 0, ADD)
REDUCE(sum_float4, float4, (float4)(0), ADD)
REDUCE(max_float, float, -INFINITY, fmax)
REDUCE(min_ulong, ulong, ULONG_MAX, min)
REDUCE(min_char, char, CHAR_MAX, min)
