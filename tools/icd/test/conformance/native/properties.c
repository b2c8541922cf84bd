// SPDX-License-Identifier: Apache-2.0
// Lists of properties: what an object was made with is what its query answers, in the same order and with the 0 at the
// end; no list at all has no bytes. And version strings, whose form programs parse.
#include "harness.h"

enum { MOST = 8 };

// How an object is made with a list, and asked for it.
static cl_int queue_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &code);
  if (code != CL_SUCCESS) return code;
  code = clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, MOST * sizeof *answer, answer, length);
  clReleaseCommandQueue(made);
  return code;
}

static cl_int plain_queue(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code;
  (void)list;
  cl_command_queue made = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  if (code != CL_SUCCESS) return code;
  code = clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, MOST * sizeof *answer, answer, length);
  clReleaseCommandQueue(made);
  return code;
}

static cl_int ask_memory(cl_mem made, cl_int code, cl_ulong *answer, size_t *length) {
  if (code != CL_SUCCESS) return code;
  code = clGetMemObjectInfo(made, CL_MEM_PROPERTIES, MOST * sizeof *answer, answer, length);
  clReleaseMemObject(made);
  return code;
}

static cl_int buffer_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_mem made = clCreateBufferWithProperties(context, list, CL_MEM_READ_WRITE, 64, NULL, &code);
  return ask_memory(made, code, answer, length);
}

static cl_int plain_buffer(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  (void)list;
  return ask_memory(buffer_of(64, NULL), CL_SUCCESS, answer, length);
}

static cl_int part_of_buffer(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_mem whole = clCreateBufferWithProperties(context, list, CL_MEM_READ_WRITE, 64, NULL, &code);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 16}, &code);
  clReleaseMemObject(whole);
  return ask_memory(part, code, answer, length);
}

static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};

static cl_int image_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_mem made = clCreateImageWithProperties(context, list, CL_MEM_READ_WRITE, &format, &description, NULL, &code);
  return ask_memory(made, code, answer, length);
}

static cl_int plain_image(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  (void)list;
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, &code);
  return ask_memory(made, code, answer, length);
}

static cl_int pipe_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_mem made = clCreatePipe(context, 0, 4, 4, (const cl_pipe_properties *)list, &code);
  if (code != CL_SUCCESS) return code;
  code = clGetPipeInfo(made, CL_PIPE_PROPERTIES, MOST * sizeof *answer, answer, length);
  clReleaseMemObject(made);
  return code;
}

static cl_int ask_sampler(cl_sampler made, cl_int code, cl_ulong *answer, size_t *length) {
  if (code != CL_SUCCESS) return code;
  code = clGetSamplerInfo(made, CL_SAMPLER_PROPERTIES, MOST * sizeof *answer, answer, length);
  clReleaseSampler(made);
  return code;
}

static cl_int sampler_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_sampler made = clCreateSamplerWithProperties(context, list, &code);
  return ask_sampler(made, code, answer, length);
}

static cl_int plain_sampler(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  (void)list;
  cl_sampler made = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, &code);
  return ask_sampler(made, code, answer, length);
}

static cl_int context_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_int code = CL_SUCCESS;
  cl_context made = clCreateContext((const cl_context_properties *)list, 1, &device, NULL, NULL, &code);
  if (code != CL_SUCCESS) return code;
  code = clGetContextInfo(made, CL_CONTEXT_PROPERTIES, MOST * sizeof *answer, answer, length);
  clReleaseContext(made);
  return code;
}

static cl_int part_with(const cl_ulong *list, cl_ulong *answer, size_t *length) {
  cl_device_id parts[64];
  cl_uint count = 0;
  cl_int code = clCreateSubDevices(device, (const cl_device_partition_property *)list, 64, parts, &count);
  if (code != CL_SUCCESS) return code;
  code = clGetDeviceInfo(parts[count - 1], CL_DEVICE_PARTITION_TYPE, MOST * sizeof *answer, answer, length);
  for (cl_uint i = 0; i < count; i++) clReleaseDevice(parts[i]);
  return code;
}

static cl_ulong context_list[] = {CL_CONTEXT_PLATFORM, 0, 0};
static const cl_ulong nothing[] = {0}, in_order[] = {CL_QUEUE_PROPERTIES, 0, 0},
                      profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
                      filter[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0},
                      backwards[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, CL_SAMPLER_ADDRESSING_MODE,
                          CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0},
                      equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
                      one_part[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0},
                      two_parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};

// Rows whose answer may also be a 0 alone where there was no list.
static const struct {
  const char *what;
  cl_int (*make)(const cl_ulong *, cl_ulong *, size_t *);
  const cl_ulong *list;
  size_t words;
  bool may_be_zero;
} rows[] = {{"a queue, no list", queue_with, NULL, 0, false}, {"a queue, {0}", queue_with, nothing, 1, false},
    {"a queue in order", queue_with, in_order, 3, false}, {"a queue with profiling", queue_with, profiling, 3, false},
    {"a queue of OpenCL 1.0", plain_queue, NULL, 0, false}, {"a buffer, no list", buffer_with, NULL, 0, false},
    {"a buffer, {0}", buffer_with, nothing, 1, false}, {"a buffer of OpenCL 1.0", plain_buffer, NULL, 0, false},
    {"a part of a buffer", part_of_buffer, NULL, 0, false},
    {"an image, no list", image_with, NULL, 0, false}, {"an image, {0}", image_with, nothing, 1, false},
    {"an image of OpenCL 1.2", plain_image, NULL, 0, false}, {"a pipe, no list", pipe_with, NULL, 0, false},
    {"a pipe, {0}", pipe_with, nothing, 1, false}, {"a sampler, no list", sampler_with, NULL, 0, false},
    {"a sampler, {0}", sampler_with, nothing, 1, false}, {"a sampler with a filter", sampler_with, filter, 3, false},
    {"a sampler with everything, backwards", sampler_with, backwards, 7, false},
    {"a sampler of OpenCL 1.0", plain_sampler, NULL, 0, false}, {"a context, no list", context_with, NULL, 0, true},
    {"a context, {0}", context_with, nothing, 1, false},
    {"a context with its platform", context_with, context_list, 3, false},
    {"equal parts", part_with, equally, 3, false}, {"a part by its count", part_with, one_part, 4, false},
    {"two parts by their counts", part_with, two_parts, 5, false}};

static void version(const char *name, cl_device_info token, const char *begin) {
  char text[256] = "";
  cl_int code = token == CL_PLATFORM_VERSION ? clGetPlatformInfo(platform, token, sizeof text, text, NULL)
                                             : clGetDeviceInfo(device, token, sizeof text, text, NULL);
  const char *rest = text + strlen(begin);
  bool is_right = code == CL_SUCCESS && strncmp(text, begin, strlen(begin)) == 0 && rest[0] >= '1' && rest[0] <= '9' &&
                  rest[1] == '.' && rest[2] >= '0' && rest[2] <= '9' && rest[3] == ' ';
  check(is_right, text, "%s has the form \"%sMAJOR.MINOR \" and what the vendor adds", name, begin);
}

void properties(void) {
  context_list[1] = (cl_ulong)(uintptr_t)platform;
  cl_uint units = (cl_uint)device_number(CL_DEVICE_MAX_COMPUTE_UNITS);
  for (size_t i = 0; i < LENGTH(rows); i++) {
    if (rows[i].make == pipe_with && !device_number(CL_DEVICE_PIPE_SUPPORT)) continue;
    if (rows[i].list == two_parts && units < 2) continue;
    cl_ulong answer[MOST] = {0};
    size_t length = SIZE_MAX;
    cl_int code = rows[i].make(rows[i].list, answer, &length);
    bool is_right = code == CL_SUCCESS && length == rows[i].words * sizeof *answer &&
                    (rows[i].words == 0 || memcmp(answer, rows[i].list, length) == 0);
    is_right = is_right || (rows[i].may_be_zero && length == sizeof *answer && answer[0] == 0);
    char why[64];
    snprintf(why, sizeof why, "code %d, %zu bytes, the first word is 0x%llx", code, length,
        (unsigned long long)answer[0]);
    check(is_right, why, "%s", rows[i].what);
  }
  version("CL_PLATFORM_VERSION", CL_PLATFORM_VERSION, "OpenCL ");
  version("CL_DEVICE_VERSION", CL_DEVICE_VERSION, "OpenCL ");
  version("CL_DEVICE_OPENCL_C_VERSION", CL_DEVICE_OPENCL_C_VERSION, "OpenCL C ");
  check(device_number(CL_DEVICE_MAX_CLOCK_FREQUENCY) > 0, NULL, "CL_DEVICE_MAX_CLOCK_FREQUENCY is not 0");
  cl_ulong doubles = device_number(CL_DEVICE_DOUBLE_FP_CONFIG);
  cl_ulong least = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
  check(doubles == 0 || (doubles & least) == least, NULL, "CL_DEVICE_DOUBLE_FP_CONFIG has what OpenCL 3.0 asks for");
}
