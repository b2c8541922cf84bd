//= OpenCL C 6.5: pointers into every address space as arguments of a kernel
//= ok
kernel void k(global int* a, constant float* b, local char* c, __global uint* d, __constant short* e, __local float4* f) { *a = *b + *c + *d + *e + f->x; }

//= OpenCL C 6.5: a pointer without address space as an argument of a kernel
//= error 1
kernel void k(int* a) {
  *a = 1;
}

//= OpenCL C 6.5: a pointer to private memory as an argument of a kernel
//= error 1
kernel void k(private int* a) {
  *a = 1;
}

//= OpenCL C 6.5: a result that points into global memory
//= ok
global int* f(global int* p) { return p + 1; }
kernel void k(global int* o) { *f(o) = 1; }

//= OpenCL C 6.5: global to constant
//= error 2
kernel void k(global int* a, constant int* b) {
  constant int* p = a;
}

//= OpenCL C 6.5: global to private
//= error 2
kernel void k(global int* a) {
  int* p = a;
}

//= OpenCL C 6.5: private to global
//= error 3
kernel void k(global int* a) {
  int x;
  global int* p = &x;
}

//= OpenCL C 6.5: local to global
//= error 2
kernel void k(global int* a, local int* b) {
  a = b;
}

//= OpenCL C 6.5: a global pointer for a private parameter
//= error 3
int f(int* p) { return *p; }
kernel void k(global int* o) {
  *o = f(o);
}

//= OpenCL C 6.5: a private array for a global parameter
//= error 4
int f(global int* p) { return *p; }
kernel void k(global int* o) {
  int a[2] = { 1, 2 };
  *o = f(a);
}

//= OpenCL C 6.5: a pointer of another address space as a result
//= error 2
local int* f(global int* p) {
  return p;
}
kernel void k(void) {}

//= OpenCL C 6.5: a cast from global to local
//= error 2
kernel void k(global int* o) {
  local int* p = (local int*)o;
}

//= OpenCL C 6.5: a cast from constant to global
//= error 2
kernel void k(constant int* c, global int* o) {
  o = (global int*)c;
}

//= OpenCL C 6.5: a cast that leaves the address space out
//= error 2
kernel void k(global float* f, global int* o) {
  *o = *(int*)f;
}

//= OpenCL C 6.5: a cast within an address space
//= ok
kernel void k(global float* f, local int4* l) { *(global int*)f = 1; local char* c = (local char*)l; c[3] = 1; }

//= OpenCL C 6.5: a cast through an int
//= ok
kernel void k(global float* f) { local int* l = (local int*)(size_t)f; (void)l; }

//= OpenCL C 6.5: pointers into other address spaces are not compared
//= error 2
kernel void k(global int* a, local int* b) {
  *a = a == b;
}

//= OpenCL C 6.5: pointers into other address spaces are not subtracted
//= error 2
kernel void k(global int* a, local int* b) {
  *a = a - b;
}

//= OpenCL C 6.5: ?: of pointers into other address spaces
//= error 2
kernel void k(global int* a, local int* b, int c) {
  *a = *(c ? a : b);
}

//= OpenCL C 6.5: a pointer to a pointer into another address space
//= error 3
kernel void k(global int* a) {
  global int* p = a;
  local int** q = &p;
}

//= OpenCL C 6.5: two address spaces
//= error 1
kernel void k(global local int* a) {
}

//= OpenCL C 6.5: the address space after the type
//= ok
kernel void k(int global* a, float4 const constant* b) { *a = b->x; }

//= OpenCL C 6.5: the address space of a pointer itself
//= ok
kernel void k(global int* o) { global int* private p = o; local int* local q; *p = 1; if (get_local_id(0) == 0) q = 0; }

//= OpenCL C 6.5.1: a variable in global memory within a kernel
//= error 2
kernel void k(void) {
  global int a;
}

//= OpenCL C 6.5: a program-scope variable without address space
//= error 1
int a = 1;
kernel void k(void) {}

//= OpenCL C 6.5: a program-scope variable in global memory
//= error 1
global int a = 1;
kernel void k(void) {}

//= OpenCL C 6.5: a program-scope variable in private memory
//= error 1
private int a = 1;
kernel void k(void) {}

//= OpenCL C 6.5: a program-scope variable in local memory
//= error 1
local int a;
kernel void k(void) {}

//= OpenCL C 6.5: a const variable of the program is not in constant memory
//= error 1
const int a = 1;
kernel void k(void) {}

//= OpenCL C 2.0 6.5: program-scope variables in global memory
//= options: -cl-std=CL2.0
//= ok
global int a = 1;
int b[4] = { 1, 2 };
static global float c;
global int* d = &b[1];
kernel void k(global int* o) { *o = a + b[1] + c + *d; a = 2; }

//= OpenCL C 2.0 6.5: program-scope variables in local memory
//= options: -cl-std=CL2.0
//= error 1
local int a;
kernel void k(void) {}

//= OpenCL C 6.5.2: local variables of a kernel
//= ok
struct s { int a; float4 b[2]; };
kernel void k(global int* o) { local int a; local float4 b[16]; local struct s c[4]; local int d[2][8], e; a = 1; b[1] = 2; c[1].b[0].x = 3; d[1][2] = 4; e = 5; *o = a; }

//= OpenCL C 6.5.2: a local variable in a nested scope
//= error 3
kernel void k(global int* o, int n) {
  if (n) {
    local int a;
    a = 1;
  }
}

//= OpenCL C 6.5.2: a local variable in a loop
//= error 3
kernel void k(global int* o, int n) {
  for (int i = 0; i < n; i++) {
    local int a[4];
    a[0] = 1;
  }
}

//= OpenCL C 6.5.2: a local variable in a nested block
//= error 3
kernel void k(global int* o) {
  {
    local int a;
  }
}

//= OpenCL C 6.5.2: a local variable in a function
//= error 2
void f(void) {
  local int a;
}
kernel void k(void) {}

//= OpenCL C 6.5.2: a pointer to local memory in a function
//= ok
int f(local int* p) { local int* q = p + 1; return *q; }
kernel void k(global int* o) { local int a[2]; a[1] = 1; *o = f(a); }

//= OpenCL C 6.5.3: constants cannot be written
//= error 2
kernel void k(constant int* c) {
  *c = 1;
}

//= OpenCL C 6.5.3: program-scope constants cannot be written
//= error 3
constant int a = 1;
kernel void k(void) {
  a = 2;
}

//= OpenCL C 6.5.3: const is dropped
//= ok
kernel void k(global const int* o) { global int* p = o; *p = 1; }

//= OpenCL C 6.5.3: const is added
//= ok
int f(global const int* p) { return *p; }
kernel void k(global int* o) { *o = f(o); }

//= OpenCL C 6.5.4: private variables by name
//= ok
kernel void k(global int* o) { private int a = 1; __private float4 b = 2; private int* p = &a; *o = *p + b.x; }

//= OpenCL C 6.5.5: generic pointers do not exist in 1.2
//= error 2
kernel void k(global int* o) {
  generic int* p = o;
}

//= OpenCL C 2.0 6.5.5: constant is not generic
//= options: -cl-std=CL2.0
//= error 3
int f(int* p) { return *p; }
kernel void k(global int* o, constant int* c) {
  *o = f(c);
}

//= OpenCL C 2.0 6.5.5: a generic pointer as an argument of a kernel
//= options: -cl-std=CL2.0
//= error 1
kernel void k(int* o) {
}

//= OpenCL C 6.8: register is not supported
//= error 2
kernel void k(global int* o) {
  register int a = 1;
  *o = a;
}

//= OpenCL C 6.8: auto is not supported
//= error 2
kernel void k(global int* o) {
  auto int a = 1;
  *o = a;
}

//= OpenCL C 2.0 6.8: register is not supported
//= options: -cl-std=CL2.0
//= error 2
kernel void k(global int* o) {
  register int a = 1;
  *o = a;
}

//= OpenCL C 6.5: typedefs carry address spaces
//= ok
typedef global int gint; typedef gint* ptr;
kernel void k(ptr o, gint* p) { *o = *p; }

//= OpenCL C 6.5: local in a typedef of a variable
//= ok
typedef local int tile[16];
kernel void k(global int* o) { tile t; t[1] = 2; *o = t[1]; }

//= OpenCL C 6.5: an address space twice
//= ok
kernel void k(global global int* o) { *o = 1; }

//= OpenCL C 6.5: strings do not go into private pointers
//= error 3
int f(const char* s) { return s[0]; }
kernel void k(global int* o) {
  *o = f("abc");
}

//= OpenCL C 6.5: strings go into constant pointers
//= ok
int f(constant char* s) { return s[0]; }
kernel void k(global int* o) { *o = f("abc"); }

//= OpenCL C 6.5: the address of a local variable
//= ok
void f(local int* p) { *p = 1; }
kernel void k(global int* o) { local int a; local int b[4]; f(&a); f(b); f(&b[2]); *o = a; }

//= OpenCL C 6.5: pointers to volatile memory
//= ok
kernel void k(volatile global int* o, global volatile int* p) { *o = *p; atomic_add(o, 1); }

//= OpenCL C 6.5: a value with an address space as an argument
//= error 1
kernel void k(global int a) {
}

//= OpenCL C 6.5: a parameter in local memory
//= error 1
void f(local int a) {
}
kernel void k(void) {}

//= OpenCL C 6.5: a result in global memory
//= error 1
global int f(void) { return 1; }
kernel void k(void) {}

//= OpenCL C 6.5.3: a constant in a function
//= error 2
int f(void) {
  constant int a = 1;
  return a;
}
kernel void k(global int* o) { *o = f(); }

//= OpenCL C 6.5.3: a constant in a nested scope
//= error 3
kernel void k(global int* o, int n) {
  if (n) {
    constant int a = 1;
    *o = a;
  }
}

//= OpenCL C 2.0 6.5.5: generic pointers
//= options: -cl-std=CL2.0
//= ok
int f(int* p) { return *p; }
kernel void k(global int* o, local int* l) { int a = 1; *o = f(o) + f(l) + f(&a); int* p = o; p = l; *p = 1; }

//= OpenCL C 2.0 6.5.5: a generic pointer becomes global by a cast only
//= options: -cl-std=CL2.0
//= error 3
kernel void k(global int* o) {
  int* p = o;
  global int* q = p;
}

//= OpenCL C 2.0 6.5.5: a cast from generic
//= options: -cl-std=CL2.0
//= ok
kernel void k(global int* o) { int* p = o; global int* q = (global int*)p; *q = 1; }
