// SPDX-License-Identifier: Apache-2.0
// construct: reductions, scans, broadcasts and votes of work-groups

kernel void collectives(global int *i, global float *f, global long *l) {
  size_t x = get_global_id(0);
  i[x] = work_group_reduce_add(i[x]) + work_group_scan_inclusive_max(i[x]) + work_group_all(i[x] > 0)
      + work_group_any(i[x] == 3);
  f[x] = work_group_scan_exclusive_add(f[x]) + work_group_reduce_min(f[x]) + work_group_broadcast(f[x], 0);
  l[x] = work_group_scan_exclusive_min(l[x]) + work_group_reduce_max(l[x]);
}
