//= C99 6.5: every operator on ints
//= ok
kernel void k(global int* o, int a, int b) { *o = a + b - a * b / a % b + (a << b) + (a >> b) + (a & b) + (a | b) + (a ^ b) + ~a + !b + -a + +b + (a < b) + (a > b) + (a <= b) + (a >= b) + (a == b) + (a != b) + (a && b) + (a || b) + (a ? b : a) + (a, b) + a++ + ++b + a-- + --b; }

//= C99 6.5: every assignment
//= ok
kernel void k(global int* o, int a) { *o = a; *o += a; *o -= a; *o *= a; *o /= a; *o %= a; *o <<= a; *o >>= a; *o &= a; *o |= a; *o ^= a; }

//= C99 6.5.1: a name that is not declared
//= error 2
kernel void k(global int* o) {
  *o = nothing;
}

//= C99 6.5.1: an operand is missing
//= error 2
kernel void k(global int* o) {
  *o = 1 + ;
}

//= C99 6.5.1: a parenthesis is missing
//= error 2
kernel void k(global int* o) {
  *o = (1 + 2;
}

//= C99 6.5.1: a parenthesis is too many
//= error 2
kernel void k(global int* o) {
  *o = (1 + 2));
}

//= C99 6.5.2.1: an index needs a pointer
//= error 2
kernel void k(global int* o, int a) {
  *o = a[1];
}

//= C99 6.5.2.1: an index is an integer
//= error 2
kernel void k(global int* o, float a) {
  *o = o[a];
}

//= C99 6.5.2.1: the index in front
//= ok
kernel void k(global int* o) { *o = 1[o] + 2["abc"]; }

//= C99 6.5.2.1: a bracket is missing
//= error 2
kernel void k(global int* o) {
  o[1 = 2;
}

//= C99 6.5.2.1: an index of a vector of ints
//= error 2
kernel void k(global int* o, int2 i) {
  *o = o[i];
}

//= C99 6.5.2.1: a void pointer is not indexed
//= error 2
kernel void k(global void* p, global int* o) {
  *o = p[1];
}

//= C99 6.5.3.2: * needs a pointer
//= error 2
kernel void k(global int* o, int a) {
  *o = *a;
}

//= C99 6.5.3.2: * of a void pointer as a value
//= error 2
kernel void k(global void* p, global int* o) {
  *o = *p;
}

//= C99 6.5.3.2: & needs an lvalue
//= error 2
kernel void k(global int* o) {
  int* p = &1;
}

//= C99 6.5.3.2: & of a sum
//= error 2
kernel void k(global int* o, int a) {
  int* p = &(a + 1);
}

//= C99 6.5.3.2: & of * and of an element
//= ok
kernel void k(global int* o, int a) { global int* p = &*o; p = &o[3]; int* q = &a; *p = *&*q; }

//= C99 6.5.3.2: & of an array
//= ok
kernel void k(global int* o) { int a[3] = { 1, 2, 3 }; int (*p)[3] = &a; *o = (*p)[1] + p[0][2]; }

//= C99 6.5.3.3: ~ of a float
//= error 2
kernel void k(global int* o, float a) {
  *o = ~a;
}

//= C99 6.5.3.3: - of a pointer
//= error 2
kernel void k(global int* o) {
  *o = -o;
}

//= C99 6.5.3.3: ! of a struct
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s v) {
  *o = !v;
}

//= C99 6.5.3.3: ! of a pointer and of a float
//= ok
kernel void k(global int* o, float f) { *o = !o + !f; }

//= C99 6.5.3.1: ++ of a value
//= error 2
kernel void k(global int* o) {
  1++;
}

//= C99 6.5.3.1: ++ of a sum
//= error 2
kernel void k(global int* o, int a) {
  ++(a + 1);
}

//= C99 6.5.3.1: ++ of a struct
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s v) {
  v++;
}

//= C99 6.5.3.1: ++ of floats, pointers, bools
//= ok
kernel void k(global int* o, float f, double d, long l) { f++; --d; l--; bool b = false; b++; global int* p = o; p++; --p; *p++ = f + b; (*p)++; }

//= C99 6.5.3.1: ++ of an array
//= error 3
kernel void k(global int* o) {
  int a[2];
  a++;
}

//= C99 6.5.3.4: sizeof of expressions and types
//= ok
kernel void k(global int* o) { *o = sizeof *o + sizeof(int) + sizeof(o[0]) + sizeof o + sizeof(int[3]) + sizeof (*o); }

//= C99 6.5.3.4: sizeof does not evaluate
//= ok
kernel void k(global int* o) { int a = 1; *o = sizeof(a++) + sizeof(o[a = 2]) + sizeof(get_global_id(0)); *o += a; }

//= C99 6.5.3.4: sizeof of void
//= error 2
kernel void k(global int* o) {
  *o = sizeof(void);
}

//= C99 6.5.3.4: sizeof of an incomplete struct
//= error 3
struct s;
kernel void k(global int* o) {
  *o = sizeof(struct s);
}

//= C99 6.5.3.4: sizeof of a function
//= error 3
int f(void) { return 1; }
kernel void k(global int* o) {
  *o = sizeof(f);
}

//= C99 6.5.3.4: the type of sizeof
//= ok
constant int check[sizeof(sizeof(int)) == sizeof(size_t) && sizeof(int) > -1 == 0 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.5.5: * of pointers
//= error 2
kernel void k(global int* o) {
  *o = o * o;
}

//= C99 6.5.5: % of floats
//= error 2
kernel void k(global float* o) {
  *o = *o % 2.0f;
}

//= C99 6.5.5: % of a float and an int
//= error 2
kernel void k(global float* o) {
  *o = 3 % 2.0f;
}

//= C99 6.5.5: a constant division by zero
//= ok
kernel void k(global int* o) { *o = 1 / 0 + 1 % 0; }

//= C99 6.6: a constant division by zero as the size of an array
//= error 1
constant int a[1 / 0] = { 1 };
kernel void k(void) {}

//= C99 6.5.6: pointers and ints
//= ok
kernel void k(global int* o, long l, uchar c) { global int* p = o + 1; p = 2 + p; p = p - 1; p += l; p -= c; *p = p - o; o[p - o] = 1; p = p + true; }

//= C99 6.5.6: pointers are not added
//= error 2
kernel void k(global int* o) {
  *o = *(o + o);
}

//= C99 6.5.6: an int minus a pointer
//= error 2
kernel void k(global int* o) {
  *o = *(1 - o);
}

//= C99 6.5.6: a pointer and a float
//= error 2
kernel void k(global int* o) {
  *o = *(o + 1.0f);
}

//= C99 6.5.6: a pointer and a vector
//= error 2
kernel void k(global int* o, int2 v) {
  *o = *(o + v);
}

//= C99 6.5.6: the difference of pointers to other types
//= error 2
kernel void k(global int* o, global float* p) {
  *o = o - p;
}

//= C99 6.5.6: arithmetic on void pointers, as GNU has it
//= ok
kernel void k(global void* p, global int* o) { global void* q = p + 4; *o = q - p; q++; *o = *(global int*)q; }

//= C99 6.5.6: arithmetic on a pointer to an incomplete struct
//= error 3
struct s;
kernel void k(global int* o, global struct s* p) {
  p = p + 1;
}

//= C99 6.5.7: a shift of a float
//= error 2
kernel void k(global int* o, float f) {
  *o = f << 1;
}

//= C99 6.5.7: a shift by a float
//= error 2
kernel void k(global int* o) {
  *o = 1 << 1.0f;
}

//= C99 6.5.7: a shift of a pointer
//= error 2
kernel void k(global int* o) {
  *o = o << 1;
}

//= OpenCL C 6.3 j: a shift by more than the width
//= ok
kernel void k(global int* o) { *o = (1 << 40) + (1 >> -1); }

//= C99 6.5.8: comparisons of pointers
//= ok
kernel void k(global int* o, global int* p, global void* v) { *o = o < p && o == p || p >= o || o != 0 || v == o || NULL == p; }

//= C99 6.5.8: pointers to other types are compared
//= ok
kernel void k(global int* o, global float* p) { *o = o == p; }

//= C99 6.5.8: a pointer and an int
//= ok
kernel void k(global int* o, int a) {
  *o = o == a;
}

//= C99 6.5.8: a pointer less than 0
//= ok
kernel void k(global int* o) { *o = o > 0; }

//= C99 6.5.8: a pointer and a float
//= error 2
kernel void k(global int* o) {
  *o = o == 0.0f;
}

//= C99 6.5.10: & of floats
//= error 2
kernel void k(global int* o, float f) {
  *o = f & 1;
}

//= C99 6.5.10: | of pointers
//= error 2
kernel void k(global int* o) {
  *o = o | 1;
}

//= C99 6.5.13: && of structs
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s v) {
  *o = v && 1;
}

//= C99 6.5.15: ?: of numbers, pointers, structs, voids
//= ok
struct s { int a; };
void f(void) {}
kernel void k(global int* o, int c, struct s v, struct s w, global int* p) { *o = c ? 1 : 2.5f; global int* q = c ? o : p; q = c ? o : 0; q = c ? NULL : o; *q = (c ? v : w).a; c ? f() : f(); c ? (void)0 : f(); }

//= C99 6.5.15: ?: of a pointer and a void pointer
//= ok
kernel void k(global int* o, int c, global void* p) { global int* q = c ? o : p; *q = 1; }

//= C99 6.5.15: ?: of a pointer and an int
//= ok
kernel void k(global int* o, int c) {
  *o = *(c ? o : 1);
}

//= C99 6.5.15: ?: of a struct and an int
//= error 3
struct s { int a; };
kernel void k(global int* o, int c, struct s v) {
  v = c ? v : 1;
}

//= C99 6.5.15: ?: of other structs
//= error 3
struct s { int a; }; struct t { int a; };
kernel void k(global int* o, int c, struct s v, struct t w) {
  v = c ? v : w;
}

//= C99 6.5.15: ?: with a struct as the condition
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s v) {
  *o = v ? 1 : 2;
}

//= C99 6.5.15: ?: without its second operand, as GNU has it
//= ok
kernel void k(global int* o, int c) { *o = c ?: 2; }

//= C99 6.5.15: ?: groups from the right
//= ok
kernel void k(global int* o, int a) { *o = a == 1 ? 10 : a == 2 ? 20 : a == 3 ? 30 : 40; }

//= C99 6.5.15: ?: is no lvalue
//= error 2
kernel void k(global int* o, int a, int b) {
  (a ? a : b) = 1;
}

//= C99 6.5.15: the colon is missing
//= error 2
kernel void k(global int* o, int a) {
  *o = a ? 1;
}

//= C99 6.5.16: a value is not assigned to
//= error 2
kernel void k(global int* o, int a) {
  a + 1 = 2;
}

//= C99 6.5.16: a literal is not assigned to
//= error 2
kernel void k(global int* o) {
  3 = *o;
}

//= C99 6.5.16: a function is not assigned to
//= error 3
int f(void) { return 1; }
kernel void k(global int* o) {
  f() = 2;
}

//= C99 6.5.16: an array is not assigned to
//= error 3
kernel void k(global int* o) {
  int a[2], b[2];
  a = b;
}

//= C99 6.5.16: a cast is not assigned to
//= error 2
kernel void k(global int* o, int a) {
  (float)a = 2;
}

//= C99 6.5.16: pointers to types of other signs
//= ok
kernel void k(global int* o, global uint* f) {
  o = f;
}

//= C99 6.5.16: pointers through void pointers
//= ok
kernel void k(global int* o, global float* f) { global void* v = f; o = v; *o = 1; }

//= C99 6.5.16: assignments in a row
//= ok
kernel void k(global int* o, int a, float b) { *o = a = b = 3; o[1] = (a += 2) * (b -= 1); if ((a = *o) > 2) *o = 1; }

//= C99 6.5.16.2: += of a pointer and a pointer
//= error 2
kernel void k(global int* o) {
  o += o;
}

//= C99 6.5.16.2: *= of a pointer
//= error 2
kernel void k(global int* o) {
  o *= 2;
}

//= C99 6.5.16.2: %= of a float
//= error 2
kernel void k(global float* o) {
  *o %= 2;
}

//= C99 6.5.17: the comma operator
//= ok
kernel void k(global int* o, int a) { *o = (a++, a + 1); for (int i = 0, j = 1; i < 3; i++, j *= 2) *o += j; }

//= C99 6.5.17: a comma expression is no lvalue
//= error 2
kernel void k(global int* o, int a, int b) {
  (a, b) = 1;
}

//= C99 6.5: operators without blanks
//= ok
kernel void k(global int*o,int a,int b){*o=a+++b- -b+!-a;*o=a-- - --b;*o=a&~b;}

//= C99 6.5: operators of C++ and others
//= error 2
kernel void k(global int* o, int a) {
  *o = a <=> 1;
}

//= C99 6.5: the power operator of others
//= error 2
kernel void k(global int* o, int a) {
  *o = a ** 2;
}

//= C99 6.6: constant expressions in the size of an array
//= ok
enum { N = 3 };
constant int a[N * 2 + (1 << 2) + sizeof(int) - 'a' / 50 + (1 ? 2 : 3) + (int)1.5f + !0] = { 1 };
kernel void k(global int* o) { int b[N > 2 ? N : 1]; b[0] = 1; *o = a[1] + b[0]; }

//= C99 6.6: a constant of the program as the size of an array, which clang takes
//= ok
constant int n = 3;
kernel void k(global int* o) {
  int a[n];
}

//= C99 6.5.4: casts bind tighter than operators
//= ok
kernel void k(global int* o, float a) { *o = (int)a + (int)-a * (int)+1.5f + (int)(a) + (int)a++; *o = -(int)a; *o = (uchar)(char)-1; }

//= C99 6.5.4: a name in parentheses is no cast
//= ok
kernel void k(global int* o, int a, int b) { *o = (a) + b; *o = (a) - (b); *o = (a) & b; *o = (a) * b; }

//= C99 6.5.2.2: conversions of results
//= ok
kernel void k(global char* o, global float* p) { *o = get_global_id(0); *p = get_local_size(0) / 2.0f; uint n = get_num_groups(0) - 1; *o += n; }

//= C99 6.5.3.2: the address of what a kernel takes
//= ok
kernel void k(global int* o, int a, float4 v) { int* p = &a; float4* q = &v; *o = *p + q->x; }

//= C99 6.5.16: pointers to other types
//= ok
kernel void k(global int* o, global float* f) {
  o = f;
}

//= C99 6.6: a const variable as the size of an array, which clang takes
//= ok
kernel void k(global int* o) {
  const int n = 3;
  int a[n];
}

//= C99 6.5.3.4: huge arrays
//= error 2
kernel void k(global int* o) {
  int a[0x7fffffff][0x7fffffff];
  *o = a[0][0];
}

//= clang: built-ins of the compiler
//= ok
kernel void k(global float* o, int a) { if (__builtin_expect(a > 1, 1)) *o = __builtin_inff(); else __builtin_unreachable(); }

//= clang: __builtin_constant_p and choose_expr
//= ok
kernel void k(global int* o) { *o = __builtin_constant_p(3) + __builtin_choose_expr(1, 2, 3); }

//= clang: arithmetic that tells of an overflow
//= ok
kernel void k(global int* o, int a, uint b) { long r; uchar c; int i; o[0] = __builtin_add_overflow(a, b, &r); o[1] = __builtin_mul_overflow(a, 3L, &c); o[2] = __builtin_sub_overflow(a, 1, o + 3); o[4] = __builtin_sadd_overflow(a, 2, &i); }

//= clang: arithmetic that tells of an overflow has an integer as its result
//= error 1
kernel void k(global int* o, int a) { float f; *o = __builtin_add_overflow(a, a, &f); }

//= clang: arithmetic that tells of an overflow writes its result
//= error 1
kernel void k(global int* o, int a, constant int* c) { *o = __builtin_add_overflow(a, a, c); }

//= clang: reductions of vectors
//= ok
kernel void k(global int* o, int4 v, float4 f) { *o = __builtin_reduce_add(v) + __builtin_reduce_xor(v) + __builtin_reduce_max(v) + (int)__builtin_reduce_min(f); }

//= clang: a reduction of a scalar
//= error 1
kernel void k(global int* o, int a) { *o = __builtin_reduce_max(a); }

//= clang: functions of components
//= ok
kernel void k(global int4* o, int4 v, global float4* p, float4 f) { o[0] = __builtin_elementwise_max(v, o[1]) + __builtin_elementwise_abs(v) + __builtin_elementwise_add_sat(v, v); p[0] = __builtin_elementwise_ceil(f) + __builtin_elementwise_fma(f, f, f); }

//= clang: functions of components of two types
//= error 1
kernel void k(global int4* o, int4 v, uint4 u) { o[0] = __builtin_elementwise_max(v, u); }

//= clang: the absolute value of unsigned components
//= error 1
kernel void k(global uint4* o, uint4 u) { o[0] = __builtin_elementwise_abs(u); }

//= clang: a trap
//= ok
kernel void k(global int* o) { if (*o < 0) __builtin_trap(); *o = 1; }

//= clang: the line as a built-in
//= ok
constant int check[__builtin_LINE() == 1 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= clang: a copy of a number of bytes that is not constant
//= ok
kernel void k(global char* o, uint n) { char a[8], b[8] = { 1 }; __builtin_memcpy(a, b, n); __builtin_memset(b, 3, n); o[0] = a[0] + b[0]; }

//= clang: atomics of GNU C on OpenCL's pointers
//= error 1
kernel void k(global int* o) { __sync_fetch_and_add(o, 1); }

//= clang: atomics of C11's model on OpenCL's pointers
//= error 1
kernel void k(global int* o) { __atomic_fetch_add(o, 1, 0); }

//= clang: memory of a size that is not constant
//= error 1
kernel void k(global int* o, int n) { void* p = __builtin_alloca(n); *o = p != 0; }

//= clang: an enum meets a vector
//= ok
enum e { A, B };
kernel void k(global int4* o, int4 v) { enum e x = B; *o = v + x; }

//= clang: an event is assigned no long
//= error 3
kernel void k(void) {
  event_t e;
  e = 0L;
}

//= clang: an event is assigned no int
//= error 3
kernel void k(void) {
  event_t e;
  e = 0;
}

//= clang: an event may be a long 0 at its start
//= ok
kernel void k(void) { event_t e = 0L; }

//= clang: an event of another object
//= options: -cl-std=CL2.0
//= error 1
extern event_t v;
kernel void k(void) {}

//= clang: an event in local memory
//= error 1
kernel void k(void) { local event_t e; }

//= OpenCL C 6.3.9: two scalars of 8 bits behind a vector condition are not promoted
//= ok
kernel void k(global char2* o, char2 c, uchar2 d, char a, uchar b) { o[0] = c ? a : a; o[1] = d ? a : a; o[2] = c[1] ? a : a; uchar2 u = c ? a : b; u = d ? b : a; u = c ? b : b; o[3] = as_char2(u); }

//= OpenCL C 6.3.9: two scalars of 16 bits behind a vector condition are not promoted
//= ok
kernel void k(global short2* o, short2 c, ushort2 d, char x, short a, ushort b) { o[0] = c ? a : a; o[1] = c ? x : a; o[2] = d ? a : x; ushort2 u = c ? a : b; u = d ? x : b; o[3] = as_short2(u); }

//= OpenCL C 6.3.9: scalars behind a vector condition that are too narrow for it
//= error 2
kernel void k(global short2* o, short2 c, char a) {
  *o = c ? a : a;
}

//= OpenCL C 6.3.9: scalars behind a vector condition that are too wide for it
//= error 2
kernel void k(global short2* o, short2 c, short a) {
  *o = c ? a : 1;
}

//= OpenCL C 6.3.9: a bool and a char behind a vector condition
//= ok
void f(global char2* o, char2 c, bool a, char b) { *o = c ? a : b; }

//= OpenCL C 6.3.9: a scalar beside a vector behind a vector condition
//= ok
kernel void k(global float2* o, int2 c, float2 v, char a, int i) { o[0] = c ? a : v; o[1] = c ? v : i; o[2] = c ? v : 1.0f; }

//= OpenCL C 6.3.9: a scalar of greater rank beside a vector behind a vector condition
//= error 2
kernel void k(global float2* o, int2 c, float2 v, double a) {
  *o = c ? a : v;
}

//= C99 6.5.6: the difference of pointers to arrays
//= ok
constant int t[3][4] = { { 1 } }; typedef float A[4]; kernel void k(global int* o, global float (*p)[4], global A* q, global const float (*r)[4]) { local int l[3][4]; int a[3][4]; o[0] = p - q; o[1] = r - p; o[2] = &l[2] - &l[1]; o[3] = &a[2] - a; o[4] = &t[2] - t; }

//= C99 6.5.6: the difference of pointers to arrays of other lengths
//= error 2
kernel void k(global int* o, global float (*p)[4], global float (*q)[5]) {
  *o = p - q;
}

//= C99 6.5.6: the difference of pointers to a struct without members
//= error 2
struct S; void k(global int* o, global struct S* p, global struct S* q) {
  *o = p - q;
}

//= C99 6.5.6: the difference of generic pointers to arrays
//= options: -cl-std=CL3.0
//= ok
kernel void k(global float (*q)[4], global int* o) { float (*p)[4] = q; o[0] = p - q; o[1] = q - p; o[2] = (p + 1) - p; }
