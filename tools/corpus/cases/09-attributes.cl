//= OpenCL C 6.7.2: reqd_work_group_size, work_group_size_hint, vec_type_hint
//= ok
__attribute__((reqd_work_group_size(8, 8, 1))) kernel void a(void) {}
kernel __attribute__((work_group_size_hint(64, 1, 1))) void b(void) {}
__attribute__((vec_type_hint(float4))) __kernel void c(void) {}
kernel void d(void) __attribute__((reqd_work_group_size(1, 1, 1)));
kernel __attribute__((reqd_work_group_size(4, 1, 1))) __attribute__((vec_type_hint(int))) void e(void) {}
kernel __attribute__((reqd_work_group_size(4, 1, 1), vec_type_hint(uint2))) void f(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size takes three numbers
//= error 1
__attribute__((reqd_work_group_size(8, 8))) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size without numbers
//= error 1
__attribute__((reqd_work_group_size)) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of zero
//= error 1
__attribute__((reqd_work_group_size(8, 0, 1))) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of a negative number
//= error 1
__attribute__((reqd_work_group_size(8, -1, 1))) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of a float
//= error 1
__attribute__((reqd_work_group_size(8, 1.5f, 1))) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of constants and macros
//= ok
#define N 4
enum { M = 2 };
__attribute__((reqd_work_group_size(N, M * 2, sizeof(int)))) kernel void k(void) {}

//= OpenCL C 6.7.2: two reqd_work_group_size that differ
//= ok
__attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((reqd_work_group_size(4, 1, 1))) kernel void k(void) {}

//= OpenCL C 6.7.2: work_group_size_hint takes three numbers
//= error 1
__attribute__((work_group_size_hint(8))) kernel void k(void) {}

//= OpenCL C 6.7.2: work_group_size_hint of zero
//= error 1
__attribute__((work_group_size_hint(0, 1, 1))) kernel void k(void) {}

//= OpenCL C 6.11.5: opencl_unroll_hint
//= options: -cl-std=CL2.0
//= ok
kernel void k(global int* o) {
  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) o[i] = i;
  __attribute__((opencl_unroll_hint)) while (*o < 3) ++*o;
  __attribute__((opencl_unroll_hint(1))) do { --*o; } while (*o);
}

//= OpenCL C 6.11.5: opencl_unroll_hint of no loop
//= options: -cl-std=CL2.0
//= error 2
kernel void k(global int* o) {
  __attribute__((opencl_unroll_hint(4)))
  *o = 1;
}

//= OpenCL C 6.11.5: opencl_unroll_hint of a negative number
//= options: -cl-std=CL2.0
//= error 2
kernel void k(global int* o) {
  __attribute__((opencl_unroll_hint(-4)))
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= OpenCL C 6.11.5: opencl_unroll_hint of two numbers
//= options: -cl-std=CL2.0
//= error 2
kernel void k(global int* o) {
  __attribute__((opencl_unroll_hint(4, 2)))
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= OpenCL C 6.11.5: opencl_unroll_hint in 1.2
//= ok
kernel void k(global int* o) { __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 8; i++) o[i] = i; }

//= clang: #pragma unroll
//= ok
kernel void k(global int* o) {
#pragma unroll
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma unroll 4
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma unroll(2)
  while (*o < 3) ++*o;
#pragma nounroll
  do { --*o; } while (*o);
}

//= clang: #pragma unroll of no loop
//= error 3
kernel void k(global int* o) {
#pragma unroll
  *o = 1;
}

//= clang: #pragma clang loop
//= ok
kernel void k(global int* o) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma clang loop unroll_count(4) vectorize(enable)
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma clang loop vectorize_width(4) interleave_count(2)
#pragma clang loop unroll(disable)
  while (*o < 3) ++*o;
}

//= clang: #pragma clang loop of no loop
//= error 3
kernel void k(global int* o) {
#pragma clang loop unroll(full)
  *o = 1;
}

//= clang: #pragma clang loop without an option
//= error 2
kernel void k(global int* o) {
#pragma clang loop
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= clang: #pragma clang loop of an option that there is not
//= error 2
kernel void k(global int* o) {
#pragma clang loop unrol(full)
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= clang: #pragma clang loop of a value that its option does not take
//= error 2
kernel void k(global int* o) {
#pragma clang loop unroll(maybe)
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= clang: #pragma clang loop of two options that exclude each other
//= error 2
kernel void k(global int* o) {
#pragma clang loop unroll(full) unroll_count(4)
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= clang: #pragma unroll outside of functions
//= error 1
#pragma unroll
kernel void k(global int* o) { *o = 1; }

//= clang: #pragma GCC unroll of no loop
//= error 3
kernel void k(global int* o) {
#pragma GCC unroll 4
  *o = 1;
}

//= clang: #pragma unroll takes a positive number
//= error 2
kernel void k(global int* o) {
#pragma unroll -1
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= clang: #pragma unroll of a macro's number
//= ok
#define N 4
kernel void k(global int* o) {
#pragma unroll N
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma unroll (N * 2)
  for (int i = 0; i < 8; i++) o[i] = i;
}

//= OpenCL C 6.11: attributes at every place
//= ok
__attribute__((always_inline)) int f(int a __attribute__((unused))) { return 1; }
int g(int a) __attribute__((noinline));
int g(int a) { int b __attribute__((unused)) = a, c __attribute__((aligned(8))) = b; return c; }
typedef int T __attribute__((aligned(8)));
kernel void k(global int* o) { __attribute__((unused)) int a; *o = f(1) + g(2); }

//= OpenCL C 6.11: attributes of a block and of nothing
//= ok
kernel void k(global int* o) {
  for (int i = 0; i < 4; i++) __attribute__((unknown)) { o[i] = i; }
  __attribute__((fallthrough_of_nobody));
}

//= OpenCL C 6.11: one pair of parentheses is not enough
//= error 1
__attribute__(packed) struct s { int a; };
kernel void k(void) {}

//= OpenCL C 6.11: an attribute without an end
//= error 1
struct s { int a; } __attribute__((packed);
kernel void k(void) {}

//= OpenCL C 6.11: an empty list
//= ok
struct s { int a; } __attribute__(());
kernel void k(void) {}

//= OpenCL C 6.11.2: aligned makes no variable less aligned
//= ok
kernel void k(global int* o) { local float4 a[4] __attribute__((aligned(64))); a[0] = 1; *o = a[0].x; }

//= OpenCL C 6.11.4: nosvm
//= options: -cl-std=CL2.0
//= ok
kernel void k(global int* o __attribute__((nosvm))) { *o = 1; }

//= OpenCL C 6.11.1: the typedef with alignment in a struct
//= ok
typedef struct { char a; float b; } __attribute__((packed, aligned(8))) T;
constant int check[sizeof(T) == 8 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= clang: [[ ]] attributes
//= ok
kernel void k(global int* o) { switch (*o) { case 1: *o = 2; [[fallthrough]]; default: *o = 3; } }

//= OpenCL C 6.7.2: intel_reqd_sub_group_size
//= ok
__attribute__((intel_reqd_sub_group_size(16))) kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of a function that is no kernel
//= error 1
__attribute__((reqd_work_group_size(8, 1, 1))) void f(void) {}
kernel void k(void) {}

//= OpenCL C 6.7.2: reqd_work_group_size of a variable
//= error 1
constant int a __attribute__((reqd_work_group_size(8, 1, 1))) = 1;
kernel void k(void) {}

//= OpenCL C 6.7.2: vec_type_hint takes a type
//= error 1
__attribute__((vec_type_hint(4))) kernel void k(void) {}

//= OpenCL C 6.7.2: vec_type_hint of a struct
//= error 2
struct s { int a; };
__attribute__((vec_type_hint(struct s))) kernel void k(void) {}

//= OpenCL C 6.7.2: vec_type_hint of a bool
//= error 1
__attribute__((vec_type_hint(bool))) kernel void k(void) {}

//= OpenCL C 6.7.2: vec_type_hint of a function that is no kernel
//= error 1
__attribute__((vec_type_hint(float4))) void f(void) {}
kernel void k(void) {}

//= OpenCL C 6.7.2: intel_reqd_sub_group_size of zero
//= error 1
__attribute__((intel_reqd_sub_group_size(0))) kernel void k(void) {}
