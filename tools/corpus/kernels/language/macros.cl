// SPDX-License-Identifier: Apache-2.0
// construct: macros with variable arguments, pasted names, strings of arguments, and lines that go on

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define COUNT_(_1, _2, _3, _4, n, ...) n
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define VECTOR(...) (CONCAT(float, COUNT(__VA_ARGS__)))(__VA_ARGS__)
#define FOR_EACH_TYPE(m) m(char) m(uchar) m(short) m(ushort) m(int) m(uint) m(long) m(ulong) m(float) m(double)
#define FILL(type)                                                                                                     \
  kernel void CONCAT(fill_, type)(global type *p, type value, uint n) {                                                \
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))                                                    \
      p[i] = value;                                                                                                    \
  }
#define COPY(type)                                                                                                     \
  kernel void CONCAT(copy_, type)(global const type *restrict from, global type *restrict to) {                        \
    to[get_global_id(0)] = from[get_global_id(0)];                                                                     \
  }
#if defined(cl_khr_fp64) && __OPENCL_VERSION__ >= 120
FOR_EACH_TYPE(FILL)
FOR_EACH_TYPE(COPY)
#else
#error "doubles are needed"
#endif

kernel void vectors(global float *out, float f) {
  out[0] = dot(VECTOR(f, 1, 2), VECTOR(1, f, 3)) + VECTOR(f, 2).y;
#line 100 "elsewhere.cl"
  out[1] = __LINE__ == 100 ? f : 0;
}
