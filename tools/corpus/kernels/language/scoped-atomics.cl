// SPDX-License-Identifier: Apache-2.0
// construct: atomics of OpenCL C 2.0 with each order and scope

kernel void orders(global atomic_int *a, global int *out, local atomic_uint *l) {
  size_t i = get_global_id(0);
  int expected = 0;
  atomic_store_explicit(a, 1, memory_order_release, memory_scope_device);
  out[i] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);
  out[i] += atomic_fetch_add_explicit(a, 2, memory_order_relaxed);
  out[i] += atomic_fetch_sub_explicit(a, 2, memory_order_acq_rel, memory_scope_work_item);
  out[i] += atomic_exchange_explicit(a, 7, memory_order_seq_cst, memory_scope_sub_group);
  atomic_compare_exchange_strong_explicit(a, &expected, 3, memory_order_release, memory_order_acquire);
  atomic_compare_exchange_weak_explicit(a + 1, &expected, 4, memory_order_acq_rel, memory_order_relaxed,
      memory_scope_device);
  if (get_local_id(0) == 0)
    atomic_init(l, 0u);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  atomic_fetch_max_explicit(l, (uint)i, memory_order_relaxed, memory_scope_work_item);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
  out[i] += atomic_load(l);
}

kernel void flags(global atomic_flag *flag, global int *winner) {
  if (!atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device)) {
    *winner = get_global_id(0);
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
  }
}

kernel void many_types(global atomic_long *l, global atomic_ulong *ul, global atomic_uint *u, global atomic_float *f) {
  atomic_fetch_or(l, 4L);
  atomic_fetch_xor(ul, 5UL);
  atomic_fetch_and(u, 0xffu);
  atomic_fetch_min(l, -4L);
  atomic_store(f, 1.0f);
  float old = atomic_exchange(f, 2.0f);
  atomic_compare_exchange_strong(f, &old, 3.0f);
}
