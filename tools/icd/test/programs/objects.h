// SPDX-License-Identifier: Apache-2.0
// Objects for calls of a table: what a row names is here, for C. A row runs in a process that may crash, so rows are
// run by number.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

// What a row says that is no error of OpenCL.
enum { NULL_ANSWER = 1000, MADE_ALL_THE_SAME = 1001, NOTHING_MADE = 1002, NOT_WRITTEN = 1003 };
// A word that means nothing where constants are taken.
#define CL_NOTHING 0x7fff0

static const char *const SOURCE = "kernel void k(global int *data, int value) { data[get_global_id(0)] += value; }";
static const char *const KERNELS =
    "kernel void takes(global int *data, local int *scratch, int value, read_only image2d_t from, sampler_t how, "
    "write_only image2d_t to) {}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *data) { data[get_global_id(0)] = 1; "
    "}\n"
    "kernel void sum(global int *data, local int *scratch) { scratch[0] = 1; data[0] = scratch[0]; }\n"
    "kernel void ids(global int *data) { data[get_global_id(0)] = (int)get_global_id(0); }\n";
static const char *const WRONG = "kernel void k(void) { x = 1; }";
static const char *const CALLS_NOBODY = "int f(int); kernel void k(global int *p) { *p = f(*p); }";

static cl_platform_id platform;
static cl_device_id device, part;
static cl_context context, other;
static cl_command_queue queue, plainQueue, otherQueue;
static cl_mem buffer, second, image, secondImage, floatImage, arrayImage, pipe_, foreignBuffer, foreignImage, mapped,
    quiet, readQuiet, readOnly, writeOnlyImage, readOnlyImage, quietImage, sub;
#define pipe pipe_
static cl_sampler sampler, foreignSampler;
static cl_program program, compiled, unbuilt, wrongSource, compiledWrong, fromBinary, fromModule, foreignProgram;
static cl_kernel kernel, foreignKernel, unset, takes, eight, sum, ids;
static cl_event marker, foreignEvent, failedEvent, settledUser, event;
static unsigned char *binary;
static size_t binarySize;
static char bytes[4096], room[4096];
static void *pointer = bytes, *target = bytes + 2048;

static void CL_CALLBACK nothing(void) {}

static cl_mem newBuffer(cl_context of) { return clCreateBuffer(of, CL_MEM_READ_WRITE, 256, NULL, NULL); }
static cl_mem newImage(cl_context of, cl_mem_flags flags, cl_channel_type type) {
  return clCreateImage(of, flags, &(cl_image_format){CL_R, type},
      &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, NULL, NULL);
}
static cl_sampler newSampler(cl_context of) {
  return clCreateSampler(of, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, NULL);
}
static cl_program newProgram(cl_context of, const char *text) {
  return clCreateProgramWithSource(of, 1, &text, NULL, NULL);
}
static cl_program builtProgram(cl_context of, const char *text) {
  cl_program made = newProgram(of, text);
  if (clBuildProgram(made, 0, NULL, "", NULL, NULL) != CL_SUCCESS)
    fprintf(stderr, "the program of the fixture does not build\n");
  return made;
}
static cl_program compiledProgram(const char *text) {
  cl_program made = newProgram(context, text);
  clCompileProgram(made, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
  return made;
}
static cl_kernel readyKernel(cl_program of, cl_mem data) {
  cl_kernel made = clCreateKernel(of, "k", NULL);
  clSetKernelArg(made, 0, sizeof data, &data);
  clSetKernelArg(made, 1, sizeof(cl_int), &(cl_int){1});
  return made;
}
static cl_event userEvent(cl_context of, cl_int status) {
  cl_event made = clCreateUserEvent(of, NULL);
  clSetUserEventStatus(made, status);
  return made;
}

static cl_device_id freshPart(void) {
  cl_device_id made = NULL;
  clCreateSubDevices(device,
      (const cl_device_partition_property[]){
          CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0},
      1, &made, NULL);
  return made;
}
static cl_context freshContext(void) { return clCreateContext(NULL, 1, &device, NULL, NULL, NULL); }
static cl_command_queue freshQueue(void) { return clCreateCommandQueue(context, device, 0, NULL); }
static cl_mem freshBuffer(void) { return newBuffer(context); }
static cl_mem freshImage(void) { return newImage(context, CL_MEM_READ_WRITE, CL_UNSIGNED_INT32); }
static cl_sampler freshSampler(void) { return newSampler(context); }
static cl_program freshProgram(void) { return newProgram(context, SOURCE); }
static cl_kernel freshKernel(void) { return clCreateKernel(program, "k", NULL); }
static cl_event freshUserEvent(void) { return clCreateUserEvent(context, NULL); }
static cl_event freshEvent(void) { return userEvent(context, CL_COMPLETE); }
static void *freshMap(void) {
  return clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, NULL);
}
static void *freshPointer(void) { return bytes; }
static cl_mem freshWriteMapped(void) {
  cl_mem made = newBuffer(context);
  clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, NULL);
  return made;
}
static cl_mem freshWriteMappedImage(void) {
  cl_mem made = freshImage();
  clEnqueueMapImage(queue, made, CL_TRUE, CL_MAP_WRITE, (size_t[]){0, 0, 0}, (size_t[]){2, 2, 1}, (size_t *)room, NULL,
      0, NULL, NULL, NULL);
  return made;
}

#define RELEASED(type, name, make, release) \
  static type name(void) { \
    type made = make; \
    release(made); \
    return made; \
  }
RELEASED(cl_device_id, releasedPart, freshPart(), clReleaseDevice)
RELEASED(cl_context, releasedContext, freshContext(), clReleaseContext)
RELEASED(cl_command_queue, releasedQueue, freshQueue(), clReleaseCommandQueue)
RELEASED(cl_mem, releasedBuffer, freshBuffer(), clReleaseMemObject)
RELEASED(cl_mem, releasedImage, freshImage(), clReleaseMemObject)
RELEASED(cl_mem, releasedPipe, clCreatePipe(context, 0, 4, 4, NULL, NULL), clReleaseMemObject)
RELEASED(cl_sampler, releasedSampler, freshSampler(), clReleaseSampler)
RELEASED(cl_program, releasedProgram, freshProgram(), clReleaseProgram)
RELEASED(cl_kernel, releasedKernel, freshKernel(), clReleaseKernel)
RELEASED(cl_event, releasedEvent, freshEvent(), clReleaseEvent)

static void make_objects(void) {
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    fprintf(stderr, "there is no device\n");
    exit(1);
  }
  part = freshPart();
  context = freshContext();
  other = freshContext();
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
  plainQueue = freshQueue();
  otherQueue = clCreateCommandQueue(other, device, 0, NULL);
  buffer = newBuffer(context);
  second = newBuffer(context);
  mapped = newBuffer(context);
  foreignBuffer = newBuffer(other);
  quiet = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 256, NULL, NULL);
  readQuiet = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 256, NULL, NULL);
  readOnly = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 256, NULL, NULL);
  sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 64}, NULL);
  image = freshImage();
  secondImage = freshImage();
  floatImage = newImage(context, CL_MEM_READ_WRITE, CL_FLOAT);
  writeOnlyImage = newImage(context, CL_MEM_WRITE_ONLY, CL_FLOAT);
  readOnlyImage = newImage(context, CL_MEM_READ_ONLY, CL_FLOAT);
  quietImage = newImage(context, CL_MEM_HOST_NO_ACCESS, CL_UNSIGNED_INT32);
  arrayImage = clCreateImage(context, CL_MEM_READ_WRITE, &(cl_image_format){CL_R, CL_UNSIGNED_INT32},
      &(cl_image_desc){
          .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4, .image_height = 4, .image_array_size = 2},
      NULL, NULL);
  foreignImage = newImage(other, CL_MEM_READ_WRITE, CL_UNSIGNED_INT32);
  pipe_ = clCreatePipe(context, 0, 4, 4, NULL, NULL);
  sampler = newSampler(context);
  foreignSampler = newSampler(other);
  program = builtProgram(context, SOURCE);
  foreignProgram = builtProgram(other, SOURCE);
  cl_program more = builtProgram(context, KERNELS);
  compiled = compiledProgram(SOURCE);
  compiledWrong = compiledProgram(CALLS_NOBODY);
  unbuilt = newProgram(context, SOURCE);
  wrongSource = newProgram(context, WRONG);
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binarySize, &binarySize, NULL);
  binary = malloc(binarySize + 1);
  clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  fromBinary = clCreateProgramWithBinary(context, 1, &device, &binarySize, (const unsigned char **)&binary, NULL, NULL);
  // The module of valid.table.ts.
  cl_uint module[] = {0x07230203, 0x10000, 0, 3, 0, 0x40047, 1, 1, 0, 0x40015, 2, 32, 0, 0x40032, 2, 1, 7};
  fromModule = clCreateProgramWithIL(context, module, sizeof module, NULL);
  kernel = readyKernel(program, buffer);
  foreignKernel = readyKernel(foreignProgram, foreignBuffer);
  unset = clCreateKernel(program, "k", NULL);
  takes = clCreateKernel(more, "takes", NULL);
  eight = clCreateKernel(more, "eight", NULL);
  sum = clCreateKernel(more, "sum", NULL);
  ids = clCreateKernel(more, "ids", NULL);
  clSetKernelArg(eight, 0, sizeof buffer, &buffer);
  clSetKernelArg(ids, 0, sizeof buffer, &buffer);
  clSetKernelArg(sum, 0, sizeof buffer, &buffer);
  clSetKernelArg(sum, 1, 1 << 24, NULL);
  clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
  clFinish(queue);
  foreignEvent = userEvent(other, CL_COMPLETE);
  failedEvent = userEvent(context, -1);
  settledUser = userEvent(context, CL_COMPLETE);
}

// Runs rows from the first word on, but for those that the other words name: a line of number and answer each.
static int run_rows(cl_int (*const rows[])(void), size_t row_count, int count, char **words) {
  make_objects();
  for (size_t row = count > 1 ? strtoul(words[1], NULL, 10) : 0; row < row_count; row++) {
    bool leaves_out = false;
    for (int word = 2; word < count; word++) leaves_out = leaves_out || strtoul(words[word], NULL, 10) == row;
    if (leaves_out) continue;
    printf("%zu ", row);
    fflush(stdout);
    if (getenv("MUXKIT_ICD_TRACE") != NULL) fprintf(stderr, "row %zu\n", row);
    alarm(60);
    printf("%d\n", rows[row]());
    fflush(stdout);
  }
  // Objects are left to the end of the process: rows may have broken them in implementations that do not check.
  _exit(0);
}
