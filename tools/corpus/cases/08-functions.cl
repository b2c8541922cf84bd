//= OpenCL C 6.7.1: kernel and __kernel
//= ok
kernel void a(global int* o) { *o = 1; }
__kernel void b(global int* o) { *o = 1; }
void kernel c(global int* o) { *o = 1; }

//= OpenCL C 6.9 g: a kernel returns void
//= error 1
kernel int k(global int* o) { return 1; }

//= OpenCL C 6.9 g: a kernel does not return a pointer
//= error 1
kernel global int* k(global int* o) { return o; }

//= OpenCL C 6.9 k: a bool argument of a kernel
//= error 1
kernel void k(bool b) {}

//= OpenCL C 6.9 k: an event_t argument of a kernel
//= error 1
kernel void k(event_t e) {}

//= OpenCL C 6.9 p: a pointer to a struct with a pointer as an argument of a kernel
//= ok
struct s { int a; global int* b; };
kernel void k(global struct s* v) { v->a = 1; }

//= OpenCL C 6.9 a: a pointer to a pointer as an argument of a kernel
//= error 1
kernel void k(global int* global* p) {}

//= OpenCL C 6.9 a: a pointer to a pointer as an argument of a function
//= ok
int f(global int** p) { return **p; }
kernel void k(global int* o) { *o = f(&o); }

//= OpenCL C 6.9: a pointer to a bool as an argument of a kernel
//= ok
kernel void k(global bool* b) {}

//= OpenCL C 6.9: a pointer to a size_t as an argument of a kernel
//= ok
kernel void k(global size_t* b) { *b = 1; }

//= OpenCL C 6.9: half by value as an argument of a kernel, without the extension
//= options: -Xclang -cl-ext=-cl_khr_fp16
//= error 1
kernel void k(half h) {}

//= OpenCL C 6.7: all that a kernel takes
//= ok
enum e { A };
struct s { float4 v; int a[3]; };
union u { int i; float f; };
kernel void k(char a, ulong b, float c, double d, uchar16 e, struct s f, union u g, enum e h, global struct s* i, constant float3* j, local uint* l, global void* m) {}

//= OpenCL C 6.7: an array as an argument of a kernel
//= ok
kernel void k(global int o[], constant float m[16], local int l[4]) { o[0] = m[3] + l[1]; }

//= OpenCL C 6.7: an array without address space as an argument of a kernel
//= error 1
kernel void k(int a[4]) {}

//= OpenCL C 6.7: a kernel without arguments
//= ok
kernel void a() {}
kernel void b(void) {}

//= OpenCL C 6.7: kernels call kernels
//= ok
kernel void a(global int* o) { *o = 1; }
kernel void b(global int* o) { a(o); }

//= OpenCL C 6.7: an inline kernel
//= ok
inline kernel void k(void) {}

//= OpenCL C 6.7: a kernel that is declared first
//= ok
kernel void k(global int* o);
kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.7: a variable is no kernel
//= error 1
kernel int x;

//= OpenCL C 6.7: a kernel within a function
//= error 2
void f(void) {
  kernel void k(void) {}
}

//= OpenCL C 6.7: kernel twice with the same name
//= error 2
kernel void k(void) {}
kernel void k(void) {}

//= OpenCL C 6.7: two kernels of one name with other arguments
//= error 2
kernel void k(int a) {}
kernel void k(float a) {}

//= C99 6.9.1: functions are declared before they are called
//= error 2
kernel void k(global int* o) {
  *o = f(1);
}
int f(int a) { return a; }

//= C99 6.9.1: prototypes
//= ok
int f(int a);
int g(int, float4, global int*);
kernel void k(global int* o) { *o = f(1) + g(1, 2, o); }
int f(int b) { return b; }
int g(int a, float4 b, global int* c) { return a; }

//= C99 6.9.1: a definition that differs from its prototype
//= error 2
int f(int a);
float f(int a) { return a; }
kernel void k(void) {}

//= C99 6.9.1: parameters that differ from the prototype
//= error 2
int f(int a);
int f(float a) { return 1; }
kernel void k(void) {}

//= C99 6.9.1: a function twice
//= error 2
int f(int a) { return 1; }
int f(int a) { return 2; }
kernel void k(void) {}

//= C99 6.9.1: a function and a variable of one name
//= error 2
constant int f = 1;
int f(int a) { return 2; }
kernel void k(void) {}

//= C99 6.9.1: definitions with a list of names (K&R)
//= ok
int f(a, b) int a; int b; { return a + b; }
kernel void k(void) {}

//= C99 6.9.1: parameters of a definition need names
//= ok
int f(int, int b) { return b; }
kernel void k(global int* o) { *o = f(1, 2); }

//= C99 6.7.5.3: the comma is missing between parameters
//= error 1
int f(int a int b) { return a; }
kernel void k(void) {}

//= C99 6.7.5.3: a comma after the last parameter
//= error 1
int f(int a, ) { return a; }
kernel void k(void) {}

//= C99 6.7.5.3: no parameters are an empty list
//= ok
int f() { return 1; }
kernel void k(global int* o) { *o = f(); }

//= C99 6.7.5.3: arguments for an empty list
//= error 3
int f() { return 1; }
kernel void k(global int* o) {
  *o = f(1);
}

//= C99 6.7.5.3: arrays are passed as pointers
//= ok
int f(int a[4], int b[][2], const int* c) { return a[1] + b[1][1] + *c; }
kernel void k(global int* o) { int a[4], b[2][2]; *o = f(a, b, a); }

//= C99 6.5.2.2: too few arguments
//= error 3
int f(int a, int b) { return a; }
kernel void k(global int* o) {
  *o = f(1);
}

//= C99 6.5.2.2: too many arguments
//= error 3
int f(int a, int b) { return a; }
kernel void k(global int* o) {
  *o = f(1, 2, 3);
}

//= C99 6.5.2.2: arguments are converted
//= ok
int f(float a, uchar b, float4 c) { return a + b + c.x; }
kernel void k(global int* o) { *o = f(1, 2.5f, 3); }

//= C99 6.5.2.2: a vector of another type as an argument
//= error 3
int f(float4 c) { return c.x; }
kernel void k(global int* o, int4 v) {
  *o = f(v);
}

//= C99 6.5.2.2: a vector for a scalar parameter
//= error 3
int f(float c) { return c; }
kernel void k(global int* o, float4 v) {
  *o = f(v);
}

//= C99 6.5.2.2: a comma without an argument
//= error 3
int f(int a, int b) { return a; }
kernel void k(global int* o) {
  *o = f(1, );
}

//= C99 6.5.2.2: a variable is no function
//= error 2
kernel void k(global int* o, int a) {
  *o = a(1);
}

//= C99 6.5.2.2: a result of void is no value
//= error 3
void f(void) {}
kernel void k(global int* o) {
  *o = f();
}

//= C99 6.5.2.2: a result of void in a sum
//= error 3
void f(void) {}
kernel void k(global int* o) {
  *o = 1 + f();
}

//= C99 6.8.6.4: return without a value
//= error 2
int f(void) {
  return;
}
kernel void k(void) {}

//= C99 6.8.6.4: return with a value in a function of void
//= error 2
void f(void) {
  return 1;
}
kernel void k(void) {}

//= C99 6.8.6.4: return of a call of void in a function of void
//= ok
void g(void) {}
void f(void) { return g(); }
kernel void k(void) { f(); }

//= C99 6.8.6.4: return of another type
//= error 2
int f(float4 v) {
  return v;
}
kernel void k(void) {}

//= C99 6.8.6.4: a function that does not return
//= ok
int f(int a) { if (a) return 1; }
kernel void k(global int* o) { *o = f(1); }

//= OpenCL C 6.9 i: recursion
//= error 2
int f(int n) {
  return n ? f(n - 1) : 0;
}
kernel void k(global int* o) { *o = f(3); }

//= OpenCL C 6.9 a: pointers to functions
//= error 3
int f(int a) { return a; }
kernel void k(global int* o) {
  int (*p)(int) = f;
}

//= OpenCL C 6.9 a: the address of a function
//= error 3
int f(int a) { return a; }
kernel void k(global int* o) {
  *o = (int)&f;
}

//= OpenCL C 6.9 a: a function in brackets is called
//= ok
int f(int a) { return a; }
kernel void k(global int* o) {
  *o = (f)(1);
}

//= OpenCL C 6.9 a: a function as a value
//= error 3
int f(int a) { return a; }
kernel void k(global int* o) {
  *o = f ? 1 : 2;
}

//= C99 6.7.1: static functions
//= ok
static int f(int a) { return a; }
kernel void k(global int* o) { *o = f(1); }

//= C99 6.7.4: inline functions
//= ok
inline int f(int a) { return a; }
static inline int g(int a) { return a; }
__inline int h(int a) { return a; }
kernel void k(global int* o) { *o = f(1) + g(2) + h(3); }

//= C99 6.7.4: an inline variable
//= error 2
kernel void k(global int* o) {
  inline int a = 1;
}

//= C99 6.7.1: extern functions
//= ok
extern int f(int a);
kernel void k(global int* o) { *o = f(1); }

//= C99 6.7.1: static variables in a function
//= error 2
kernel void k(global int* o) {
  static int a = 1;
}

//= C99 6.7.1: a static constant of the program
//= ok
static constant int a = 1;
kernel void k(global int* o) { *o = a; }

//= C99 6.7.1: an extern constant of the program
//= ok
extern constant int a;
kernel void k(global int* o) { *o = a; }

//= OpenCL C 6.8: static in 1.1
//= options: -cl-std=CL1.1
//= error 1
static int f(int a) { return a; }
kernel void k(global int* o) { *o = f(1); }

//= C99 6.7.1: a static parameter
//= error 1
int f(static int a) { return a; }
kernel void k(void) {}

//= C99 6.9.1: functions within functions
//= error 2
kernel void k(global int* o) {
  int f(int a) { return a; }
}

//= C99 6.7: a prototype within a function
//= ok
kernel void k(global int* o) { int f(int a); *o = f(1); }
int f(int a) { return a; }

//= C99 6.4.2.2: __func__
//= ok
kernel void k(global int* o) { *o = __func__[0] + sizeof(__func__); }

//= OpenCL C 6.9: the name of a built-in for a function
//= ok
int helper(int a) { return a; }
kernel void k(global int* o) { *o = helper(1); }

//= OpenCL C 6.12: a variable with the name of a built-in
//= ok
kernel void k(global int* o, int max) { int min = max + 1; *o = min; }

//= OpenCL C 6.7: const and volatile and restrict parameters
//= ok
kernel void k(global const int* restrict a, global volatile float* __restrict b, const int c, global int* const d) { *d = *a + *b + c; }

//= C99 6.7.3: a const pointer is not assigned
//= error 2
kernel void k(global int* const o) {
  o = 0;
}

//= C99 6.7.3: a const variable is not assigned
//= error 3
kernel void k(global int* o) {
  const int a = 1;
  a++;
}

//= C99 6.7.3: a const parameter is not assigned
//= error 2
int f(const int a) {
  a = 1;
  return a;
}
kernel void k(void) {}

//= C99 6.7.3: an array of const is not assigned
//= error 3
kernel void k(global int* o) {
  const int a[2] = { 1, 2 };
  a[0] = 1;
}

//= C99 6.7.3: const twice
//= ok
kernel void k(global const int const* o) {}

//= C99 6.7.3: qualifiers in any order
//= ok
kernel void k(int const volatile global* a, volatile global const int* b) { int const c = *a; *(global int*)b = c; }

//= OpenCL C 6.9: two functions of one name
//= error 2
int f(int a) { return a; }
float f(float a) { return a; }
kernel void k(void) {}

//= OpenCL C 6.12: a function with the name of a built-in and other parameters
//= ok
int get_global_id(int a) { return a; }
kernel void k(void) {}

//= OpenCL C 6.9 k: a size_t argument of a kernel
//= error 1
kernel void k(size_t n) {}

//= OpenCL C 6.9 k: a ptrdiff_t argument of a kernel
//= error 1
kernel void k(ptrdiff_t n) {}

//= OpenCL C 6.9 k: an intptr_t argument of a kernel
//= error 1
kernel void k(intptr_t n) {}

//= OpenCL C 6.9 k: a uintptr_t argument of a kernel
//= error 1
kernel void k(uintptr_t n) {}

//= OpenCL C 6.9 k: a struct with a bool as an argument of a kernel
//= error 2
struct s { int a; bool b; };
kernel void k(struct s v) {}

//= OpenCL C 6.9 k: a struct with a size_t as an argument of a kernel
//= error 2
struct s { int a; size_t b; };
kernel void k(struct s v) {}

//= OpenCL C 6.9 p: a struct with a pointer as an argument of a kernel
//= error 2
struct s { int a; global int* b; };
kernel void k(struct s v) {}

//= OpenCL C 6.9 p: a struct with a struct with a pointer as an argument of a kernel
//= error 3
struct t { global int* b; };
struct s { int a; struct t b[2]; };
kernel void k(struct s v) {}

//= OpenCL C 6.7: a static kernel
//= error 1
static kernel void k(void) {}

//= OpenCL C 6.9: a function is not called main
//= error 1
int main(int a) { return a; }
kernel void k(global int* o) { *o = main(1); }

//= C99 6.7.5.3: a parameter twice
//= error 2
int f(int a,
      int a) { return a; }
kernel void k(void) {}

//= C99 6.7.5.3: a parameter of void
//= error 1
int f(void a) { return 1; }
kernel void k(void) {}

//= C99 6.7.5.3: void and another parameter
//= error 1
int f(void, int a) { return 1; }
kernel void k(void) {}

//= C99 6.7.5.3: an incomplete parameter
//= error 2
struct s;
int f(struct s v) { return 1; }
kernel void k(void) {}

//= C99 6.7.5.3: a function returns no array
//= error 1
int f(void)[2];
kernel void k(void) {}

//= C99 6.7.5.3: a function returns no function
//= error 1
int f(void)(int);
kernel void k(void) {}

//= OpenCL C 6.9 e: variadic functions
//= error 1
int f(int a, ...) { return a; }
kernel void k(void) {}

//= OpenCL C 6.9 a: a pointer to a function as a parameter
//= error 1
int f(int (*p)(int)) { return 1; }
kernel void k(void) {}

//= OpenCL C 6.9 a: a typedef of a pointer to a function
//= error 1
typedef int (*callback)(int);
kernel void k(void) {}

//= OpenCL C 2.0 6.8: static variables in a function
//= options: -cl-std=CL2.0
//= ok
kernel void k(global int* o) { static int a = 1; static global int b = 2; *o = a++ + b; }

//= C99 6.7.3: restrict needs a pointer
//= error 1
kernel void k(global int* o, restrict int a) {}

//= C99 6.7.3: restrict of the elements
//= error 1
kernel void k(restrict global int* o) {}

//= clang: overloadable: two functions of one name
//= ok
float __attribute__((overloadable)) f(float x) { return x; }
int __attribute__((overloadable)) f(int x) { return x + 1; }
kernel void k(global float* o, global int* p) { *o = f(*o); *p = f(*p); }

//= clang: overloadable: an int for a float or a double
//= error 3
float __attribute__((overloadable)) f(float x) { return x; }
double __attribute__((overloadable)) f(double x) { return x; }
kernel void k(global float* o, global int* p) { *o = f(*p); }

//= clang: overloadable: no function takes a struct
//= error 4
float __attribute__((overloadable)) f(float2 x) { return x.x; }
int __attribute__((overloadable)) f(int4 x) { return x.x; }
struct s { int a; };
kernel void k(global float* o, global int* p) { struct s t; *o = f(t); }

//= clang: overloadable: a short is promoted to int
//= ok
float __attribute__((overloadable)) f(float x) { return x; }
int __attribute__((overloadable)) f(int x) { return x + 1; }
kernel void k(global float* o, global short* p) { *o = f(*p); }

//= clang: overloadable: pointers by address space and const
//= ok
float __attribute__((overloadable)) f(global float* x) { return *x; }
float __attribute__((overloadable)) f(global const float* x) { return *x; }
float __attribute__((overloadable)) f(local float* x) { return *x; }
kernel void k(global float* o, global const float* p, local float* l) { *o = f(o) + f(p) + f(l); }

//= clang: overloadable: functions that differ in their result only
//= error 2
float __attribute__((overloadable)) f(float x) { return x; }
int __attribute__((overloadable)) f(float x) { return x; }
kernel void k(void) { }

//= clang: overloadable: two bodies for the same parameters
//= error 2
float __attribute__((overloadable)) f(float x) { return x; }
float __attribute__((overloadable)) f(float x) { return x; }
kernel void k(void) { }

//= clang: overloadable: one function without the attribute, first
//= ok
float f(float x) { return x; }
int __attribute__((overloadable)) f(int x) { return x; }
kernel void k(global int* o) { *o = f(*o) + f(1.0f); }

//= clang: overloadable: one function without the attribute, last
//= ok
int __attribute__((overloadable)) f(int x) { return x; }
float f(float x) { return x; }
kernel void k(global int* o) { *o = f(*o) + f(1.0f); }

//= clang: overloadable: two functions without the attribute
//= error 3
int __attribute__((overloadable)) f(int x) { return x; }
float f(float x) { return x; }
long f(long x) { return x; }
kernel void k(global int* o) { *o = f(*o) + f(1.0f); }

//= clang: overloadable: a definition lacks the attribute of its prototype
//= error 3
int __attribute__((overloadable)) f(int x);
float __attribute__((overloadable)) f(float x);
int f(int x) { return x; }
kernel void k(global int* o) { *o = f(*o); }

//= clang: overloadable: a prototype lacks the attribute of its definition
//= error 2
int f(int x);
int __attribute__((overloadable)) f(int x) { return x; }
float __attribute__((overloadable)) f(float x) { return x; }
kernel void k(global int* o) { *o = f(*o); }

//= clang: overloadable: a kernel
//= ok
__attribute__((overloadable)) kernel void k(global int* o) { *o = 1; }

//= clang: overloadable: the name of a built-in function is hidden
//= error 3
typedef struct { float x; } R;
__attribute__((overloadable)) R max(R a, R b) { return a.x > b.x ? a : b; }
kernel void k(global float* o) { R a = { 1 }, b = { 2 }; *o = max(max(a, b).x, *o); }

//= clang: overloadable: functions of one and of two parameters
//= ok
int __attribute__((overloadable)) f(int x) { return x; }
int __attribute__((overloadable)) f(int x, int y) { return x + y; }
kernel void k(global int* o) { *o = f(1) + f(1, 2); }

//= clang: overloadable: no function takes three
//= error 3
int __attribute__((overloadable)) f(int x) { return x; }
int __attribute__((overloadable)) f(int x, int y) { return x + y; }
kernel void k(global int* o) { *o = f(1, 2, 3); }

//= clang: overloadable: each function is better in one argument
//= error 3
int __attribute__((overloadable)) f(int x, float y) { return x; }
int __attribute__((overloadable)) f(float x, int y) { return x; }
kernel void k(global int* o) { *o = f(1, 1); }

//= clang: overloadable: a scalar is nearer to a scalar than to a vector
//= ok
int __attribute__((overloadable)) f(float4 x) { return x.x; }
int __attribute__((overloadable)) f(float x) { return x; }
kernel void k(global int* o) { *o = f(1); }

//= clang: overloadable: a scalar for two vectors
//= error 3
int __attribute__((overloadable)) f(float4 x) { return x.x; }
int __attribute__((overloadable)) f(float2 x) { return x.x; }
kernel void k(global int* o) { *o = f(1.0f); }

//= clang: overloadable: a const parameter is no other parameter
//= error 2
int __attribute__((overloadable)) f(int x) { return x; }
int __attribute__((overloadable)) f(const int x) { return x; }
kernel void k(global int* o) { *o = f(1); }

//= clang: overloadable: images by access and kind
//= ok
int __attribute__((overloadable)) w(read_only image2d_t x) { return get_image_width(x); }
int __attribute__((overloadable)) w(write_only image2d_t x) { return 2 * get_image_width(x); }
int __attribute__((overloadable)) w(image3d_t x) { return 3; }
kernel void k(global int* o, image2d_t a, write_only image2d_t b, image3d_t c) { *o = w(a) + w(b) + w(c); }

//= clang: overloadable: void takes what nothing else takes
//= ok
int __attribute__((overloadable)) f(global void* x) { return 1; }
int __attribute__((overloadable)) f(global float* x) { return 2; }
kernel void k(global int* o) { *o = f(o); }

//= C99 6.7.5.3: a pointer to an array and an array of arrays are one parameter
//= ok
float f(constant float (*p)[4]); float f(constant float p[][4]); float f(constant float p[3][4]) { return p[1][2]; } float g(local float (*p)[4][2]); float g(local float p[][4][2]) { return p[1][2][0]; } kernel void k(global float* o, constant float* c) { *o = f((constant float (*)[4])c); }

//= C99 6.7.5.3: arrays of other lengths in two declarations
//= error 2
float f(global float p[3][4]);
float f(global float p[3][5]) { return p[1][2]; }

//= C99 6.7.3: const elements of an array are a const array
//= ok
typedef float A[4]; float f(local const A* p); float f(const local float p[][4]) { return p[0][1]; }

//= C99 6.7.3: const elements in one of two declarations
//= error 2
float f(local const float (*p)[4]);
float f(local float p[][4]) { return p[0][1]; }

//= C99 6.2.7: an array without a length is compatible with one that has it
//= ok
float f(local float (*p)[]); float f(local float (*p)[4]) { return p[1][2]; }

//= C99 6.7.5.3: a typedef of an array twice
//= ok
typedef float A[4]; typedef float A[4]; kernel void k(global A* p) { p[0][1] = 1; }

//= C99 6.7.5.3: a parameter that is const in the definition only
//= error 3
void f(int a);
void f(const int a) {
  a = 1;
}

//= C99 6.9.2: an extern variable of a struct that is defined later
//= ok
extern constant struct S s; extern constant union U u; constant struct S* f(void) { return &s; } struct S { int a, b; }; union U { int a; float b; }; constant struct S s = { 3, 4 }; constant union U u = { 5 }; kernel void k(global int* o) { *o = s.a + f()->b + u.a; }

//= C99 6.9.2: an extern variable of a struct that is never defined
//= ok
extern constant struct S s; kernel void k(global int* o) { *o = 1; }

//= C99 6.9.2: a member of an extern variable of a struct that is not defined
//= error 3
extern constant struct S s;
kernel void k(global int* o) {
  *o = s.a;
}

//= C99 6.9.2: an extern array of a struct that is not defined
//= error 1
extern constant struct S s[2]; kernel void k(global int* o) { *o = 1; }

//= OpenCL C 6.12: a program may declare a built-in itself
//= ok
void __attribute__((overloadable)) barrier(uint); size_t __attribute__((const)) __attribute__((overloadable)) get_global_id(uint dimension); float __attribute__((overloadable)) sqrt(float); kernel void k(global float* o) { barrier(1); o[get_global_id(0)] = sqrt(2.0f); }

//= OpenCL C 6.12.13: a program may declare printf itself
//= ok
int printf(__constant const char* format, ...) __attribute__((format(printf, 1, 2))); kernel void k(global float* o) { printf("%d", 3); }

//= OpenCL C 6.9 e: a program may not define printf
//= error 1
int printf(__constant const char* format, ...) { return 0; }
