//= OpenCL C 6.12.1: work-item functions
//= ok
kernel void k(global size_t* o) { o[0] = get_work_dim() + get_global_size(0) + get_global_id(1) + get_local_size(2) + get_local_id(0) + get_num_groups(0) + get_group_id(0) + get_global_offset(0); }

//= OpenCL C 6.12.1: a work-item function without its argument
//= error 2
kernel void k(global size_t* o) {
  *o = get_global_id();
}

//= OpenCL C 6.12.1: a work-item function with two arguments
//= error 2
kernel void k(global size_t* o) {
  *o = get_global_id(0, 1);
}

//= OpenCL C 6.12.1: a work-item function of a vector
//= error 2
kernel void k(global size_t* o, int2 v) {
  *o = get_global_id(v);
}

//= OpenCL C 6.12.1: a name that is almost a built-in
//= error 2
kernel void k(global size_t* o) {
  *o = get_globl_id(0);
}

//= OpenCL C 2.0 6.12.1: get_global_linear_id is not there in 1.2
//= error 2
kernel void k(global size_t* o) {
  *o = get_global_linear_id();
}

//= OpenCL C 2.0 6.12.1: get_global_linear_id is there in 2.0
//= options: -cl-std=CL2.0
//= ok
kernel void k(global size_t* o) { *o = get_global_linear_id() + get_local_linear_id() + get_enqueued_local_size(0); }

//= OpenCL C 6.12.2: math of floats, vectors and doubles
//= ok
kernel void k(global float4* o, float4 a, float b, double2 c, global double2* d) { *o = sin(a) + cos(b) + pow(a, a) + fma(a, a, a) + sqrt(a) + exp2(a) + hypot(a, a) + fmod(a, a) + atan2pi(a, a) + cbrt(a); *d = sin(c) + log(c) + rsqrt(c); }

//= OpenCL C 6.12.2: math of a float and an int
//= ok
kernel void k(global float* o, float a) {
  *o = pow(a, 2);
}

//= OpenCL C 6.12.2: math of vectors of other lengths
//= error 2
kernel void k(global float4* o, float4 a, float2 b) {
  *o = pow(a, b);
}

//= OpenCL C 6.12.2: fmin and fmax take a scalar
//= ok
kernel void k(global float4* o, float4 a, float b) { *o = fmin(a, b) + fmax(a, 1.0f) + fmin(a, a); }

//= OpenCL C 6.12.2: ldexp takes an int
//= ok
kernel void k(global float4* o, float4 a, int4 n) { *o = ldexp(a, n) + ldexp(a, 2) + pown(a, n) + rootn(a, n); o[1].x = ldexp(a.x, 3) + pown(a.x, 2); }

//= OpenCL C 6.12.2: pown takes no vector of floats
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = pown(a, a);
}

//= OpenCL C 6.12.2: results through pointers into any memory
//= ok
kernel void k(global float* o, local float* l) { float c; int e; *o = sincos(*o, &c) + fract(*o, o) + modf(*o, l) + frexp(*o, &e) + remquo(1.0f, 2.0f, &e) + lgamma_r(2.0f, &e); }

//= OpenCL C 6.12.2: a result through a pointer of another type
//= error 3
kernel void k(global float* o) {
  float e;
  *o = frexp(*o, &e);
}

//= OpenCL C 6.12.2: nan, ilogb, nextafter
//= ok
kernel void k(global float* o, global int* i, float4 a, uint4 u) { *o = nan(1u) + nextafter(1.0f, 2.0f) + nan(u).x; *i = ilogb(1.0f) + ilogb(a).x; }

//= OpenCL C 6.12.2: half_ and native_ functions
//= ok
kernel void k(global float4* o, float4 a) { *o = native_sin(a) + half_cos(a) + native_recip(a) + half_divide(a, a) + native_powr(a, a) + half_rsqrt(a); }

//= OpenCL C 6.12.2: native_ functions of doubles, which clang takes
//= ok
kernel void k(global double* o, double a) {
  *o = native_sin(a);
}

//= OpenCL C 6.12.2: constants
//= ok
kernel void k(global float* o, global double* d) { *o = M_PI_F + MAXFLOAT + INFINITY + NAN + HUGE_VALF + FLT_MAX + FLT_EPSILON + FLT_MIN + M_E_F; *d = M_PI + DBL_MAX + HUGE_VAL + M_SQRT2; }

//= OpenCL C 6.12.3: integer functions of every type
//= ok
kernel void k(global int4* o, int4 a, uint4 u, char c, ulong2 l) { *o = abs_diff(a, a) == u; *o = add_sat(a, a) + hadd(a, a) + clz(a) + mad_hi(a, a, a) + max(a, 1) + min(a, a) + clamp(a, 0, 9) + rotate(a, a) + mul24(a, a) + popcount(a); u = abs(a); c = clz(c) + sub_sat(c, c) + max(c, c); l = mul_hi(l, l) + max(l, l); }

//= OpenCL C 6.12.3: abs returns an unsigned type
//= error 2
kernel void k(global int4* o, int4 a) {
  *o = abs(a);
}

//= OpenCL C 6.12.3: integer functions of floats
//= error 2
kernel void k(global float* o, float a) {
  *o = mul_hi(a, a);
}

//= OpenCL C 6.12.3: max of two ints
//= ok
kernel void k(global int* o, int a) { *o = max(a, 1) + min(2, a) + clamp(a, 1, 2); *o = max('a', 1); }

//= OpenCL C 6.12.3: max of a vector and a scalar
//= ok
kernel void k(global int4* o, int4 a, int b) { *o = max(a, b) + min(a, 3) + clamp(a, b, 5); }

//= OpenCL C 6.12.3: mul24 of longs
//= error 2
kernel void k(global long* o, long a) {
  *o = mul24(a, a);
}

//= OpenCL C 6.12.3: upsample
//= ok
kernel void k(global int4* o, short4 a, ushort4 b, global ulong* l, uint u) { *o = upsample(a, b); *l = upsample(u, u); }

//= OpenCL C 6.12.3: upsample of two signed values
//= error 2
kernel void k(global int4* o, short4 a) {
  *o = upsample(a, a);
}

//= OpenCL C 6.12.3: popcount is there in 1.2
//= ok
kernel void k(global int* o) { *o = popcount(*o); }

//= OpenCL C 6.12.3: popcount is not there in 1.1
//= options: -cl-std=CL1.1
//= error 2
kernel void k(global int* o) {
  *o = popcount(*o);
}

//= OpenCL C 2.0 6.12.3: ctz is not there in 1.2
//= error 2
kernel void k(global int* o) {
  *o = ctz(*o);
}

//= OpenCL C 6.12.4: common functions
//= ok
kernel void k(global float4* o, float4 a, float b) { *o = clamp(a, 0.0f, 1.0f) + clamp(a, a, a) + degrees(a) + mix(a, a, b) + mix(a, a, a) + step(b, a) + smoothstep(b, b, a) + sign(a) + max(a, b) + radians(a); }

//= OpenCL C 6.12.4: mix of an int
//= error 2
kernel void k(global int4* o, int4 a) {
  *o = mix(a, a, a);
}

//= OpenCL C 6.12.5: geometric functions
//= ok
kernel void k(global float4* o, float4 a, float3 b, float2 c) { *o = cross(a, a) + dot(a, a) + normalize(a) + length(c) + distance(b, b) + fast_length(a) + fast_normalize(a); o->xyz = cross(b, b); o->x = dot(1.0f, 2.0f) + length(3.0f); }

//= OpenCL C 6.12.5: dot of ints
//= error 2
kernel void k(global int* o, int4 a) {
  *o = dot(a, a);
}

//= OpenCL C 6.12.6: relational functions
//= ok
kernel void k(global int4* o, float4 a, double2 d, global long2* l, int4 c, uint4 u) { *o = isequal(a, a) + isnan(a) + signbit(a) + isless(a, a) + isordered(a, a); *l = isnan(d) + isgreater(d, d); o->x = any(c) + all(c) + isnan(1.0f) + isequal(1.0, 2.0) + any(1); *o = select(c, c, c) + select(c, c, u) + bitselect(c, c, c); a = select(a, a, c) + bitselect(a, a, a); }

//= OpenCL C 6.12.6: any of an unsigned vector
//= error 2
kernel void k(global int* o, uint4 u) {
  *o = any(u);
}

//= OpenCL C 6.12.6: any of floats
//= error 2
kernel void k(global int* o, float4 u) {
  *o = any(u);
}

//= OpenCL C 6.12.6: select with a condition of another width
//= error 2
kernel void k(global float4* o, float4 a, long4 c) {
  *o = select(a, a, c);
}

//= OpenCL C 6.12.6: select with a scalar condition and vectors
//= error 2
kernel void k(global float4* o, float4 a, int c) {
  *o = select(a, a, c);
}

//= OpenCL C 6.12.6: select of scalars
//= ok
kernel void k(global float* o, float a, int c, uint u) { *o = select(a, 1.0f, c) + select(a, a, u) + select(a, a, a > 1); }

//= OpenCL C 6.12.6: bitselect of an int and a float
//= error 2
kernel void k(global int4* o, int4 a, float4 b) {
  *o = bitselect(a, b, a);
}

//= OpenCL C 6.12.7: vload and vstore
//= ok
kernel void k(global float* o, constant int* c, local char* l, global const double* d) { float4 v = vload4(0, o); vstore4(v, 1, o); int3 w = vload3(2, c); vstore2((char2)(1, 2), 3, l); double2 x = vload2(0, d); float p[8]; vstore8(vload8(0, o), 0, p); o[0] = v.x + w.x + x.y; vstore16(convert_float16(vload16(0, l)), 0, o); }

//= OpenCL C 6.12.7: vload of a vector pointer
//= error 2
kernel void k(global float4* o) {
  *o = vload4(0, o);
}

//= OpenCL C 6.12.7: vstore of another element type
//= error 2
kernel void k(global int* o, float4 v) {
  vstore4(v, 0, o);
}

//= OpenCL C 6.12.7: vstore of another length
//= error 2
kernel void k(global float* o, float2 v) {
  vstore4(v, 0, o);
}

//= OpenCL C 6.12.7: vstore to a pointer to const
//= error 2
kernel void k(global const float* o, float4 v) {
  vstore4(v, 0, o);
}

//= OpenCL C 6.12.7: vload_half and related functions
//= ok
kernel void k(global half* h, constant half* c, global float4* o, double4 d) { *o = vload_half4(0, h) + vloada_half4(1, c); vstore_half4(*o, 2, h); vstore_half4_rtz(*o, 2, h); vstorea_half3_rte(o->xyz, 3, h); vstore_half(o->x, 4, h); vstore_half4(d, 0, h); o->x = vload_half(1, c); }

//= OpenCL C 6.12.8: barriers and fences
//= ok
kernel void k(void) { barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE); }

//= OpenCL C 6.12.8: a barrier without flags
//= error 2
kernel void k(void) {
  barrier();
}

//= OpenCL C 6.12.8: the flags have a type
//= ok
void f(cl_mem_fence_flags flags) { barrier(flags); }
kernel void k(void) { f(CLK_LOCAL_MEM_FENCE); }

//= OpenCL C 6.12.10: asynchronous copies
//= ok
kernel void k(global float4* g, local float4* l, global const int* h, local int* m) { event_t e = async_work_group_copy(l, g, 16, 0); e = async_work_group_copy(g, l, 16, e); event_t f[2]; f[0] = async_work_group_copy(m, h, 4, 0); f[1] = async_work_group_strided_copy(l, g, 16, 2, 0); wait_group_events(1, &e); wait_group_events(2, f); prefetch(g, 4); }

//= OpenCL C 6.12.10: a copy from global to global
//= error 2
kernel void k(global float* g, global float* l) {
  async_work_group_copy(l, g, 16, 0);
}

//= OpenCL C 6.12.10: a copy of other types
//= error 2
kernel void k(global float* g, local int* l) {
  async_work_group_copy(l, g, 16, 0);
}

//= OpenCL C 6.12.10: a copy without an event
//= error 2
kernel void k(global float* g, local float* l) {
  async_work_group_copy(l, g, 16);
}

//= OpenCL C 6.12.10: a copy to a pointer to const
//= error 2
kernel void k(global const float* g, local float* l) {
  async_work_group_copy(g, l, 16, 0);
}

//= OpenCL C 6.12.11: atomics
//= ok
kernel void k(global int* o, local uint* l, volatile global float* f) { *o = atomic_add(o, 1) + atomic_sub(l, 2) + atomic_inc(o) + atomic_dec(l) + atomic_xchg(o, 3) + atomic_cmpxchg(o, 1, 2) + atomic_min(o, 1) + atomic_max(l, 2) + atomic_and(o, 1) + atomic_or(o, 2) + atomic_xor(o, 3); atomic_xchg(f, 1.0f); }

//= OpenCL C 6.12.11: atomics of floats
//= error 2
kernel void k(global float* o) {
  atomic_add(o, 1.0f);
}

//= OpenCL C 6.12.11: atomics of private memory
//= error 3
kernel void k(global int* o) {
  int a = 1;
  atomic_add(&a, 1);
}

//= OpenCL C 6.12.11: atomics of constant memory
//= error 2
kernel void k(constant int* o) {
  atomic_add(o, 1);
}

//= OpenCL C 6.12.11: atomics of a pointer to const
//= error 2
kernel void k(global const int* o) {
  atomic_add(o, 1);
}

//= OpenCL C 6.12.11: atomics of chars
//= error 2
kernel void k(global char* o) {
  atomic_add(o, 1);
}

//= OpenCL C 6.12.11: atomics of a value
//= error 2
kernel void k(global int* o) {
  atomic_add(*o, 1);
}

//= OpenCL C 9.5: atomics of 64 bits by their old names
//= ok
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global long* o, local ulong* l) { *o = atom_add(o, 1) + atom_inc(l) + atom_max(o, 3); }

//= OpenCL C 9.5: atomics of 32 bits by their old names
//= ok
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
kernel void k(global int* o) { *o = atom_add(o, 1) + atom_cmpxchg(o, 1, 2); }

//= OpenCL C 6.12.12: shuffle
//= ok
kernel void k(global float4* o, float4 a, float8 b, uint4 m, uint8 n, char16 c, uchar16 d) { *o = shuffle(a, m) + shuffle2(a, a, m) + shuffle(b, m); b = shuffle(a, n) + shuffle2(b, b, n); c = shuffle(c, d); }

//= OpenCL C 6.12.12: shuffle with a mask of another width
//= error 2
kernel void k(global float4* o, float4 a, uchar4 m) {
  *o = shuffle(a, m);
}

//= OpenCL C 6.12.12: shuffle with a signed mask
//= error 2
kernel void k(global float4* o, float4 a, int4 m) {
  *o = shuffle(a, m);
}

//= OpenCL C 6.12.13: printf
//= ok
kernel void k(global int* o, float4 v) { printf("hello\n"); int n = printf("%d %s %v4f %c%%\n", *o, "text", v, 'a'); printf("%5.2f %x %lu\n", 1.0f, n, 3UL); }

//= OpenCL C 6.12.13: printf without a format
//= error 2
kernel void k(void) {
  printf();
}

//= OpenCL C 6.12.13: printf of a number as the format
//= error 2
kernel void k(void) {
  printf(1);
}

//= OpenCL C 6.12.13: the format is in constant memory
//= error 2
kernel void k(global char* f) {
  printf(f);
}

//= OpenCL C 6.12: a built-in is no value
//= error 2
kernel void k(global int* o) {
  *o = sin;
}

//= OpenCL C 6.12: a built-in of the C library that OpenCL does not have
//= error 2
kernel void k(global int* o) {
  global void* p = malloc(16);
}

//= OpenCL C 6.12: memcpy of the C library
//= error 2
kernel void k(global int* o) {
  memcpy(o, o + 1, 4);
}

//= OpenCL C 6.12: abs of a float
//= error 2
kernel void k(global float* o) {
  *o = abs(*o);
}

//= OpenCL C 2.0 6.12.8: work_group_barrier is not there in 1.2
//= error 2
kernel void k(void) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

//= OpenCL C 2.0 6.12.8: work_group_barrier
//= options: -cl-std=CL2.0
//= ok
kernel void k(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); barrier(CLK_GLOBAL_MEM_FENCE); }

//= OpenCL C 6.12.2: math of an int is ambiguous
//= error 2
kernel void k(global float* o, int a) {
  *o = sin(a);
}

//= OpenCL C 6.12.2: math of an int literal is ambiguous
//= error 2
kernel void k(global float* o) {
  *o = sqrt(2);
}

//= OpenCL C 6.12.2: math of a float and a double is ambiguous
//= error 2
kernel void k(global float* o, float a) {
  *o = pow(a, 2.0);
}

//= OpenCL C 6.12.2: a scalar next to a vector operand is widened
//= ok
kernel void k(global float4* o, float4 a, float b) {
  *o = pow(a, b);
}

//= OpenCL C 6.12.2: a result through a pointer into constant memory
//= error 2
kernel void k(global float* o, constant float* c) {
  *o = sincos(*o, c);
}

//= OpenCL C 6.12.3: max of an int and a uint is ambiguous
//= error 2
kernel void k(global int* o, int a, uint b) {
  *o = max(a, b);
}

//= OpenCL C 6.12.3: max of an int and a float is ambiguous
//= error 2
kernel void k(global int* o, int a, float b) {
  *o = max(a, b);
}

//= OpenCL C 6.12.3: max of a char and an int is ambiguous
//= error 2
kernel void k(global char* o, char a) {
  *o = max(a, 1);
}

//= OpenCL C 6.12.3: max of a scalar and a vector, which clang takes
//= ok
kernel void k(global int4* o, int4 a, int b) {
  *o = max(b, a);
}

//= OpenCL C 6.12.4: clamp of a float with ints is ambiguous
//= error 2
kernel void k(global float* o, float a) {
  *o = clamp(a, 0, 1);
}

//= OpenCL C 6.12.4: clamp of a float with doubles is ambiguous
//= error 2
kernel void k(global float* o, float a) {
  *o = clamp(a, 0.0, 1.0);
}

//= OpenCL C 6.12.5: cross of two components
//= error 2
kernel void k(global float2* o, float2 a) {
  *o = cross(a, a);
}

//= OpenCL C 6.12.5: dot of eight components
//= error 2
kernel void k(global float* o, float8 a) {
  *o = dot(a, a);
}

//= OpenCL C 6.12.7: vstore to constant memory
//= error 2
kernel void k(constant float* o, float4 v) {
  vstore4(v, 0, o);
}

//= OpenCL C 6.12.10: prefetch of local memory
//= error 2
kernel void k(local float* l) {
  prefetch(l, 4);
}

//= OpenCL C 6.12.12: shuffle of three components
//= error 2
kernel void k(global float4* o, float3 a, uint4 m) {
  *o = shuffle(a, m);
}

//= OpenCL C 6.12: fabs of an int is ambiguous
//= error 2
kernel void k(global int* o) {
  *o = fabs(*o);
}

//= OpenCL C 6.12.7: a scalar goes into every component of vstore's vector
//= ok
void k(global float* f, local int* i, global char* c, global half* h, float x, int n) { vstore3(x, 0, f); vstore4(n, 0, f); vstore2(0.5f, 1, i); vstore16(0, 0, c); vstore8(n, n, c); vstore4(1.0, 0, f); }

//= OpenCL C 6.12.7: vstore of a vector of another length
//= error 2
void k(global float* f, float2 x) {
  vstore3(x, 0, f);
}

//= OpenCL C 6.12.7: vstore of a vector of another element type
//= error 2
void k(global float* f, double4 x) {
  vstore4(x, 0, f);
}

//= OpenCL C 6.12.7: vstore to a pointer to void takes the type of the vector
//= ok
void k(global void* f, float4 x) { vstore4(x, 0, f); }

//= OpenCL C 6.12.7: vstore of a scalar to a pointer to void
//= error 2
void k(global void* f, float x) {
  vstore4(x, 0, f);
}

//= OpenCL C 6.12.7: vstore_half of an int is one of a float or of a double
//= error 2
void k(global half* h, int x) {
  vstore_half(x, 0, h);
}

//= OpenCL C 6.12.7: vload_half of a pointer to void
//= ok
void k(global void* h, global float* o) { *o = vload_half(0, h) + vload_half4(1, h).x; vstore_half(*o, 0, h); }

//= OpenCL C 6.12.7: vload of a pointer to volatile
//= ok
void k(global volatile int* p, global int4* o) { *o = vload4(0, p); }

//= OpenCL C 6.12.5: a scalar goes into every component of a vector argument
//= ok
void k(global float* o, float4 v, int4 i) { o[0] = dot(v, 1.0f) + dot(2, v) + distance(v, 0); v = max(v, 1) + pow(v, 2.0f) + mix(v, 1, 0.5f) + clamp(v, 0, 1); i = max(i, 1) + add_sat(i, 2) + rotate(i, 3); o[1] = v.x + i.y; }

//= OpenCL C 6.12.11: the operand of an atomic function has the sign of what the pointer points to
//= ok
void k(volatile global int* i, volatile local uint* u, uint a, int b) { atomic_add(i, a); atomic_add(u, b); atomic_cmpxchg(i, a, b); atomic_cmpxchg(u, b, 1); atomic_xchg(u, -1); atomic_min(i, 1u); }

//= OpenCL C 6.12.3: pointers to ints of the other sign
//= ok
void k(global float* o, global uint* e, float x) { *o = frexp(x, e) + remquo(x, 2.0f, e); }

//= OpenCL C 6.12.10: async copies are between global and local memory
//= error 2
kernel void k(local float* l, constant float* c) {
  async_work_group_copy(l, c, 4, 0);
}

//= OpenCL C 6.12.10: async copies from private memory
//= error 2
kernel void k(local float* l) { float p[4];
  async_work_group_copy(l, p, 4, 0);
}

//= OpenCL C 6.12.11: atom_xchg of a float
//= ok
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
kernel void k(volatile global float* p, float x) { p[1] = atom_xchg(p, x); }

//= OpenCL C 6.15.3: ctz before OpenCL C 2.0
//= error 2
kernel void k(global int* p) {
  *p = ctz(*p);
}

//= OpenCL C 6.12.2: DBL_RADIX and its kin are constants
//= ok
kernel void k(global int* p) { int a[DBL_RADIX + FLT_RADIX]; p[0] = sizeof(a) + DBL_DIG + FLT_DIG; }

//= OpenCL C 6.2.4.2: as of the types of pointers' size
//= ok
kernel void k(global uint* p) { p[0] = as_size_t(p[1]) + as_uintptr_t(p[1]) + as_ptrdiff_t(p[1]) + as_intptr_t(p[1]); }
