// SPDX-License-Identifier: Apache-2.0
// Round trips of a native program with its driver: medians in µs as JSON. Each figure is the call that a program waits
// for, with its queue idle before; scripts/figures/driver.ts runs it with two drivers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM = 300, ROUNDS = 1500, LAUNCHES = 20000, ITEMS = 8192, MOST_BYTES = 1 << 16 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffer;
static char bytes[MOST_BYTES];
static size_t size;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void must(cl_int code, const char *what) {
  if (code == CL_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", what, code);
  exit(1);
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print(const char *name, double value) {
  static bool follows;
  printf("%s\"%s\": %.3f", follows ? ", " : "{", name, value);
  follows = true;
}

static void measure(const char *name, void (*work)(void)) {
  static double times[ROUNDS];
  for (int i = 0; i < WARM; i++) work();
  for (int i = 0; i < ROUNDS; i++) {
    double start = now();
    work();
    times[i] = now() - start;
  }
  qsort(times, ROUNDS, sizeof *times, compare);
  print(name, times[ROUNDS / 2]);
}

static void write_blocking(void) {
  must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "write");
}

static void read_blocking(void) {
  must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "read");
}

static void write_profiled(void) {
  cl_event event;
  cl_ulong start, end;
  must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, &event), "write");
  clFinish(queue);
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "profile");
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profile");
  clReleaseEvent(event);
}

static void launch(void) {
  size_t global = ITEMS, local = 64;
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
}

static void launch_finish(void) {
  launch();
  must(clFinish(queue), "finish");
}

static void launch_wait_profiled(void) {
  size_t global = ITEMS, local = 64;
  cl_event event;
  cl_ulong start, end;
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event), "launch");
  must(clWaitForEvents(1, &event), "wait");
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "profile");
  must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profile");
  clReleaseEvent(event);
}

// A kernel and the flag that it sets, read by the host: the loop of breadth-first searches.
static void launch_read(void) {
  launch();
  must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), "read");
}

static void write_launch_read(void) {
  must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), "write");
  launch_read();
}

static void finish_idle(void) { must(clFinish(queue), "finish"); }

static void map_unmap(void) {
  cl_int code;
  void *mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
  must(code, "map");
  must(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "unmap");
  must(clFinish(queue), "finish");
}

// What objects are asked after they were made, each of them new.
static void make_and_ask(void) {
  cl_int code;
  size_t value;
  cl_uint few;
  cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  must(code, "buffer");
  must(clGetMemObjectInfo(made, CL_MEM_SIZE, sizeof value, &value, NULL), "size");
  must(clGetMemObjectInfo(made, CL_MEM_MAP_COUNT, sizeof few, &few, NULL), "maps");
  clReleaseMemObject(made);
  cl_sampler fresh = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  must(code, "sampler");
  must(clGetSamplerInfo(fresh, CL_SAMPLER_FILTER_MODE, sizeof few, &few, NULL), "filter");
  clReleaseSampler(fresh);
}

static void make_and_ask_image(void) {
  cl_int code;
  size_t value;
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 32, .image_height = 32};
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
  must(code, "image");
  static const cl_image_info asked[] = {CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    must(clGetImageInfo(made, asked[i], sizeof value, &value, NULL), "image info");
  clReleaseMemObject(made);
}

static void ask_kernel_event(void) {
  cl_event event;
  cl_int status;
  cl_command_type type;
  must(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event), "marker");
  must(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), "type");
  must(clWaitForEvents(1, &event), "wait");
  must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "status");
  must(status, "marker");
  clReleaseEvent(event);
}

static void set_up(void) {
  cl_platform_id platform;
  cl_int code;
  must(clGetPlatformIDs(1, &platform, NULL), "platform");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  must(code, "queue");
  buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, MOST_BYTES, NULL, &code);
  const char *source = "kernel void scale(global float *x) { size_t i = get_global_id(0); x[i] = x[i] * 0.5f + 1; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
  kernel = clCreateKernel(program, "scale", &code);
  must(code, "kernel");
  must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
}

int main(void) {
  set_up();
  static const size_t sizes[] = {4, 1 << 10, 32 << 10, 64 << 10};
  char name[64];
  for (int i = 0; i < 4; i++) {
    size = sizes[i];
    snprintf(name, sizeof name, "write%zu", size);
    measure(name, write_blocking);
    snprintf(name, sizeof name, "read%zu", size);
    measure(name, read_blocking);
  }
  size = 32 << 10;
  measure("writeProfiled", write_profiled);
  measure("launch", launch_finish);
  measure("launchProfiled", launch_wait_profiled);
  measure("launchRead", launch_read);
  measure("writeLaunchRead", write_launch_read);
  measure("map", map_unmap);
  measure("finish", finish_idle);
  measure("objects", make_and_ask);
  measure("image", make_and_ask_image);
  measure("event", ask_kernel_event);
  double start = now();
  for (int i = 0; i < LAUNCHES; i++) launch_finish();
  print("loop", (now() - start) / LAUNCHES);
  printf("}\n");
  return 0;
}
