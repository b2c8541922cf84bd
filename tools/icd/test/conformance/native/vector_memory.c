// SPDX-License-Identifier: Apache-2.0
// vloadn and vstoren with each width in each address space, and the functions that load and store half, with each way
// to round.
#include "harness.h"

#include <math.h>

static const struct {
  const char *name, *extension;
  size_t bytes;
} types[] = {{"char", NULL, 1}, {"uchar", NULL, 1}, {"short", NULL, 2}, {"ushort", NULL, 2}, {"int", NULL, 4},
    {"uint", NULL, 4}, {"long", NULL, 8}, {"ulong", NULL, 8}, {"float", NULL, 4}, {"half", "cl_khr_fp16", 2},
    {"double", "cl_khr_fp64", 8}};
static const unsigned widths[] = {2, 3, 4, 8, 16};
static const char *const spaces[] = {"global", "local", "private", "constant"};

enum { VECTORS = 5, MOST_LANES = 16, SHIFT = 1 };

// Every vector begins at an element, not at a multiple of its size: the pointer is shifted by one element.
static void write_kernels(struct text *text, const char *type, unsigned width) {
  unsigned count = VECTORS * width + SHIFT;
  for (size_t s = 0; s < LENGTH(spaces); s++) {
    bool is_own = s == 1 || s == 2;
    text_add(text, "kernel void load_%s_%u(%s const %s *from, global %s *to) {\n", spaces[s], width,
        s == 3 ? "constant" : "global", type, type);
    if (is_own)
      text_add(text, "  %s %s mine[%u];\n  for (int i = 0; i < %u; i++) mine[i] = from[i];\n", spaces[s], type, count,
          count);
    text_add(text,
        "  for (int v = 0; v < %d; v++) {\n    %s%u x = vload%u(v, %s + %d);\n    %s lanes[%u];\n", VECTORS, type,
        width, width, is_own ? "mine" : "from", SHIFT, type, width);
    static const char letters[] = "0123456789abcdef";
    for (unsigned lane = 0; lane < width; lane++) text_add(text, "    lanes[%u] = x.s%c;\n", lane, letters[lane]);
    text_add(text, "    for (int l = 0; l < %u; l++) to[%d + v * %u + l] = lanes[l];\n  }\n}\n", width, SHIFT, width);
    if (s == 3) continue;
    text_add(text, "kernel void store_%s_%u(global const %s *from, global %s *to) {\n", spaces[s], width, type, type);
    if (is_own)
      text_add(text, "  %s %s mine[%u];\n  for (int i = 0; i < %u; i++) mine[i] = to[i];\n", spaces[s], type, count,
          count);
    text_add(text, "  for (int v = 0; v < %d; v++) vstore%u((%s%u)(", VECTORS, width, type, width);
    for (unsigned lane = 0; lane < width; lane++)
      text_add(text, "%sfrom[%d + v * %u + %u]", lane == 0 ? "" : ", ", SHIFT, width, lane);
    text_add(text, "), v, %s + %d);\n", is_own ? "mine" : "to", SHIFT);
    if (is_own) text_add(text, "  for (int i = 0; i < %u; i++) to[i] = mine[i];\n", count);
    text_add(text, "}\n");
  }
}

static void run(cl_program program, size_t t, unsigned width, const char *verb, const char *space) {
  size_t bytes = (VECTORS * width + SHIFT) * types[t].bytes, shift = SHIFT * types[t].bytes;
  uint8_t from[(VECTORS * MOST_LANES + SHIFT) * 8], to[sizeof from];
  for (size_t i = 0; i < bytes; i++) from[i] = (uint8_t)((i * 11 + 3) % 64);
  memset(to, 0x33, sizeof to);
  char name[64], why[32];
  snprintf(name, sizeof name, "%s_%s_%u", verb, space, width);
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, name, &code);
  if (kernel != NULL) {
    cl_mem list[] = {buffer_of(bytes, from), buffer_of(bytes, to)};
    code = launch(kernel, 2, list, 1, 1);
    read_back(list[1], bytes, to);
    for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
    clReleaseKernel(kernel);
  }
  bool holds = code == CL_SUCCESS && memcmp(from + shift, to + shift, bytes - shift) == 0;
  for (size_t i = 0; i < shift; i++) holds = holds && to[i] == 0x33;
  snprintf(why, sizeof why, "code %d", code);
  check(holds, why, "v%s%u of %s in %s memory", verb, width, types[t].name, space);
}

static void one_type(size_t t) {
  struct text text = {0};
  if (types[t].extension != NULL) text_add(&text, "#pragma OPENCL EXTENSION %s : enable\n", types[t].extension);
  for (size_t w = 0; w < LENGTH(widths); w++) write_kernels(&text, types[t].name, widths[w]);
  cl_program program = build(text.bytes, "");
  for (size_t w = 0; w < LENGTH(widths); w++)
    for (size_t s = 0; s < LENGTH(spaces); s++) {
      run(program, t, widths[w], "load", spaces[s]);
      if (s < 3) run(program, t, widths[w], "store", spaces[s]);
    }
  if (program != NULL) clReleaseProgram(program);
  text_free(&text);
}

// ---- half

static const unsigned half_widths[] = {1, 2, 3, 4, 8, 16};
enum rounding { NEAREST, TO_ZERO, UP, DOWN };
static const struct {
  const char *suffix;
  enum rounding rounding;
} roundings[] = {{"", NEAREST}, {"_rte", NEAREST}, {"_rtz", TO_ZERO}, {"_rtp", UP}, {"_rtn", DOWN}};

// The value of a half by its bits.
static double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0    ? ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                  : ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

// The half that a number is rounded to: the two next to it are found by halving the range of all.
static uint16_t rounded(double value, enum rounding how) {
  double size = fabs(value);
  uint16_t sign = signbit(value) ? 0x8000 : 0, low = 0, high = 0x7c00;
  while (high - low > 1) {
    uint16_t middle = (uint16_t)((low + high) / 2);
    if (half_value(middle) <= size) low = middle;
    else high = middle;
  }
  if (half_value(low) == size) return sign | low;
  // The greatest finite number and infinity are as far apart as two numbers of that size.
  double above = high == 0x7c00 ? 65536.0 : half_value(high), middle = (half_value(low) + above) / 2;
  bool is_up = how == UP     ? sign == 0
               : how == DOWN ? sign != 0
               : how == NEAREST ? size > middle || (size == middle && (low & 1) != 0)
                                : false;
  return sign | (is_up ? high : low);
}

static const double halves[] = {0.0, -0.0, 1.0, -1.0, 0.333333333, -0.333333333, 65504.0, -65504.0, 65519.0, -65519.0,
    1e-7, -1e-7, 6.1e-5, 6.097555160522461e-05, -3e-8, 2048.5, 2049.5, -2049.5, 1.00048828125, -1.00146484375,
    5.9604644775390625e-08, 8.9406967163085938e-08, 1234.5678, -0.1, 0.1, 3.14159265, 40000.0, -12345.0, 7e-6, 0.7,
    -0.7, 99.99};

static void write_half_kernels(struct text *text, const char *type, unsigned width, bool is_aligned) {
  char suffix[16] = "", vector[32];
  if (width > 1) snprintf(suffix, sizeof suffix, "%u", width);
  snprintf(vector, sizeof vector, "%s%s", type, suffix);
  unsigned step = is_aligned && width == 3 ? 4 : width, count = VECTORS * step;
  const char *a = is_aligned ? "a" : "";
  for (size_t s = 0; s < 3; s++) {
    bool is_own = s > 0;
    // Variables of half need an extension, pointers do not: memory for halves is an array of ushort.
    const char *halves_at = s == 1 ? "(local half *)mine" : "(private half *)mine";
    for (size_t r = 0; r < LENGTH(roundings); r++) {
      text_add(text, "kernel void s%zu_%zu_%s%u%s(global const %s *from, global half *to) {\n", s, r, type, width, a,
          type);
      if (is_own)
        text_add(text, "  %s ushort mine[%u] __attribute__((aligned(64)));\n", s == 1 ? "local" : "private", count);
      text_add(text, "  for (int v = 0; v < %d; v++) vstore%s_half%s%s(", VECTORS, a, suffix, roundings[r].suffix);
      if (width == 1) text_add(text, "from[v]");
      else text_add(text, "vload%u(v, from)", width);
      text_add(text, ", v, %s);\n", is_own ? halves_at : "to");
      if (is_own)
        text_add(text,
            "  for (int i = 0; i < %u; i++) if (%u == %u || i %% 4 != 3) ((global ushort *)to)[i] = mine[i];\n",
            count, step, width);
      text_add(text, "}\n");
    }
    if (strcmp(type, "float") != 0) continue;
    text_add(text, "kernel void l%zu_%u%s(global const half *from, global float *to) {\n", s, width, a);
    if (is_own)
      text_add(text,
          "  %s ushort mine[%u] __attribute__((aligned(64)));\n  for (int i = 0; i < %u; i++) mine[i] = ((global const "
          "ushort *)from)[i];\n",
          s == 1 ? "local" : "private", count, count);
    text_add(text, "  for (int v = 0; v < %d; v++) ", VECTORS);
    const char *loaded = is_own ? halves_at : "from";
    if (width == 1) text_add(text, "to[v] = vload%s_half(v, %s);\n}\n", a, loaded);
    else text_add(text, "vstore%u(vload%s_half%u(v, %s), v, to);\n}\n", width, a, width, loaded);
  }
}

static void store_halves(cl_program program, const char *type, unsigned width, bool is_aligned, size_t s, size_t r) {
  bool is_double = strcmp(type, "double") == 0;
  unsigned step = is_aligned && width == 3 ? 4 : width;
  float singles[VECTORS * MOST_LANES];
  double doubles[VECTORS * MOST_LANES];
  uint16_t to[VECTORS * MOST_LANES];
  size_t numbers = VECTORS * width;
  for (size_t i = 0; i < numbers; i++) {
    doubles[i] = halves[i % LENGTH(halves)];
    singles[i] = (float)doubles[i];
    if (!is_double) doubles[i] = singles[i];
  }
  memset(to, 0, sizeof to);
  char name[64], why[96];
  snprintf(name, sizeof name, "s%zu_%zu_%s%u%s", s, r, type, width, is_aligned ? "a" : "");
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, name, &code);
  if (kernel != NULL) {
    cl_mem values = is_double ? buffer_of(numbers * sizeof *doubles, doubles)
                              : buffer_of(numbers * sizeof *singles, singles);
    cl_mem list[] = {values, buffer_of(sizeof to, to)};
    code = launch(kernel, 2, list, 1, 1);
    read_back(list[1], sizeof to, to);
    for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
    clReleaseKernel(kernel);
  }
  snprintf(why, sizeof why, "code %d", code);
  bool holds = code == CL_SUCCESS;
  for (size_t v = 0; holds && v < VECTORS; v++)
    for (size_t lane = 0; holds && lane < width; lane++) {
      uint16_t expected = rounded(doubles[v * width + lane], roundings[r].rounding), found = to[v * step + lane];
      holds = expected == found;
      if (!holds)
        snprintf(why, sizeof why, "%a is 0x%04x, not 0x%04x", doubles[v * width + lane], found, expected);
    }
  check(holds, why, "vstore%s_half%.0u%s of %s in %s memory", is_aligned ? "a" : "", width == 1 ? 0 : width,
      roundings[r].suffix, type, spaces[s]);
}

static void load_halves(cl_program program, unsigned width, bool is_aligned, size_t s) {
  unsigned step = is_aligned && width == 3 ? 4 : width;
  uint16_t from[VECTORS * MOST_LANES];
  float to[VECTORS * MOST_LANES] = {0};
  for (size_t i = 0; i < LENGTH(from); i++) from[i] = (uint16_t)(i * 409 % 0x7c00 | (i % 3 == 0 ? 0x8000 : 0));
  char name[64], why[32];
  snprintf(name, sizeof name, "l%zu_%u%s", s, width, is_aligned ? "a" : "");
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, name, &code);
  if (kernel != NULL) {
    cl_mem list[] = {buffer_of(sizeof from, from), buffer_of(sizeof to, to)};
    code = launch(kernel, 2, list, 1, 1);
    read_back(list[1], sizeof to, to);
    for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
    clReleaseKernel(kernel);
  }
  bool holds = code == CL_SUCCESS;
  for (size_t v = 0; v < VECTORS; v++)
    for (size_t lane = 0; lane < width; lane++)
      holds = holds && to[v * width + lane] == (float)half_value(from[v * step + lane]);
  snprintf(why, sizeof why, "code %d", code);
  check(holds, why, "vload%s_half%.0u in %s memory", is_aligned ? "a" : "", width == 1 ? 0 : width, spaces[s]);
}

static void half_functions(const char *type, bool is_aligned, size_t from, size_t to) {
  struct text text = {0};
  if (strcmp(type, "double") == 0) text_add(&text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  for (size_t w = from; w < to; w++) write_half_kernels(&text, type, half_widths[w], is_aligned);
  cl_program program = build(text.bytes, "");
  for (size_t w = from; w < to; w++)
    for (size_t s = 0; s < 3; s++) {
      // A slice has an address space of each width.
      if (!is_whole && (w + s + is_aligned) % 3 != 0) continue;
      for (size_t r = 0; r < LENGTH(roundings); r++)
        store_halves(program, type, half_widths[w], is_aligned, s, r);
      if (strcmp(type, "float") == 0)
        load_halves(program, half_widths[w], is_aligned, s);
    }
  if (program != NULL) clReleaseProgram(program);
  text_free(&text);
}

void vector_memory(void) {
  for (size_t t = 0; t < LENGTH(types); t++) {
    bool is_there = types[t].extension == NULL || device_has(types[t].extension);
    bool is_in_slice = t == 1 || t == 8 || t == 10;
    if (is_there && (is_whole || is_in_slice)) one_type(t);
  }
  for (int is_aligned = 0; is_aligned < 2; is_aligned++)
    // The functions of one half are a program of their own: not every compiler has the aligned ones.
    for (size_t from = 0; from < LENGTH(half_widths); from = from == 0 ? 1 : LENGTH(half_widths)) {
      size_t to = from == 0 ? 1 : LENGTH(half_widths);
      half_functions("float", is_aligned, from, to);
      if (is_whole && device_has("cl_khr_fp64")) half_functions("double", is_aligned, from, to);
    }
}
