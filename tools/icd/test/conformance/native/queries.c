// SPDX-License-Identifier: Apache-2.0
// Every token of every query, with each size that a caller may pass: none (the size alone), the exact one, a larger
// one, one that is too small (CL_INVALID_VALUE), and no place for the size. The rows come from the schema of OpenCL
// (queries.rows.h): call, token, size of an element, number of elements (0: any number), whether it is a text.
#include "harness.h"

enum query {
  QUERY_clGetPlatformInfo,
  QUERY_clGetDeviceInfo,
  QUERY_clGetContextInfo,
  QUERY_clGetCommandQueueInfo,
  QUERY_clGetMemObjectInfo,
  QUERY_clGetImageInfo,
  QUERY_clGetPipeInfo,
  QUERY_clGetSamplerInfo,
  QUERY_clGetProgramInfo,
  QUERY_clGetProgramBuildInfo,
  QUERY_clGetKernelInfo,
  QUERY_clGetKernelArgInfo,
  QUERY_clGetKernelWorkGroupInfo,
  QUERY_clGetKernelSubGroupInfo,
  QUERY_clGetEventInfo,
  QUERY_clGetEventProfilingInfo
};

static const struct row {
  enum query query;
  const char *call, *token_name;
  cl_uint token;
  size_t unit, count;
  bool is_text;
} rows[] = {
#define ROW(query, token, unit, count, is_text) {QUERY_##query, #query, #token, token, unit, count, is_text},
#include "queries.rows.h"
#undef ROW
};

static cl_mem buffer, image, pipe_;
static cl_sampler sampler;
static cl_program program;
static cl_kernel kernel;
static cl_event event;

static cl_int ask(enum query query, cl_uint token, size_t size, void *value, size_t *length) {
  // One work-group, or one sub-group.
  static const size_t input[] = {1};
  switch (query) {
  case QUERY_clGetPlatformInfo: return clGetPlatformInfo(platform, token, size, value, length);
  case QUERY_clGetDeviceInfo: return clGetDeviceInfo(device, token, size, value, length);
  case QUERY_clGetContextInfo: return clGetContextInfo(context, token, size, value, length);
  case QUERY_clGetCommandQueueInfo: return clGetCommandQueueInfo(queue, token, size, value, length);
  case QUERY_clGetMemObjectInfo: return clGetMemObjectInfo(buffer, token, size, value, length);
  case QUERY_clGetImageInfo: return clGetImageInfo(image, token, size, value, length);
  case QUERY_clGetPipeInfo: return clGetPipeInfo(pipe_, token, size, value, length);
  case QUERY_clGetSamplerInfo: return clGetSamplerInfo(sampler, token, size, value, length);
  case QUERY_clGetProgramInfo: return clGetProgramInfo(program, token, size, value, length);
  case QUERY_clGetProgramBuildInfo: return clGetProgramBuildInfo(program, device, token, size, value, length);
  case QUERY_clGetKernelInfo: return clGetKernelInfo(kernel, token, size, value, length);
  case QUERY_clGetKernelArgInfo: return clGetKernelArgInfo(kernel, 0, token, size, value, length);
  case QUERY_clGetKernelWorkGroupInfo: return clGetKernelWorkGroupInfo(kernel, device, token, size, value, length);
  case QUERY_clGetKernelSubGroupInfo:
    return clGetKernelSubGroupInfo(kernel, device, token, sizeof input, input, size, value, length);
  case QUERY_clGetEventInfo: return clGetEventInfo(event, token, size, value, length);
  default: return clGetEventProfilingInfo(event, token, size, value, length);
  }
}

// The code that a token answers here for want of a feature or of an object that has it; CL_SUCCESS for all others.
static cl_int wanted(const struct row *row) {
  switch (row->token) {
  case CL_QUEUE_SIZE: return row->query == QUERY_clGetCommandQueueInfo ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
  case CL_KERNEL_GLOBAL_WORK_SIZE: return row->query == QUERY_clGetKernelWorkGroupInfo ? CL_INVALID_VALUE : CL_SUCCESS;
  default: break;
  }
  if (row->query == QUERY_clGetKernelSubGroupInfo && device_number(CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0)
    return CL_INVALID_OPERATION;
  return row->query == QUERY_clGetPipeInfo && pipe_ == NULL ? CL_INVALID_MEM_OBJECT : CL_SUCCESS;
}

enum { ROOM = 1 << 17, GUARD = 64 };

static bool is_filled(const uint8_t *bytes, size_t count, uint8_t value) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != value) return false;
  return true;
}

// The size that a token alone answers is that of its type.
static bool has_form(const struct row *row, size_t length, const uint8_t *bytes) {
  if (row->count > 0 && length != row->unit * row->count) return false;
  if (length % row->unit != 0) return false;
  return !row->is_text || (length > 0 && bytes[length - 1] == 0 && strlen((const char *)bytes) + 1 == length);
}

static void one(const void *place) {
  const struct row *row = place;
  static uint8_t exact[ROOM + GUARD], more[ROOM + GUARD];
  char why[128];
  size_t length = SIZE_MAX, again = SIZE_MAX;
  cl_int code = ask(row->query, row->token, 0, NULL, &length), expected = wanted(row);
  if (expected != CL_SUCCESS) {
    check_code(code, expected, "%s(%s) is refused", row->call, row->token_name);
    return;
  }
  snprintf(why, sizeof why, "code %d, %zu bytes", code, length);
  check(code == CL_SUCCESS && length < ROOM, why, "%s(%s): the size alone", row->call, row->token_name);
  if (code != CL_SUCCESS || length >= ROOM) return;

  memset(exact, 0xa5, sizeof exact);
  code = ask(row->query, row->token, length, exact, &again);
  snprintf(why, sizeof why, "code %d, %zu bytes, then %zu", code, length, again);
  check(code == CL_SUCCESS && again == length && has_form(row, length, exact) &&
            is_filled(exact + length, GUARD, 0xa5),
      why, "%s(%s): as many bytes as there are", row->call, row->token_name);

  memset(more, 0x5a, sizeof more);
  code = ask(row->query, row->token, length + 16, more, &again);
  // The number of dimensions of a local size follows the room that there is for it.
  bool grows = row->token == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
  snprintf(why, sizeof why, "code %d, %zu bytes, then %zu", code, length, again);
  check(code == CL_SUCCESS && (grows || (again == length && is_filled(more + length, GUARD, 0x5a))) &&
            memcmp(exact, more, length) == 0,
      why, "%s(%s): more room than that", row->call, row->token_name);

  memset(more, 0x5a, sizeof more);
  code = ask(row->query, row->token, length, more, NULL);
  check(code == CL_SUCCESS && memcmp(exact, more, length) == 0 && is_filled(more + length, GUARD, 0x5a), NULL,
      "%s(%s): the value alone", row->call, row->token_name);

  if (length == 0) return;
  size_t less = grows ? sizeof(size_t) - 1 : length - 1;
  check_code(ask(row->query, row->token, less, more, &again), CL_INVALID_VALUE, "%s(%s): a byte less than that",
      row->call, row->token_name);
  check_code(ask(row->query, row->token, 0, more, NULL), CL_INVALID_VALUE, "%s(%s): no room", row->call,
      row->token_name);
}

static void sub_group_sizes(void) {
  if (device_number(CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0) return;
  static const cl_kernel_sub_group_info by_size[] = {
      CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE};
  for (size_t dimensions = 1; dimensions <= 3; dimensions++) {
    size_t input[3] = {4, 2, 2}, items = 1, answers[2] = {0, 0}, length = 0;
    for (size_t axis = 0; axis < dimensions; axis++) items *= input[axis];
    for (size_t i = 0; i < 2; i++) {
      cl_int code = clGetKernelSubGroupInfo(kernel, device, by_size[i], dimensions * sizeof(size_t), input,
          sizeof(size_t), &answers[i], &length);
      check(code == CL_SUCCESS && length == sizeof(size_t) && answers[i] >= 1 && answers[i] <= items, NULL,
          "clGetKernelSubGroupInfo: %s of a local size in %zu dimensions",
          i == 0 ? "the sub-group size" : "the number of sub-groups", dimensions);
    }
    check(answers[0] * answers[1] >= items, NULL,
        "clGetKernelSubGroupInfo: sub-groups hold all work-items of %zu dimensions", dimensions);
    size_t count = 1, local[4] = {77, 77, 77, 77};
    cl_int code = clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
        &count, dimensions * sizeof(size_t), local, &length);
    bool is_right = code == CL_SUCCESS && length == dimensions * sizeof(size_t) && local[0] >= 1;
    for (size_t axis = 1; axis < 4; axis++) is_right = is_right && local[axis] == (axis < dimensions ? 1 : 77);
    check(is_right, NULL, "clGetKernelSubGroupInfo: a local size for one sub-group in %zu dimensions", dimensions);
    count = (size_t)1 << 40;
    code = clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count,
        dimensions * sizeof(size_t), local, &length);
    is_right = code == CL_SUCCESS && length == dimensions * sizeof(size_t);
    for (size_t axis = 0; axis < dimensions; axis++) is_right = is_right && local[axis] == 0;
    check(is_right, NULL, "clGetKernelSubGroupInfo: zeros in %zu dimensions for more sub-groups than fit", dimensions);
  }
  size_t three[3] = {1, 1, 1}, answer = 0;
  static const size_t wrong[] = {0, 4, 4 * sizeof(size_t)};
  for (size_t i = 0; i < LENGTH(wrong); i++)
    check_code(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, wrong[i],
                   (size_t[]){1, 1, 1, 1}, sizeof answer, &answer, NULL),
        CL_INVALID_VALUE, "clGetKernelSubGroupInfo: a local size of %zu bytes", wrong[i]);
  check_code(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof three, NULL,
                 sizeof answer, &answer, NULL),
      CL_INVALID_VALUE, "clGetKernelSubGroupInfo: no local size");
}

static void skipped_binary(const void *place) {
  const unsigned char *const *list = place;
  check_code(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list, (void *)list, NULL), CL_SUCCESS,
      "clGetProgramInfo(CL_PROGRAM_BINARIES): a null pointer skips its binary");
}

static void binaries(void) {
  size_t size = 0, length = 0;
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char *bytes = calloc(size + GUARD, 1), *list[1] = {bytes};
  cl_int code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list, list, &length);
  check(code == CL_SUCCESS && length == sizeof list && is_filled(bytes + size, GUARD, 0), NULL,
      "clGetProgramInfo(CL_PROGRAM_BINARIES): as many bytes as there are");
  list[0] = NULL;
  if (!survives(skipped_binary, list))
    check(false, "it crashes", "clGetProgramInfo(CL_PROGRAM_BINARIES): a null pointer skips its binary");
  list[0] = bytes;
  check_code(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list - 1, list, NULL), CL_INVALID_VALUE,
      "clGetProgramInfo(CL_PROGRAM_BINARIES): a byte less than that");
  free(bytes);
}

void queries(void) {
  cl_int code;
  buffer = buffer_of(256, NULL);
  image = clCreateImage(context, CL_MEM_READ_WRITE, &(cl_image_format){CL_RGBA, CL_UNORM_INT8},
      &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, NULL, &code);
  pipe_ = device_number(CL_DEVICE_PIPE_SUPPORT) ? clCreatePipe(context, 0, 4, 4, NULL, &code) : NULL;
  sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  program = build("kernel void k(global int *data, int value) { data[get_global_id(0)] += value; }",
      "-cl-kernel-arg-info");
  kernel = clCreateKernel(program, "k", &code);
  clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
  clFinish(queue);
  for (size_t i = 0; i < LENGTH(rows); i++)
    if (!survives(one, &rows[i])) check(false, "it crashes", "%s(%s): every size", rows[i].call, rows[i].token_name);
  for (int query = 0; query <= QUERY_clGetEventProfilingInfo; query++) {
    size_t first = 0;
    while (first < LENGTH(rows) && rows[first].query != (enum query)query) first++;
    if (first == LENGTH(rows) || wanted(&rows[first]) != CL_SUCCESS) continue;
    check_code(ask((enum query)query, 0x7fff0, 0, NULL, NULL), CL_INVALID_VALUE, "%s: a token that means nothing",
        rows[first].call);
  }
  sub_group_sizes();
  binaries();
}
