//= OpenCL C 6.1.1: every scalar type has its size
//= ok
#define IS(type, size) (sizeof(type) == size)
constant int check[IS(bool, 1) && IS(char, 1) && IS(uchar, 1) && IS(short, 2) && IS(ushort, 2) && IS(int, 4) && IS(uint, 4) && IS(long, 8) && IS(ulong, 8) && IS(float, 4) && IS(double, 8) && IS(half, 2) ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.1.1: size_t and related types
//= ok
kernel void k(global int* o) { size_t a = 1; ptrdiff_t b = -1; intptr_t c = (intptr_t)o; uintptr_t d = (uintptr_t)o; *o = a + b + (c == (intptr_t)d); }

//= OpenCL C 6.1.1: words of C for the same types
//= ok
kernel void k(global int* o) {
  unsigned a = 1; unsigned int b = 2; int unsigned c = 3; unsigned char d = 4; unsigned short int e = 5; long unsigned int f = 6; signed g = -1; signed char h = -2; short signed i = -3; long int j = -4; unsigned long l = 7;
  *o = a + b + c + d + e + (int)f + g + h + i + (int)j + (int)l;
}

//= OpenCL C 6.1.1: unsigned float
//= error 2
kernel void k(global int* o) {
  unsigned float f = 1;
}

//= OpenCL C 6.1.1: signed unsigned
//= error 2
kernel void k(global int* o) {
  signed unsigned int f = 1;
}

//= OpenCL C 6.1.1: short long
//= error 2
kernel void k(global int* o) {
  short long f = 1;
}

//= OpenCL C 6.1.1: int twice
//= error 2
kernel void k(global int* o) {
  int int f = 1;
}

//= OpenCL C 6.1.1: two types
//= error 2
kernel void k(global int* o) {
  int float f = 1;
}

//= OpenCL C 6.1.4: long long is reserved, and taken as long by clang
//= ok
kernel void k(global int* o) {
  long long x = 1;
}

//= OpenCL C 6.9: long double is reserved
//= error 2
kernel void k(global int* o) {
  long double x = 1;
}

//= OpenCL C 6.1.4: complex is reserved
//= error 2
kernel void k(global int* o) {
  float complex x;
}

//= OpenCL C 6.1.4: bool vectors are reserved
//= error 2
kernel void k(global int* o) {
  bool4 x;
}

//= OpenCL C 6.1.2: every vector type has its size
//= ok
#define S(t, n) (sizeof(t##2) == 2 * n && sizeof(t##3) == 4 * n && sizeof(t##4) == 4 * n && sizeof(t##8) == 8 * n && sizeof(t##16) == 16 * n)
constant int check[S(char, 1) && S(uchar, 1) && S(short, 2) && S(ushort, 2) && S(int, 4) && S(uint, 4) && S(long, 8) && S(ulong, 8) && S(float, 4) && S(double, 8) ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.1.2: float5 does not exist
//= error 2
kernel void k(global float* o) {
  float5 x;
}

//= OpenCL C 6.1.2: unsigned int4 does not exist
//= error 2
kernel void k(global int* o) {
  unsigned int4 x = 1;
}

//= OpenCL C 6.1.1: void is no type of a variable
//= error 2
kernel void k(global int* o) {
  void x;
}

//= C99 6.7.2: the type is missing
//= error 2
kernel void k(global int* o) {
  const x = 1;
}

//= C99 6.7.2: an implicit int in front of a function
//= error 1
f(int a) { return a; }
kernel void k(global int* o) { *o = f(1); }

//= C99 6.7.2: a type that does not exist
//= error 2
kernel void k(global int* o) {
  real x = 1;
}

//= C99 6.7.2: a type of C++
//= error 2
kernel void k(global int* o) {
  auto x = vector<int>();
}

//= OpenCL C 6.1.1.1: pointers to half and arrays of half
//= options: -Xclang -cl-ext=-cl_khr_fp16
//= ok
kernel void k(global half* o, global float* p, local half* l) { *p = vload_half(0, o + 1); vstore_half(*p, 0, l); }

//= OpenCL C 6.2.1: scalars convert into each other
//= ok
kernel void k(global float* o, char a, ulong b, double c) { float f = a; f = b; f = c; int i = f; i = c; uchar u = i; bool t = f; o[0] = f + i + u + t; }

//= OpenCL C 6.2.1: vectors do not convert into other vectors
//= error 2
kernel void k(global float4* o, int4 v) {
  *o = v;
}

//= OpenCL C 6.2.1: vectors of another length do not convert
//= error 2
kernel void k(global float4* o, float2 v) {
  *o = v;
}

//= OpenCL C 6.2.1: a vector is no scalar
//= error 2
kernel void k(global float* o, float2 v) {
  *o = v;
}

//= OpenCL C 6.2.1: a scalar becomes a vector
//= ok
kernel void k(global float4* o, float a, int b) { *o = a; *o = b; *o = 1; float4 v = 2; *o += v; }

//= OpenCL C 6.2.1: a wider scalar becomes a vector by assignment
//= ok
kernel void k(global float4* o, double a) { float4 v = a; *o = v; }

//= OpenCL C 6.2.2: a cast of a vector into another
//= error 2
kernel void k(global float4* o, int4 v) {
  *o = (float4)v;
}

//= OpenCL C 6.2.2: a cast of a vector into its own type
//= ok
kernel void k(global float4* o, float4 v) { *o = (float4)v; }

//= OpenCL C 6.2.2: a cast of a scalar to a vector
//= ok
kernel void k(global float4* o, int a, double d) { *o = (float4)a; *o = (float4)d; *o = (float4)1; }

//= OpenCL C 6.2.2: a cast of a vector to a scalar
//= error 2
kernel void k(global float* o, float4 v) {
  *o = (float)v;
}

//= OpenCL C 6.2.2: scalar casts
//= ok
kernel void k(global int* o, float f, long l) { *o = (int)f + (uchar)l + (bool)f + (int)(char)300 + (int)-1.5; }

//= OpenCL C 6.2.3: convert functions
//= ok
kernel void k(global int4* o, float4 f, uchar4 u, double4 d) { *o = convert_int4(f) + convert_int4_sat(f) + convert_int4_rte(d) + convert_int4_sat_rtz(f) + convert_int4(u); char c = convert_char(3.5f); o[1] = c; }

//= OpenCL C 6.2.3: convert to another length
//= error 2
kernel void k(global int4* o, float2 f) {
  *o = convert_int4(f);
}

//= OpenCL C 6.2.3: convert to a float with _sat
//= error 2
kernel void k(global float4* o, int4 v) {
  *o = convert_float4_sat(v);
}

//= OpenCL C 6.2.3: convert with a rounding that does not exist
//= error 2
kernel void k(global int4* o, float4 v) {
  *o = convert_int4_rtx(v);
}

//= OpenCL C 6.2.3: convert with the parts in another order
//= error 2
kernel void k(global int4* o, float4 v) {
  *o = convert_int4_rte_sat(v);
}

//= OpenCL C 6.2.3: convert to bool
//= error 2
kernel void k(global int* o, float v) {
  *o = convert_bool(v);
}

//= OpenCL C 6.2.3: convert of two values
//= error 2
kernel void k(global int* o, float v) {
  *o = convert_int(v, v);
}

//= OpenCL C 6.2.4.2: as functions
//= ok
kernel void k(global int4* o, float4 f, uchar16 u) { *o = as_int4(f) + as_int4(u); o[1].x = as_int(1.0f); o[2].xy = as_int2(1.0); o[3].xyz = as_int3(f); }

//= OpenCL C 6.2.4.2: as to a type of another size
//= error 2
kernel void k(global int* o, float4 f) {
  *o = as_int(f);
}

//= OpenCL C 6.2.4.2: as from three components to four
//= ok
kernel void k(global int4* o, float3 f) { *o = as_int4(f); }

//= OpenCL C 6.2.4.2: as of a pointer
//= error 2
kernel void k(global int* o) {
  *o = as_int(o);
}

//= OpenCL C 6.2.4.1: unions reinterpret
//= ok
kernel void k(global uint* o, float f) { union { float f; uint u; uchar4 b; } x; x.f = f; *o = x.u + x.b.w; }

//= C99 6.3.2.3: a pointer to an int by cast
//= ok
kernel void k(global int* o) { size_t a = (size_t)o; *o = (int)a; global int* p = (global int*)a; p[1] = 1; }

//= C99 6.3.2.3: an int to a pointer without cast
//= error 2
kernel void k(global int* o, int a) {
  global int* p = a;
}

//= C99 6.3.2.3: a pointer to an int without cast
//= error 2
kernel void k(global int* o, int a) {
  a = o;
}

//= C99 6.3.2.3: a float to a pointer
//= error 2
kernel void k(global int* o, float a) {
  global int* p = (global int*)a;
}

//= C99 6.3.2.3: a pointer to a float
//= error 2
kernel void k(global int* o, float a) {
  a = (float)o;
}

//= C99 6.5.4: a cast to a struct
//= error 3
struct s { int a; };
kernel void k(global int* o) {
  *o = ((struct s)1).a;
}

//= C99 6.5.4: a cast to an array
//= error 2
kernel void k(global int* o) {
  *o = ((int[2])1)[0];
}

//= C99 6.5.4: a cast to void
//= ok
kernel void k(global int* o) { (void)o; (void)(o[0] = 1); }

//= C99 6.5.4: a struct cannot be cast
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s v) {
  *o = (int)v;
}

//= C99 6.7.5: pointers, arrays and both
//= ok
kernel void k(global int* o) { int a[3][2] = { { 1, 2 }, { 3 } }; int (*row)[2] = a; int* list[2] = { &a[0][0], a[1] }; int** p = list; *o = (*row)[1] + row[1][0] + **p + *p[1]; }

//= OpenCL C 6.9 d: a variable-length array
//= error 2
kernel void k(global int* o, int n) {
  int list[n];
}

//= C99 6.7.5.2: an array of no elements
//= error 2
kernel void k(global int* o) {
  int list[-1];
}

//= C99 6.7.5.2: the size of an array is no float
//= error 2
kernel void k(global int* o) {
  int list[2.0f];
}

//= C99 6.7.5.2: an array of functions
//= error 2
kernel void k(global int* o) {
  int list[2](void);
}

//= C99 6.7.5.2: an array of voids
//= error 2
kernel void k(global int* o) {
  void list[2];
}

//= C99 6.7.5.2: an array without size
//= error 2
kernel void k(global int* o) {
  int list[];
}

//= C99 6.7.5.2: static in an array parameter
//= ok
int f(int a[static 2]) { return a[1]; }
kernel void k(global int* o) { int a[2] = { 1, 2 }; *o = f(a); }

//= C99 6.7.7: typedefs of scalars, vectors, pointers, arrays
//= ok
typedef float real; typedef real real_t; typedef float4 vec; typedef global float* ptr; typedef int four[4];
kernel void k(ptr o) { real_t a = 1; vec v = (vec)(a); four b = { 1, 2 }; *o = v.x + b[1]; }

//= C99 6.7.7: a typedef hides a name and is hidden
//= ok
typedef int T;
kernel void k(global int* o) { T T = 1; { int x = T + 1; *o = x; } }

//= C99 6.7.7: a typedef twice with the same type
//= ok
typedef int T;
typedef int T;
kernel void k(global T* o) { *o = 1; }

//= C99 6.7.7: a typedef twice with other types
//= error 2
typedef int T;
typedef float T;
kernel void k(void) {}

//= C99 6.7.7: a typedef and a variable in one scope
//= error 2
typedef int T;
constant int T = 1;
kernel void k(void) {}

//= C99 6.7.7: a typedef is no value
//= error 3
typedef int T;
kernel void k(global int* o) {
  *o = T + 1;
}

//= C99 6.7.7: a typedef has no initialiser
//= error 1
typedef int T = 4;
kernel void k(void) {}

//= C99 6.7.1: two storage classes
//= error 1
typedef static int T;
kernel void k(void) {}

//= C99 6.7.6: names of types
//= ok
kernel void k(global int* o) { *o = sizeof(int*) + sizeof(int[3]) + sizeof(int(*)[3]) + sizeof(global float4*) + sizeof(const struct { int a; }); }

//= C99 6.3.1.1: integer promotion
//= ok
constant int check[sizeof((char)1 + (char)1) == 4 && sizeof((short)1 << 1L) == 4 && sizeof(1 + 1u) == 4 && sizeof(1 + 1L) == 8 && sizeof(-(char)1) == 4 && sizeof((char)1) == 1 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.3.1.8: the usual conversions
//= ok
constant int check[-1 > 0u && -1L < 0u && sizeof(1 + 1.0f) == 4 && sizeof(1L + 1.0f) == 4 && sizeof(1.0f + 1.0) == 8 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.1.3: events are no numbers
//= error 3
kernel void k(global int* o) {
  event_t e = 0;
  *o = e;
}

//= OpenCL C 6.1.3: an event may be 0
//= ok
kernel void k(global int* o, local int* l) { event_t e = async_work_group_copy(l, o, 4, 0); wait_group_events(1, &e); }

//= OpenCL C 6.1.5: alignment of types
//= ok
constant int check[__alignof__(float4) == 16 && __alignof__(char3) == 4 && __alignof__(double2) == 16 && __alignof__(int) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.7.2: _Bool
//= ok
kernel void k(global int* o) { _Bool b = 3; *o = b; }

//= C99 6.2.6: void pointers
//= ok
kernel void k(global void* p, global int* o) { global int* q = p; *o = *q; global void* r = q; *o = r == p; }

//= clang: typeof
//= error 1
kernel void k(global int* o) { __typeof__(*o + 0) a = 1; typeof(a) b = a; *o = b; }

//= OpenCL C 6.1.1.1: half is for memory without cl_khr_fp16
//= options: -Xclang -cl-ext=-cl_khr_fp16
//= error 2
kernel void k(global half* o) {
  half h = 1;
}

//= OpenCL C 9.5.1: half is for memory until the program enables cl_khr_fp16
//= error 2
kernel void k(global half* o) {
  half h = 1;
}

//= OpenCL C 9.5.1: an array of half, without the pragma
//= error 2
kernel void k(global half* o) {
  local half tile[16];
  vstore_half(1.0f, 0, tile);
}

//= OpenCL C 9.5.1: a half is read, without the pragma
//= error 2
kernel void k(global half* h, global float* o) {
  *o = h[1];
}

//= OpenCL C 9.5.1: a half is written, without the pragma
//= error 2
kernel void k(global half* h, global float* o) {
  h[1] = *o;
}

//= OpenCL C 9.5.1: a half is copied, without the pragma
//= error 2
kernel void k(global half* h) {
  h[1] = h[0];
}

//= OpenCL C 9.5.1: a component of a vector of halves is read, without the pragma
//= error 2
kernel void k(global half2* h, global float* o) {
  *o = h->x;
}

//= OpenCL C 9.5.1: a cast to half, without the pragma
//= error 2
kernel void k(global float* o) {
  *o = (float)(half)*o;
}

//= OpenCL C 9.5.1: a constant of half, without the pragma
//= error 2
kernel void k(global float* o) {
  *o = 1.5h;
}

//= OpenCL C 9.5.1: half as a parameter, without the pragma
//= error 1
float f(half h);
kernel void k(void) {}

//= OpenCL C 9.5.1: half is switched off again
//= error 6
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half f(half h) { return h * 2.0h; }
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
float g(global half* h) { return vload_half(0, h); }
kernel void k(global half* h) {
  *h = f(*h);
}

//= OpenCL C 6.1.1.1: what may be done with half without the extension
//= ok
struct pair { half x; half y; };
float f(constant half* h) { return vload_half(0, h + 2); }
kernel void k(global struct pair* p, local half* tile, constant half* h, global int* o) {
  global half* x = &p->y;
  vstore_half(f(h), 1, tile);
  *o = sizeof(half) + sizeof(*h) + (x != 0);
}

//= C99 6.7.5: a word of the language as the second name of a declaration
//= error 2
kernel void k(global int* o) {
  int a = 1, half = 2;
  *o = a;
}

//= OpenCL C 6.1.9: a kernel cannot be called half
//= error 1
kernel void half(global int* o) { *o = 1; }

//= C99 6.4.1: a member cannot be called float
//= error 1
struct pair { int x; int float; };
kernel void k(void) {}

//= OpenCL C 6.1.1.1: half as a result without cl_khr_fp16
//= options: -Xclang -cl-ext=-cl_khr_fp16
//= error 1
half f(void);
kernel void k(void) {}

//= OpenCL C 6.1.1.1: half as a parameter without cl_khr_fp16
//= options: -Xclang -cl-ext=-cl_khr_fp16
//= error 1
void f(half h) {}
kernel void k(void) {}

//= OpenCL C 6.2.3: convert to size_t
//= error 2
kernel void k(global int* o, float v) {
  *o = convert_size_t(v);
}

//= C99 6.7.5.2: only the first size may be missing
//= error 2
kernel void k(global int* o) {
  int list[2][] = { { 1 }, { 2 } };
}


//= OpenCL C 6.1.9: half is a word of the language, not a name
//= error 2
kernel void k(global int* o) {
  int half = 1;
  *o = half;
}
