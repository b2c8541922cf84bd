//= C99 6.10: a directive that does not exist is refused
//= error 1
#nonsense here
kernel void k(void) {}

//= C99 6.10: a directive may have blanks before and after its #
//= ok
  #  define N 4
	#	undef M
#
kernel void k(global int* o) { *o = N; }

//= C99 6.10.1: #if takes macros, defined, and arithmetic of 64 bits
//= ok
#define A 3
#if defined(A) && !defined B && A * 2 == 6 && (1 << 40) > 0
kernel void k(global int* o) { *o = A; }
#else
#error no
#endif

//= C99 6.10.1: an unknown name in #if is 0
//= error 2
#if UNKNOWN == 0
#error reached
#endif

//= C99 6.10.1: #if without an expression is refused
//= error 2
kernel void k(void) {}
#if
#endif

//= C99 6.10.1: #if with a string is refused
//= error 1
#if "a" == "a"
#endif

//= C99 6.10.1: #if with a float is refused
//= error 1
#if 1.0 > 0
#endif

//= C99 6.10.1: #if with an assignment is refused
//= error 1
#if A = 1
#endif

//= C99 6.10.1: #if divides by zero
//= error 1
#if 1 / 0
#endif

//= C99 6.10.1: a division by zero that is not evaluated is allowed
//= ok
#if 0 && 1 / 0
#error no
#endif
kernel void k(void) {}

//= C99 6.10.1: #if with tokens left over is refused
//= error 1
#if 1 2
#endif

//= C99 6.10.1: a parenthesis that is not closed in #if
//= error 1
#if (1 + 2
#endif

//= C99 6.10.1: #elif and #else choose one group
//= ok
#define N 2
#if N == 1
#error one
#elif N == 2
kernel void k(void) {}
#elif N == 2
#error twice
#else
#error none
#endif

//= C99 6.10.1: #else without #if is refused
//= error 2
kernel void k(void) {}
#else

//= C99 6.10.1: #endif without #if is refused
//= error 2
kernel void k(void) {}
#endif

//= C99 6.10.1: #elif after #else is refused
//= error 3
#if 0
#else
#elif 1
#endif

//= C99 6.10.1: #else after #else is refused
//= error 3
#if 0
#else
#else
#endif

//= C99 6.10.1: #if without #endif is reported at its own line
//= error 2

#if 1
kernel void k(void) {}

//= C99 6.10.1: skipped groups are read for their #if and #endif only
//= ok
#if 0
#error "don't
#if 1 +
#else junk
#nonsense
#endif
' " `
#endif
kernel void k(void) {}

//= C99 6.10.1: #ifdef and #ifndef
//= ok
#define A
#ifdef A
#ifndef B
kernel void k(void) {}
#endif
#endif

//= C99 6.10.1: #ifdef without a name is refused
//= error 1
#ifdef
#endif

//= C99 6.10.1: #ifdef with a number is refused
//= error 1
#ifdef 1
#endif

//= C99 6.10.1: an unsigned operand makes the comparison unsigned
//= error 2
#if -1 > 0u
#error unsigned
#endif

//= C99 6.10.1: characters in #if have their codes
//= error 2
#if 'a' == 97 && '\n' == 10
#error reached
#endif

//= C99 6.10.1: the ternary operator in #if
//= error 2
#if (1 ? 2 : 3) == 2
#error reached
#endif

//= C99 6.10.1: defined without a name is refused
//= error 1
#if defined
#endif

//= C99 6.10.1: defined with an open parenthesis is refused
//= error 1
#if defined(A
#endif

//= C99 6.10.2: a header that is not there
//= error 2
kernel void k(void) {}
#include "not_there.h"

//= C99 6.10.2: #include with neither quotes nor angle brackets
//= error 1
#include header

//= C99 6.10.2: #include without a name
//= error 1
#include

//= OpenCL C 6.9 f: the C99 library headers do not exist
//= error 1
#include <math.h>
kernel void k(void) {}

//= C99 6.10.3: an object-like macro
//= ok
#define TYPE float4
kernel void k(global TYPE* o) { *o = (TYPE)(1.0f); }

//= C99 6.10.3: a function-like macro, also over several lines
//= ok
#define MAD(a, b, c) ((a) * (b) + (c))
kernel void k(global int* o) {
  *o = MAD(1,
           2,
           MAD(3, 4, 5));
}

//= C99 6.10.3: too few arguments
//= error 3
#define ADD(a, b) ((a) + (b))
kernel void k(global int* o) {
  *o = ADD(1);
}

//= C99 6.10.3: too many arguments
//= error 3
#define ADD(a, b) ((a) + (b))
kernel void k(global int* o) {
  *o = ADD(1, 2, 3);
}

//= C99 6.10.3: arguments without an end
//= error 3
#define ID(a) a
kernel void k(global int* o) {
  *o = ID(1;
}

//= C99 6.10.3: empty arguments are arguments
//= ok
#define PAIR(a, b) (0 a b)
kernel void k(global int* o) { *o = PAIR(,) + PAIR(+1,) + PAIR(,+2); }

//= C99 6.10.3: commas in parentheses do not separate arguments
//= ok
#define ID(a) a
int f(int a, int b) { return a + b; }
kernel void k(global int* o) { *o = ID(f(1, 2)) + ID((3, 4)); }

//= C99 6.10.3: variadic macros
//= ok
#define CALL(f, ...) f(__VA_ARGS__)
kernel void k(global int* o) { *o = CALL(max, 1, 2) + CALL(clamp, 1, 2, 3); }

//= C99 6.10.3: a named rest, as GNU has it
//= ok
#define CALL(f, rest...) f(rest)
kernel void k(global int* o) { *o = CALL(max, 1, 2); }

//= C99 6.10.3: the comma before ##__VA_ARGS__ goes with it, as GNU has it
//= ok
#define CALL(f, a, ...) f(a, ##__VA_ARGS__)
kernel void k(global int* o) { *o = CALL(abs, 1) + CALL(max, 1, 2); }

//= C99 6.10.3: __VA_ARGS__ is no parameter
//= error 1
#define F(__VA_ARGS__) 1

//= C99 6.10.3: a parameter comes twice
//= error 1
#define F(a, a) a

//= C99 6.10.3: parameters without an end
//= error 1
#define F(a, b

//= C99 6.10.3: a parameter that is no name
//= error 1
#define F(1) 1

//= C99 6.10.3: ... is the last parameter
//= error 1
#define F(..., a) a

//= C99 6.10.3: #define without a name
//= error 1
#define

//= C99 6.10.3: #define of a number
//= error 1
#define 3 4

//= C99 6.10.8: defined cannot be defined
//= error 1
#define defined 1

//= C99 6.10.3: a body must be apart from the name
//= ok
#define A(x) x
#define B (x) x
kernel void k(global int* x) { A(x[0] = 1;) }

//= C99 6.10.3: a macro that names itself is not expanded again
//= ok
#define foo (4 + foo)
kernel void k(global int* o, int foo_) {
  int
#undef foo
  foo = 1;
#define foo (4 + foo)
  *o = foo;
}

//= C99 6.10.3: macros that name each other are expanded once
//= ok
#define x y
#define y x
kernel void k(global int* o) { int x = 1; *o = x; }

//= C99 6.10.3.2: # makes a string
//= ok
#define STR(a) #a
constant char text[] = STR(a "b" \n 'c');
kernel void k(global int* o) { *o = text[0] + sizeof(STR(a b)); }

//= C99 6.10.3.2: # before something that is no parameter
//= error 1
#define STR(a) #b

//= C99 6.10.3.2: # in an object-like macro is a token
//= error 3
#define H #a
kernel void k(void) {
  H
}

//= C99 6.10.3.3: ## joins names and numbers
//= ok
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define N 4
kernel void k(global float4* o) { XCAT(float, N) CAT(v, 1) = (float4)(CAT(1, 0)); *o = v1; }

//= C99 6.10.3.3: ## at the start of a body
//= error 1
#define F(a) ## a

//= C99 6.10.3.3: ## at the end of a body
//= error 1
#define F(a) a ##

//= C99 6.10.3.3: ## that makes no token
//= error 3
#define CAT(a, b) a##b
kernel void k(global int* o) {
  *o = 1 CAT(+, /) 2;
}

//= C99 6.10.3.3: ## with an empty argument
//= ok
#define CAT(a, b) a##b
kernel void k(global int* o) { int CAT(x, ) = 1; *o = CAT(, x); }

//= C99 6.10.3.5: #undef, and #undef of an undefined name
//= ok
#define N 4
#undef N
#undef N
#undef M
kernel void k(global int* N) { *N = 1; }

//= C99 6.10.3.5: #undef without a name
//= error 1
#undef

//= C99 6.10.3.5: #undef of a number
//= error 1
#undef 1

//= C99 6.10.3.5: the same definition twice
//= ok
#define N 4 + 1
#define N  4  +  1 /* the same */
kernel void k(global int* o) { *o = N; }

//= C99 6.10.4: #line takes digits
//= error 1
#line abc

//= C99 6.10.4: #line takes no hexadecimal number
//= error 1
#line 0x10

//= C99 6.10.4: #line takes a number and then a string
//= error 1
#line 5 7

//= C99 6.10.4: #line sets __LINE__
//= ok
#line 100
constant int line = __LINE__;
#if __LINE__ != 101
#error no
#endif
kernel void k(global int* o) { *o = line; }

//= C99 6.10.5: #error is an error
//= error 2
kernel void k(void) {}
#error this is wrong

//= C99 6.10.6: unknown pragmas are no errors
//= ok
#pragma something nobody knows 1 2 3
kernel void k(void) {
#pragma
  int a;
#pragma once upon a time
}

//= C99 6.10.6: STDC FP_CONTRACT and related pragmas
//= ok
#pragma OPENCL FP_CONTRACT OFF
kernel void k(global float* o) { *o = o[1] * o[2] + o[3]; }

//= C99 6.10.6: FP_CONTRACT at the start of a block
//= ok
kernel void k(global float* o) {
#pragma OPENCL FP_CONTRACT ON
  *o = o[1] * o[2] + o[3];
}

//= C99 6.10.7: the null directive
//= ok
#
# /* nothing */
kernel void k(void) {}

//= C99 6.10.8: __FILE__ and __LINE__ are macros
//= ok
constant char file[] = __FILE__;
kernel void k(global int* o) { *o = __LINE__ + file[0]; }

//= C99 6.10.9: _Pragma
//= ok
#define UNROLL _Pragma("unroll")
kernel void k(global int* o) {
  UNROLL
  for (int i = 0; i < 4; i++) o[i] = i;
}

//= C99 6.10.9: _Pragma takes a string
//= error 2
kernel void k(void) {
  _Pragma(unroll)
}

//= C99 6.10.9: _Pragma with a parenthesis that is not closed
//= error 2
kernel void k(void) {
  _Pragma("unroll"
}

//= C99 5.1.1.2: a line continues after a backslash
//= ok
#define SUM(a, b) \
  ((a) + \
   (b))
ker\
nel void k(global int* o) { *o = SUM(1, 2); }

//= C99 6.4.9: comments of both kinds
//= ok
/* a // b */ kernel void k(global int* o) { // c /* d
  *o = 4 /* * / */ / 2; } // e \
 still a comment

//= C99 6.4.9: a comment without an end
//= error 2
kernel void k(void) {
} /* never

//= C99 6.4.9: comments do not nest
//= error 3
/* a /* b */
kernel void k(void) {}
c */

//= C99 6.4.6: digraphs
//= ok
%: define N 2
kernel void k(global int* o) <% int a<:N:>; a<:0:> = N; *o = a[0]; %>

//= C99 6.4: a stray character
//= error 2
kernel void k(global int* o) {
  *o = 1 @ 2;
}

//= C99 6.4: a stray backslash
//= error 2
kernel void k(global int* o) {
  *o = 1 \ 2;
}

//= C99 6.4.2: names with letters, digits, underscores
//= ok
kernel void k(global int* _o1) { int a_B9 = 1, __x = 2, _ = 3; *_o1 = a_B9 + __x + _; }

//= C99 6.4.2: a dollar sign in a name, as compilers allow
//= ok
kernel void k(global int* o) { int a$b = 1; *o = a$b; }

//= OpenCL C 6.10: CL_VERSION macros
//= ok
#if CL_VERSION_1_0 != 100 || CL_VERSION_1_1 != 110 || CL_VERSION_1_2 != 120
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __OPENCL_C_VERSION__ follows -cl-std (1.2)
//= ok
#if __OPENCL_C_VERSION__ != 120
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __OPENCL_C_VERSION__ follows -cl-std (1.1)
//= options: -cl-std=CL1.1
//= ok
#if __OPENCL_C_VERSION__ != 110
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __OPENCL_C_VERSION__ follows -cl-std (2.0)
//= options: -cl-std=CL2.0
//= ok
#if __OPENCL_C_VERSION__ != 200
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __OPENCL_C_VERSION__ follows -cl-std (3.0)
//= options: -cl-std=CL3.0
//= ok
#if __OPENCL_C_VERSION__ != 300
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __ENDIAN_LITTLE__
//= ok
#if __ENDIAN_LITTLE__ != 1
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __kernel_exec
//= ok
__kernel_exec(8, float4) void k(global float4* o) { *o = 1; }

//= OpenCL C 6.10: kernel_exec
//= ok
kernel_exec(8, float4) void k(global float4* o) { *o = 1; }

//= OpenCL C 6.10: __FAST_RELAXED_MATH__ without the option
//= ok
#ifdef __FAST_RELAXED_MATH__
#error no
#endif
kernel void k(void) {}

//= OpenCL C 6.10: __FAST_RELAXED_MATH__ with the option
//= options: -cl-fast-relaxed-math
//= ok
#if __FAST_RELAXED_MATH__ != 1
#error no
#endif
kernel void k(void) {}

//= OpenCL C 9.1: extensions are macros
//= ok
#if !defined(cl_khr_fp64) || !defined(cl_khr_byte_addressable_store) || !defined(cl_khr_global_int32_base_atomics) || !defined(cl_khr_int64_base_atomics)
#error no
#endif
kernel void k(void) {}

//= OpenCL C 9.1: OPENCL EXTENSION pragmas
//= ok
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION all : disable
kernel void k(void) {}

//= -D: a definition of the command line
//= options: -DN=4 -DFLAG
//= ok
#if N != 4 || FLAG != 1
#error no
#endif
kernel void k(global int* o) { *o = N; }

//= C99 6.10.3: a directive within the arguments of a macro
//= ok
#define ID(a) a
kernel void k(global int* o) {
  *o = ID(1 +
#ifdef NOTHING
  oops
#else
  2
#endif
  );
}

//= C99 6.10.8: __STDC__ names a version of the language
//= ok
#if __STDC_VERSION__ != 199901L
#error no
#endif
kernel void k(void) {}

//= C99 6.10.8: NULL
//= ok
kernel void k(global int* o) { global int* p = NULL; *o = p == NULL; }

//= clang: __has_include and related operators exist
//= ok
#if defined(__has_attribute)
#if __has_attribute(overloadable)
#endif
#endif
#ifdef __has_builtin
#if __has_builtin(__builtin_inff)
#endif
#endif
kernel void k(void) {}
