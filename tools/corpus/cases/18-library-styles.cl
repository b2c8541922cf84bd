// SPDX-License-Identifier: Apache-2.0
// Habits of libraries and programs for many devices.

//= library style: vector literals in the lists of arrays
//= ok
constant float4 table[2] = {(float4)(1, 2, 3, 4), (float4)(0)};
kernel void k(global float4* o) { float2 t[2] = {(float2)(1, 2), {3, 4}}; o[0] = table[0] + (float4)(t[0], t[1]); }

//= library style: vectors in braces within braces
//= ok
kernel void k(global float4* o) { float4 m[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; float4 v = {1, 2, 3, 4}; o[0] = m[1] * v; }

//= library style: chains of components are written
//= ok
kernel void k(global float16* o) { float16 v = o[0]; v.lo.hi.even.s0 = 1; v.hi.odd.lo.y = 2; v.s0123.xy = (float2)(3, 4); o[0] = v; }

//= library style: components repeated in a value
//= ok
kernel void k(global float4* o) { o[0] = o[1].xxyy + o[2].wwww + o[3].s0123.zzzz; }

//= library style: components repeated in what is written
//= error 1
kernel void k(global float4* o) { o[0].xx = (float2)(1); }

//= library style: components by an index
//= ok
kernel void k(global float4* o, int i) { o[0][1] = 2; float4 v = o[1]; v[i] = v[3]; o[1] = v; }

//= library style: rgba
//= ok
kernel void k(global float4* o) { o[0].r = o[0].g; o[1].rgba = o[2].abgr; }

//= library style: a component of a call and of a literal
//= ok
float4 make(void) { return (float4)(1, 2, 3, 4); }
kernel void k(global float* o) { o[0] = make().y + ((float4)(1, 2, 3, 4)).z + (float2)(1, 2).x; }

//= library style: a pointer to a vector is taken for one to its elements
//= ok
kernel void k(global float4* v, global float* o) { global float* p = (global float*)v; p[1] = 2; o[0] = ((global float*)&v[1])[2]; }

//= library style: the address of a component
//= error 1
kernel void k(global float4* v) { global float* p = &v[0].x; *p = 1; }

//= library style: an array in a struct in constant memory
//= ok
typedef struct { float m[4]; int n; } params;
constant params defaults = {{1, 2, 3, 4}, 4};
kernel void k(global float* o) { for (int i = 0; i < defaults.n; i++) o[i] = defaults.m[i]; }

//= library style: a struct by value and returned
//= ok
typedef struct { float re, im; } cfloat;
cfloat cmul(cfloat a, cfloat b) { cfloat r; r.re = a.re * b.re - a.im * b.im; r.im = a.re * b.im + a.im * b.re; return r; }
kernel void k(global cfloat* o) { o[0] = cmul(o[1], cmul(o[2], o[3])); }

//= library style: overloadable functions
//= ok
float __attribute__((overloadable)) norm(float a) { return a; }
float __attribute__((overloadable)) norm(float2 a) { return length(a); }
kernel void k(global float* o) { o[0] = norm(o[1]) + norm((float2)(o[2])); }

//= library style: local memory of a kernel and a helper that takes it
//= ok
void put(local float* t, int i, float v) { t[i] = v; barrier(CLK_LOCAL_MEM_FENCE); }
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global float* o) { local float t[64]; put(t, get_local_id(0), o[0]); o[1] = t[0]; }

//= library style: local memory in a function
//= error 1
void f(void) { local int t[4]; t[0] = 1; }
kernel void k(void) { }

//= library style: local memory in a block of a kernel
//= error 1
kernel void k(global int* o) { if (o[0]) { local int t[4]; t[0] = 1; } }

//= library style: barrier in its old and new names
//= ok
kernel void k(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_LOCAL_MEM_FENCE); read_mem_fence(CLK_GLOBAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE); }

//= library style: old atomics on casts
//= ok
kernel void k(global float* o) { atomic_xchg(o, 1.0f); atomic_inc((volatile global uint*)o); atomic_cmpxchg((volatile global int*)o, 1, 2); atom_add((global int*)o, 3); }

//= library style: a float is added atomically by its bits
//= ok
void add(volatile global float* p, float v) { union { uint u; float f; } a, b; do { a.f = *p; b.f = a.f + v; } while (atomic_cmpxchg((volatile global uint*)p, a.u, b.u) != a.u); }
kernel void k(global float* o) { add(o, 1); }

//= library style: rotations by macros and by the built-in
//= ok
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
kernel void k(global uint* o, uint4 v) { o[0] = ROTL(o[1], 5) + rotate(o[2], 7u); v = rotate(v, 7U) ^ ROTL(v, 3); o[3] = v.x; }

//= library style: bitselect, select and shuffles
//= ok
kernel void k(global uint4* o) { o[0] = bitselect(o[1], o[2], o[3]); o[1] = select(o[1], o[2], o[0] > o[1]); o[2] = shuffle(o[0], (uint4)(3, 2, 1, 0)); o[3] = shuffle2(o[0], o[1], (uint4)(7, 0, 6, 1)); }

//= library style: select with a condition of another width
//= ok
kernel void k(global float4* o, global int* c) { o[0] = select(o[1], o[2], (int4)(c[0])); o[1].x = select(o[1].x, o[2].x, c[1]); }

//= library style: select with a condition of the wrong width
//= error 1
kernel void k(global float4* o, char4 c) { o[0] = select(o[1], o[2], c); }

//= library style: any and all of comparisons
//= ok
kernel void k(global float4* o) { if (any(o[0] < o[1]) || all(isnan(o[2]))) o[3] = 0; }

//= library style: a vector as a condition
//= error 1
kernel void k(global float4* o) { if (o[0] < o[1]) o[3] = 0; }

//= library style: a vector behind a question mark
//= ok
kernel void k(global float4* o, int4 c) { o[0] = c ? o[1] : o[2]; o[1] = o[0] > o[1] ? o[2] : 0.0f; }

//= library style: converting casts of vectors
//= error 1
kernel void k(global float4* o, int4 i) { o[0] = (float4)i; }

//= library style: as_ of another size
//= error 1
kernel void k(global float4* o, int2 i) { o[0] = as_float4(i); }

//= library style: as_ between three and four components
//= ok
kernel void k(global float4* o, int3 i) { o[0] = as_float4(i); o[1].xyz = as_float3(o[0]); }

//= library style: scalars and vectors in arithmetic
//= ok
kernel void k(global float4* o, int n) { o[0] = o[1] * 2 + n - 1.0f; o[1] /= n; o[2] = 1.0f / o[2]; }

//= library style: a double literal and a vector of floats
//= error 1
kernel void k(global float4* o) { o[0] = o[1] * 0.5; }

//= library style: an int vector and a float
//= error 1
kernel void k(global int4* o, float f) { o[0] = o[1] * f; }

//= library style: an int vector and a long
//= error 1
kernel void k(global int4* o, long n) { o[0] = o[1] + n; }

//= library style: % of floats
//= error 1
kernel void k(global float* o) { o[0] = o[1] % 2.0f; }

//= library style: shifts of floats
//= error 1
kernel void k(global float* o) { o[0] = o[1] << 2; }

//= library style: min and max of mixed types
//= ok
kernel void k(global float* o, int n) { o[0] = max(o[1], 0.0f); o[1] = min(o[2], (float)n); o[2] = clamp(o[3], 0.0f, 1.0f); }

//= library style: max of an int and a float
//= error 1
kernel void k(global float* o, int n) { o[0] = max(n, 1.0f); }

//= library style: pow of ints
//= error 1
kernel void k(global float* o, int n) { o[0] = pow(n, 2); }

//= library style: pown, rootn, native and half functions
//= ok
kernel void k(global float* o, int n) { o[0] = pown(o[1], n) + rootn(o[2], 3) + native_sin(o[3]) + half_rsqrt(o[4]) + native_divide(o[5], o[6]); }

//= library style: C's names of functions
//= error 1
kernel void k(global float* o) { o[0] = sqrtf(o[1]); }

//= library style: get_global_id without an argument
//= error 1
kernel void k(global float* o) { o[get_global_id()] = 1; }

//= library style: get_global_id of a variable
//= ok
kernel void k(global float* o, int d) { o[get_global_id(d)] = get_global_size(0) + get_local_id(1) + get_num_groups(2); }

//= library style: async copies
//= ok
kernel void k(global float* o, local float* t) { event_t e = async_work_group_copy(t, o, 16, 0); wait_group_events(1, &e); e = async_work_group_strided_copy(o, t, 16, 2, e); wait_group_events(1, &e); }

//= library style: prefetch and vload of const
//= ok
kernel void k(global const float* a, global float* o, constant float* c) { prefetch(a, 16); vstore4(vload4(0, a) + vload4(0, c), 1, o); }

//= library style: vload of an offset pointer and half storage
//= ok
kernel void k(global const half* h, global float* o) { o[0] = vload_half(3, h); vstore4(vload_half4(1, h + 2), 0, o + 1); }

//= library style: a sampler of the program and images
//= ok
constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, p, read_imagef(a, near, p) * 0.5f); }

//= library style: a sampler without const
//= error 1
sampler_t near = CLK_ADDRESS_CLAMP;
kernel void k(void) { }

//= library style: images without access and as helpers' parameters
//= ok
float4 at(image2d_t i, sampler_t s, float x, float y) { return read_imagef(i, s, (float2)(x, y)); }
kernel void k(image2d_t a, sampler_t s, global float4* o) { o[0] = at(a, s, 1, 2); }

//= library style: an image of another access
//= error 1
kernel void k(read_only image2d_t a) { write_imagef(a, (int2)(0), (float4)(0)); }

//= library style: a program-scope variable without a space
//= error 1
float scale = 2.0f;
kernel void k(global float* o) { o[0] = scale; }

//= library style: a const program-scope variable without a space
//= error 1
const float scale = 2.0f;
kernel void k(global float* o) { o[0] = scale; }

//= library style: a constant that is written
//= error 2
constant int n = 1;
kernel void k(void) { n = 2; }

//= library style: a constant of constants
//= ok
constant int a = 3;
constant int b = a * 2;
kernel void k(global int* o) { o[0] = b; }

//= library style: a constant by a function of the language
//= ok
constant float r = sqrt(2.0f);
kernel void k(global float* o) { o[0] = r; }

//= library style: addresses of constants in tables
//= ok
constant int a[2] = {1, 2};
constant int b[2] = {3, 4};
constant int* constant both[2] = {a, b};
kernel void k(global int* o) { o[0] = both[1][0]; }

//= library style: texts in tables
//= ok
constant char* constant names[] = {"one", "two"};
kernel void k(global char* o) { o[0] = names[1][0]; }

//= library style: a const text without a space
//= error 1
const char* name = "one";
kernel void k(void) { }

//= library style: a private pointer to a string
//= error 1
kernel void k(global char* o) { const char* s = "one"; o[0] = s[0]; }

//= library style: packed and aligned in every place
//= ok
typedef struct __attribute__((packed)) { char a; int b; } P;
typedef struct { char a; int b __attribute__((aligned(8))); } __attribute__((aligned(16))) Q;
struct R { char a; int b; } __attribute__((packed, aligned(4)));
kernel void k(global int* o) { float x[4] __attribute__((aligned(16))); x[0] = 1; o[0] = sizeof(P) + sizeof(Q) + sizeof(struct R) + x[0]; }

//= library style: vec_type_hint and work_group_size_hint
//= ok
__attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(64, 1, 1))) kernel void k(global float4* o) { o[0] = 1; }

//= library style: attributes between kernel and void
//= ok
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) __attribute__((vec_type_hint(int))) void k(global int* o) { o[0] = 1; }

//= library style: attributes behind the parameters
//= ok
kernel void k(global int* o) __attribute__((reqd_work_group_size(8, 1, 1)));
kernel void k(global int* o) { o[0] = 1; }

//= library style: attributes behind the parameters of a definition
//= ok
kernel void k(global int* o) __attribute__((reqd_work_group_size(8, 1, 1))) { o[0] = 1; }

//= library style: a kernel calls a kernel
//= ok
kernel void a(global int* o) { o[0] = 1; }
kernel void k(global int* o) { a(o); }

//= library style: a kernel in a header twice
//= ok
kernel void k(global int* o);
kernel void k(global int* o);
kernel void k(global int* o) { o[0] = 1; }

//= library style: unsigned without int, and sizes
//= ok
kernel void k(global unsigned* o, unsigned n, unsigned char c, unsigned long l) { o[n] = c + (unsigned)l; size_t i = get_global_id(0); ptrdiff_t d = i; o[d] = 1; }

//= library style: uint32_t of no header
//= ok
typedef uint uint32_t;
typedef uchar u8;
kernel void k(global uint32_t* o, u8 c) { o[0] = c; }

//= library style: bool in arithmetic
//= ok
kernel void k(global int* o) { bool b = o[0] > 1; b &= o[1] < 2; b = !b; o[2] = b + true + false; }

//= library style: hex floats and suffixes
//= ok
kernel void k(global float* o) { o[0] = 0x1.8p3f + 1e-3f + .5F + 1.F + 0x.8p1 + 1E+2f; }

//= library style: a float with the suffix of an int
//= error 1
kernel void k(global float* o) { o[0] = 1f; }

//= library style: an unknown suffix
//= error 1
kernel void k(global long* o) { o[0] = 1lul; }

//= library style: M_PI and limits
//= ok
kernel void k(global float* o) { o[0] = M_PI_F + FLT_MAX + FLT_EPSILON + INT_MAX + CHAR_BIT + MAXFLOAT + HUGE_VALF; o[1] = INFINITY; o[2] = NAN; }

//= library style: doubles without the pragma
//= ok
kernel void k(global double* o) { o[0] = 1.0 / 3; }

//= library style: halves without the pragma
//= error 1
kernel void k(global half* o) { half h = o[0]; o[1] = h * h; }

//= library style: a generic selection of a built-in's kind
//= ok
#define ABS(x) _Generic((x), int: abs, float: fabs)(x)
kernel void k(global float* o) { o[0] = ABS(o[1]); }

//= library style: longs of 64 bits
//= ok
kernel void k(global ulong* o) { o[0] = mul_hi(o[1], o[2]) + upsample((uint)1, (uint)2) + (1UL << 40) + 0xffffffffffffffffUL; }

//= library style: mad24, mul24 and mad_hi
//= ok
kernel void k(global int* o) { o[0] = mad24(o[1], o[2], o[3]) + mul24(o[4], 3) + mad_hi(o[5], o[6], o[7]) + mad_sat(o[8], 2, 3); }

//= library style: a comma behind the last argument
//= error 1
kernel void k(global int* o) { o[0] = max(1, 2,); }

//= library style: unicode in comments and strings
//= ok
// größer als – 数
kernel void k(void) { printf("größer %d\n", 1); }

//= library style: unicode in names
//= ok
kernel void k(global int* o) { int größe = 1; o[0] = größe; }

//= library style: a text without its end
//= error 1
kernel void k(void) { printf("abc); }

//= library style: goto into a loop
//= ok
kernel void k(global int* o) { goto in; for (int i = 0; i < 4; i++) { in: o[0] = 1; } }

//= library style: a label that nothing needs
//= ok
kernel void k(global int* o) { start: o[0] = 1; }

//= library style: break outside of a loop
//= error 1
kernel void k(void) { break; }

//= library style: a return within a kernel
//= ok
kernel void k(global int* o, int n) { if (get_global_id(0) >= n) return; o[get_global_id(0)] = 1; }

//= library style: a kernel that returns an int
//= error 1
kernel int k(global int* o) { return 1; }

//= library style: pointers within a struct of a kernel
//= error 2
typedef struct { global float* p; int n; } view;
kernel void k(view v) { v.p[0] = v.n; }

//= library style: pointers within a struct of a helper
//= ok
typedef struct { global float* p; int n; } view;
void put(view v) { v.p[0] = v.n; }
kernel void k(global float* o) { view v = {o, 1}; put(v); view w; w.p = o; w.n = 2; put(w); }

//= library style: a pointer to a pointer in a helper
//= ok
void swap(global float** a, global float** b) { global float* t = *a; *a = *b; *b = t; }
kernel void k(global float* a, global float* b) { swap(&a, &b); a[0] = b[0]; }

//= library style: pointers of several spaces behind one macro
//= ok
#define DEFINE(space) float sum_##space(space const float* p) { return p[0] + p[1]; }
DEFINE(global)
DEFINE(local)
DEFINE(constant)
DEFINE(private)
kernel void k(global float* o, local float* l, constant float* c) { float p[2] = {1, 2}; o[0] = sum_global(o) + sum_local(l) + sum_constant(c) + sum_private(p); }

//= library style: a global pointer to a private parameter
//= error 2
float sum(const float* p) { return p[0]; }
kernel void k(global float* o) { o[0] = sum(o); }

//= library style: a global pointer to a private parameter in OpenCL C 2.0
//= options: -cl-std=CL2.0
//= ok
float sum(const float* p) { return p[0]; }
kernel void k(global float* o, local float* l) { o[0] = sum(o) + sum(l); }

//= library style: restrict and const in every place
//= ok
kernel void k(const global float* restrict a, global const float* __restrict b, __global float* __restrict__ const c) { c[0] = a[0] + b[0]; }

//= library style: volatile local flags
//= ok
kernel void k(volatile local int* f, volatile global int* g) { *f = 1; while (*g == 0) ; }
