//= C99 6.8: every statement
//= ok
kernel void k(global int* o, int n) {
  ;
  { }
  if (n) o[0] = 1; else if (n > 2) { o[0] = 2; } else ;
  while (n--) continue;
  do n++; while (n < 3);
  for (int i = 0, j = 3; i < j; i++, j--) { if (i == 2) break; }
  for (;;) break;
  switch (n) { case 1: case 2: o[1] = 3; break; default: o[1] = 4; }
  goto end;
  o[2] = 5;
end:
  return;
}

//= C99 6.8: a semicolon is missing
//= error 2
kernel void k(global int* o) {
  *o = 1
}

//= C99 6.8: a semicolon is missing after a declaration
//= error 2
kernel void k(global int* o) {
  int a = 1
  o[0] = a;
}

//= C99 6.8: a brace is missing
//= error 4
kernel void k(global int* o) {
  if (*o) {
    *o = 1;
}

//= C99 6.8: a brace is too many
//= error 4
kernel void k(global int* o) {
  *o = 1;
}
}

//= C99 6.8: a statement outside of functions
//= error 2
kernel void k(void) {}
return;

//= C99 6.8: an expression outside of functions
//= error 2
kernel void k(void) {}
1 + 2;

//= C99 6.9: a semicolon outside of functions
//= ok
;
kernel void k(void) {};

//= C99 6.8.1: a label twice
//= error 4
kernel void k(global int* o) {
again:
  *o = 1;
again:
  *o = 2;
}

//= C99 6.8.6.1: a label that does not exist
//= error 2
kernel void k(global int* o) {
  goto nowhere;
}

//= C99 6.8.6.1: a label of another function
//= error 3
void f(void) { there: ; }
kernel void k(global int* o) {
  goto there;
}

//= C99 6.8.1: unused labels
//= ok
kernel void k(global int* o) { unused: *o = 1; }

//= C99 6.8.1: a label at the end of a block
//= ok
kernel void k(global int* o) { if (*o) goto end; *o = 1; end: ; }

//= C23 6.8.1: a label before the closing brace
//= ok
kernel void k(global int* o) { if (*o) goto end; *o = 1; end: }

//= C23 6.8.1: a declaration after a label
//= ok
kernel void k(global int* o) { if (*o) goto end; *o = 1; end: int a = 2; *o = a; }

//= C23 6.8.1: a declaration after a case
//= ok
kernel void k(global int* o) { switch (*o) { case 1: int a = 2; *o = a; break; default: ; } }

//= C99 6.2.3: labels, tags, members and variables do not meet
//= ok
struct a { int a; };
kernel void k(global int* o) { struct a a; goto a; a: a.a = 1; *o = a.a; }

//= C99 6.8.6.1: goto into blocks and out of them
//= ok
kernel void k(global int* o) { int i = 0; goto in; while (i < 4) { in: i++; if (i == 3) goto out; } out: *o = i; }

//= C99 6.8.4.1: if needs parentheses
//= error 2
kernel void k(global int* o) {
  if *o > 1
    *o = 1;
}

//= C99 6.8.4.1: if without a condition
//= error 2
kernel void k(global int* o) {
  if () *o = 1;
}

//= C99 6.8.4.1: else without if
//= error 3
kernel void k(global int* o) {
  *o = 1;
  else *o = 2;
}

//= C99 6.8.4.1: floats and pointers are conditions
//= ok
kernel void k(global int* o, float f, double d, uchar c) { if (f) *o = 1; if (o) *o = 2; while (d) d = 0; if (!f || c && o) *o = 3; for (; c; c--) ; }

//= C99 6.8.4.2: case outside of a switch
//= error 2
kernel void k(global int* o) {
  case 1: *o = 1;
}

//= C99 6.8.4.2: default outside of a switch
//= error 2
kernel void k(global int* o) {
  default: *o = 1;
}

//= C99 6.8.4.2: the same case twice
//= error 4
kernel void k(global int* o) {
  switch (*o) {
    case 1: *o = 1;
    case 1: *o = 2;
  }
}

//= C99 6.8.4.2: default twice
//= error 4
kernel void k(global int* o) {
  switch (*o) {
    default: *o = 1;
    default: *o = 2;
  }
}

//= C99 6.8.4.2: a case that is no constant
//= error 3
kernel void k(global int* o, int n) {
  switch (*o) {
    case n: *o = 1;
  }
}

//= C99 6.8.4.2: a case that is a float
//= error 3
kernel void k(global int* o) {
  switch (*o) {
    case 1.0f: *o = 1;
  }
}

//= C99 6.8.4.2: a switch over a float
//= error 2
kernel void k(global int* o, float f) {
  switch (f) { case 1: *o = 1; }
}

//= C99 6.8.4.2: a switch over a pointer
//= error 2
kernel void k(global int* o) {
  switch (o) { case 0: *o = 1; }
}

//= C99 6.8.4.2: switches over every integer type
//= ok
enum e { A, B };
kernel void k(global int* o, char c, ulong l, enum e e) { switch (c) { case 'a': *o = 1; } switch (l) { case 0xffffffffffUL: *o = 1; case 3: break; } switch (e) { case A: *o = 2; break; case B: *o = 3; } switch (c > 1) { case 0: ; } }

//= C99 6.8.4.2: constant expressions as cases
//= ok
#define N 4
constant int m = 3;
enum { E = 7 };
kernel void k(global int* o) { switch (*o) { case N + 1: case E * 2: case sizeof(int): case -1: case 'c': case (int)2.5f: case 1 ? 100 : 200: *o = 1; } }

//= C99 6.6: a constant variable as a case, which clang takes
//= ok
constant int m = 3;
kernel void k(global int* o) {
  switch (*o) {
    case m: *o = 1;
  }
}

//= clang: ranges of cases
//= ok
kernel void k(global int* o) { switch (*o) { case 1 ... 5: *o = 1; break; case 'a' ... 'z': *o = 2; break; default: *o = 3; } }

//= clang: ranges of cases that overlap
//= error 4
kernel void k(global int* o) {
  switch (*o) {
    case 1 ... 5: *o = 1; break;
    case 3: *o = 2;
  }
}

//= C99 6.8.4.2: switch within switch, loops within switch
//= ok
kernel void k(global int* o, int n) { switch (n) { case 1: switch (*o) { case 1: *o = 2; break; default: break; } break; case 2: for (int i = 0; i < n; i++) { if (i == 3) continue; break; } } for (int i = 0; i < n; i++) switch (i) { case 1: continue; default: *o += i; } }

//= C99 6.8.4.2: Duff's device
//= ok
kernel void k(global int* o, int n) { int i = 0; switch (n & 3) { case 0: do { o[i++] = 0; case 3: o[i++] = 3; case 2: o[i++] = 2; case 1: o[i++] = 1; } while (i < n); } }

//= C99 6.8.4.2: a switch without a block
//= ok
kernel void k(global int* o) { switch (*o) case 1: *o = 2; switch (*o) ; switch (*o) { } switch (*o) { *o = 1; } }

//= C99 6.8.6.2: continue outside of a loop
//= error 2
kernel void k(global int* o) {
  continue;
}

//= C99 6.8.6.2: continue in a switch only
//= error 2
kernel void k(global int* o) {
  switch (*o) { case 1: continue; }
}

//= C99 6.8.6.3: break outside of a loop
//= error 2
kernel void k(global int* o) {
  break;
}

//= C99 6.8.5.2: do without while
//= error 3
kernel void k(global int* o) {
  do *o = 1;
  *o = 2;
}

//= C99 6.8.5.2: do while without a semicolon
//= error 2
kernel void k(global int* o) {
  do *o = 1; while (*o)
  *o = 2;
}

//= C99 6.8.5.3: for with two semicolons missing
//= error 2
kernel void k(global int* o) {
  for (int i = 0) *o = 1;
}

//= C99 6.8.5.3: a variable of for ends with it
//= error 3
kernel void k(global int* o) {
  for (int i = 0; i < 3; i++) ;
  *o = i;
}

//= C99 6.8.5.3: a variable of for is hidden in its body
//= ok
kernel void k(global int* o) { for (int i = 0; i < 3; i++) { int i = 5; *o = i; } }

//= C99 6.8.5: a struct declared in for
//= ok
kernel void k(global int* o) { for (struct { int a, b; } s = { 0, 3 }; s.a < s.b; s.a++) *o = s.a; }

//= C99 6.8.2: declarations and statements mixed
//= ok
kernel void k(global int* o) { int a = 1; *o = a; int b = 2; { int a = b; *o += a; } float c = b; *o += c; }

//= C99 6.2.1: a name in an inner scope hides the outer one
//= ok
constant int n = 1;
kernel void k(global int* o) { int n = 2; { float n = 3; *o = n; } *o += n; }

//= C99 6.2.1: a name ends with its block
//= error 3
kernel void k(global int* o) {
  { int a = 1; }
  *o = a;
}

//= C99 6.7: a name twice in one scope
//= error 3
kernel void k(global int* o) {
  int a = 1;
  float a = 2;
}

//= C99 6.2.1: a name before its declaration
//= error 2
kernel void k(global int* o) {
  *o = a;
  int a = 1;
}

//= C99 6.7: a constant of the program twice
//= error 2
constant int a = 1;
constant int a = 1;
kernel void k(void) {}

//= C99 6.7: a declaration that declares nothing
//= ok
kernel void k(global int* o) { int; struct s { int a; }; enum { A }; *o = A; }

//= C99 6.8.4.1: a declaration as the body of if
//= error 3
kernel void k(global int* o) {
  if (*o)
    int a = 1;
}

//= C99 6.8.3: expressions as statements
//= ok
kernel void k(global int* o) { *o; 1; o[0], o[1]; (void)0; get_global_id(0); *o == 3; }

//= C99 6.8.6.4: return in the middle
//= ok
kernel void k(global int* o) { if (get_global_id(0) > 3) return; *o = 1; return; *o = 2; }

//= OpenCL C 6.9: inline assembly
//= error 2
kernel void k(global int* o) {
  asm("nop");
}

//= clang: statement expressions
//= ok
#define MAX(a, b) ({ int _a = (a), _b = (b); _a > _b ? _a : _b; })
kernel void k(global int* o) { *o = MAX(o[1], o[2]) + ({ int s = 0; for (int i = 0; i < 3; i++) s += i; s; }); }

//= clang: the address of a label
//= error 2
kernel void k(global int* o) {
  void* p = &&there;
there:
  *o = 1;
}

//= clang: __extension__
//= ok
kernel void k(global int* o) { *o = __extension__ 1; __extension__ int a = 2; *o += a; }

//= C11 6.7.10: _Static_assert
//= ok
_Static_assert(sizeof(int) == 4, "four bytes");
kernel void k(global int* o) { _Static_assert(1 + 1 == 2, "two"); *o = 1; }

//= C11 6.7.10: a _Static_assert that fails
//= error 2
kernel void k(void) {}
_Static_assert(sizeof(int) == 8, "eight bytes");

//= C11 6.5.1.1: _Generic
//= ok
kernel void k(global int* o, float f) { *o = _Generic(f, int: 1, float: 2, default: 3); }

//= C99 6.2.1: a parameter and a variable of the outermost block
//= error 2
kernel void k(global int* o, int a) {
  int a = 1;
}
