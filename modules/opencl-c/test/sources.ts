// SPDX-License-Identifier: Apache-2.0
// For each message a source that causes it: one realistic mistake.

/** Sources by code. */
export const SOURCES: Readonly<Record<string, string>> = {
  CL1001: "kernel void k(void) {\n  /* never ends\n}\n",
  CL1002: 'constant char text[] = "no end;\n',
  CL1003: "constant char letter = 'a;\n",
  CL1004: "kernel void k(global int* x) { *x = 1 @ 2; }\n",
  CL1005: "kernel void k(global int* x) { *x = 0x; }\n",
  CL1006: "constant char letter = '\\q';\n",
  CL1007: "constant char letter = '\\777';\n",
  CL1008: "kernel void k(global int* x) { *x = 'magic'; }\n",
  CL1101: "#defin N 4\nkernel void k(void) {}\n",
  CL1102: "#define 4\nkernel void k(void) {}\n",
  CL1103: "#if 1\nkernel void k(void) {}\n",
  CL1104: "#else\nkernel void k(void) {}\n",
  CL1105: "#include size.h\nkernel void k(void) {}\n",
  CL1106: '#include "size.h"\nkernel void k(void) {}\n',
  CL1108: "#error this device is too small\nkernel void k(void) {}\n",
  CL1109: "#warning this kernel is old\nkernel void k(void) {}\n",
  CL1110: "#define ADD(a, b) ((a) + (b))\nkernel void k(global int* x) { *x = ADD(1); }\n",
  CL1111: "#define TWICE(a) ((a) * 2)\nkernel void k(global int* x) { *x = TWICE(1; }\n",
  CL1112: "#define ADD(a, ) ((a))\nkernel void k(void) {}\n",
  CL1113: "#define JOIN(a, b) a ## b\nkernel void k(global int* x) { *x = JOIN(+, /); }\n",
  CL1114: "#if (1 +\nkernel void k(void) {}\n#endif\n",
  CL1115: "#line here\nkernel void k(void) {}\n",
  CL1116: "#define N 4\n#define N 5\nkernel void k(global int* x) { *x = N; }\n",
  CL1117: "#define TEXT(a) #b\nkernel void k(void) {}\n",
  CL1118: "#define JOIN(a) ## a\nkernel void k(void) {}\n",
  CL1130: '#define TWICE(a) ((a) * 2)\nkernel void k(global int* x) {\n  *x = TWICE(1\n#include "one.h"\n  );\n}\n',
  CL1120:
    `#define A0 ;\n` +
    `${Array.from({ length: 21 }, (_, i) => `#define A${i + 1} A${i} A${i}\n`).join("")}A21\n` +
    `kernel void k(void) {}\n`,
  CL1201: "kernel void k(global int* x) { *x = 1 }\n",
  CL1202: "kernel void k(global int* x) { *x = 1 + ; }\n",
  CL1203: "kernel void k(void) {}\n) int y;\n",
  CL1204: `kernel void k(global int* x) { *x = ${"(".repeat(1100)}1${")".repeat(1100)}; }\n`,
  CL1205: "struct flags { int on : 1; };\nkernel void k(void) {}\n",
  CL1206: "kernel void k(global float* x) { unsigned float y = 1; *x = y; }\n",
  CL1207: 'kernel void k(void) { asm("nop"); }\n',
  CL1208: "kernel void k(global int* x) { const y = 1; *x = y; }\n",
  CL1209: "kernel void k(global int* x) { flaot y = 1; *x = y; }\n",
  CL1119: "#define USE_LOCAL 1\n#if USE_LOCL\n#endif\nkernel void k(void) {}\n",
  CL1220: "kernel void k(global int* x) {\n  if (*x > 1)\n    x[0] = 1;\n    x[1] = 2;\n  else\n    x[2] = 3;\n}\n",
  CL1221:
    "kernel void a(global int* x) {\n  if (*x > 1) {\n    *x = 1;\n}\n\nkernel void b(global int* x) {\n  *x = 2;\n}\n",
  CL1222: "kernel void k(global float* x) { float whole, half; whole = half = *x; *x = whole; }\n",
  CL1223: "int twice(int& a) { return 2 * a; }\nkernel void k(global int* x) { *x = twice(1); }\n",
  CL1224: "kernel void k(global int* x) {\n  *x = 1; }\n}\n",
  CL1210: "kernel void k(global int* x) { inline int y = 1; *x = y; }\n",
  CL1212: "kernel void k(global int* x) {\n#pragma unroll\n  *x = 1;\n}\n",
  CL1213: "kernel void k(global int* x) { register int y = 1; *x = y; }\n",
  CL2001: "kernel void k(global int* x) { *x = get_gobal_id(0); }\n",
  CL2002: "kernel void k(global int* x) { int y = 1; int y = 2; *x = y; }\n",
  CL2003: "kernel void k(global int* x, int n) { *x = n(1); }\n",
  CL2004: "int twice(int a) { return 2 * a; }\nkernel void k(global int* x) { *x = twice(1, 2); }\n",
  CL2005: "kernel void k(global int* x) { int y = x; *x = y; }\n",
  CL2006: "kernel void k(global float* x) { *x = *x % 2.0f; }\n",
  CL2007: "kernel void k(int a) { a + 1 = 2; }\n",
  CL2008: "kernel void k(global const int* x) { *x = 1; }\n",
  CL2009: "struct point { int x; int y; };\nkernel void k(global int* o) { struct point p = { 1, 2 }; *o = p.z; }\n",
  CL2010: "kernel void k(global float* o, float4 v) { *o = v.q; }\n",
  CL2011: "kernel void k(global int* o, int a) { *o = *a; }\n",
  CL2012: "kernel void k(global int* o, float4 v) { *o = popcount(v); }\n",
  CL2013: "kernel void k(global float* o) { *o = pow(*o, 2.0); }\n",
  CL2014: "kernel void k(int n) { switch (n) { case n: break; } }\n",
  CL2015: "kernel void k(global int* o, int n) { int list[n]; list[0] = 1; *o = list[0]; }\n",
  CL2110: "kernel void k(global int* x) { int room[65536][65536]; *x = room[0][0]; }\n",
  CL2016: "kernel void k(global float4* o) { *o = (float4)(1, 2, 3); }\n",
  CL2017: "kernel void k(void) { break; }\n",
  CL2018: "kernel void k(void) { case 1: return; }\n",
  CL2019: "kernel void k(int n) { switch (n) { case 1: break; case 1: break; } }\n",
  CL2020: "kernel void k(global int* x) { if (*x) goto dnoe; *x = 1; done: *x = 2; }\n",
  CL2021: "int f(void) { return; }\nkernel void k(global int* o) { *o = f(); }\n",
  CL2022: "kernel int k(void) { return 1; }\n",
  CL2023: "kernel void k(bool on) {}\n",
  CL2024: "kernel void k(global int* o, constant int* c) { global int* p = c; *o = *p; }\n",
  CL2025: "int f(int n) { return n == 0 ? 0 : f(n - 1); }\nkernel void k(global int* o) { *o = f(*o); }\n",
  CL2080: "// -cl-std=CL3.0\nkernel void k(global int* x) { *x = sub_group_clustered_reduce_add(*x, 3); }\n",
  CL2081:
    "// -cl-std=CL3.0\nkernel void k(read_only pipe int in, global int* x) { read_only pipe int other; *x = get_pipe_max_packets(in); }\n",
  CL2082: "// -cl-std=CL3.0\nkernel void k(read_only pipe int in, global float* x) { read_pipe(in, x); }\n",
  CL2026: "int f(int n);\nkernel void k(global int* o) { *o = f(*o); }\n",
  CL2027: "kernel void k(global int* o) { int list[2] = { 1, 2, 3 }; *o = list[0]; }\n",
  CL2028: "kernel void k(global int* o) { if (*o) { local int tile[4]; tile[0] = 1; *o = tile[0]; } }\n",
  CL2029: "kernel void k(global int* o) { local int tile = 4; *o = tile; }\n",
  CL2030: "int counter = 0;\nkernel void k(global int* o) { *o = counter; }\n",
  CL2031: "struct point;\nkernel void k(global int* o) { struct point p; *o = 1; }\n",
  CL2032: "kernel void k(global half* o) { *o = o[0] * o[1]; }\n",
  CL2124: "// cl_khr_fp16\nkernel void k(global half* x) { half twice = 2 * x[0]; x[0] = twice; }\n",
  CL2033: "kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) {}\n",
  CL2034: "int f(int n);\nfloat f(int n) { return n; }\nkernel void k(global int* o) { *o = 1; }\n",
  CL2037: "kernel void k(global int* x) { work_group_barrier(CLK_GLOBAL_MEM_FENCE); *x = 1; }\n",
  CL1211: "kernel void k(global _Atomic int* x) { *x = 1; }\n",
  CL2038:
    "// -cl-std=CL3.0\nkernel void k(global atomic_int* x, global int* y) { *y = atomic_load_explicit(x, memory_order_release); }\n",
  CL2039: "// -cl-std=CL3.0\nkernel void k(global atomic_int* x) { *x = 5; }\n",
  CL2040:
    "// -cl-std=CL3.0\nkernel void k(global int* x) { atomic_int count = ATOMIC_VAR_INIT(0); *x = atomic_load(&count); }\n",
  CL2090: 'kernel void k(int n) { printf("%*d\\n", 4, n); }\n',
  CL1225: "struct point { int x; int y };\nkernel void k(global struct point* p) { p->x = p->y; }\n",
  CL2131: "kernel void k(global int* x __attribute__((packed))) { *x = 1; }\n",
  CL2132: "kernel void k(global int* x, int n) { if (x == n) *x = 1; }\n",
  CL2133: "kernel void k(global int2* x, uint n) { *x = *x + n; }\n",
  CL2134: "constant int most = max(3, 4);\nkernel void k(global int* x) { *x = most; }\n",
  CL2135: 'kernel void k(int n) { printf("%d of 100%\\n", n); }\n',
  CL2091: 'kernel void k(int n) { printf("%d of %d\\n", n); }\n',
  CL2092: 'kernel void k(int4 v) { printf("%d\\n", v); }\n',
  CL2130: "kernel void k(global float4* x) { *x = float4(1, 2, 3, 4); }\n",
  CL2129: 'kernel void k(constant char* name) { printf("%s\\n", name); }\n',
  CL2095: 'kernel void k(int n) { printf("%d\\n", n, n + 1); }\n',
  CL2096: 'kernel void k(long n) { printf("%d\\n", n); }\n',
  CL2060: "int one(void) { return 1; }\nkernel void k(global int* o) { *o = one + 1; }\n",
  CL2070: "kernel void k(read_only image2d_t image, global int* x) { image2d_t other; *x = get_image_width(image); }\n",
  CL2071: "kernel void k(write_only global int* x) { *x = 1; }\n",
  CL2072: "kernel void k(read_only image2d_t image) { write_imagef(image, (int2)(0, 0), (float4)(1.0f)); }\n",
  CL2073:
    "kernel void k(read_only image2d_t image, global float4* x, uint mode) { const sampler_t s = mode; *x = read_imagef(image, s, (int2)(0, 0)); }\n",
  CL2125:
    "constant sampler_t s = 0x1234;\nkernel void k(read_only image2d_t image, global float4* x) { *x = read_imagef(image, s, (float2)(0, 0)); }\n",
  CL2126:
    "constant sampler_t s = CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\nkernel void k(read_only image2d_t image, global float4* x) { *x = read_imagef(image, s, (float2)(0, 0)); }\n",
  CL2127:
    "constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\nkernel void k(read_only image2d_t image, global float4* x) { *x = read_imagef(image, s, (int2)(0, 0)); }\n",
  CL2061:
    "int sign(int n) {\n  if (n > 0) return 1;\n  if (n < 0) return -1;\n}\nkernel void k(global int* x) { *x = sign(*x); }\n",
  CL2062: "kernel void k(global int* x) {\n  return;\n  *x = 1;\n}\n",
  CL2063: "kernel void k(global int* x, int n) {\n  if (n > 3);\n    *x = 1;\n}\n",
  CL2064: "kernel void k(global int* x, int n) { if (n = 3) *x = n; }\n",
  CL2065: "kernel void k(global int* x, int n) { if (n & 1 == 0) *x = 1; }\n",
  CL2066: "kernel void k(global int* x, uint n) { for (uint i = n; i >= 0; --i) x[i] = 1; }\n",
  CL2067: "kernel void k(global int* x) { *x = *x / 0; }\n",
  CL2068: "kernel void k(global uint* x) { *x = *x << 32; }\n",
  CL2069: "kernel void k(global int* x) { int list[4]; for (int i = 0; i < 4; ++i) list[i] = i; *x = list[4]; }\n",
  CL2101: "struct pair { int a; int b; };\nkernel void k(global struct pair* p) { p->a = p->a; }\n",
  CL2102: "kernel void k(global int* x) { int n = 1; n == 2; *x = n; }\n",
  CL2103: "static int twice(int n) { return 2 * n; }\nkernel void k(global int* x) { *x = 1; }\n",
  CL2105:
    "// -Wextra\nint twice(int n, int unit) { return 2 * n; }\nkernel void k(global int* x) { *x = twice(*x, 4); }\n",
  CL2106:
    "kernel void k(global int* x) {\n  switch (*x) {\n    case 1:\n    case 2:\n      *x = 20;\n    case 3:\n      *x = 30;\n      break;\n    default:\n      *x = 0;\n  }\n}\n",
  CL2104: "kernel void k(global int* x) { again: *x = 1; }\n",
  CL2074: "kernel __attribute__((reqd_workgroup_size(8, 8, 1))) void k(global int* x) { *x = 1; }\n",
  CL2075: "#pragma OPENCL EXTENSION cl_khr_fp46 : enable\nkernel void k(global int* x) { *x = 1; }\n",
  CL2076:
    "kernel void k(global int* x, local int* tile) {\n  int i = get_local_id(0);\n  tile[i] = x[i];\n  if (i > 0) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n    x[i] = tile[i - 1];\n  }\n}\n",
  CL2077:
    "kernel void k(global int* x, local int* tile, int n) {\n  int i = get_global_id(0);\n  if (i >= n) return;\n  tile[get_local_id(0)] = x[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  x[i] = tile[0];\n}\n",
  CL2079: "kernel void k(global float4* x) { float4 v = (1.0f, 2.0f, 3.0f, 4.0f); *x = v; }\n",
  CL2041: "// -cl-std=CL3.0\nkernel void k(global int* x) { static local int y; *x = y; }\n",
  CL2042: "// -cl-std=CL3.0\nkernel void k(global int* x) { global int y; *x = y; }\n",
  CL2123: "int f(local int n) { return n; }\nkernel void k(void) {}\n",
  CL2111: "global int f(void) { return 1; }\nkernel void k(void) {}\n",
  CL2112: "int f(int (*call)(int)) { return 1; }\nkernel void k(void) {}\n",
  CL2113: "int f(int n, ...) { return n; }\nkernel void k(void) {}\n",
  CL2114: "struct list { int count; float values[]; };\nkernel void k(void) {}\n",
  CL2115: "struct point { int x; };\nint f(void) { union point p; return 1; }\nkernel void k(void) {}\n",
  CL2116:
    "int f(int i) {\n  constant int list[2] = { 1, 2 };\n  return list[i];\n}\nkernel void k(global int* o) { *o = f(*o); }\n",
  CL2117: "constant int n;\nkernel void k(global int* o) { *o = n; }\n",
  CL2118: "kernel void k(restrict global int* o) { *o = 1; }\n",
  CL2120: "int main(void) { return 1; }\nkernel void k(void) {}\n",
  CL2121: "kernel void k(global float4* o) { global float* p = &o->x; *p = 1.0f; }\n",
  CL2122: "kernel void k(global float4* o, float4 v) { *o = v[4]; }\n",
  CL2100: '_Static_assert(sizeof(float3) == 12, "three floats");\nkernel void k(void) {}\n',
  CL2050: "kernel void k(global int* x) { int unused = 4; *x = 1; }\n",
  CL2051: "kernel void k(global int* x, float f) { *x = f; }\n",
  CL2128: "kernel void k(global float* x) { global float4* y = x; *y = (float4)(1.0f); }\n",
  CL2053:
    "kernel void k(global int* x, int n) {\n  int sum;\n  for (int i = 0; i < n; ++i) sum += x[i];\n  *x = sum;\n}\n",
  CL2052: "kernel void k(global int* x) { int i = 1; for (int i = 0; i < 3; ++i) x[i] = i; x[3] = i; }\n",
  CL2035: "kernel void k(global int* o, int4 v) { if (v) *o = 1; }\n",
};

/** Codes that no source of these tests reaches, and why. */
export const UNREACHED: Readonly<Record<string, string>> = {
  CL2078: "needs a device without doubles: tested apart",
  CL1107: "needs a header that includes itself: tested apart",
  CL1999: "accompanies the warning that it refers to: tested separately",
  CL3001: "of the linker: tested with it (host-compiler's link.test.ts)",
  CL3002: "of the linker: tested with it",
  CL3003: "of the linker: tested with it",
};

/** Twenty mistakes that have nothing to do with each other. */
export const TWENTY = `#include "nowhere.h"
#define ADD(a, b) ((a) + (b))
struct point { int x; int y; };
int f01(void) { return undeclared_a; }
int f02(int* p) { return p.x; }
int f03(void) { return ADD(1); }
int f04(float4 v) { return (int)v.q; }
void f05(int a) { a + 1 = 2; }
int f06(int a) { return a(1); }
float f07(float a) { return a % 2.0f; }
void f08(void) { break; }
void f09(void) { goto nowhere; }
int f10(int n) { int list[n]; return 1; }
float4 f11(void) { return (float4)(1, 2, 3); }
void f12(constant int* c) { *c = 1; }
int f13(int n) { switch (n) { case 1: return 1; case 1: return 2; } return 0; }
void f14(int4 v) { if (v) return; }
int f15(void) { struct point p = { 1, 2 }; return p.z; }
int f16(int a) { int a2 = 1; int a2 = 2; return a2; }
int f17(int a) { return f16(1, 2); }
kernel int f18(void) { return 1; }
kernel void f19(bool on) {}
int f20(int a) { return *a; }
`;
