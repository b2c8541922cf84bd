// SPDX-License-Identifier: Apache-2.0
// construct: linear ids and enqueued sizes of OpenCL C 2.0

kernel void linear_ids(global uint *out) {
  size_t i = get_global_linear_id();
  out[i] = get_local_linear_id() + get_enqueued_local_size(0) * 100 + get_local_size(1);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] += get_group_id(2);
}
