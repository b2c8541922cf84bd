//= OpenCL C 6.1.6: vector literals of scalars and vectors
//= ok
kernel void k(global float4* o, float2 a, float3 b) { o[0] = (float4)(1, 2, 3, 4); o[1] = (float4)(a, a); o[2] = (float4)(a, 1, 2); o[3] = (float4)(1, a, 2); o[4] = (float4)(b, 1); o[5] = (float4)(1); o[6] = (float4)(a.x, b.yz, 1); }

//= OpenCL C 6.1.6: too few components
//= error 2
kernel void k(global float4* o) {
  *o = (float4)(1, 2, 3);
}

//= OpenCL C 6.1.6: too many components
//= error 2
kernel void k(global float4* o) {
  *o = (float4)(1, 2, 3, 4, 5);
}

//= OpenCL C 6.1.6: too many components from vectors
//= error 2
kernel void k(global float4* o, float3 a) {
  *o = (float4)(a, a);
}

//= OpenCL C 6.1.6: components of another element type
//= error 2
kernel void k(global float4* o, int2 a) {
  *o = (float4)(a, 1, 2);
}

//= OpenCL C 6.1.6: scalar components are converted
//= ok
kernel void k(global float4* o, int a, double b, uchar c) { *o = (float4)(a, b, c, 'a'); }

//= OpenCL C 6.1.6: a literal from one vector of its own type
//= ok
kernel void k(global float4* o, float4 a) { *o = (float4)(a); }

//= OpenCL C 6.1.6: a literal from one shorter vector
//= error 2
kernel void k(global float4* o, float2 a) {
  *o = (float4)(a);
}

//= OpenCL C 6.1.6: a component may be an assignment or a comma
//= ok
kernel void k(global float2* o, float a) { *o = (float2)(a = 1, (a, 2)); }

//= OpenCL C 6.1.6: a vector literal is no lvalue
//= error 2
kernel void k(global float4* o) {
  (float4)(1, 2, 3, 4) = *o;
}

//= OpenCL C 6.1.6: an initialiser list for a vector
//= ok
kernel void k(global float4* o) { float4 v = { 1, 2, 3, 4 }; *o = v; }

//= OpenCL C 6.1.6: an initialiser list with vectors for a vector
//= ok
kernel void k(global float4* o, float2 a) { float4 v = { a, a }; float4 w = { 1, a, 2 }; *o = v + w; }

//= OpenCL C 6.1.6: a literal in program scope
//= ok
constant float4 v = (float4)(1, 2, 3, 4);
constant int2 list[2] = { (int2)(1, 2), (int2)(3) };
kernel void k(global float4* o) { *o = v + list[1].x; }

//= OpenCL C 6.1.7: components by letters
//= ok
kernel void k(global float4* o, float4 v) { o[0].x = v.w; o[0].yz = v.zy; o[1].xyzw = v.wzyx; o[2] = v.xxxx; o[3].xy = v.xy.yx; }

//= OpenCL C 6.1.7: components by numbers
//= ok
kernel void k(global float16* o, float16 v) { o->s0 = v.sF; o->s1a = v.Sab; o->S9 = v.sf; o[1] = v.sfedcba9876543210; o[2].s0123 = v.sCDEF; }

//= OpenCL C 6.1.7: hi, lo, odd, even
//= ok
kernel void k(global float8* o, float8 v) { o->lo = v.hi; o->even = v.odd; o->hi.lo = v.lo.hi; o[1].lo.lo.x = v.hi.hi.y; float4 w = v.even; float2 x = w.odd; o[2].s01 = x; }

//= OpenCL C 6.1.7: hi and lo of three components
//= ok
kernel void k(global float2* o, float3 v) { o[0] = v.lo; o[1].x = v.hi.x; o[2] = v.even; o[3].x = v.odd.x; }

//= OpenCL C 6.1.7: a component that the vector does not have
//= error 2
kernel void k(global float* o, float2 v) {
  *o = v.z;
}

//= OpenCL C 6.1.7: a numbered component that the vector does not have
//= error 2
kernel void k(global float* o, float4 v) {
  *o = v.s4;
}

//= OpenCL C 6.1.7: xyzw for vectors of more than four
//= error 2
kernel void k(global float* o, float8 v) {
  *o = v.x + v.q;
}

//= OpenCL C 6.1.7: x of a vector of eight
//= ok
kernel void k(global float* o, float8 v) { *o = v.x + v.w; }

//= OpenCL C 6.1.7: letters and numbers mixed
//= error 2
kernel void k(global float2* o, float4 v) {
  *o = v.xs1;
}

//= OpenCL C 6.1.7: rgba and xyzw do not mix
//= options: -cl-std=CL3.0
//= error 2
kernel void k(global float2* o, float4 v) {
  *o = v.xg;
}

//= OpenCL C 6.1.7: a swizzle of five components
//= error 2
kernel void k(global float4* o, float8 v) {
  *o = v.s01234;
}

//= OpenCL C 6.1.7: a component twice on the left
//= error 2
kernel void k(global float4* o, float2 v) {
  o->xx = v;
}

//= OpenCL C 6.1.7: a component twice on the right
//= ok
kernel void k(global float4* o, float4 v) { *o = v.xxyy; }

//= OpenCL C 6.1.7: a swizzle of another length on the left
//= error 2
kernel void k(global float4* o, float4 v) {
  o->xy = v;
}

//= OpenCL C 6.1.7: a component of a const vector
//= error 3
kernel void k(global float4* o) {
  const float4 v = 1;
  v.x = 2;
}

//= OpenCL C 6.1.7: a swizzle through a pointer to const
//= error 2
kernel void k(global const float4* o, float2 v) {
  o->xy = v;
}

//= OpenCL C 6.1.7: the address of a swizzle
//= error 2
kernel void k(global float4* o) {
  global float2* p = &o->xy;
}

//= OpenCL C 6.1.7: the address of a vector
//= ok
kernel void k(global float4* o) { global float4* p = &o[1]; *p = 1; global float* q = (global float*)p; q[2] = 3; }

//= OpenCL C 6.1.7: a constant index beyond the vector
//= error 2
kernel void k(global float* o, float4 v) {
  *o = v[4];
}

//= OpenCL C 6.1.7: a result of a function has components
//= ok
float4 f(void) { return 1; }
kernel void k(global float* o) { *o = f().x + f().yz.x + ((float2)(1, 2)).y + (f() + f()).w; }

//= OpenCL C 6.1.7: a component of a result cannot be written
//= error 3
float4 f(void) { return 1; }
kernel void k(global float* o) {
  f().x = 1;
}

//= OpenCL C 6.1.7: increments and compound assignments of swizzles
//= ok
kernel void k(global int4* o) { o->x++; --o->yz; o->xw += (int2)(1, 2); o->lo *= 2; o->zyx <<= 1; }

//= OpenCL C 6.3 a: arithmetic on vectors
//= ok
kernel void k(global float4* o, float4 a, float4 b, float c) { *o = a + b * c - a / b + 2 * b - (-a); }

//= OpenCL C 6.3 a: arithmetic on vectors of other element types
//= error 2
kernel void k(global float4* o, float4 a, int4 b) {
  *o = a + b;
}

//= OpenCL C 6.3 a: arithmetic on vectors of other lengths
//= error 2
kernel void k(global float4* o, float4 a, float2 b) {
  *o = a + b;
}

//= OpenCL C 6.3 j: an int shifts a vector of chars
//= ok
kernel void k(global char4* o, char4 a, int b) { *o = a << 1; *o = a >> b; }

//= OpenCL C 6.2.6: a uint meets a vector of ints
//= ok
kernel void k(global int4* o, int4 a, uint b) { *o = a + b; }

//= OpenCL C 6.2.6: an int meets a vector of floats
//= ok
kernel void k(global float4* o, float4 a, int b) { *o = a + b; }

//= OpenCL C 6.2.6: with -cl-single-precision-constant it does
//= options: -cl-single-precision-constant
//= ok
kernel void k(global float4* o, float4 a) { *o = a * 2.0; }

//= OpenCL C 6.3 b: % on vectors of ints
//= ok
kernel void k(global int4* o, int4 a, int4 b) { *o = a % b + a % 3; }

//= OpenCL C 6.3 b: % on vectors of floats
//= error 2
kernel void k(global float4* o, float4 a, float4 b) {
  *o = a % b;
}

//= OpenCL C 6.3 d: comparisons of vectors yield signed ints of the same width
//= ok
kernel void k(float4 a, double2 b, char3 c, ushort8 d, global int4* o1, global long2* o2, global char3* o3, global short8* o4) { *o1 = a < a; *o2 = b == b; *o3 = c != c; *o4 = d >= d; }

//= OpenCL C 6.3 d: a comparison of floats is no vector of floats
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = a < a;
}

//= OpenCL C 6.3 d: a comparison of uints yields ints
//= error 2
kernel void k(global uint4* o, uint4 a) {
  *o = a < a;
}

//= OpenCL C 6.3 d: a vector is compared with a scalar
//= ok
kernel void k(global int4* o, float4 a, float b) { *o = a > b; *o = 0 < a; }

//= OpenCL C 6.3 d: vectors of other types are not compared
//= error 2
kernel void k(global int4* o, float4 a, int4 b) {
  *o = a == b;
}

//= OpenCL C 6.3 f: bit operators on vectors
//= ok
kernel void k(global int4* o, int4 a, int4 b) { *o = (a & b) | (a ^ 3) | ~b; }

//= OpenCL C 6.3 f: bit operators on floats
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = a & a;
}

//= OpenCL C 6.3 f: ~ of a float vector
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = ~a;
}

//= OpenCL C 6.3 g: && and || of vectors
//= ok
kernel void k(global int4* o, int4 a, int4 b, float4 c) { *o = a && b || !a; *o = c && c; }

//= OpenCL C 6.3 g: && of vectors of other types
//= error 2
kernel void k(global int4* o, int4 a, float4 c) {
  *o = a && c;
}

//= OpenCL C 6.3 g: && of a vector and a scalar
//= ok
kernel void k(global int4* o, int4 a, int b) { *o = a && b; }

//= OpenCL C 6.3 h: ! of vectors
//= ok
kernel void k(global int4* o, float4 c, int4 a) { *o = !c; *o = !a; }

//= OpenCL C 6.3 i: ?: with a vector as condition
//= ok
kernel void k(global float4* o, int4 c, float4 a, float4 b) { *o = c ? a : b; *o = c ? a : 1.0f; }

//= OpenCL C 6.3 i: ?: with a condition of another length
//= error 2
kernel void k(global float4* o, int2 c, float4 a, float4 b) {
  *o = c ? a : b;
}

//= OpenCL C 6.3 i: ?: with a vector of floats as condition
//= error 2
kernel void k(global float4* o, float4 c, float4 a, float4 b) {
  *o = c ? a : b;
}

//= OpenCL C 6.3 i: ?: with vectors of other types
//= error 2
kernel void k(global float4* o, int4 c, float4 a, int4 b) {
  *o = c ? a : b;
}

//= OpenCL C 6.3 i: ?: with a scalar condition and vectors
//= ok
kernel void k(global float4* o, int c, float4 a, float4 b) { *o = c ? a : b; }

//= OpenCL C 6.3 i: ?: with a scalar condition and two vector types
//= error 2
kernel void k(global float4* o, int c, float4 a, float2 b) {
  *o = c ? a : b;
}

//= OpenCL C 6.3 i: ?: with a vector condition and scalars
//= ok
kernel void k(global int4* o, int4 c, int a, int b) { *o = c ? a : b; }

//= OpenCL C 6.3 j: shifts of vectors
//= ok
kernel void k(global int4* o, int4 a, int4 b, int c) { *o = a << b; *o = a >> c; *o = a << 3; }

//= OpenCL C 6.3 j: a scalar shifted by a vector
//= error 2
kernel void k(global int4* o, int a, int4 b) {
  *o = a << b;
}

//= OpenCL C 6.3 j: shifts of vectors of other lengths
//= error 2
kernel void k(global int4* o, int4 a, int2 b) {
  *o = a << b;
}

//= OpenCL C 6.3 j: a vector of floats shifted
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = a << 1;
}

//= OpenCL C 6.3 j: a vector shifted by a float
//= error 2
kernel void k(global int4* o, int4 a) {
  *o = a << 1.0f;
}

//= OpenCL C 6.3: a vector as the condition of if
//= error 2
kernel void k(global int* o, int4 a) {
  if (a) *o = 1;
}

//= OpenCL C 6.3: a vector as the condition of while
//= error 2
kernel void k(global int* o, int4 a) {
  while (a) *o = 1;
}

//= OpenCL C 6.3: a vector as the condition of for
//= error 2
kernel void k(global int* o, int4 a) {
  for (; a; ) *o = 1;
}

//= OpenCL C 6.3: a vector in a switch
//= error 2
kernel void k(global int* o, int4 a) {
  switch (a) { default: *o = 1; }
}

//= OpenCL C 6.3: assignments that compute
//= ok
kernel void k(global int4* o, int4 a, int b) { *o += a; *o *= b; *o <<= a; *o &= 3; *o %= a; }

//= OpenCL C 6.3: a scalar += a vector
//= error 2
kernel void k(global int* o, int4 a) {
  *o += a;
}

//= OpenCL C 6.3 c: increments of vectors
//= ok
kernel void k(global int4* o) { ++*o; (*o)--; o->x++; --o->yz; }

//= OpenCL C 6.3 k: sizeof a swizzle
//= ok
constant int check[sizeof(((float4)(1, 2, 3, 4)).xyz) == 16 && sizeof(((float4)(1, 2, 3, 4)).xy) == 8 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.11: vec_step
//= ok
constant int check[vec_step(float3) == 4 && vec_step(int) == 1 && vec_step(char16) == 16 ? 1 : -1] = { 0 };
kernel void k(global int* o, float4 v) { *o = vec_step(v); }

//= OpenCL C 6.1.6: a vector literal of a typedef
//= ok
typedef float4 vec;
typedef vec vec2nd;
kernel void k(global float4* o) { *o = (vec)(1, 2, 3, 4) + (vec2nd)(1); }

//= OpenCL C 6.1.6: a vector literal of a macro's type
//= ok
#define N 4
#define CAT(a, b) a##b
#define V(t, n) CAT(t, n)
kernel void k(global float4* o) { *o = (V(float, N))(1, 2, 3, 4); }

//= OpenCL C 6.1.6: a const vector type in a literal
//= ok
kernel void k(global float4* o) { *o = (const float4)(1, 2, 3, 4); }

//= OpenCL C 6.1.6: a literal is followed by operators
//= ok
kernel void k(global float4* o, float4 v) { *o = (float4)(1) * v + -(float4)(1, 2, 3, 4) - (float4)(0); o[1].x = (float4)(1, 2, 3, 4).y; }

//= OpenCL C 6.1.7: rgba is taken before 3.0 too
//= ok
kernel void k(global float* o, float4 v) {
  *o = v.r;
}

//= OpenCL C 6.1.7: rgba is there in 3.0
//= options: -cl-std=CL3.0
//= ok
kernel void k(global float* o, float4 v) { *o = v.r + v.gb.x + v.a; }

//= OpenCL C 6.1.7: the address of a component
//= error 2
kernel void k(global float4* o) {
  global float* p = &o->x;
}

//= OpenCL C 6.1.7: a vector in brackets
//= ok
kernel void k(global float* o, float4 v, int i) { v[1] = 2; *o = v[i] + v[0]; }

//= OpenCL C 6.1.7: a scalar has no components
//= error 2
kernel void k(global float* o, float v) {
  *o = v.x;
}

//= OpenCL C 6.2.6: a wider scalar does not meet a vector
//= error 2
kernel void k(global float4* o, float4 a, double b) {
  *o = a + b;
}

//= OpenCL C 6.2.6: an int literal does not meet a vector of chars
//= error 2
kernel void k(global char4* o, char4 a) {
  *o = a + 1;
}

//= OpenCL C 6.2.6: an int variable does not meet a vector of chars
//= error 2
kernel void k(global char4* o, char4 a, int b) {
  *o = a + b;
}

//= OpenCL C 6.2.6: a float does not meet a vector of ints
//= error 2
kernel void k(global int4* o, int4 a, float b) {
  *o = a + b;
}

//= OpenCL C 6.2.6: a long does not meet a vector of ints
//= error 2
kernel void k(global int4* o, int4 a, long b) {
  *o = a + b;
}

//= OpenCL C 6.2.6: a double literal does not meet a vector of floats
//= error 2
kernel void k(global float4* o, float4 a) {
  *o = a * 2.0;
}

//= OpenCL C 6.3 i: ?: with a condition of another width
//= error 2
kernel void k(global float4* o, char4 c, float4 a, float4 b) {
  *o = c ? a : b;
}

//= OpenCL C 6.3 c: increments of vectors of floats
//= error 2
kernel void k(global float4* o) {
  ++*o;
}

//= OpenCL C 6.1.6: a cast behind a vector type is the operand of a cast, not a vector literal
//= ok
kernel void k(global char2* p, global float4* q, int i) { p[0] = (char2)(char)0; p[1] = (char2)(char)(i); q[0] = (float4)(float)i; q[1] = (float4)(float)(int)(i); q[2] = (float4)(const float)i; }

//= OpenCL C 6.1.6: casts of casts of vector literals
//= ok
kernel void k(global float4* p, float i) { p[0] = (float4)(float4)(i); p[1] = (float4)(float4)(i, 1, 2, 3); p[2] = (float4)(float2)(i, 2).xyxy; p[3] = (float4)(float4)(float4)(float)1; p[4] = (float4)(float4)(i).wzyx; }

//= OpenCL C 6.1.6: a cast of a vector to a scalar within a literal is a cast of a component
//= ok
kernel void k(global float4* p, float4 v) { p[0] = (float4)((float)v.x, (float)(v.y), (float)(float4)(1).z, (float)(int)v[3]); }

//= OpenCL C 6.1.6: a vector literal of vector literals and casts
//= ok
kernel void k(global float4* p, float i) { p[0] = (float4)((float2)(i, 2), (float2)(i)); p[1] = (float4)((float2)(float)1, (float)2, (float)(char)3); p[2] = (float4)((float2)1, (float2)(float2)(2, 3)); }

//= OpenCL C 6.1.6: a cast of a compound literal is no vector literal
//= ok
kernel void k(global float4* p) { p[0] = (float4)(float4){ 1, 2, 3, 4 }; p[1] = (float4)(float){ 1 }; }

//= OpenCL C 6.1.6: a cast behind a vector type, of a name of a typedef and of typeof
//= ok
typedef float4 V; typedef float F; kernel void k(global float4* p, int i) { p[0] = (V)(F)3; p[1] = (V)(__typeof__(i))i; p[2] = (float4)(F)(i, 2); }

//= OpenCL C 6.1.6: casts behind a vector type in initialisers and constants
//= ok
constant int4 t[2] = { (int4)(int)1, (int4)(1, 2, 3, 4) }; kernel void k(global int4* p) { int4 v = (int4)(char)-1, w[2] = { (int4)(short)1, (int4)(int)2 }; *p = t[1] + v + w[1]; }

//= OpenCL C 6.2.2: a cast behind a vector type of another number of components
//= error 2
kernel void k(global int4* p) {
  *p = (int4)(int2)0;
}

//= OpenCL C 6.2.2: a cast behind a vector type of another element type
//= error 2
kernel void k(global int4* p) {
  *p = (int4)(float4)(1, 2, 3, 4);
}

//= OpenCL C 6.2.2: a pointer behind a vector type
//= error 2
kernel void k(global int4* p) {
  *p = (int4)(global int*)2;
}

//= OpenCL C 6.2.2: void behind a vector type
//= error 2
kernel void k(global int4* p) {
  *p = (int4)(void)2;
}
