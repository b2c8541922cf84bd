// SPDX-License-Identifier: Apache-2.0
// construct: functions of sub-groups: shuffles, ballots, reductions

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_groups(global int *i, global float *f) {
  size_t x = get_global_id(0);
  i[x] = sub_group_reduce_add(i[x]) + sub_group_scan_exclusive_max(i[x]) + sub_group_all(i[x])
      + get_sub_group_local_id();
  f[x] = sub_group_broadcast(f[x], 0) + sub_group_reduce_max(f[x]) + get_sub_group_size() + get_num_sub_groups();
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
