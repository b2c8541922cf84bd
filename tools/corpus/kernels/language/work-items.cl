// SPDX-License-Identifier: Apache-2.0
// construct: queries of ids and sizes in all dimensions, out of range too, by variables

kernel void work_items(global uint *out, uint d) {
  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[i] = get_local_id(d) + get_group_id(d) * 10 + get_num_groups(d) + get_local_size(d) + get_work_dim();
  out[i] += get_global_id(7) + get_global_size(3) + get_local_size(5) + get_global_offset(d) + get_global_offset(0);
}
