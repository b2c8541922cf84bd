// SPDX-License-Identifier: Apache-2.0
// What a program of C sees of OpenCL through its loader. Each check prints `ok NAME` or `not ok NAME`; the names say
// the contract.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  fflush(stdout);
  failures += !holds;
}

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static const char *SOURCE =
    "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
    "kernel void add(global int *data, int value, local int *scratch) { scratch[get_local_id(0)] = value; "
    "barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] += scratch[0]; }\n"
    "kernel void say(int value) { printf(\"said %d\\n\", value); }\n"
    "kernel void fault(global int *data) { data[0x30000000] = 1; }\n"
    "kernel void flip(read_only image2d_t from, write_only image2d_t to, sampler_t s) { int2 at = "
    "(int2)(get_global_id(0), get_global_id(1)); write_imageui(to, at, read_imageui(from, s, (int2)(3 - at.x, at.y))); "
    "}\n";

static cl_program build_with(const char *source, const char *options) {
  cl_int code;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) check("a program builds", false);
  return program;
}

static cl_program build(const char *source) { return build_with(source, ""); }

static void buffers(cl_program program) {
  enum { N = 300000 };
  int *data = malloc(N * sizeof *data), *back = malloc(N * sizeof *back);
  for (int i = 0; i < N; i++) data[i] = i;
  cl_int code;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *data, data, &code);
  cl_kernel kernel = clCreateKernel(program, "twice", &code);
  size_t size = N;
  check("a launch without arguments is CL_INVALID_KERNEL_ARGS at once",
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL) == CL_INVALID_KERNEL_ARGS);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  const size_t nothing[] = {4, 0};
  check("a launch without work-items does nothing, and its command is complete",
      clEnqueueNDRangeKernel(queue, kernel, 2, NULL, nothing, NULL, 0, NULL, NULL) == CL_SUCCESS &&
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL) == CL_SUCCESS &&
          clFinish(queue) == CL_SUCCESS);
  cl_event event;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event);
  check("a large blocking read gives what the kernel wrote",
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, N * sizeof *data, back, 1, &event, NULL) == CL_SUCCESS &&
          back[1] == 2 && back[N - 1] == 2 * (N - 1));
  cl_ulong times[4];
  for (int i = 0; i < 4; i++)
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL);
  check("the four times of a command go up",
      times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3] && times[0] > 0);
  cl_uint references;
  clRetainEvent(event);
  clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL);
  check("references are counted", references == 2);
  clReleaseEvent(event);
  clReleaseEvent(event);
  memset(back, 0, N * sizeof *back);
  cl_event reads[8];
  for (int i = 0; i < 8; i++)
    clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, N * sizeof *data, back, 0, NULL, &reads[i]);
  clWaitForEvents(8, reads);
  check("reads that do not block are complete when their events are", back[N - 1] == 2 * (N - 1));
  for (int i = 0; i < 8; i++) clReleaseEvent(reads[i]);
  const size_t buffer_origin[] = {8, 1, 0}, host_origin[] = {0, 0, 0}, region[] = {16, 3, 2};
  int box[24];
  check("a box of a buffer is read", clEnqueueReadBufferRect(queue, buffer, CL_TRUE, buffer_origin, host_origin, region,
                                         64, 640, 0, 0, box, 0, NULL, NULL) == CL_SUCCESS &&
                                         box[0] == 36 && box[4] == 68 && box[12] == 356);
  cl_buffer_region part = {4096, 4096};
  cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
  int seven = 7;
  clEnqueueFillBuffer(queue, sub, &seven, sizeof seven, 0, 4096, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4092, 12, box, 0, NULL, NULL);
  check("a part of a buffer shows the buffer", box[0] == 2 * 1023 && box[1] == 7);
  check("a part outside of its buffer is CL_INVALID_VALUE",
      (part.origin = N * 4, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code) == NULL &&
                                code == CL_INVALID_VALUE));
  part.origin = 0;
  cl_mem closed = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, N * 4, NULL, &code);
  check("a part does not allow the host more than its buffer",
      clCreateSubBuffer(closed, CL_MEM_HOST_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part, &code) == NULL &&
          code == CL_INVALID_VALUE);
  clReleaseMemObject(closed);
  check("a range outside of a buffer is CL_INVALID_VALUE",
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, N * 4, 4, back, 0, NULL, NULL) == CL_INVALID_VALUE);
  check("a copy onto itself is CL_MEM_COPY_OVERLAP",
      clEnqueueCopyBuffer(queue, buffer, sub, 4090, 0, 64, 0, NULL, NULL) == CL_MEM_COPY_OVERLAP);
  int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, N * 4, 0, NULL, NULL, &code);
  check("a map shows the buffer", code == CL_SUCCESS && mapped[1024] == 7);
  for (int i = 0; i < N; i++) mapped[i] = -i;
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, N * 4, back, 0, NULL, NULL);
  check("what a map wrote is in the buffer after its end", back[5] == -5 && back[N - 1] == 1 - N);
  check("a map ends once", clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL) == CL_INVALID_VALUE);
  clReleaseMemObject(sub);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  free(data);
  free(back);
}

static void host_pointer(cl_program program) {
  int data[256];
  for (int i = 0; i < 256; i++) data[i] = i;
  cl_int code;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof data, data, &code);
  cl_kernel kernel = clCreateKernel(program, "add", &code);
  size_t size = 256, local = 64;
  int value = 1000;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof value, &value);
  check("local memory takes a size and no value", clSetKernelArg(kernel, 2, 256, &value) == CL_INVALID_ARG_VALUE &&
                                                      clSetKernelArg(kernel, 2, 256, NULL) == CL_SUCCESS);
  check("an argument of another size is CL_INVALID_ARG_SIZE",
      clSetKernelArg(kernel, 1, 3, &value) == CL_INVALID_ARG_SIZE);
  check("an argument that there is not is CL_INVALID_ARG_INDEX",
      clSetKernelArg(kernel, 3, 4, &value) == CL_INVALID_ARG_INDEX);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL);
  int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 64, 128, 0, NULL, NULL, &code);
  check("a map of CL_MEM_USE_HOST_PTR is in the program's own memory", mapped == data + 16 && data[16] == 1016);
  mapped[0] = 5;
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  int back = 0;
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 64, 4, &back, 0, NULL, NULL);
  check("and what is written there is the buffer's", back == 5);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

static void required_size(void) {
  cl_int code;
  cl_program program = build_with("kernel __attribute__((reqd_work_group_size(4, 2, 1))) void flat(global int *data) { "
                                  "data[get_global_id(0)] = get_local_id(1); }",
      "");
  cl_kernel kernel = clCreateKernel(program, "flat", &code);
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &code);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  size_t size[] = {4, 2}, local[] = {4, 2};
  check("a launch without a dimension that a required local size has is CL_INVALID_WORK_GROUP_SIZE",
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, size, local, 0, NULL, NULL) == CL_INVALID_WORK_GROUP_SIZE &&
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, local, 0, NULL, NULL) == CL_SUCCESS &&
          clFinish(queue) == CL_SUCCESS);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

static void pipes(void) {
  cl_int code;
  cl_program program = build_with(
      "typedef struct { int a[5]; } five; kernel void take(read_only pipe int2 in, write_only pipe five out) {}",
      "-cl-std=CL3.0");
  cl_kernel kernel = clCreateKernel(program, "take", &code);
  cl_mem eight = clCreatePipe(context, 0, 8, 4, NULL, &code), four = clCreatePipe(context, 0, 4, 4, NULL, &code);
  check(
      "a pipe with packets of another size is CL_INVALID_ARG_VALUE, where the kernel's type is no type of the program",
      clSetKernelArg(kernel, 0, sizeof four, &four) == CL_INVALID_ARG_VALUE &&
          clSetKernelArg(kernel, 0, sizeof eight, &eight) == CL_SUCCESS &&
          clSetKernelArg(kernel, 1, sizeof eight, &eight) == CL_SUCCESS);
  clReleaseMemObject(four);
  clReleaseMemObject(eight);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

static void images(cl_program program) {
  cl_int code;
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
  unsigned char pixels[3][4][4], back[3][4][4];
  for (int i = 0; i < 48; i++) ((unsigned char *)pixels)[i] = (unsigned char)i;
  cl_mem from = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &code);
  check("an image is made of pixels", code == CL_SUCCESS);
  cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &code);
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
  cl_kernel kernel = clCreateKernel(program, "flip", &code);
  clSetKernelArg(kernel, 0, sizeof from, &from);
  clSetKernelArg(kernel, 1, sizeof to, &to);
  clSetKernelArg(kernel, 2, sizeof sampler, &sampler);
  const size_t size[] = {4, 3}, origin[] = {0, 0, 0}, region[] = {4, 3, 1};
  clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL);
  code = clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL);
  check("a kernel reads and writes images",
      code == CL_SUCCESS && memcmp(back[1][0], pixels[1][3], 4) == 0 && memcmp(back[2][3], pixels[2][0], 4) == 0);
  size_t row_pitch;
  unsigned char *mapped =
      clEnqueueMapImage(queue, from, CL_TRUE, CL_MAP_READ, origin, region, &row_pitch, NULL, 0, NULL, NULL, &code);
  check("a map of an image shows its pixels", mapped != NULL && memcmp(mapped + row_pitch, pixels[1], 16) == 0);
  clEnqueueUnmapMemObject(queue, from, mapped, 0, NULL, NULL);
  cl_image_format none = {CL_RGB, CL_UNSIGNED_INT8};
  check("a format that there is not is CL_IMAGE_FORMAT_NOT_SUPPORTED",
      clCreateImage(context, 0, &none, &desc, NULL, &code) == NULL &&
          (code == CL_IMAGE_FORMAT_NOT_SUPPORTED || code == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
  cl_mem bytes = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 256, NULL, &code);
  cl_image_desc row = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = bytes};
  check("an image does not allow kernels more than its buffer",
      clCreateImage(context, CL_MEM_READ_WRITE, &format, &row, NULL, &code) == NULL && code == CL_INVALID_VALUE);
  check("an image of a buffer takes no pointer",
      clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &row, pixels, &code) == NULL && code == CL_INVALID_VALUE);
  cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D,
      .image_width = 4,
      .image_height = 3,
      .image_row_pitch = 18,
      .mem_object = bytes};
  check("a pitch of no pixels in a buffer is CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
      clCreateImage(context, 0, &format, &plane, NULL, &code) == NULL && code == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_mem line = clCreateImage(context, 0, &format, &row, NULL, &code);
  const size_t pixel[] = {1, 1, 1};
  check("the host reads no image of a buffer that it does not read",
      code == CL_SUCCESS &&
          clEnqueueReadImage(queue, line, CL_TRUE, origin, pixel, 0, 0, back, 0, NULL, NULL) == CL_INVALID_OPERATION);
  check("an image of a row is not copied to its own buffer",
      clEnqueueCopyImageToBuffer(queue, line, bytes, origin, pixel, 128, 0, NULL, NULL) == CL_INVALID_MEM_OBJECT &&
          clEnqueueCopyBufferToImage(queue, bytes, line, 128, origin, pixel, 0, NULL, NULL) == CL_INVALID_MEM_OBJECT);
  cl_image_format linear = {CL_RGBA, CL_UNORM_INT8}, light = {CL_sRGBA, CL_UNORM_INT8};
  cl_image_desc same = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
  cl_mem whole = same.mem_object =
      clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &linear, &desc, pixels, &code);
  check("an image shows another one with another order of channels only",
      clCreateImage(context, 0, &linear, &same, NULL, &code) == NULL && code == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_mem view = clCreateImage(context, 0, &light, &same, NULL, &code), shown = NULL;
  check("an image of an image says which one",
      code == CL_SUCCESS &&
          clGetMemObjectInfo(view, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof shown, &shown, NULL) == CL_SUCCESS &&
          shown == whole);
  same.mem_object = view;
  cl_mem again = clCreateImage(context, 0, &linear, &same, NULL, &code);
  check("pixels are not copied onto themselves through another image",
      code == CL_SUCCESS &&
          clEnqueueCopyImage(queue, whole, again, origin, origin, region, 0, NULL, NULL) == CL_MEM_COPY_OVERLAP);
  clEnqueueWriteImage(queue, whole, CL_TRUE, origin, pixel, 0, 0, pixels[2][3], 0, NULL, NULL);
  mapped =
      clEnqueueMapImage(queue, view, CL_TRUE, CL_MAP_WRITE, origin, region, &row_pitch, NULL, 0, NULL, NULL, &code);
  check("an image and its view share their pixels",
      mapped != NULL && memcmp(mapped, pixels[2][3], 4) == 0 && memcmp(mapped + row_pitch, pixels[1], 16) == 0);
  if (mapped != NULL) mapped[row_pitch] = 99;
  clEnqueueUnmapMemObject(queue, view, mapped, 0, NULL, NULL);
  clReleaseMemObject(whole);
  clReleaseMemObject(view);
  check("a view outlives the image that it shows",
      clEnqueueReadImage(queue, again, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL) == CL_SUCCESS &&
          back[1][0][0] == 99 && memcmp(back[2], pixels[2], 16) == 0);
  clReleaseMemObject(again);
  clReleaseMemObject(line);
  clReleaseMemObject(bytes);
  clReleaseKernel(kernel);
  clReleaseSampler(sampler);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
}

static atomic_int called;
static pthread_t caller;
static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user) {
  (void)event;
  // A callback may call everything, blocking calls too.
  clFinish(queue);
  caller = pthread_self();
  if (status == CL_COMPLETE) atomic_fetch_add((atomic_int *)user, 1);
}
static void CL_CALLBACK on_program(cl_program program, void *user) {
  (void)program;
  atomic_fetch_add((atomic_int *)user, 10);
}
static void CL_CALLBACK on_destroyed(cl_mem memory, void *user) {
  (void)memory;
  atomic_fetch_add((atomic_int *)user, 100);
}
static bool becomes(atomic_int *value, int wanted) {
  for (int i = 0; i < 3000 && atomic_load(value) != wanted; i++) usleep(2000);
  return atomic_load(value) == wanted;
}

static void callbacks(void) {
  cl_int code;
  cl_event user = clCreateUserEvent(context, &code), marker;
  clEnqueueMarkerWithWaitList(queue, 1, &user, &marker);
  clSetEventCallback(marker, CL_COMPLETE, on_event, &called);
  cl_int status;
  clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  check("a command waits for a user event", status > CL_COMPLETE && atomic_load(&called) == 0);
  clSetUserEventStatus(user, CL_COMPLETE);
  check("an event's callback is called, on a thread of the library",
      becomes(&called, 1) && !pthread_equal(caller, pthread_self()));
  check("a user event is set once", clSetUserEventStatus(user, CL_COMPLETE) == CL_INVALID_OPERATION);
  clReleaseEvent(marker);
  clReleaseEvent(user);
  cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  clBuildProgram(program, 0, NULL, NULL, on_program, &called);
  check("a build's callback is called", becomes(&called, 11));
  clReleaseProgram(program);
  cl_mem memory = clCreateBuffer(context, 0, 64, NULL, &code);
  clSetMemObjectDestructorCallback(memory, on_destroyed, &called);
  clReleaseMemObject(memory);
  check("a memory object's destructor callback is called", becomes(&called, 111));
}

static void programs(void) {
  cl_int code;
  const char *bad = "kernel void k() { unknown }", *header = "#define FACTOR 3\n",
             *use = "#include \"factor.h\"\nint f(int x) { return FACTOR * x; }\n",
             *main_part = "int f(int); kernel void k(global int *p) { *p = f(*p); }";
  cl_program program = clCreateProgramWithSource(context, 1, &bad, NULL, &code);
  check("a wrong program is CL_BUILD_PROGRAM_FAILURE",
      clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
  char log[2000];
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  check("and its log says why", strstr(log, "unknown") != NULL);
  clReleaseProgram(program);
  const char *nothing = "";
  program = clCreateProgramWithSource(context, 1, &nothing, NULL, &code);
  check("a source may be empty",
      program != NULL && clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
  clReleaseProgram(program);
  cl_program parts[2] = {clCreateProgramWithSource(context, 1, &use, NULL, &code),
      clCreateProgramWithSource(context, 1, &main_part, NULL, &code)};
  cl_program included = clCreateProgramWithSource(context, 1, &header, NULL, &code);
  const char *name = "factor.h";
  check("a program is compiled with a header",
      clCompileProgram(parts[0], 0, NULL, NULL, 1, &included, &name, NULL, NULL) == CL_SUCCESS);
  clCompileProgram(parts[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
  cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &code);
  check("objects are linked", linked != NULL && code == CL_SUCCESS);
  size_t size;
  clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char *binary = malloc(size);
  clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  cl_int status;
  cl_program loaded =
      clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &code);
  clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL);
  cl_kernel kernel = clCreateKernel(loaded, "k", &code);
  int value = 14;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof value, &value, &code);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clEnqueueTask(queue, kernel, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
  check("a binary does what its program does", value == 42);
  check("a kernel that there is not is CL_INVALID_KERNEL_NAME",
      clCreateKernel(loaded, "nobody", &code) == NULL && code == CL_INVALID_KERNEL_NAME);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  cl_program all[] = {parts[0], parts[1], included, linked, loaded};
  for (int i = 0; i < 5; i++) clReleaseProgram(all[i]);
  free(binary);
}

static void prints(cl_program program) {
  cl_int code;
  cl_kernel kernel = clCreateKernel(program, "say", &code);
  int value = 4711;
  clSetKernelArg(kernel, 0, sizeof value, &value);
  clEnqueueTask(queue, kernel, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(kernel);
}

static void faults(cl_program program) {
  cl_int code, status;
  cl_kernel kernel = clCreateKernel(program, "fault", &code);
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &code);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  cl_event event;
  clEnqueueTask(queue, kernel, 0, NULL, &event);
  check("a kernel that faults fails its event", clWaitForEvents(1, &event) != CL_SUCCESS);
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  int value = 3;
  check("and nothing else",
      status < 0 && clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL) == CL_SUCCESS);
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

static void polls(void) {
  cl_int code, status = CL_QUEUED, zero = 0;
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &code);
  cl_event event;
  clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, &event);
  clFlush(queue);
  for (int i = 0; i < 1000000 && status > CL_COMPLETE; i++)
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  check("a program that only asks for the status of an event ends", status == CL_COMPLETE);
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
}

static cl_program shared;
static void *thread(void *result) {
  cl_int code;
  cl_command_queue own = clCreateCommandQueue(context, device, 0, &code);
  cl_kernel kernel = clCreateKernel(shared, "twice", &code);
  bool is_right = true;
  for (int round = 0; round < 20; round++) {
    int data[1000];
    for (int i = 0; i < 1000; i++) data[i] = i + round;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t size = 1000;
    clEnqueueNDRangeKernel(own, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(own, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    is_right = is_right && data[999] == 2 * (999 + round);
    clReleaseMemObject(buffer);
  }
  clReleaseKernel(kernel);
  clReleaseCommandQueue(own);
  *(bool *)result = is_right;
  return NULL;
}

static void threads(cl_program program) {
  enum { THREADS = 8 };
  pthread_t all[THREADS];
  bool results[THREADS], is_right = true;
  shared = program;
  for (int i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, thread, &results[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL), is_right = is_right && results[i];
  check("eight threads share a context", is_right);
}

static void forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(clFinish(queue) == CL_SUCCESS ? 1 : 0);
  int status;
  waitpid(child, &status, 0);
  check("a forked child gets errors, and the parent goes on",
      WIFEXITED(status) && WEXITSTATUS(status) == 0 && clFinish(queue) == CL_SUCCESS);
}

int main(int argc, char **argv) {
  cl_platform_id platform;
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(1, &platform, &count);
  check("there is one platform", code == CL_SUCCESS && count == 1);
  if (code != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  check("a context and a queue are made", context != NULL && queue != NULL);
  check("functions of extensions are found by name",
      clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR") != NULL &&
          clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR") != NULL &&
          clGetExtensionFunctionAddressForPlatform(platform, "clNobody") == NULL);
  char names[8] = "?";
  size_t length = 0;
  check("a list of no names is an empty text",
      clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, &length) == CL_SUCCESS && length == 1 &&
          names[0] == 0);
  cl_program program = build(SOURCE);
  if (argc > 1 && strcmp(argv[1], "--wait") == 0) {
    // For tests that end the server: says that it is ready, and reports what calls answer then.
    printf("ready\n");
    fflush(stdout);
    cl_kernel kernel = clCreateKernel(program, "twice", &code);
    cl_mem buffer = clCreateBuffer(context, 0, 1 << 26, NULL, &code);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t size = 1 << 24;
    do {
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
      code = clFinish(queue);
    } while (code == CL_SUCCESS);
    check("calls answer an error when the server is gone",
        clFinish(queue) != CL_SUCCESS && clCreateBuffer(context, 0, 64, NULL, &code) == NULL && code != CL_SUCCESS);
    return failures;
  }
  buffers(program);
  host_pointer(program);
  required_size();
  pipes();
  images(program);
  callbacks();
  polls();
  programs();
  prints(program);
  faults(program);
  threads(program);
  forks();
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  check("a released context is CL_INVALID_CONTEXT",
      (clCreateBuffer(context, 0, 64, NULL, &code), code == CL_INVALID_CONTEXT));
  return failures;
}
