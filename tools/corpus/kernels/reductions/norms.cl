// SPDX-License-Identifier: Apache-2.0
// construct: the same reduction for floats, doubles and vectors by a macro, with its result in one kernel more

#define NORM(type, name, value)                                                                                        \
  kernel void name##_parts(global const type *in, global type *parts, int n, local type *shared) {                     \
    int x = get_local_id(0);                                                                                           \
    type sum = 0;                                                                                                      \
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {                                                   \
      type v = in[i];                                                                                                  \
      sum += value;                                                                                                    \
    }                                                                                                                  \
    shared[x] = sum;                                                                                                   \
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {                                                              \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      if (x < s)                                                                                                       \
        shared[x] += shared[x + s];                                                                                    \
    }                                                                                                                  \
    if (x == 0)                                                                                                        \
      parts[get_group_id(0)] = shared[0];                                                                              \
  }                                                                                                                    \
  kernel void name##_whole(global type *parts, int n) {                                                                \
    type sum = 0;                                                                                                      \
    for (int i = 0; i < n; i++)                                                                                        \
      sum += parts[i];                                                                                                 \
    parts[0] = sqrt(sum);                                                                                              \
  }
NORM(float, norm_float, v * v)
NORM(double, norm_double, v * v)
NORM(float4, norm_float4, v * v)
NORM(float2, absolute_float2, fabs(v))
