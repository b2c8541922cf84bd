// SPDX-License-Identifier: Apache-2.0
// construct: asynchronous copies of scalars and vectors, with strides, and prefetch

kernel void copied(global const float4 *in, global float4 *out, local float4 *buffer, int n) {
  event_t e = async_work_group_copy(buffer, in + get_group_id(0) * n, n, 0);
  wait_group_events(1, &e);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    buffer[i] *= 2.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + get_group_id(0) * n, buffer, n, 0);
  wait_group_events(1, &e);
}

kernel void strided(global const int *in, global int *out, local int *buffer, local char *bytes, global const char *c,
    int n) {
  event_t events[2];
  prefetch(in, n);
  events[0] = async_work_group_strided_copy(buffer, in, n, 3, 0);
  events[1] = async_work_group_copy(bytes, c, (size_t)n, 0);
  wait_group_events(2, events);
  event_t one = async_work_group_strided_copy(out, buffer, (size_t)n, (size_t)2, (event_t)0);
  wait_group_events(1, &one);
  out[0] += bytes[get_local_id(0)];
}

kernel void three_components(global const float3 *in, global double2 *out, local float3 *a, local double2 *b) {
  event_t e = async_work_group_copy(a, in, 4, 0);
  e = async_work_group_copy(b, (global const double2 *)out, 4, e);
  wait_group_events(1, &e);
  out[get_global_id(0)] = b[0] + convert_double2(a[1].xy);
}
