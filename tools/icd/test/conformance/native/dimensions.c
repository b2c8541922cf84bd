// SPDX-License-Identifier: Apache-2.0
// Ids and sizes of work-items in ranges of one to three dimensions, with and without offset, with local sizes that are
// chosen, given, and that do not divide the range, up to 33 million work-items.
//
// Each work-item writes a number of its ids to its own place; a place that is left out or written by another one does
// not have its number. The first and last work-item of each range also write what the size functions return.
#include "harness.h"

static const char *const source =
    "kernel void k(global uint *out, global uint *sizes) {\n"
    "  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),\n"
    "         z = get_global_id(2) - get_global_offset(2);\n"
    "  size_t place = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "  bool holds = true;\n"
    "  for (uint d = 0; d < 3; d++)\n"
    "    holds = holds && get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) + get_global_offset(d) ==\n"
    "        get_global_id(d) && get_local_id(d) < get_local_size(d) && get_group_id(d) < get_num_groups(d) &&\n"
    "        get_local_size(d) <= get_enqueued_local_size(d);\n"
    "  out[place] = holds ? (uint)(x * 3 + y * 70001 + z * 900001 + 1) : 0;\n"
    "  if (place == 0 || place + 1 == get_global_size(0) * get_global_size(1) * get_global_size(2)) {\n"
    "    global uint *mine = sizes + (place == 0 ? 0 : 16);\n"
    "    mine[0] = get_work_dim();\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    "      mine[1 + d] = get_global_size(d); mine[4 + d] = get_num_groups(d);\n"
    "      mine[7 + d] = get_enqueued_local_size(d);\n"
    "      mine[10 + d] = get_local_size(d); mine[13 + d] = get_global_offset(d);\n"
    "    }\n"
    "  }\n"
    "}\n";

static const struct range {
  cl_uint dimensions;
  size_t size[3];
} ranges[] = {{1, {1, 1, 1}}, {1, {17, 1, 1}}, {1, {64, 1, 1}}, {1, {1021, 1, 1}}, {1, {65536, 1, 1}},
    {1, {1000003, 1, 1}}, {1, {16777216, 1, 1}}, {1, {33000001, 1, 1}}, {2, {1, 1, 1}}, {2, {7, 13, 1}},
    {2, {64, 64, 1}}, {2, {1, 4099, 1}}, {2, {4099, 1, 1}}, {2, {1024, 1024, 1}}, {2, {5743, 5743, 1}},
    {3, {1, 1, 1}}, {3, {3, 5, 7}}, {3, {16, 16, 16}}, {3, {1, 1, 2053}}, {3, {101, 1, 103}}, {3, {128, 128, 64}},
    {3, {320, 320, 322}}};

enum local { CHOSEN, DIVIDING, UNEVEN };
static const char *const local_names[] = {"a chosen local size", "a local size that divides it",
    "a local size that does not"};

// The largest divisor of a size up to a limit.
static size_t divisor(size_t size, size_t most) {
  for (size_t candidate = most < size ? most : size; candidate > 1; candidate--)
    if (size % candidate == 0) return candidate;
  return 1;
}

static void local_size(const struct range *range, enum local kind, size_t *local) {
  static const size_t most[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
  for (cl_uint axis = 0; axis < 3; axis++) {
    size_t limit = most[range->dimensions - 1][axis];
    local[axis] = kind == DIVIDING ? divisor(range->size[axis], limit) : limit < 2 ? 1 : limit - 1;
  }
}

// A device without groups of different sizes refuses a local size that does not divide the range.
static bool is_refused(const struct range *range, enum local kind) {
  if (kind != UNEVEN || device_number(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT)) return false;
  size_t local[3];
  local_size(range, kind, local);
  for (cl_uint axis = 0; axis < range->dimensions; axis++)
    if (range->size[axis] % local[axis] != 0) return true;
  return false;
}

static void one(cl_kernel kernel, const struct range *range, bool has_offset, enum local kind) {
  size_t total = range->size[0] * range->size[1] * range->size[2], local[3] = {1, 1, 1}, offset[3] = {0, 0, 0};
  if (kind != CHOSEN) local_size(range, kind, local);
  if (is_refused(range, kind)) {
    check_code(clEnqueueNDRangeKernel(queue, kernel, range->dimensions, NULL, range->size, local, 0, NULL, NULL),
        CL_INVALID_WORK_GROUP_SIZE, "%u-D, %zu x %zu x %zu, %s offset, %s: refused", range->dimensions,
        range->size[0], range->size[1], range->size[2], has_offset ? "with" : "without", local_names[kind]);
    return;
  }
  for (cl_uint axis = 0; has_offset && axis < range->dimensions; axis++) offset[axis] = 5 + 100 * axis;
  uint32_t *numbers = calloc(total, sizeof *numbers), sizes[32] = {0};
  cl_mem out = buffer_of(total * sizeof *numbers, NULL), told = buffer_of(sizeof sizes, sizes);
  clEnqueueFillBuffer(queue, out, &(cl_uint){0}, sizeof(cl_uint), 0, total * sizeof *numbers, 0, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof out, &out);
  clSetKernelArg(kernel, 1, sizeof told, &told);
  cl_int code = clEnqueueNDRangeKernel(queue, kernel, range->dimensions, has_offset ? offset : NULL, range->size,
      kind == CHOSEN ? NULL : local, 0, NULL, NULL);
  if (code == CL_SUCCESS) code = clFinish(queue);
  read_back(out, total * sizeof *numbers, numbers);
  read_back(told, sizeof sizes, sizes);
  size_t wrong = 0, place = 0;
  for (size_t z = 0; z < range->size[2]; z++)
    for (size_t y = 0; y < range->size[1]; y++)
      for (size_t x = 0; x < range->size[0]; x++)
        wrong += numbers[place++] != (uint32_t)(x * 3 + y * 70001 + z * 900001 + 1);
  char why[96];
  snprintf(why, sizeof why, "code %d, %zu work-items of %zu are wrong", code, wrong, total);
  check(code == CL_SUCCESS && wrong == 0, why, "%u-D, %zu x %zu x %zu, %s offset, %s: each id once", range->dimensions,
      range->size[0], range->size[1], range->size[2], has_offset ? "with" : "without", local_names[kind]);
  bool holds = code == CL_SUCCESS;
  for (int end = 0; end < (total == 1 ? 1 : 2); end++) {
    const uint32_t *mine = sizes + 16 * end;
    holds = holds && mine[0] == range->dimensions;
    for (cl_uint axis = 0; axis < 3; axis++) {
      size_t size = range->size[axis], enqueued = mine[7 + axis];
      holds = holds && mine[1 + axis] == size && enqueued > 0 && (kind == CHOSEN || enqueued == local[axis]) &&
              mine[4 + axis] == (size + enqueued - 1) / enqueued && mine[13 + axis] == offset[axis];
      if (!holds) break;
      // The last group of an axis has what is left.
      size_t last = size % enqueued == 0 ? enqueued : size % enqueued, first = enqueued < size ? enqueued : last;
      holds = holds && mine[10 + axis] == (end == 0 ? first : last);
    }
  }
  check(holds, NULL, "%u-D, %zu x %zu x %zu, %s offset, %s: sizes", range->dimensions, range->size[0], range->size[1],
      range->size[2], has_offset ? "with" : "without", local_names[kind]);
  clReleaseMemObject(out);
  clReleaseMemObject(told);
  free(numbers);
}

void dimensions(void) {
  enum { SLICE = 70000 }; // work-items
  cl_program program = build(source, "-cl-std=CL3.0");
  check(program != NULL, NULL, "the program builds");
  if (program == NULL) return;
  cl_kernel kernel = clCreateKernel(program, "k", NULL);
  for (size_t i = 0; i < LENGTH(ranges); i++) {
    size_t total = ranges[i].size[0] * ranges[i].size[1] * ranges[i].size[2];
    if (!is_whole && total > SLICE) continue;
    for (int has_offset = 0; has_offset < 2; has_offset++)
      for (enum local kind = CHOSEN; kind <= UNEVEN; kind++) one(kernel, &ranges[i], has_offset, kind);
  }
  static const size_t zero[] = {0, 4, 4};
  for (cl_uint dimension = 1; dimension <= 3; dimension++) {
    cl_mem list[] = {buffer_of(64, NULL), buffer_of(128, NULL)};
    for (cl_uint j = 0; j < 2; j++) clSetKernelArg(kernel, j, sizeof list[j], &list[j]);
    check_code(clEnqueueNDRangeKernel(queue, kernel, dimension, NULL, zero, NULL, 0, NULL, NULL), CL_SUCCESS,
        "%u-D: a size of 0 is a launch that does nothing", dimension);
    clFinish(queue);
    for (cl_uint j = 0; j < 2; j++) clReleaseMemObject(list[j]);
  }
  static const size_t four[] = {4, 4, 4, 4};
  check_code(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, four, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION,
      "no dimensions");
  check_code(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, four, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION,
      "four dimensions");
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}
