// SPDX-License-Identifier: Apache-2.0
// Old C: what was left over from before C99.

//= old C: a definition with a list of names
//= ok
int add(a, b) int a; int b; { return a + b; }
kernel void k(global int* o) { o[0] = add(1, 2); }

//= old C: a declaration without parameters
//= error 2
int f();
int f(int a) { return a; }
kernel void k(global int* o) { o[0] = f(1); }

//= old C: a declaration without parameters is called with some
//= error 2
int f();
kernel void k(global int* o) { o[0] = f(1, 2); }

//= old C: a function without a type
//= error 1
f(int a) { return a; }
kernel void k(global int* o) { o[0] = f(1); }

//= old C: static without a type
//= error 1
static x;
kernel void k(void) { }

//= old C: a call before its declaration
//= error 1
kernel void k(global int* o) { o[0] = later(1); }
int later(int a) { return a; }

//= old C: a return without a value
//= error 1
int f(int a) { return; }
kernel void k(void) { }

//= old C: a value from void
//= error 1
void f(int a) { return a; }
kernel void k(void) { }

//= old C: a void call is returned from void
//= ok
void g(void) { }
void f(void) { return g(); }
kernel void k(void) { }

//= old C: a function ends without a value
//= ok
int f(int a) { if (a) return 1; }
kernel void k(global int* o) { o[0] = f(1); }

//= old C: register
//= error 1
kernel void k(global int* o) { register int a = 1; o[0] = a; }

//= old C: auto
//= error 1
kernel void k(global int* o) { auto int a = 1; o[0] = a; }

//= old C: declarations behind statements
//= ok
kernel void k(global int* o) { o[0] = 1; int a = 2; o[1] = a; for (int i = 0, n = 3; i < n; ++i) o[i] = i; }

//= old C: a number in a pointer
//= ok
kernel void k(global int* o) { int* p = (int*)16; o[0] = (int)p; }

//= old C: a pointer is compared with a number
//= ok
kernel void k(global int* o) { if (o == 1 || o > 0 || 0 < o || o != 0) o[0] = 1; }

//= old C: a pointer and a number behind a question mark
//= ok
kernel void k(global int* o, int c) { global int* p = c ? o : 0; p = c ? 0 : o; o[0] = *(c ? p : 4); }

//= old C: a pointer becomes a number
//= error 1
kernel void k(global int* o) { int a = o; }

//= old C: a number becomes a pointer
//= error 1
kernel void k(global int* o) { o = 5; }

//= old C: pointers to other types are mixed
//= ok
kernel void k(global int* o, global float* f) { global int* p = f; f = o; p = (global void*)f; o[0] = *p; }

//= old C: a pointer drops const
//= ok
kernel void k(global const int* a) { global int* p = a; *p = 1; }

//= old C: an int is assigned to an enum and back
//= ok
enum e { A, B };
kernel void k(global int* o) { enum e x = 1; x = o[0]; o[1] = x + A; x++; }

//= old C: a missing semicolon behind the last member
//= ok
struct s { int a; int b };
kernel void k(global struct s* s) { s->b = 1; }

//= old C: a missing semicolon behind a struct
//= error 1
struct s { int a; }
kernel void k(void) { }

//= old C: a semicolon behind a function
//= ok
int f(int a) { return a; };
kernel void k(void) { };

//= old C: strings are joined
//= ok
kernel void k(void) { printf("one " "two " "%d\n", 3); }

//= old C: several characters in one literal
//= ok
kernel void k(global int* o) { o[0] = 'ab' + 'abcd'; }

//= old C: too many characters in one literal
//= ok
kernel void k(global int* o) { o[0] = 'abcde'; }

//= old C: wide characters
//= ok
kernel void k(global int* o) { o[0] = L'a' + L'\n' + L'\x41'; }

//= old C: wide strings
//= error 1
constant int text[] = L"abc";
kernel void k(global int* o) { o[0] = text[0]; }

//= old C: octal numbers and escapes
//= ok
kernel void k(global int* o) { o[0] = 0777 + '\101' + '\0' + "\12"[0]; }

//= old C: 8 in an octal number
//= error 1
kernel void k(global int* o) { o[0] = 0798; }

//= old C: digraphs
//= ok
kernel void k(global int* o) <% int a<:2:> = <% 1, 2 %>; o<:0:> = a<:1:>; %>

//= old C: trigraphs
//= ok
??=define N 1
kernel void k(void) { }

//= old C: a function is called through brackets
//= ok
int f(int a) { return a; }
kernel void k(global int* o) { o[0] = (f)(1); }

//= old C: a function's address
//= error 2
int f(int a) { return a; }
kernel void k(global int* o) { o[0] = &f != 0; }

//= old C: a pointer to a function
//= error 2
int f(int a) { return a; }
kernel void k(global int* o) { int (*p)(int) = f; o[0] = p(1); }

//= old C: a table of pointers to functions
//= error 2
int f(int a) { return a; }
constant int (*table[1])(int) = {f};
kernel void k(void) { }

//= old C: an array is assigned
//= error 1
kernel void k(global int* o) { int a[2] = {1, 2}, b[2]; b = a; o[0] = b[0]; }

//= old C: an array parameter of a size, of two dimensions, and static
//= ok
void f(int a[4], int b[][4], int c[static 2], int d[const]) { a[0] = b[1][2] + c[1] + d[0]; }
kernel void k(void) { }

//= old C: switch with a declaration before the first case
//= ok
kernel void k(global int* o) { switch (o[0]) { int a; case 1: a = 2; o[1] = a; } }

//= old C: a switch that jumps into a loop
//= ok
kernel void k(global int* o, int n) { int i = 0; switch (n % 4) { case 0: do { o[i++] = 1; case 3: o[i++] = 2; case 2: o[i++] = 3; case 1: o[i++] = 4; } while (i < n); } }

//= old C: empty statements and blocks
//= ok
kernel void k(global int* o) { ; {} {;} if (o[0]) ; else {} for (;;) break; while (0) ; do ; while (0); }

//= old C: commas
//= ok
kernel void k(global int* o) { int a = (1, 2), b; b = a, a = 3; for (int i = 0, j = 9; i < j; i++, j--) o[i] = j; o[0] = (a, b); }

//= old C: an assignment as a condition
//= ok
kernel void k(global int* o) { int a; while ((a = o[0]) != 0) o[0] = a - 1; if (a = 1) o[1] = 2; }

//= old C: recursion
//= error 1
int f(int a) { return a ? f(a - 1) : 0; }
kernel void k(global int* o) { o[0] = f(3); }

//= old C: main
//= error 1
int main(void) { return 0; }

//= old C: variadic functions
//= error 1
int f(int n, ...) { return n; }
kernel void k(void) { }

//= old C: standard headers
//= error 1
#include <stdint.h>
kernel void k(void) { }

//= old C: extern and tentative definitions of constants
//= ok
extern constant int n;
constant int n = 4;
kernel void k(global int* o) { o[0] = n; }

//= old C: a static constant of a function
//= error 1
kernel void k(global int* o) { static constant int t[2] = {1, 2}; o[0] = t[1]; }
