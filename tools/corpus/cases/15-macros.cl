// SPDX-License-Identifier: Apache-2.0
// Macros and directives as programs of others have them.

//= third-party: variadic macros with a comma that goes away
//= ok
#define LOG(format, ...) printf(format, ##__VA_ARGS__)
kernel void k(int n) { LOG("none\n"); LOG("%d\n", n); }

//= third-party: a macro with named variadic arguments
//= ok
#define CALL(f, args...) f(args)
kernel void k(global float* o) { o[0] = CALL(fmax, o[1], o[2]); }

//= third-party: __COUNTER__ makes names
//= ok
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNIQUE(stem) JOIN(stem, __COUNTER__)
kernel void k(global int* o) { int UNIQUE(t) = 1; int UNIQUE(t) = 2; o[0] = __COUNTER__; }

//= third-party: defined comes from a macro
//= ok
#define HAS_A defined(A)
#define A 1
#if HAS_A
kernel void k(void) { }
#else
no declaration
#endif

//= third-party: __has_builtin
//= ok
#ifndef __has_builtin
#define __has_builtin(x) 0
#endif
#if __has_builtin(__builtin_expect)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define LIKELY(x) (x)
#endif
kernel void k(global int* o) { if (LIKELY(o[0] > 1)) o[1] = 2; }

//= third-party: __has_attribute and __has_extension
//= ok
#if defined(__has_attribute) && __has_attribute(always_inline)
#define INLINE __attribute__((always_inline))
#else
#define INLINE inline
#endif
#ifdef __has_extension
#endif
INLINE int twice(int a) { return 2 * a; }
kernel void k(global int* o) { o[0] = twice(o[1]); }

//= third-party: a macro that makes kernels
//= ok
#define KERNEL(name, T, op) kernel void name##_##T(global T* a, global const T* b) { size_t i = get_global_id(0); a[i] = a[i] op b[i]; }
KERNEL(add, float, +)
KERNEL(add, int, +)
KERNEL(mul, float, *)

//= third-party: a list of X macros
//= ok
#define LIST(X) X(red, 1) X(green, 2) X(blue, 4)
#define ENTRY(name, value) name = value,
enum color { LIST(ENTRY) };
#undef ENTRY
#define ENTRY(name, value) case name: return value * 10;
int of(enum color c) { switch (c) { LIST(ENTRY) } return 0; }

//= third-party: a do-while macro in an if without braces
//= ok
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
kernel void k(global int* o) { int a = o[0], b = o[1]; if (a > b) SWAP(int, a, b); else a = 0; o[2] = a; }

//= third-party: a function macro without arguments is a name
//= error 2
#define f(x) x
int f = 3;
kernel void k(void) { }

//= third-party: an empty macro argument
//= ok
#define PICK(a, b, c) b
kernel void k(global int* o) { o[0] = PICK(, 2, ) + PICK(1, 3,); }

//= third-party: stringified arguments in printf
//= ok
#define SHOW(x) printf(#x " = %d\n", x)
kernel void k(int n) { SHOW(n + 1); SHOW("a"[0]); }

//= third-party: pasted type names
//= ok
#define VEC(T, n) T##n
#define TYPE(T, n) VEC(T, n)
#define W 4
kernel void k(global TYPE(float, W)* o) { o[0] = (TYPE(float, W))(1.0f); }

//= third-party: convert_ by pasting
//= ok
#define CONVERT(T) convert_##T
#define CONVERT_SAT(T) convert_##T##_sat
kernel void k(global uchar4* o, float4 f) { o[0] = CONVERT_SAT(uchar4)(f); o[1] = CONVERT(uchar4)(f); }

//= third-party: #elif behind a taken group is not looked at
//= ok
#define A 1
#if A
#elif 1 / 0
#endif
kernel void k(void) { }

//= third-party: names in #if are 0
//= ok
#if UNKNOWN_NAME || VENDOR == 3
broken
#endif
kernel void k(void) { }

//= third-party: #if with a call of an unknown macro
//= error 1
#if VERSION(1, 2) > 3
#endif
kernel void k(void) { }

//= third-party: #pragma OPENCL EXTENSION of an unknown extension
//= ok
#pragma OPENCL EXTENSION cl_amd_media_ops : enable
#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable
#pragma OPENCL EXTENSION all : disable
kernel void k(void) { }

//= third-party: #pragma OPENCL EXTENSION with an odd behaviour
//= ok
#pragma OPENCL EXTENSION cl_khr_fp64 : sometimes
kernel void k(void) { }

//= third-party: unknown pragmas
//= ok
#pragma once
#pragma warning(disable : 4996)
#pragma GCC diagnostic ignored "-Wunused"
kernel void k(global int* o) { for (int i = 0; i < 4; i++) o[i] = i; }

//= third-party: #pragma unroll with a number and a macro
//= ok
#define N 4
kernel void k(global int* o) {
#pragma unroll 4
  for (int i = 0; i < 8; i++) o[i] = i;
#pragma unroll N
  for (int i = 0; i < 8; i++) o[i] += i;
#pragma unroll(2)
  for (int i = 0; i < 8; i++) o[i] -= i;
#pragma nounroll
  for (int i = 0; i < 8; i++) o[i] *= i;
}

//= third-party: FP_CONTRACT in a block
//= ok
kernel void k(global float* o) {
#pragma OPENCL FP_CONTRACT OFF
  o[0] = o[1] * o[2] + o[3];
}

//= third-party: _Pragma in a macro
//= ok
#define UNROLL _Pragma("unroll")
kernel void k(global int* o) { UNROLL for (int i = 0; i < 4; i++) o[i] = i; }

//= third-party: a line that ends in a backslash in a comment
//= ok
// this comment goes on \
   int broken
kernel void k(void) { }

//= third-party: #define of a keyword
//= ok
#define inline static inline
inline int one(void) { return 1; }
kernel void k(global int* o) { o[0] = one(); }

//= third-party: #define of a type of the language
//= ok
#define double float
kernel void k(global double* o) { o[0] = 1.0f; }

//= third-party: __OPENCL_C_VERSION__ and __OPENCL_VERSION__ in conditions
//= ok
#if __OPENCL_C_VERSION__ >= 120 && __OPENCL_VERSION__ >= 110 && defined(CL_VERSION_1_2)
kernel void k(void) { }
#else
#error too old
#endif

//= third-party: #ifdef cl_khr_fp64 guards a pragma
//= ok
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#elif defined(cl_amd_fp64)
#pragma OPENCL EXTENSION cl_amd_fp64 : enable
typedef double real;
#else
typedef float real;
#endif
kernel void k(global real* o) { o[0] = 1; }

//= third-party: #undef of what is not defined
//= ok
#undef NOTHING
kernel void k(void) { }

//= third-party: #line moves the lines of messages
//= ok
#line 40 "generated.cl"
kernel void k(void) { }

//= third-party: tokens behind #endif and #else
//= ok
#ifdef A
#else A
#endif A
kernel void k(void) { }

//= third-party: #warning
//= ok
#warning this goes on
kernel void k(void) { }

//= third-party: __LINE__ and __FILE__ in printf
//= ok
kernel void k(void) { printf("%s:%d\n", __FILE__, __LINE__); }

//= third-party: a macro of itself
//= ok
#define foo foo + 1
kernel void k(global int* o) { int foo_ = 1; o[0] = foo_; }

//= third-party: a macro that calls itself through another one
//= ok
#define a(x) b(x)
#define b(x) a(x)
int a(int x) { return x; }

//= third-party: # and ## with spaces
//= ok
#define TEXT(x) # x
#define PASTE(x, y) x ## y
kernel void k(global int* o) { constant char* t = TEXT(  a   b ); o[0] = PASTE(1, 2) + t[0]; }

//= third-party: a macro over several lines with comments
//= ok
#define STEP(i) \
  x += a[i]; /* first */ \
  y += b[i]  /* second */
kernel void k(global int* a, global int* b) { int x = 0, y = 0; STEP(0); STEP(1); a[0] = x * y; }
