// Where variables live, where generic pointers point, and what is done in one step: OpenCL C 2.0 and 3.0.
//= OpenCL C 3.0 6.7.1: a variable of the program in global memory
//= options: -cl-std=CL3.0
//= ok
global int x = 1;
kernel void k(global int* o) { *o = x; }

//= OpenCL C 3.0 6.7.1: a variable of the program without an address space
//= options: -cl-std=CL3.0
//= ok
int x = 1;
kernel void k(global int* o) { *o = x++; }

//= OpenCL C 3.0 6.7.1: a variable of the program in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 1
global int x = 1;
kernel void k(global int* o) { *o = x; }

//= OpenCL C 3.0 6.7.1: a variable of the program in local memory
//= options: -cl-std=CL3.0
//= error 1
local int x;
kernel void k(global int* o) { *o = x; }

//= OpenCL C 3.0 6.7.1: a variable of the program in private memory
//= options: -cl-std=CL3.0
//= error 1
private int x;
kernel void k(global int* o) { *o = x; }

//= OpenCL C 3.0 6.7.1: a static variable of a function
//= options: -cl-std=CL3.0
//= ok
int f(void) { static int n = 3; return n++; }
kernel void k(global int* o) { *o = f(); }

//= OpenCL C 3.0 6.7.1: a static variable of a function in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 2
int f(void) {
  static int n = 3;
  return n++;
}
kernel void k(global int* o) { *o = f(); }

//= OpenCL C 3.0 6.7.1: a static variable in local memory
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  static local int n;
  *o = n;
}

//= OpenCL C 3.0 6.7.1: a variable of a function in global memory that is not static
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  global int n;
  *o = n;
}

//= OpenCL C 3.0 6.7.1: a static variable in global memory, explicitly
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o) {
  static global int n;
  *o = n;
}

//= OpenCL C 3.0 6.7.1: a static variable with a value that is not constant
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  static int n = *o;
  *o = n;
}

//= OpenCL C 3.0 6.7.1: extern and its definition
//= options: -cl-std=CL3.0
//= ok
extern global int x;
int f(void) { return x; }
global int x = 4;
kernel void k(global int* o) { *o = f(); }

//= OpenCL C 3.0 6.7.1: extern and a definition of another type
//= options: -cl-std=CL3.0
//= error 2
extern global int x;
global float x;
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 3.0 6.7.1: two values for one variable
//= options: -cl-std=CL3.0
//= error 2
global int x = 1;
global int x = 2;
kernel void k(global int* o) { *o = x; }

//= OpenCL C 3.0 6.7.1: the address of a variable in another's value
//= options: -cl-std=CL3.0
//= ok
global int x[4];
global int* p = &x[2];
int* q = x;
kernel void k(global int* o) { *o = *p + *q; }

//= OpenCL C 3.0 6.7.1: the value of a variable in another's value
//= options: -cl-std=CL3.0
//= error 2
global int x = 1;
global int y = x + 1;
kernel void k(global int* o) { *o = y; }

//= OpenCL C 3.0 6.7.1: the address of constant memory for a generic pointer
//= options: -cl-std=CL3.0
//= error 2
constant int x = 1;
global const int* p = &x;
kernel void k(global int* o) { *o = *p; }

//= OpenCL C 3.0 6.7.2: a pointer without an address space in OpenCL C 1.2 is private
//= options: -cl-std=CL1.2
//= error 1
kernel void k(global int* o) { int* p = o; *p = 1; }

//= OpenCL C 3.0 6.7.2: a pointer without an address space is generic
//= options: -cl-std=CL3.0
//= ok
int f(int* p) { return *p; }
kernel void k(global int* o, local int* l) { int x = 1; *o = f(o) + f(l) + f(&x); }

//= OpenCL C 3.0 6.7.2: a pointer to constant memory is no generic one
//= options: -cl-std=CL3.0
//= error 3
int f(const int* p) { return *p; }
kernel void k(global int* o, constant int* c) {
  *o = f(c);
}

//= OpenCL C 3.0 6.7.2: a generic pointer is no global one without a cast
//= options: -cl-std=CL3.0
//= error 3
kernel void k(global int* o) {
  int* p = o;
  global int* q = p;
  *q = 1;
}

//= OpenCL C 3.0 6.7.2: a generic pointer is cast to a global one
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o) { int* p = o; global int* q = (global int*)p; *q = 1; }

//= OpenCL C 3.0 6.7.2: a generic pointer is not cast to a constant one
//= options: -cl-std=CL3.0
//= error 3
kernel void k(global int* o) {
  int* p = o;
  constant int* q = (constant int*)p;
  *o = *q;
}

//= OpenCL C 3.0 6.7.2: a global pointer is not cast to a local one
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  local int* q = (local int*)o;
  *q = 1;
}

//= OpenCL C 3.0 6.7.2: a kernel takes no generic pointer
//= options: -cl-std=CL3.0
//= error 1
kernel void k(int* o) { *o = 1; }

//= OpenCL C 3.0 6.7.2: pointers to pointers do not become generic
//= options: -cl-std=CL3.0
//= error 3
void f(int** p) { **p = 1; }
kernel void k(global int* o) {
  global int* q = o; f(&q);
}

//= OpenCL C 3.0 6.7.2: generic pointers are compared with others
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o, local int* l) { int* p = o; *o = p == o || p == l || p != 0; }

//= OpenCL C 3.0 6.7.2: global and local pointers are not compared
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o, local int* l) {
  *o = o == l;
}

//= OpenCL C 3.0 6.7.2: ?: of a generic and a local pointer
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o, local int* l) { int* p = o; int* q = *o ? p : l; *q = 1; }

//= OpenCL C 3.0 6.7.2: ?: of a global and a local pointer
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o, local int* l) {
  int* q = *o ? o : l;
  *q = 1;
}

//= OpenCL C 3.0 6.7.2: ?: of a pointer and null
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o, local int* l) { int* q = *o ? o : 0; *q = 1; }

//= OpenCL C 3.0 6.7.2: a generic variable
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  generic int x = 1;
  *o = x;
}

//= OpenCL C 3.0 6.7.2: generic, explicitly
//= options: -cl-std=CL3.0
//= ok
int f(generic int* p) { return *p; }
kernel void k(global int* o) { __generic int* q = o; *q = f(q); }

//= OpenCL C 3.0 6.7.2: generic in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 1
int f(__generic int* p) { return *p; }
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 3.0 6.7.2: a string is constant, not generic
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  const char* s = "ab";
  *o = s[0];
}

//= OpenCL C 3.0 6.15.10: to_global and related functions
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o, local float* l) { int* p = o; float* q = l; *to_global(p) = to_local(q) != 0 && to_private(q) == 0; *o = get_fence(p); }

//= OpenCL C 3.0 6.15.10: to_global returns a global pointer
//= options: -cl-std=CL3.0
//= error 3
kernel void k(global int* o) {
  int* p = o;
  local int* q = to_global(p);
  *q = 1;
}

//= OpenCL C 3.0 6.15.10: to_global of constant memory
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o, constant int* c) {
  *o = *to_global(c);
}

//= OpenCL C 3.0 6.15.10: to_global of an int
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  *o = *to_global(*o);
}

//= OpenCL C 3.0 6.15.10: to_global in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 2
kernel void k(global int* o) {
  *o = *to_global(o);
}

//= OpenCL C 3.0 6.15.12: all functions on atomic_int
//= options: -cl-std=CL3.0
//= ok
kernel void k(global atomic_int* a, global int* o) {
  int e = 1;
  atomic_init(a, 1); atomic_store(a, 2); *o = atomic_load(a); *o = atomic_exchange(a, 3);
  *o = atomic_compare_exchange_strong(a, &e, 4); *o = atomic_compare_exchange_weak(a, &e, 4);
  *o = atomic_fetch_add(a, 1) + atomic_fetch_sub(a, 1) + atomic_fetch_or(a, 1) + atomic_fetch_xor(a, 1) + atomic_fetch_and(a, 1) + atomic_fetch_min(a, 1) + atomic_fetch_max(a, 1);
}

//= OpenCL C 3.0 6.15.12: functions with order and scope
//= options: -cl-std=CL3.0
//= ok
kernel void k(local atomic_uint* a, global int* o) {
  uint e = 1;
  atomic_store_explicit(a, 2, memory_order_release); *o = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);
  *o = atomic_exchange_explicit(a, 3, memory_order_acq_rel, memory_scope_all_devices);
  *o = atomic_compare_exchange_strong_explicit(a, &e, 4, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
  *o = atomic_fetch_max_explicit(a, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}

//= OpenCL C 3.0 6.15.12: orders and scopes that are variables
//= options: -cl-std=CL3.0
//= ok
kernel void k(global atomic_int* a, global int* o, int n) { memory_order m = n ? memory_order_seq_cst : memory_order_relaxed; *o = atomic_load_explicit(a, m, memory_scope_device); }

//= OpenCL C 3.0 6.15.12: operators do not take atomic types
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a, global int* o) {
  *o = *a + 1;
}

//= OpenCL C 3.0 6.15.12: atomic types are not assigned to
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a) {
  *a = 1;
}

//= OpenCL C 3.0 6.15.12: atomic types are not counted up
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a) {
  ++*a;
}

//= OpenCL C 3.0 6.15.12: a variable of the program with an atomic value
//= options: -cl-std=CL3.0
//= ok
global atomic_int a = ATOMIC_VAR_INIT(4);
kernel void k(global int* o) { *o = atomic_load(&a); }

//= OpenCL C 3.0 6.15.12: a private variable with an atomic value
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* o) {
  atomic_int a = 4;
  *o = atomic_load(&a);
}

//= OpenCL C 3.0 6.15.12: flags
//= options: -cl-std=CL3.0
//= ok
global atomic_flag f = ATOMIC_FLAG_INIT;
kernel void k(global int* o) { *o = atomic_flag_test_and_set(&f); atomic_flag_clear_explicit(&f, memory_order_release, memory_scope_device); }

//= OpenCL C 3.0 6.15.12: a flag is no atomic_int
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_flag* f, global int* o) {
  *o = atomic_load(f);
}

//= OpenCL C 3.0 6.15.12: atomic_fetch_add of a float
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_float* f, global float* o) {
  *o = atomic_fetch_add(f, 1.0f);
}

//= OpenCL C 3.0 6.15.12: atomic_load and atomic_exchange of a float
//= options: -cl-std=CL3.0
//= ok
kernel void k(global atomic_float* f, global float* o) { *o = atomic_load(f) + atomic_exchange(f, 1.0f); }

//= OpenCL C 3.0 6.15.12: an int is no atomic_int
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global int* a) {
  atomic_store(a, 1);
}

//= OpenCL C 3.0 6.15.12: the expected value has the type of the atomic's value
//= options: -cl-std=CL3.0
//= error 3
kernel void k(global atomic_int* a, global int* o) {
  float e = 1;
  *o = atomic_compare_exchange_strong(a, &e, 4);
}

//= OpenCL C 3.0 6.15.12: an atomic function with too few arguments
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a) {
  atomic_store(a);
}

//= OpenCL C 3.0 6.15.12: atomic_load_explicit without an order
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a, global int* o) {
  *o = atomic_load_explicit(a);
}

//= OpenCL C 3.0 6.15.12: an atomic function on constant memory
//= options: -cl-std=CL3.0
//= error 2
kernel void k(constant atomic_int* a, global int* o) {
  *o = atomic_load(a);
}

//= OpenCL C 3.0 6.15.12: atomic_work_item_fence
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o) { *o = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device); o[1] = 1; }

//= OpenCL C 3.0 6.15.12: atomic types in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 1
kernel void k(global atomic_int* a) { }

//= OpenCL C 3.0 6.15.12: atomic functions on generic pointers
//= options: -cl-std=CL3.0
//= ok
void f(atomic_int* a) { atomic_fetch_add(a, 1); }
kernel void k(global int* o) { local atomic_int a; atomic_init(&a, 1); f(&a); *o = atomic_load(&a); }

//= OpenCL C 3.0 6.15.12: atomic types of 64 bits
//= options: -cl-std=CL3.0
//= ok
kernel void k(global atomic_long* a, global atomic_ulong* b, global long* o) { *o = atomic_fetch_add(a, 1L) + (long)atomic_fetch_max(b, 1UL); }

//= OpenCL C 3.0 6.15.12: a release in a load
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a, global int* o) {
  *o = atomic_load_explicit(a, memory_order_release);
}

//= OpenCL C 3.0 6.15.12: an acquire in a store
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global atomic_int* a) {
  atomic_store_explicit(a, 1, memory_order_acquire);
}

//= OpenCL C 3.0 6.15.12: a failure that is stronger than the success
//= options: -cl-std=CL3.0
//= error 3
kernel void k(global atomic_int* a, global int* o) {
  int e = 1;
  *o = atomic_compare_exchange_strong_explicit(a, &e, 2, memory_order_relaxed, memory_order_seq_cst, memory_scope_device);
}

//= OpenCL C 3.0 6.15.8: work_group_barrier with a scope
//= options: -cl-std=CL3.0
//= ok
kernel void k(global int* o) { work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); work_group_barrier(CLK_GLOBAL_MEM_FENCE); *o = 1; }

//= OpenCL C 3.0 6.15.8: work_group_barrier in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= error 2
kernel void k(global int* o) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

//= OpenCL C 3.0 6.12.11: 64-bit atomics of the extensions
//= options: -cl-std=CL1.2
//= ok
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(volatile global long* a, volatile local ulong* b) { *a = atom_add(a, 1L) + (long)atom_inc(b) + (long)atom_max(b, 3UL) + atom_cmpxchg(a, 1L, 2L); }

//= OpenCL C 3.0 6.12.11: atomic_add has no form of 64 bits
//= options: -cl-std=CL1.2
//= error 2
kernel void k(volatile global long* a) {
  atomic_add(a, 1L);
}

//= OpenCL C 3.0 6.12.11: atomic_add on private memory
//= options: -cl-std=CL1.2
//= error 3
kernel void k(global int* o) {
  int x = 1;
  *o = atomic_add(&x, 1);
}

//= OpenCL C 3.0 6.12.11: atomic_add on constant memory
//= options: -cl-std=CL1.2
//= error 2
kernel void k(global int* o, constant int* c) {
  *o = atomic_add(c, 1);
}

//= OpenCL C 3.0 6.13: words of later versions are names in OpenCL C 1.2
//= options: -cl-std=CL1.2
//= ok
typedef int atomic_int;
int pipe(int queue_t) { atomic_int reserve_id_t = queue_t; return reserve_id_t; }
kernel void k(global int* o) { *o = pipe(1); }
