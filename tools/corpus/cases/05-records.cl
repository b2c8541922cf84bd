//= C99 6.7.2.1: structs with members of all kinds
//= ok
struct inner { char c; float3 v; };
struct s { int a, *p; struct inner b[2]; union { int i; float f; } u; enum { X, Y } e; };
kernel void k(global int* o) { struct s s; s.a = 1; s.b[1].v.y = 2; s.u.f = 1; s.e = Y; s.p = &s.a; *o = s.u.i + *s.p + s.e; }

//= C99 6.7.2.1: a member that does not exist
//= error 4
struct s { int a; };
kernel void k(global int* o) {
  struct s s;
  s.b = 1;
}

//= C99 6.7.2.1: a struct within itself
//= error 3
struct s {
  int a;
  struct s b;
};
kernel void k(void) {}

//= C99 6.7.2.1: a pointer to the struct within itself
//= ok
struct s { int a; struct s* next; };
kernel void k(global int* o) { struct s a = { 1, 0 }, b = { 2, &a }; *o = b.next->a; }

//= C99 6.7.2.1: a struct without a definition
//= error 3
struct s;
kernel void k(global int* o) {
  struct s v;
}

//= C99 6.7.2.1: a pointer to a struct without a definition
//= ok
struct s;
int f(global struct s* p) { return p == 0; }
kernel void k(global int* o) { *o = f(0); }

//= C99 6.7.2.1: reading through a pointer to a struct without a definition
//= error 3
struct s;
int f(struct s* p) {
  return p->a;
}
kernel void k(void) {}

//= C99 6.7.2.1: a struct twice
//= error 2
struct s { int a; };
struct s { int a; };
kernel void k(void) {}

//= C99 6.7.2.3: a struct of the same tag in an inner scope
//= ok
struct s { int a; };
kernel void k(global int* o) { struct s { float b; } v = { 1 }; *o = v.b; { struct s; struct s* p = 0; *o += p == 0; } }

//= OpenCL C 6.9 c: bit-fields
//= error 2
struct s {
  int a : 4;
};
kernel void k(void) {}

//= OpenCL C 6.9 c: unnamed bit-fields
//= error 3
struct s {
  int a;
  int : 4;
};
kernel void k(void) {}

//= OpenCL C 6.9 d: a flexible array member
//= error 3
struct s {
  int n;
  float list[];
};
kernel void k(void) {}

//= C99 6.7.2.1: a function as a member
//= error 2
struct s {
  int f(int);
};
kernel void k(void) {}

//= C99 6.7.2.1: void as a member
//= error 2
struct s {
  void v;
};
kernel void k(void) {}

//= C99 6.7.2.1: a storage class in a struct
//= error 2
struct s {
  static int a;
};
kernel void k(void) {}

//= C99 6.7.2.1: an initialiser in a struct
//= error 2
struct s {
  int a = 1;
};
kernel void k(void) {}

//= C99 6.7.2.1: a struct without members
//= ok
struct s {};
kernel void k(global int* o) { struct s v; *o = sizeof(v); }

//= C99 6.7.2.1: the semicolon after a struct is missing
//= error 1
struct s { int a; }
kernel void k(void) {}

//= C11 6.7.2.1: unnamed structs and unions
//= ok
struct s { int tag; union { int i; float f; struct { short lo, hi; }; }; };
kernel void k(global int* o) { struct s v; v.tag = 1; v.f = 1; *o = v.i + v.lo + v.hi; }

//= C99 6.7.2.1: const members
//= error 4
struct s { const int a; };
kernel void k(global int* o) {
  struct s v = { 1 };
  v.a = 2;
}

//= C99 6.5.16: structs are assigned
//= ok
struct s { int a[3]; float4 b; };
kernel void k(global struct s* o, constant struct s* c) { struct s v = c[1]; *o = v; o[1] = o[2]; o[3] = *c; }

//= C99 6.5.16: structs of other types are not assigned
//= error 3
struct s { int a; }; struct t { int a; };
kernel void k(global struct s* o, struct t v) {
  *o = v;
}

//= C99 6.5.8: structs are not compared
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s a, struct s b) {
  *o = a == b;
}

//= C99 6.5.6: structs are not added
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s a, struct s b) {
  a + b;
}

//= C99 6.8.4.1: a struct is no condition
//= error 3
struct s { int a; };
kernel void k(global int* o, struct s a) {
  if (a) *o = 1;
}

//= C99 6.5.2.3: . needs a struct
//= error 3
struct s { int a; };
kernel void k(global struct s* o) {
  o.a = 1;
}

//= C99 6.5.2.3: -> needs a pointer
//= error 4
struct s { int a; };
kernel void k(global struct s* o) {
  struct s v = *o;
  v->a = 1;
}

//= C99 6.5.2.2: structs as arguments and results
//= ok
typedef struct { int a; float4 b; } S;
S make(int a) { S s = { a, (float4)(a) }; return s; }
int get(S s) { return s.a + (int)s.b.x; }
kernel void k(global int* o) { *o = get(make(3)) + make(4).a + make(5).b.y; }

//= C99 6.5.2.2: a struct of another type as an argument
//= error 4
struct s { int a; }; struct t { int a; };
int f(struct s v) { return v.a; }
kernel void k(global int* o, struct t v) {
  *o = f(v);
}

//= C99 6.7.2.1: unions hold one member at a time
//= ok
union u { int i; float f; uchar b[4]; ushort2 s; };
kernel void k(global union u* o, union u v) { o->f = v.i; v.b[2] = 1; o[1] = v; o[2].s.y = 3; }

//= C99 6.7.2.2: enums count from the last value
//= ok
enum color { RED, GREEN = 5, BLUE, };
constant int check[RED == 0 && BLUE == 6 && sizeof(enum color) == 4 ? 1 : -1] = { 0 };
kernel void k(global int* o, enum color c) { enum color d = BLUE; *o = c == d ? GREEN : RED; }

//= C99 6.7.2.2: the value of an enum constant is no variable
//= error 2
kernel void k(global int* o, int n) {
  enum { A = n };
}

//= C99 6.7.2.2: an enum without constants
//= error 1
enum a { };
kernel void k(void) {}

//= C99 6.7.2.2: an enum constant is no variable
//= error 3
enum a { A };
kernel void k(void) {
  A = 1;
}

//= C99 6.7.2.2: a float as the value of an enum constant
//= error 1
enum a { A = 1.5 };
kernel void k(void) {}

//= C99 6.7.2.2: an enum within an enum's scope
//= ok
enum { N = 4 };
kernel void k(global int* o) { enum { N = 5, M = N + 1 }; int a[M]; a[N] = 1; *o = a[5]; }

//= C99 6.7.2: structs and enums in a list of parameters
//= ok
int f(struct p { int a; }* p, enum { X } e) { return e + (p == 0); }
kernel void k(global int* o) { *o = f(0, 0); }

//= C99 6.7.2: structs declared in a result
//= ok
struct r { int a; } f(void) { struct r v = { 3 }; return v; }
kernel void k(global int* o) { *o = f().a; }

//= C99 6.7.2: structs declared in sizeof and casts
//= ok
kernel void k(global int* o) { *o = sizeof(struct q { int a; char b; }); struct q v; v.a = 1; *o += v.a + sizeof(union { int a; double b; }); }

//= OpenCL C 6.11.1: packed
//= ok
struct __attribute__((packed)) s { char a; int b; };
struct t { char a; int b; } __attribute__((packed));
constant int check[sizeof(struct s) == 5 && sizeof(struct t) == 5 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.11.1: aligned
//= ok
struct s { char a; } __attribute__((aligned(16)));
struct t { char a; int b __attribute__((aligned(8))); };
typedef int aligned_int __attribute__((aligned(32)));
constant int check[sizeof(struct s) == 16 && sizeof(struct t) == 16 ? 1 : -1] = { 0 };
kernel void k(global int* o) { int a __attribute__((aligned(64))) = 1; *o = a; }

//= OpenCL C 6.11.1: aligned without a number
//= ok
struct s { char a; } __attribute__((aligned));
kernel void k(global int* o) { *o = sizeof(struct s); }

//= OpenCL C 6.11.1: aligned takes an integer
//= error 1
struct s { char a; } __attribute__((aligned(1.5)));
kernel void k(void) {}

//= OpenCL C 6.11.1: aligned takes a constant
//= error 2
kernel void k(global int* o, int n) {
  int a __attribute__((aligned(n)));
}

//= OpenCL C 6.11.1: packed and aligned in one list, names with underscores
//= ok
struct s { char a; short b; } __attribute__((__packed__, __aligned__(4)));
constant int check[sizeof(struct s) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.11.3: endian of a variable
//= ok
kernel void k(global int* p __attribute__((endian(host)))) { int a __attribute__((endian(device))) = 1; *p = a; }

//= OpenCL C 6.11: unknown attributes are ignored
//= ok
struct s { int a; } __attribute__((something(1, "two")));
__attribute__((whatever)) kernel void k(void) {}

//= C99 6.7.2.1: members may be pointers into any address space
//= ok
struct s { global int* a; local float4* b; constant char* c; };
kernel void k(global int* o, local float4* l, constant char* c) { struct s v = { o, l, c }; v.a[1] = v.b->x + *v.c; }

//= C99 7.17: offsetof by hand and by a built-in
//= ok
struct s { char a; int b; };
constant int check[__builtin_offsetof(struct s, b) == 4 ? 1 : -1] = { 0 };
kernel void k(global int* o) { *o = (int)(size_t)&((struct s*)0)->b; }

//= C99 6.7.2.1: the same member twice
//= error 3
struct s {
  int a;
  float a;
};
kernel void k(void) {}

//= C99 6.7.2.3: a tag names one kind of type
//= error 3
struct s { int a; };
kernel void k(global int* o) {
  union s v;
}

//= C99 6.7.2.3: an enum with the tag of a struct
//= error 2
struct s { int a; };
enum s { A };
kernel void k(void) {}

//= C99 6.5.16: a struct with a const member is not assigned
//= error 4
struct s { const int a; };
kernel void k(global int* o) {
  struct s v = { 1 }, w = { 2 };
  v = w;
}

//= C99 6.7.2.2: an enum constant twice
//= error 2
enum a { A, B };
enum b { C, A };
kernel void k(void) {}

//= C99 6.7.2.3: an enum that is not defined
//= error 2
kernel void k(global int* o) {
  enum nothing e;
}

//= OpenCL C 6.11.1: aligned takes a power of two
//= error 1
struct s { char a; } __attribute__((aligned(3)));
kernel void k(void) {}

//= OpenCL C 6.11.1: packed members
//= ok
struct s { char a; int b __attribute__((packed)); };
constant int check[sizeof(struct s) == 5 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.9: an event in a struct
//= error 2
struct s {
  event_t e;
};
kernel void k(void) {}

//= C99 6.7.2.1: address spaces of members
//= error 2
struct s {
  global int a;
};
kernel void k(void) {}

//= OpenCL C 6.9: image in a struct
//= error 2
struct s {
  image2d_t i;
};
kernel void k(void) {}
