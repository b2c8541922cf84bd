// SPDX-License-Identifier: Apache-2.0
// Words of OpenCL C, for token soup.

/** Words, operators and literals, the odd ones too. */
export const WORDS: readonly string[] = [
  ...(
    "kernel __kernel global __global local __local constant __constant private __private generic " +
    "const volatile restrict static extern inline register auto typedef struct union enum"
  ).split(" "),
  ...(
    "if else for while do switch case default break continue goto return sizeof " +
    "__attribute__ _Pragma __builtin_x asm half bool void signed unsigned"
  ).split(" "),
  ...(
    "char uchar short ushort int uint long ulong float double size_t ptrdiff_t intptr_t " +
    "float2 float3 float4 int8 uchar16 long3 half4 double2 bool4 int5"
  ).split(" "),
  ...(
    "image2d_t image3d_t sampler_t event_t queue_t pipe read_only write_only read_write " +
    "atomic_int atomic_flag memory_order_relaxed"
  ).split(" "),
  ...(
    "+ - * / % & | ^ ~ ! < > <= >= == != && || << >> = += -= *= /= %= &= |= ^= <<= >>= " +
    "++ -- ? : , ; . -> ... ( ) [ ] { } # ## <: :> <% %> %:"
  ).split(" "),
  ...(
    "a b x y i n k p v s tmp get_global_id get_local_id barrier vload4 vstore4 " +
    "convert_int4_sat_rte as_float4 min max clamp dot printf select shuffle shuffle2 " +
    "atomic_add mad24 upsample"
  ).split(" "),
  ..."x xyzw s0 sF s01 lo hi even odd rgba wzyx".split(" "),
  ...(
    "0 1 42 2147483648 4294967296 18446744073709551615 18446744073709551616 0x 0x1p3 " +
    "0x1.8p-3f 1e400 1e-400 .5f 5. 1.e5 09 0b101 0b2 1uL 1LLU 1f 1.0h 3.14lf 'a' '' " +
    "'\\n' '\\x41' '\\777' '\\u1234' \"text\" \"\\q\" \""
  ).split(" "),
  ...(
    "reqd_work_group_size work_group_size_hint vec_type_hint aligned packed endian " +
    "opencl_unroll_hint CLK_LOCAL_MEM_FENCE INT_MAX M_PI_F NAN INFINITY __LINE__ " +
    "__FILE__ __COUNTER__ __VA_ARGS__ defined"
  ).split(" "),
  "/*",
  "*/",
  "//",
  "\\\n",
  "\n",
  "\n#",
  "@",
  "`",
  "$",
  "\\",
  "\u0000",
  "é",
  "🙂",
  "\uFEFF",
  "\r\n",
  "\f",
  "??=",
  "\u2028",
];

/** Lines of the preprocessor. */
export const DIRECTIVES: readonly string[] = [
  "#define A(x, y) x ## y",
  "#define B(...) __VA_ARGS__",
  "#define C(x) #x",
  "#define D D",
  "#define E F\n#define F E",
  "#define G(x) G(x) G(x)",
  "#undef A",
  "#if 1",
  "#if defined(A) && B(1)",
  "#if 1/0",
  "#if (",
  "#ifdef A",
  "#ifndef",
  "#elif 1",
  "#else",
  "#endif",
  '#include "self.h"',
  "#include <other.h>",
  "#include",
  "#line 5",
  '#line 99999999999 "x"',
  "#error no",
  "#warning so",
  "#pragma unroll",
  "#pragma OPENCL EXTENSION all : enable",
  "#pragma OPENCL FP_CONTRACT OFF",
  "#",
  "##",
  "#define",
  "#define 1",
  "#define X(a,a) a",
  "#define Y(...,b) b",
  "#if 0x7fffffffffffffff + 1 > 0 ? 1 : 2",
  "#if -1 >> 63",
  "#define Z() Z",
  "#define defined 1",
  "#define H(x) x(",
  "H(H)(H)",
  "A(B, C)(D)",
];

/** What a kernel of real code begins with, so that soup gets past the first token. */
export const OPENINGS: readonly string[] = [
  "kernel void k(global int* x) { ",
  "kernel void k(global float4* v, int n) { for (int i = 0; i < n; i++) ",
  "typedef struct { int a; float4 b; } S; kernel void k(global S* s) { s->",
  "constant int t[] = { ",
  "float f(float x) { return ",
  "#define M(x) ",
  "",
];
