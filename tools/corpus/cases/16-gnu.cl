// SPDX-License-Identifier: Apache-2.0
// What GNU's C has beyond the standard.

//= GNU: a statement expression
//= error 2
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
kernel void k(global int* o) { o[0] = MAX(o[1], o[2]); }

//= GNU: a conditional without its middle
//= ok
kernel void k(global int* o) { o[0] = o[1] ?: 7; }

//= GNU: ranges of cases
//= ok
int f(int c) { switch (c) { case 0 ... 9: return 1; case 'a' ... 'f': return 2; default: return 0; } }

//= GNU: a range of designators
//= ok
constant int table[8] = {[0 ... 3] = 1, [4 ... 7] = 2};
kernel void k(global int* o) { o[0] = table[3]; }

//= GNU: a designator with a colon
//= ok
typedef struct { int a, b; } S;
kernel void k(global int* o) { S s = {a : 1, b : 2}; o[0] = s.a; }

//= GNU: a designator without an equals sign
//= ok
kernel void k(global int* o) { int t[2] = {[1] 3}; o[0] = t[1]; }

//= GNU: an array without elements at the end of a struct
//= ok
struct list { int count; int items[0]; };
kernel void k(global struct list* l) { l->count = 1; l->items[0] = 2; }

//= GNU: an array without elements
//= ok
kernel void k(global int* o) { int none[0]; o[0] = sizeof(none); }

//= GNU: an array without a size at the end of a struct
//= error 1
struct list { int count; int items[]; };
kernel void k(global struct list* l) { l->count = 1; }

//= GNU: typeof in both spellings
//= error 1
kernel void k(global float* o) { __typeof__(o[0]) a = 1; __typeof(a) b = a; typeof(b) c = b; o[0] = c; }

//= GNU: a label for the end of a block
//= ok
kernel void k(global int* o) { for (int i = 0; i < 4; i++) { if (o[i]) goto next; o[i] = 1; next:; } }

//= GNU: a label before the closing brace
//= ok
kernel void k(global int* o) { if (o[0]) goto end; o[0] = 1; end: }

//= GNU: addresses of labels
//= error 1
kernel void k(global int* o) { void* p = &&end; goto *p; end: o[0] = 1; }

//= GNU: nested functions
//= error 1
kernel void k(global int* o) { int f(int a) { return a; } o[0] = f(1); }

//= GNU: local labels
//= ok
kernel void k(global int* o) { __label__ end; goto end; end: o[0] = 1; }

//= GNU: __extension__ in front of an expression and a declaration
//= ok
__extension__ typedef long long big;
kernel void k(global big* o) { o[0] = __extension__ 1; }

//= GNU: a cast to a union
//= ok
union u { int i; float f; };
kernel void k(global int* o) { union u v = (union u)1; o[0] = v.i; }

//= GNU: a struct without members
//= ok
struct empty { };
kernel void k(global int* o) { struct empty e; o[0] = 1; }

//= GNU: a semicolon too many in a struct and outside
//= ok
struct s { int a;; };
;
kernel void k(global int* o) { o[0] = 1;; };

//= GNU: __alignof__ of an expression and _Alignof of a type
//= ok
kernel void k(global int* o) { o[0] = __alignof__(o[0]) + _Alignof(float4) + __alignof(char); }

//= GNU: __builtin_offsetof and its macro
//= ok
typedef struct { char a; int b; } S;
#define offsetof(T, m) __builtin_offsetof(T, m)
kernel void k(global int* o) { o[0] = offsetof(S, b); }

//= GNU: offsetof by a null pointer
//= ok
typedef struct { char a; int b; } S;
#define OFFSET(T, m) ((size_t)&((T*)0)->m)
kernel void k(global int* o) { o[0] = OFFSET(S, b); }

//= GNU: __func__, __FUNCTION__ and __PRETTY_FUNCTION__
//= ok
kernel void k(void) { printf("%s %s\n", __func__, __FUNCTION__); }

//= GNU: binary literals
//= ok
kernel void k(global int* o) { o[0] = 0b1011 | 0B1; }

//= GNU: \e in a string
//= ok
kernel void k(void) { printf("\e[0m"); }

//= GNU: dollars in names
//= ok
kernel void k(global int* o) { int a$b = 1; o[0] = a$b; }

//= GNU: asm without effect
//= ok
kernel void k(global int* o) { __asm__ volatile("" ::: "memory"); o[0] = 1; }

//= GNU: asm with an instruction
//= error 1
kernel void k(global int* o) { __asm__("nop"); o[0] = 1; }

//= GNU: _Static_assert in a struct
//= ok
struct s { int a; _Static_assert(sizeof(int) == 4, "int"); };
kernel void k(global struct s* s) { s->a = 1; }

//= GNU: _Generic over vectors
//= ok
#define WIDTH(x) _Generic((x), float: 1, float2: 2, float4: 4, default: 0)
kernel void k(global int* o, float4 v) { o[0] = WIDTH(v) + WIDTH(v.xy) + WIDTH(1.0f); }

//= GNU: arithmetic on void pointers
//= ok
kernel void k(global void* p, global int* o) { global void* q = p + 4; q++; o[0] = *(global int*)q; }

//= GNU: sizeof void
//= error 1
kernel void k(global int* o) { o[0] = sizeof(void); }

//= GNU: an incomplete initialiser of unions and nested structs
//= ok
typedef struct { struct { int a, b; } p[2]; union { int i; float f; }; } S;
kernel void k(global int* o) { S s = {{{1, 2}, {3}}, {4}}; S t = {.p[1].b = 5, .f = 1.0f}; o[0] = s.p[1].a + t.p[1].b; }

//= GNU: a compound literal as an argument and by its address
//= ok
typedef struct { int a, b; } S;
int sum(S s) { return s.a + s.b; }
kernel void k(global int* o) { o[0] = sum((S){1, 2}) + sum((S){.b = 3}); o[1] = ((int[]){4, 5, 6})[1]; }

//= GNU: an enum with a comma at the end and forward
//= ok
enum kind;
enum kind { A, B, };
kernel void k(global int* o) { enum kind x = B; o[0] = x; }

//= GNU: inline in its spellings
//= ok
inline int a(int x) { return x; }
__inline int b(int x) { return x; }
__inline__ int c(int x) { return x; }
static inline int d(int x) { return x; }
extern inline int e(int x) { return x; }
kernel void k(global int* o) { o[0] = a(1) + b(2) + c(3) + d(4) + e(5); }

//= GNU: _Noreturn
//= ok
_Noreturn void stop(void);
static _Noreturn inline void loop(void) { for (;;) ; }
kernel void k(global int* o) { if (o[0]) loop(); }

//= GNU: _Thread_local
//= error 1
_Thread_local int x;
kernel void k(void) { }

//= GNU: __auto_type
//= error 1
kernel void k(global int* o) { __auto_type a = o[0]; o[1] = a; }

//= GNU: an unnamed bit-field
//= error 1
struct s { int a : 3; int : 5; };
kernel void k(void) { }

//= GNU: a variable length array
//= error 1
kernel void k(global int* o, int n) { int t[n]; o[0] = t[0]; }

//= GNU: a const variable as an array size
//= ok
kernel void k(global int* o) { const int n = 4; int t[n]; t[0] = 1; o[0] = t[0]; }

//= GNU: a struct is redeclared in a block
//= ok
struct s { int a; };
kernel void k(global int* o) { struct s { float b; } t; t.b = 1; o[0] = t.b; }

//= GNU: a typedef twice
//= ok
typedef int T;
typedef int T;
kernel void k(global T* o) { o[0] = 1; }

//= GNU: an extra qualifier
//= ok
kernel void k(const const global int* a, global int* o) { const int const b = 1; o[0] = a[0] + b; }

//= GNU: long long in all orders
//= ok
kernel void k(global long* o) { long long int a = 1; unsigned long long b = 2; int long unsigned c = 3; short int unsigned d = 4; o[0] = a + b + c + d; }
