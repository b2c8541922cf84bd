// SPDX-License-Identifier: Apache-2.0
// Bytes between a native program and its buffers: medians in GB/s as JSON, of a map and unmap those that it makes
// reachable; scripts/figures/moves.ts runs it with two drivers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
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

// One move of the whole buffer; `bytes` are the program's own.
typedef void (*move)(cl_mem buffer, size_t size, uint8_t *bytes);

static void write_all(cl_mem buffer, size_t size, uint8_t *bytes) {
  must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "write");
}
static void read_all(cl_mem buffer, size_t size, uint8_t *bytes) {
  must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "read");
}
static void map_all(cl_mem buffer, size_t size, uint8_t *bytes) {
  (void)bytes;
  cl_int code;
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
  must(code, "map");
  must(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "unmap");
  must(clFinish(queue), "finish");
}
// A map that is written and then read by the program, so that pages cost what they cost.
static void touch_all(cl_mem buffer, size_t size, uint8_t *bytes) {
  cl_int code;
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
  must(code, "map");
  memcpy(mapped, bytes, size);
  must(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "unmap");
  must(clFinish(queue), "finish");
}
static void launch_all(cl_mem buffer, size_t size, uint8_t *bytes) {
  (void)bytes;
  size_t items = size / 16;
  must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
  must(clFinish(queue), "finish");
}

static void measure(const char *name, size_t size, move work, bool is_fresh) {
  static bool follows;
  double times[ROUNDS];
  uint8_t *bytes = malloc(size);
  memset(bytes, 1, size);
  cl_int code;
  cl_mem buffer = NULL;
  for (int i = -2; i < ROUNDS; i++) {
    if (buffer == NULL) buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
    must(code, "buffer");
    double start = now();
    work(buffer, size, bytes);
    if (i >= 0) times[i] = now() - start;
    if (!is_fresh) continue;
    clReleaseMemObject(buffer);
    buffer = NULL;
  }
  if (buffer != NULL) clReleaseMemObject(buffer);
  free(bytes);
  qsort(times, ROUNDS, sizeof *times, compare);
  printf("%s\"%s%zu\": %.4f", follows ? ", " : "{", name, size >> 20, (double)size / times[ROUNDS / 2]);
  follows = true;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  must(clGetPlatformIDs(1, &platform, NULL), "platform");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  queue = clCreateCommandQueue(context, device, 0, &code);
  must(code, "queue");
  const char *source = "kernel void scale(global float4 *x) { size_t i = get_global_id(0); x[i] = x[i] * 0.5f + 1; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
  kernel = clCreateKernel(program, "scale", &code);
  must(code, "kernel");
  for (size_t size = 1 << 20; size <= 256 << 20; size <<= 4) {
    measure("write", size, write_all, false);
    measure("read", size, read_all, false);
    measure("map", size, map_all, false);
    measure("touch", size, touch_all, false);
    measure("launch", size, launch_all, false);
    measure("fresh", size, write_all, true);
  }
  printf("}\n");
  return 0;
}
