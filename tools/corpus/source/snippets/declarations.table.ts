// SPDX-License-Identifier: Apache-2.0
// Snippets about declarations: address spaces, qualifiers and types at each place where a name can be declared, pointers
// to other spaces, initialisers, attributes, statements.
import type { Snippet, SnippetTable } from "./snippet.ts";

function words(text: string): readonly string[] {
  return text.split(" ");
}

const SPACES: readonly string[] = ["", "global", "local", "constant", "private", "__generic", "const", "static", "extern", "static constant", "extern global", "static global", "extern constant", "global const", "local volatile", "register", "auto", "inline", "constant volatile", "static local", "const constant", "restrict"];
const TYPES: readonly string[] = words("int float4 bool half double S U E size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image2d_t void atomic_int atomic_flag queue_t clk_event_t reserve_id_t ndrange_t float3 long16 A4 _Bool signed unsigned quad int5 float1 unsigned\u00a0char complex");
const SHAPES: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["*", ""],
  ["* const", ""],
  ["*restrict", ""],
  ["*volatile", ""],
  ["", "[2]"],
  ["", "[]"],
  ["*", "[2]"],
  ["**", ""],
  ["(*", ")[3]"],
  ["global *", ""],
  ["local *", ""],
  ["constant *", ""],
  ["private *", ""],
  ["global * global *", ""],
  ["(*", ")(int)"],
];
const VALUES: readonly string[] = ["", " = 0", " = {0}", " = {1, 2}", " = n"];

/** Every space, type and shape, at each place. */
function* places(): Iterable<Snippet> {
  for (const space of SPACES)
    for (const type of TYPES)
      for (const [before, after] of SHAPES) {
        const one = (name: string): string => `${space} ${type.replace("\u00a0", " ")} ${before}${name}${after}`;
        if (!before.includes("*") && !after.includes("]"))
          for (const value of VALUES) {
            yield { rule: `program scope${value}`, text: `${one("v#")}${value};` };
            yield { rule: `kernel scope${value}`, text: `kernel void f#(int n) { ${one("v")}${value}; }` };
          }
        else {
          yield { rule: "program scope", text: `${one("v#")};` };
          yield { rule: "kernel scope", text: `kernel void f#(int n) { ${one("v")}; }` };
          yield { rule: "kernel scope = 0", text: `kernel void f#(int n) { ${one("v")} = 0; }` };
        }
        yield { rule: "function scope", text: `void f#(int n) { ${one("v")}; }` };
        yield { rule: "block scope", text: `kernel void f#(int n) { if (n) { ${one("v")}; } }` };
        yield { rule: "parameter", text: `void f#(${one("v")}) { }` };
        yield { rule: "kernel parameter", text: `kernel void f#(${one("v")}) { }` };
        yield { rule: "field", text: `struct s# { ${one("v")}; };` };
        yield { rule: "type definition", text: `typedef ${one("t#")};` };
        if (after === "") yield { rule: "result", text: `${space} ${type.replace("\u00a0", " ")} ${before} f#(int n);` };
        yield { rule: "cast", text: `void f#(int n) { (void)(${space} ${type.replace("\u00a0", " ")} ${before}${after})n; }` };
        yield { rule: "sizeof", text: `void f#(int n) { (void)sizeof(${space} ${type.replace("\u00a0", " ")} ${before}${after}); }` };
      }
}

const POINTEES: readonly string[] = ["global int", "local int", "constant int", "private int", "int", "global const int", "const int", "constant const int", "volatile global int", "global uint", "global int4", "global void", "void", "constant void", "generic int"];
const OPERATIONS: readonly string[] = ["a = b", "a == b", "a < b", "a - b", "1 ? a : b", "a != b", "a && b", "*a = *b"];

/** Pointers to each space against each other: used, converted, passed, and the same behind another pointer. */
function* pointers(): Iterable<Snippet> {
  for (const a of POINTEES)
    for (const b of POINTEES) {
      for (const operation of OPERATIONS) {
        yield { rule: `pointers: ${operation}`, text: `void f#(${a} *a, ${b} *b) { (void)(${operation}); }` };
        yield { rule: `pointers to pointers: ${operation}`, text: `void f#(${a} **a, ${b} **b) { (void)(${operation}); }` };
        yield {
          rule: `pointers to arrays: ${operation}`,
          text: `void f#(${a} (*a)[4], ${b} (*b)[4]) { (void)(${operation}); }`,
        };
      }
      yield { rule: "pointers: cast", text: `void f#(${a} *a) { (void)(${b} *)a; }` };
      yield { rule: "pointers: argument", text: `void g#(${b} *b); void f#(${a} *a) { g#(a); }` };
      yield { rule: "pointers: result", text: `${b} *f#(${a} *a) { return a; }` };
      yield { rule: "pointers: redeclared", text: `void f#(${a} *p); void f#(${b} *p) { }` };
      yield { rule: "arrays: redeclared", text: `void f#(${a} (*p)[4]); void f#(${b} p[][4]) { }` };
      yield { rule: "arrays: redeclared", text: `void f#(${a} p[3]); void f#(${b} *p) { }` };
      yield { rule: "pointers: array passed", text: `void g#(${a} *p); kernel void f#(void) { ${b} v[4]; g#(v); }` };
      yield { rule: "pointers: address passed", text: `void g#(${a} *p); kernel void f#(void) { ${b} v; g#(&v); }` };
    }
}

/** Statements with conditions and values of each type. */
function* statements(): Iterable<Snippet> {
  for (const type of words("bool char int uint long float double half int2 float4 S E event_t")) {
    const f = (body: string): string => `int f#(${type} a, int n) { ${body} }`;
    for (const head of ["if (a) ;", "while (a) break;", "do ; while (a);", "for (; a;) break;", "if (!a) ;", "if (a && n) ;"])
      yield { rule: head.replace(/\(.*/u, ""), text: f(`${head} return 0;`) };
    yield { rule: "switch", text: f("switch (a) { case 1: break; default: ; } return 0;") };
    yield { rule: "return", text: f("return a;") };
    yield { rule: "index", text: f("int v[4] = {0}; return v[a];") };
    yield { rule: "array size", text: f("int v[a]; return 0;") };
    yield { rule: "expression", text: f("a; return 0;") };
    yield { rule: "shift of 1", text: f("return 1 << a;") };
    yield { rule: "void", text: `void f#(${type} a) { return a; }` };
    yield { rule: "case", text: f(`switch (n) { case (${type})1: break; } return 0;`) };
    yield { rule: "field width", text: `struct s# { ${type} b : 3; };` };
    yield { rule: "enumerator", text: `enum { X# = (${type})1 };` };
    yield { rule: "array of a constant", text: `constant int v#[(${type})3] = {1};` };
  }
  const bodies = [
    "goto l; l: ;", "l: ; goto l;", "break;", "continue;", "case 1: ;", "default: ;", "switch (n) { int x; case 1: x = 1; }",
    "switch (n) { case 1: case 1: ; }", "switch (n) { default: default: ; }", "for (int i = 0, j = 1; i < n; i++, j--) ;",
    "{ } ;;", "int n;", "{ int n; }", "int x, x;", "return 1;", "return;", "int v[n];", "int v[] = {1, 2};", "int v[];",
    "int v[2] = {1, 2, 3};", "int v[2] = {[1] = 2};", "S s = {.a = 1};", "S s = {.c = 1};", "S s = {1, {2}};", "S s = {1, 2, 3};",
    "S s = {1, (float4)(0)};", "S s = (S){1, 0};", "U u = {.b = 1};", "E e = E1;", "E e = 1;", "E e = 1.0f;", "int i = E0;",
    "char *s = \"a\";", "constant char *s = \"a\";", "const char *s = \"a\";", "char s[] = \"abc\";", "char s[2] = \"abc\";",
    "char s[3] = \"abc\";", "constant char s[] = \"abc\";", "int x = ({ 1; });", "int x = n ?: 1;", "typeof(n) x;", "__typeof__(n) x = n;",
    "int x = sizeof n;", "int x = sizeof(int[3]);", "float4 v = {1, 2, 3, 4};", "float4 v = {1, 2, 3, 4, 5};", "float4 v = {{1, 2}, {3, 4}};",
    "float4 v = {(float2)(1), 2, 3};", "float4 v[2] = {1, 2, 3, 4, 5};", "float4 v = 1;", "float4 v = {1};", "int2 v = (1, 2);",
    "int4 v = (int4)(1, 2);", "int4 v = (int4)((int2)(1), (int2)(2));", "int4 v = (int4){1, 2, 3, 4};", "float x = 1.0h;", "half h = 1.0h;",
    "long x = 0x7fffffffffffffff;", "int x = 0b101;", "int x = 1'000;", "float x = 0x1p3f;", "float x = 1.f; double y = 1.;",
    "unsigned x = -1u;", "long long x;", "unsigned long long x = 1ull;", "long x = 1ll;", "int x = 'ab';", "int x = L'a';", "int x = '\\x41';",
    "extern int x;", "extern global int x;", "static int x;", "static constant int x = 1;", "static global int x;", "register int x;",
    "auto int x = 1;", "local int x; x = 1;", "if (n) { local int x; }", "for (;;) { local int x[4]; break; }", "local int x = 1;",
    "local int x = {0};", "constant int x = 1;", "constant int x;", "constant int x = n;", "const constant int x = 2;",
    "int *p = 0; p++;", "void *p = &n; p++;", "int *p = 1;", "int *p = (int *)1;", "int *p = &n; *p = 1; p[0] = 2; 0[p] = 3;",
    "int (*p)(int);", "void (*p)(void) = 0;", "f#(n);", "g(n);", "barrier;", "int barrier = 1;", "int get_global_id = 1;", "int global_id(int);",
    "void h(void); h();", "int kernel = 1;", "int global = 1;", "int image2d_t = 1;", "int uniform = 1;", "int event_t = 1;", "int half = 1;", "int complex = 1;",
    "int pipe = 1;", "int generic = 1;", "int size_t = 1;", "int float4 = 1;", "asm(\"nop\");", "__asm__(\"nop\");", "_Static_assert(1, \"a\");",
    "#", "_Pragma(\"unroll\") for (int i = 0; i < 4; i++) ;", "__attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; i++) ;",
    "__attribute__((opencl_unroll_hint)) while (n) break;", "__attribute__((opencl_unroll_hint(0))) for (;;) break;",
    "__attribute__((opencl_unroll_hint(n))) for (;;) break;", "__attribute__((opencl_unroll_hint(4))) n++;",
    "__attribute__((nothing)) int x;", "int x __attribute__((aligned(16)));", "int x __attribute__((aligned(3)));", "int x __attribute__((unused));",
    "event_t e; wait_group_events(1, &e);", "event_t e = 0;", "event_t e = 1;", "sampler_t s = 0;", "const sampler_t s = CLK_FILTER_LINEAR;",
    "sampler_t s;", "const sampler_t s = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP;", "image2d_t i;", "bool b = 2; b++;", "bool b = 1; b--;", "bool2 b;",
    "void x;", "int x[0];", "int x[-1];", "int x[1.5f];", "int x[2][];", "int x[][2] = {1, 2, 3};", "int (*x)[n];", "int x = x;", "struct q { int a; } x; x.a = 1;",
    "struct q;", "struct q x;", "struct q *x;", "struct { int a; } x = {1};", "union { int a; float b; } x; x.b = 1;", "enum { A, B } x = A;", "typedef int t; t x;",
    "int x : 3;", "(void)__func__;", "(void)__FUNCTION__;", "(void)__LINE__;", "(void)__FILE__;", "(void)__OPENCL_VERSION__;", "(void)CL_VERSION_1_2;",
    "(void)__ENDIAN_LITTLE__;", "(void)__kernel_exec;", "(void)DBL_RADIX;", "(void)FLT_RADIX;", "(void)HALF_RADIX;", "(void)NULL;", "(void)INFINITY;", "(void)NAN;",
    "(void)HUGE_VALF;", "(void)HUGE_VAL;", "(void)MAXFLOAT;", "(void)M_PI;", "(void)M_PI_F;", "(void)M_PI_H;", "(void)FLT_EPSILON;", "(void)DBL_MAX;",
    "(void)HALF_MAX;", "(void)CHAR_BIT;", "(void)UCHAR_MAX;", "(void)LONG_MIN;", "(void)SCHAR_MIN;", "(void)USHRT_MAX;", "(void)INT_MAX;", "(void)ULONG_MAX;",
    "(void)offsetof(S, b);", "(void)__builtin_offsetof(S, b);", "(void)__builtin_expect(n, 1);", "(void)__builtin_popcount(n);", "(void)__builtin_clz(n);",
    "(void)__builtin_astype(n, float);", "(void)__builtin_trap();", "(void)__builtin_unreachable();", "(void)__builtin_constant_p(1);", "(void)__builtin_types_compatible_p(int, int);",
    "(void)__builtin_choose_expr(1, 2, 3);", "(void)__builtin_shufflevector((int4)(0), (int4)(1), 0, 1);", "(void)__builtin_convertvector((int4)(0), float4);", "(void)_Generic(n, int: 1, default: 2);",
    "(void)_Alignof(int);", "(void)__alignof__(int);", "_Alignas(16) int x;", "_Noreturn void h(void);", "_Thread_local int x;", "_Atomic int x;", "(void)alignof(int);",
    "int ^b(int) = ^(int a) { return a; };", "int (^b)(int) = ^(int a) { return a + n; }; b(1);", "void (^b)(void) = ^{ };", "^{ }();",
    "int x = 1, *p = &x; int **q = &p; **q = 2;", "p = 1;", "int a = 1 +;", "int a = (1;", "x:;", "else ;", "if n ;", "while () ;", "for (int i = 0; i < 4) ;",
    "do ; while (n)", "int i i;", "int 1x;", "int x = 09;", "int x = 0x;", "float x = 1.0e;", "float x = 1.0ff;", "int x = 1lul;", "int x = 1uu;", "char c = '';", "char c = 'abcde';",
    "int x = 'a;", "return \"a\";", "n = n = n;", "n++ ++;", "++n++;", "(n)++;", "-n = 1;", "n + 1 = 2;", "(n, n) = 1;", "(n ? n : n) = 1;", "1 = n;", "&1;", "&(n + 1);", "&f#;", "*f#;", "f# + 1;", "f# == f#;", "sizeof f#;",
    "sizeof(void);", "sizeof(f#);", "(int)f#;", "!f#;", "f#[0];", "n[0];", "n.x;", "n->x;", "S s; s.c;", "S s; s->a;", "S *s = 0; s.a;", "S s, t; s == t;", "S s, t; s = t;", "S s; T t; s = t;", "S s; (int)s;", "S s; (S)s;", "S s; (T)s;", "S s; !s;", "S s; s + 1;", "S s; if (s) ;",
  ];
  for (const body of bodies) {
    yield { rule: "statement", text: `void f#(int n) { ${body} }` };
    yield { rule: "statement in a kernel", text: `kernel void f#(int n) { ${body} }` };
  }
}

const FUNCTION_ATTRIBUTES: readonly string[] = words(
  "reqd_work_group_size(1,1,1) reqd_work_group_size(1,1) reqd_work_group_size(0,1,1) reqd_work_group_size(1,1,1,1) work_group_size_hint(8,1,1) vec_type_hint(float4) vec_type_hint(int) vec_type_hint(S) vec_type_hint(bool) vec_type_hint(void) vec_type_hint(image2d_t) always_inline noinline overloadable pure const unused nothing noreturn convergent weak aligned(16) packed intel_reqd_sub_group_size(8) intel_reqd_sub_group_size(7) opencl_unroll_hint(2) nothrow flatten annotate(\"a\") deprecated format(printf,1,2) used visibility(\"hidden\") alias(\"f\") section(\"a\") address_space(1) ext_vector_type(4) vector_size(16) mode(SI) nosvm endian(host) endian(device) endian(middle)",
);

/** Attributes at each place, and functions' declarations. */
function* attributes(): Iterable<Snippet> {
  for (const attribute of FUNCTION_ATTRIBUTES) {
    const a = `__attribute__((${attribute}))`;
    yield { rule: "attribute of a kernel", text: `kernel ${a} void f#(int n) { }` };
    yield { rule: "attribute in front of a kernel", text: `${a} kernel void f#(int n) { }` };
    yield { rule: "attribute of a function", text: `${a} void f#(int n) { }` };
    yield { rule: "attribute of a prototype", text: `void f#(int n) ${a};` };
    yield { rule: "attribute of a variable", text: `constant int v# ${a} = 1;` };
    yield { rule: "attribute of a parameter", text: `void f#(int n ${a}) { }` };
    yield { rule: "attribute of a pointer", text: `kernel void f#(global int *p ${a}) { }` };
    yield { rule: "attribute of a struct", text: `struct ${a} s# { int a; };` };
    yield { rule: "attribute behind a struct", text: `struct s# { int a; } ${a};` };
    yield { rule: "attribute of a field", text: `struct s# { int a ${a}; };` };
    yield { rule: "attribute of a type", text: `typedef int t# ${a};` };
    yield { rule: "attribute of a local variable", text: `void f#(int n) { int x ${a} = 1; }` };
    yield { rule: "attribute of a statement", text: `void f#(int n) { ${a} for (int i = 0; i < n; i++) ; }` };
    yield { rule: "attribute of an enumeration", text: `enum ${a} { X# };` };
  }
  const texts = [
    "kernel int f#(void) { return 1; }", "kernel void f#() { }", "void f#() { } kernel void g#(void) { f#(); }", "kernel void f#(void); kernel void f#(void) { }",
    "void f#(void); kernel void f#(void) { }", "kernel void f#(void); void f#(void) { }", "kernel void f#(int a) { } kernel void g#(void) { f#(1); }", "static kernel void f#(void) { }",
    "inline kernel void f#(void) { }", "kernel static void f#(void) { }", "extern kernel void f#(void) { }", "void f#(int a, int a) { }", "void f#(int, int) { }", "void f#(int); void f#(float) { }",
    "int f#(int); float f#(int);", "void f#(int) { } void f#(int) { }", "void f#(int a, ...) { }", "void f#(...);", "kernel void f#(int a, ...) { }", "int f#(a) int a; { return a; }", "f#(int a) { return a; }", "void f#(void) { f#(); }",
    "void f#(int a[4]) { }", "void f#(int a[static 4]) { }", "void f#(int a[*]);", "void f#(int n, int a[n]) { }", "void f#(const int a); void f#(int a) { }", "void f#(int *restrict a); void f#(int *a) { }",
    "typedef void t#(int); t# f#;", "typedef void t#(int); void f#(t# *p);", "void f#(void (*p)(int)) { }", "void (*f#)(int);", "int x#;", "int x# = 1;", "constant int x# = 1; constant int y# = x# + 1;", "constant int x#;", "constant int x#[2] = {1, 2};", "constant int x#[] = {1, 2};",
    "global int x#;", "global int x# = 1;", "global int *x#;", "global int *global x#;", "constant int *x# = 0;", "constant int *constant x# = 0;", "local int x#;", "const int x# = 1;", "static int x#;", "extern int x#;", "extern constant int x#;", "extern constant struct q# x#;", "extern global int x#;",
    "constant struct { int a; } x# = {1};", "constant S x# = {1, 2};", "constant S x# = {1, {1, 2, 3, 4}};", "constant float4 x# = (float4)(1);", "constant float4 x# = {1, 2, 3, 4};", "constant float x# = 1.0f / 3;", "constant float x# = sin(1.0f);", "constant int x# = max(1, 2);", "constant int x# = sizeof(S);",
    "constant char x#[] = \"abc\";", "constant char *x# = \"abc\";", "constant char *constant x# = \"abc\";", "constant char *constant x#[] = {\"a\", \"b\"};", "constant int x# = 1, y# = 2;", "constant int *constant y# = &x#; constant int x# = 1;", "constant int x# = 1; constant int *constant y# = &x#;", "constant int x#[2] = {1, 2}; constant int *constant y# = x# + 1;",
    "constant sampler_t x# = CLK_FILTER_NEAREST;", "const sampler_t x# = CLK_FILTER_NEAREST;", "sampler_t x# = CLK_FILTER_NEAREST;", "global sampler_t x# = 1;", "constant sampler_t x#;", "constant sampler_t x# = 99999;", "kernel void f#(sampler_t s) { }", "kernel void f#(sampler_t *s) { }", "kernel void f#(sampler_t s[2]) { }", "kernel void f#(event_t e) { }", "kernel void f#(bool b) { }", "kernel void f#(size_t b) { }",
    "kernel void f#(half h) { }", "kernel void f#(half4 h) { }", "kernel void f#(S s) { }", "kernel void f#(struct { int a; } s) { }", "kernel void f#(global S *s) { }", "struct p# { global int *p; }; kernel void f#(struct p# s) { }", "struct p# { global int *p; }; kernel void f#(global struct p# *s) { }", "struct p# { bool b; }; kernel void f#(struct p# s) { }", "struct p# { size_t b; }; kernel void f#(struct p# s) { }", "struct p# { struct { int *q; } r; }; kernel void f#(struct p# s) { }", "union p# { int a; float b; }; kernel void f#(union p# s) { }", "kernel void f#(E e) { }",
    "kernel void f#(int a[2]) { }", "kernel void f#(int *a) { }", "kernel void f#(global int a[]) { }", "kernel void f#(global int a[4]) { }", "kernel void f#(local int *a, constant float4 *b) { }", "kernel void f#(global int **a) { }", "kernel void f#(global int *global *a) { }", "kernel void f#(global int *a[2]) { }", "kernel void f#(global int (*a)[2]) { }", "kernel void f#(private int *a) { }", "kernel void f#(const global int *a, volatile local int *b) { }", "kernel void f#(global int *const restrict a) { }", "kernel void f#(void *a) { }", "kernel void f#(global void *a) { }", "kernel void f#(local int a) { }", "kernel void f#(global int a) { }", "kernel void f#(constant int a) { }", "kernel void f#(private int a) { }", "kernel void f#(image2d_t a) { }", "kernel void f#(read_only image2d_t a, write_only image3d_t b) { }", "kernel void f#(read_write image2d_t a) { }", "kernel void f#(global image2d_t a) { }", "kernel void f#(image2d_t *a) { }", "void f#(image2d_t a) { }", "void f#(read_only image2d_t a) { } kernel void g#(read_only image2d_t a) { f#(a); }", "void f#(read_only image2d_t a) { } kernel void g#(write_only image2d_t a) { f#(a); }", "image2d_t f#(void);", "struct s# { image2d_t a; };", "struct s# { sampler_t a; };", "struct s# { event_t a; };", "struct s# { int a[]; };", "struct s# { int n; int a[]; };", "struct s# { int a : 3; };", "struct s# { local int a; };", "struct s# { global int *a; };", "struct s# { };", "struct s# { int a, a; };", "struct s# { struct s# a; };", "struct s# { struct s# *a; };", "struct s# { void a; };", "struct s# { int a } ;", "struct s# { int; };", "struct s# { struct { int a; }; }; void f#(struct s# s) { s.a = 1; }", "union s# { int a; char b[4]; }; void f#(union s# s) { s.b[0] = 1; }",
    "struct s# { int a; }; struct s# { int a; };", "struct s# { int a; }; union s# x;", "enum s# { A#, B# = 3, C# = B# + 1 };", "enum s# { A#, A# };", "enum s# { A# = 1.5f };", "enum s#;", "enum s# { };", "enum s# { A#, };", "typedef int t#; typedef int t#;", "typedef int t#; typedef float t#;", "typedef int t#[4]; kernel void f#(t# a) { }", "typedef global int *t#; kernel void f#(t# a) { }", "typedef local int t#; kernel void f#(void) { t# a; }", "typedef global int t#; void f#(t# *a) { }", "typedef float4 t# __attribute__((aligned(32)));", "typedef struct { int a; } __attribute__((packed)) t#;", "typedef float t# __attribute__((ext_vector_type(4))); t# f#(t# a) { return a.xyzw; }", "typedef float t# __attribute__((ext_vector_type(5)));",
    "void __attribute__((overloadable)) f#(int a) { } void __attribute__((overloadable)) f#(float a) { } void g#(void) { f#(1); f#(1.0f); }", "void __attribute__((overloadable)) f#(int a) { } void f#(float a) { }", "void f#(int a) { } void __attribute__((overloadable)) f#(float a) { }", "void __attribute__((overloadable)) barrier(uint);", "void barrier(uint);", "float sin(float);", "float __attribute__((overloadable)) sin(float);", "float sin(float x) { return x; }", "float __attribute__((overloadable)) sin(float x) { return x; }", "int __attribute__((overloadable)) max(int a, int b) { return a; }", "int max(int a, int b) { return a; }", "float __attribute__((overloadable)) dot(float a, int b) { return a; }", "void get_global_id(void) { }", "size_t __attribute__((overloadable, const)) get_global_id(uint);", "int mad(int a, int b, int c) { return a * b + c; }", "float lerp(float a, float b) { return mix(a, b, 0.5f); }", "int abs(int);", "float fract(float x) { return x - floor(x); }", "float __attribute__((overloadable)) fract(float x) { return x - floor(x); }",
  ];
  for (const text of texts) yield { rule: "declaration", text };
}

const V_ALL: readonly string[] = ["1.2", "2.0", "3.0"];

/** Tables about declarations and statements. */
export const DECLARATION_TABLES: readonly SnippetTable[] = [
  { name: "places", section: "6.7", versions: ["1.2", "3.0"], make: places },
  { name: "pointers", section: "6.7", versions: V_ALL, make: pointers },
  { name: "statements", section: "6.11", versions: V_ALL, make: statements },
  { name: "attributes", section: "6.13", versions: V_ALL, make: attributes },
];
