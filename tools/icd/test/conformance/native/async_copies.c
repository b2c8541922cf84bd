// SPDX-License-Identifier: Apache-2.0
// async_work_group_copy and async_work_group_strided_copy with each type, in both directions.
#include "harness.h"

static const struct {
  const char *name, *extension;
  size_t bytes;
} types[] = {{"char", NULL, 1}, {"uchar", NULL, 1}, {"short", NULL, 2}, {"ushort", NULL, 2}, {"int", NULL, 4},
    {"uint", NULL, 4}, {"long", NULL, 8}, {"ulong", NULL, 8}, {"float", NULL, 4}, {"half", "cl_khr_fp16", 2},
    {"double", "cl_khr_fp64", 8}};
static const unsigned widths[] = {1, 2, 3, 4, 8, 16};

enum { GROUPS = 3, ITEMS = 8, COUNT = 21, STRIDE = 3 };
static const char *const kinds[] = {"from global to local memory", "from local to global memory",
    "from global to local memory with a stride", "from local to global memory with a stride"};

// Each kernel copies COUNT elements of each group by way of local memory; one of the two ways is the one to check.
static void write_kernels(struct text *text, const char *type) {
  static const char *const in[] = {
      "event_t e = async_work_group_copy(l, (const global T *)from + COUNT * g, COUNT, 0); wait_group_events(1, &e);",
      "for (int i = get_local_id(0); i < COUNT; i += get_local_size(0)) l[i] = from[COUNT * g + i];",
      "event_t e = async_work_group_strided_copy(l, (const global T *)from + COUNT * STRIDE * g, COUNT, STRIDE, 0); "
      "wait_group_events(1, &e);",
      "for (int i = get_local_id(0); i < COUNT; i += get_local_size(0)) l[i] = from[COUNT * g + i];"};
  static const char *const out[] = {
      "for (int i = get_local_id(0); i < COUNT; i += get_local_size(0)) to[COUNT * g + i] = l[i];",
      "event_t e = async_work_group_copy(to + COUNT * g, (const local T *)l, COUNT, 0); wait_group_events(1, &e);",
      "for (int i = get_local_id(0); i < COUNT; i += get_local_size(0)) to[COUNT * g + i] = l[i];",
      "event_t e = async_work_group_strided_copy(to + COUNT * STRIDE * g, (const local T *)l, COUNT, STRIDE, 0); "
      "wait_group_events(1, &e);"};
  text_add(text, "#undef T\n#define T %s\n", type);
  for (size_t kind = 0; kind < LENGTH(kinds); kind++)
    text_add(text,
        "kernel void k%zu_%s(const global T *from, global T *to) {\n  local T l[COUNT];\n  int g = get_group_id(0);\n"
        "  %s\n  barrier(CLK_LOCAL_MEM_FENCE);\n  %s\n}\n",
        kind, type, in[kind], out[kind]);
}

static void run(cl_program program, const char *type, size_t bytes, size_t payload, size_t kind) {
  char name[64], why[64];
  snprintf(name, sizeof name, "k%zu_%s", kind, type);
  bool spreads_in = kind == 2, spreads_out = kind == 3;
  size_t in_count = (size_t)GROUPS * COUNT * (spreads_in ? STRIDE : 1),
         out_count = (size_t)GROUPS * COUNT * (spreads_out ? STRIDE : 1);
  uint8_t *from = malloc(in_count * bytes), *to = malloc(out_count * bytes);
  // Numbers below 0x40 make no NaN of any type.
  for (size_t i = 0; i < in_count * bytes; i++) from[i] = (uint8_t)((i * 7 + i / 61) % 64);
  memset(to, 0xee, out_count * bytes);
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, name, &code);
  if (kernel != NULL) {
    cl_mem list[] = {buffer_of(in_count * bytes, from), buffer_of(out_count * bytes, to)};
    code = launch(kernel, 2, list, GROUPS * ITEMS, ITEMS);
    read_back(list[1], out_count * bytes, to);
    for (int i = 0; i < 2; i++) clReleaseMemObject(list[i]);
    clReleaseKernel(kernel);
  }
  size_t wrong = 0;
  for (size_t i = 0; i < out_count; i++) {
    bool is_gap = spreads_out && i % STRIDE != 0;
    size_t source = spreads_in ? i * STRIDE : spreads_out ? i / STRIDE : i;
    for (size_t b = 0; b < payload; b++)
      wrong += to[i * bytes + b] != (is_gap ? 0xee : from[source * bytes + b]);
  }
  snprintf(why, sizeof why, "code %d, %zu bytes are wrong", code, wrong);
  check(code == CL_SUCCESS && wrong == 0, why, "%s %s", type, kinds[kind]);
  free(from);
  free(to);
}

static void one_type(size_t t) {
  struct text text = {0};
  char name[32];
  text_add(&text, "#define COUNT %d\n#define STRIDE %d\n", COUNT, STRIDE);
  if (types[t].extension != NULL) text_add(&text, "#pragma OPENCL EXTENSION %s : enable\n", types[t].extension);
  for (size_t w = 0; w < LENGTH(widths); w++) {
    snprintf(name, sizeof name, widths[w] == 1 ? "%s" : "%s%u", types[t].name, widths[w]);
    write_kernels(&text, name);
  }
  cl_program program = build(text.bytes, "");
  for (size_t w = 0; w < LENGTH(widths); w++) {
    snprintf(name, sizeof name, widths[w] == 1 ? "%s" : "%s%u", types[t].name, widths[w]);
    // Three elements take the room of four, and what is between is nobody's.
    size_t lanes = widths[w] == 3 ? 4 : widths[w];
    for (size_t kind = 0; kind < LENGTH(kinds); kind++)
      run(program, name, lanes * types[t].bytes, widths[w] * types[t].bytes, kind);
  }
  if (program != NULL) clReleaseProgram(program);
  text_free(&text);
}

void async_copies(void) {
  for (size_t t = 0; t < LENGTH(types); t++) {
    bool is_there = types[t].extension == NULL || device_has(types[t].extension);
    // A slice has a type of each size.
    bool is_in_slice = t == 1 || t == 2 || t == 8 || t == 10;
    if (is_there && (is_whole || is_in_slice)) one_type(t);
  }
}
