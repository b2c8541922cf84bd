//= C99 6.7.8: lists for arrays
//= ok
kernel void k(global int* o) { int a[4] = { 1, 2 }; int b[] = { 1, 2, 3, }; int c[2][2] = { { 1, 2 }, { 3, 4 } }; int d[2][2] = { 1, 2, 3 }; *o = a[3] + b[2] + c[1][0] + d[1][0] + sizeof(b); }

//= C99 6.7.8: designators
//= ok
struct s { int a, b; int c[3]; };
kernel void k(global int* o) { struct s v = { .b = 1, .c[1] = 2, 3, .a = 4 }; int l[8] = { [3] = 1, 2, [0] = 5 }; struct s w[2] = { [1] = { .c = { [2] = 1 } }, [0].a = 3 }; *o = v.a + l[4] + w[1].c[2]; }

//= C99 6.7.8: a range of elements, as GNU has it
//= ok
kernel void k(global int* o) { int l[8] = { [2 ... 5] = 7, 8 }; *o = l[4] + l[6]; }

//= C99 6.7.8: too many values for an array
//= error 1
kernel void k(global int* o) { int a[2] = { 1, 2, 3 }; *o = a[0]; }

//= C99 6.7.8: too many values for a struct
//= error 2
struct s { int a; };
kernel void k(global int* o) { struct s v = { 1, 2 }; *o = v.a; }

//= C99 6.7.8: too many values for a scalar
//= error 1
kernel void k(global int* o) { int a = { 1, 2 }; *o = a; }

//= C99 6.7.8: a scalar in braces
//= ok
kernel void k(global int* o) { int a = { 1 }; global int* p = { o }; *p = a; }

//= C99 6.7.8: an empty list
//= ok
struct s { int a; };
kernel void k(global int* o) { struct s v = {}; int a[2] = {}; *o = v.a + a[1]; }

//= C99 6.7.8: a designator for a member that does not exist
//= error 3
struct s { int a; };
kernel void k(global int* o) {
  struct s v = { .b = 1 };
}

//= C99 6.7.8: an element beyond the array
//= error 2
kernel void k(global int* o) {
  int a[2] = { [2] = 1 };
}

//= C99 6.7.8: a negative element
//= error 2
kernel void k(global int* o) {
  int a[2] = { [-1] = 1 };
}

//= C99 6.7.8: an element that is no constant
//= error 2
kernel void k(global int* o, int n) {
  int a[2] = { [n] = 1 };
}

//= C99 6.7.8: a member designator for an array
//= error 2
kernel void k(global int* o, int n) {
  int a[2] = { .x = 1 };
}

//= C99 6.7.8: an element designator for a struct
//= error 3
struct s { int a; };
kernel void k(global int* o, int n) {
  struct s v = { [0] = 1 };
}

//= C99 6.7.8: a designator for a scalar
//= error 2
kernel void k(global int* o, int n) {
  int v = { [0] = 1 };
}

//= C99 6.7.8: an array from one expression
//= error 2
kernel void k(global int* o) {
  int a[2] = 1;
}

//= C99 6.7.8: an array from another array
//= error 3
kernel void k(global int* o) {
  int a[2] = { 1, 2 };
  int b[2] = a;
}

//= C99 6.7.8: a struct from an expression of its type
//= ok
struct s { int a; };
kernel void k(global struct s* o) { struct s v = *o; struct s w[2] = { v, { 2 } }; *o = w[0]; }

//= C99 6.7.8: a struct from an int
//= error 3
struct s { int a; };
kernel void k(global int* o) {
  struct s v = 1;
}

//= C99 6.7.8: strings for arrays of chars
//= ok
kernel void k(global int* o) { char a[] = "abc"; char b[8] = "abc"; char c[3] = "abc"; uchar d[] = { "xyz" }; *o = a[1] + b[7] + c[2] + d[0] + sizeof(a); }

//= C99 6.7.8: a string that is too long for its array
//= error 1
kernel void k(global int* o) { char a[2] = "abc"; *o = a[1]; }

//= C99 6.7.8: a string for an array of ints
//= error 2
kernel void k(global int* o) {
  int a[] = "abc";
}

//= C99 6.7.8: program-scope data needs constants
//= error 2
int f(void) { return 1; }
constant int a = f();
kernel void k(void) {}

//= C99 6.7.8: program-scope data from another variable
//= ok
constant int a = 4;
constant int b = a + 1;
constant int list[3] = { a, b, a * b };
kernel void k(global int* o) { *o = list[2]; }

//= C99 6.7.8: addresses are constants
//= ok
constant int a[3] = { 1, 2, 3 };
constant int* constant p = &a[1];
constant int* constant q = a + 2;
constant int* constant list[2] = { a, &a[2] };
kernel void k(global int* o) { *o = *p + *q + *list[1]; }

//= C99 6.7.8: nested designators in constant memory
//= ok
struct point { float x, y; };
struct shape { int kind; struct point list[2]; float4 color; };
constant struct shape shapes[] = { { .kind = 1, .list = { { 1, 2 }, { .y = 4 } }, .color = (float4)(1, 0, 0, 1) }, [2] = { 3, { { 5 } } } };
constant int check[sizeof(shapes) / sizeof(shapes[0]) == 3 ? 1 : -1] = { 0 };
kernel void k(global float* o, int i) { *o = shapes[i].list[1].y + shapes[0].color.x; }

//= C99 6.7.8: matrices in constant memory
//= ok
constant float m[3][3] = { { 1, 2, 3 }, { 4 }, { [2] = 5 } };
constant int t[][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
kernel void k(global float* o, int i) { *o = m[i][2] + t[2][i]; }

//= C99 6.7.8: strings in constant memory
//= ok
constant char names[2][8] = { "one", "two" };
constant char* constant list[] = { "three", "four" };
kernel void k(global int* o, int i) { *o = names[i][0] + list[i][1]; }

//= OpenCL C 6.5.3: a constant in a kernel with initialiser
//= ok
kernel void k(global int* o, int i) { constant int list[3] = { 1, 2, 3 }; *o = list[i]; }

//= OpenCL C 6.5.3: a constant in a kernel from a variable
//= error 2
kernel void k(global int* o, int i) {
  constant int a = i;
}

//= OpenCL C 6.5.2: local memory has no initialiser
//= error 2
kernel void k(global int* o) {
  local int a = 1;
}

//= OpenCL C 6.5.2: a local array has no initialiser
//= error 2
kernel void k(global int* o) {
  local int a[2] = { 1, 2 };
}

//= C99 6.5.2.5: compound literals
//= ok
struct s { int a, b; };
kernel void k(global int* o) { struct s v = (struct s){ 1, 2 }; *o = ((int[]){ 1, 2, 3 })[1] + (int){ 4 } + (struct s){ 5 }.a; v = (struct s){ .a = 6 }; }

//= C99 6.5.2.5: the address of a compound literal is private
//= ok
struct s { int a, b; };
int f(struct s* p) { return p->b; }
kernel void k(global int* o) {
  *o = f(&(struct s){ .b = 3 });
}

//= C99 6.5.2.5: a compound literal of a vector
//= ok
kernel void k(global float4* o) { *o = (float4){ 1, 2, 3, 4 }; }

//= C99 6.5.2.5: a compound literal of an incomplete type
//= error 2
kernel void k(global int* o) {
  *o = ((struct nothing){ 1 }).a;
}

//= C99 6.5.2.5: a compound literal is an lvalue
//= ok
kernel void k(global int* o) { (int){ 1 } = 2; *o = ++(int){ 3 }; }

//= C99 6.7.8: an initialiser may use its own variable
//= ok
kernel void k(global int* o) { int size = sizeof(size); *o = size; }

//= C99 6.7.8: vectors in lists
//= ok
struct s { float4 v; int2 i; };
kernel void k(global float4* o, float2 a) { struct s v = { { 1, 2, 3, 4 }, { 5, 6 } }; float4 l[2] = { (float4)(1), { a, a } }; struct s w = { (float4)(2), (int2)(1) }; *o = v.v + l[1] + w.v; }

//= C99 6.7.8: a union takes a value for its first member
//= ok
union u { float f; int i; };
kernel void k(global int* o) { union u v = { 1.0f }; union u w = { .i = 3 }; *o = v.i + w.i; }

//= C99 6.7.8: a pointer from 0 and NULL
//= ok
kernel void k(global int* o) { global int* p = 0; int* q = NULL; *o = p == 0 && q == NULL; }

//= C99 6.7.8: a comma in an initialiser
//= error 2
kernel void k(global int* o) {
  int a = 1, 2;
}

//= C99 6.7.8: a list without an end
//= error 2
kernel void k(global int* o) {
  int a[2] = { 1, 2;
}

//= C99 6.7.8: a const variable needs no initialiser
//= ok
kernel void k(global int* o) { const int a; *o = 1; }

//= C99 6.7.8: an array of arrays from strings
//= ok
kernel void k(global int* o) { char a[2][4] = { "abc", { "de" } }; *o = a[1][1]; }

//= C99 6.7.8: a constant without initialiser
//= error 1
constant int a;
kernel void k(global int* o) { *o = a; }

//= OpenCL C 6.5.3: a constant in a kernel without initialiser
//= error 2
kernel void k(global int* o) {
  constant int a;
}
