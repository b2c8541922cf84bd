// SPDX-License-Identifier: Apache-2.0
// Ends with a transfer in flight: exits KIND BYTES BEFORE DELAY END. KIND is a name of KINDS. BEFORE is what the
// transfer waits for: `nothing`, a `kernel` that runs for a while, or an `event` that nobody sets. It ends DELAY µs
// later, by END: `return`, `_exit` or `kill`. What a program prints on standard error then is the driver's mistake.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_command_queue queue;
static cl_mem buffer, image;
static char *bytes;
static size_t size, side;
static cl_uint wait_count;
static cl_event waits[1];

static void must(cl_int code, const char *what) {
  if (code == CL_SUCCESS) return;
  printf("not ok %s: %d\n", what, code);
  exit(1);
}

#define BEHIND wait_count, wait_count == 0 ? NULL : waits, NULL
static const size_t ZERO[3];
static void read_buffer(void) { must(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, size, bytes, BEHIND), "read"); }
static void write_buffer(void) {
  must(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size, bytes, BEHIND), "write");
}
static void read_rect(void) {
  const size_t region[3] = {side, side, 1};
  must(clEnqueueReadBufferRect(
           queue, buffer, CL_FALSE, ZERO, ZERO, region, side + 8, 0, side + 4, 0, bytes, BEHIND), "read of a box");
}
static void write_rect(void) {
  const size_t region[3] = {side, side, 1};
  must(clEnqueueWriteBufferRect(
           queue, buffer, CL_FALSE, ZERO, ZERO, region, side + 8, 0, side + 4, 0, bytes, BEHIND), "write of a box");
}
static void read_image(void) {
  const size_t region[3] = {side / 4, side, 1};
  must(clEnqueueReadImage(queue, image, CL_FALSE, ZERO, region, 0, 0, bytes, BEHIND), "read of an image");
}
static void write_image(void) {
  const size_t region[3] = {side / 4, side, 1};
  must(clEnqueueWriteImage(queue, image, CL_FALSE, ZERO, region, 0, 0, bytes, BEHIND), "write of an image");
}
static void map_buffer(void) {
  cl_int code;
  clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, size, BEHIND, &code);
  must(code, "map");
}
static void unmap_buffer(void) {
  cl_int code;
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
  must(code, "map");
  must(clEnqueueUnmapMemObject(queue, buffer, mapped, BEHIND), "unmap");
}
static void map_image(void) {
  cl_int code;
  size_t pitch;
  const size_t region[3] = {side / 4, side, 1};
  clEnqueueMapImage(queue, image, CL_FALSE, CL_MAP_READ, ZERO, region, &pitch, NULL, BEHIND, &code);
  must(code, "map of an image");
}

static const struct {
  const char *name;
  void (*enqueue)(void);
} KINDS[] = {{"read", read_buffer}, {"write", write_buffer}, {"readRect", read_rect}, {"writeRect", write_rect},
    {"readImage", read_image}, {"writeImage", write_image}, {"map", map_buffer}, {"unmap", unmap_buffer},
    {"mapImage", map_image}};

static void launch(cl_context context) {
  static const char *source = "kernel void slow(global int *x, int n) { int v = get_global_id(0); for (int i = 0; i < "
                              "n; i++) v = v * 1664525 + 1013904223; x[get_global_id(0)] = v; }";
  cl_int code, rounds = 200000;
  size_t items = 256;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
  cl_kernel kernel = clCreateKernel(program, "slow", &code);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
}

int main(int count, char **words) {
  if (count != 6) return 2;
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  must(clGetPlatformIDs(1, &platform, NULL), "platform");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  queue = clCreateCommandQueue(context, device, 0, &code);
  must(code, "queue");
  size = strtoul(words[2], NULL, 10);
  while ((side + 16) * (side + 16) < size) side += 8;
  buffer = clCreateBuffer(context, 0, size + (size < 4096 ? 4096 : 0), NULL, &code);
  must(code, "buffer");
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side / 4, .image_height = side};
  image = clCreateImage(context, 0, &format, &desc, NULL, &code);
  must(code, "image");
  bytes = calloc(1, size);
  if (strcmp(words[3], "kernel") == 0) launch(context);
  if (strcmp(words[3], "event") == 0) waits[wait_count++] = clCreateUserEvent(context, &code);
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
    if (strcmp(KINDS[i].name, words[1]) == 0) KINDS[i].enqueue();
  must(clFlush(queue), "flush");
  printf("ok %s is in flight\n", words[1]);
  fflush(stdout);
  usleep((useconds_t)strtoul(words[4], NULL, 10));
  if (strcmp(words[5], "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(words[5], "_exit") == 0) _exit(0);
  return 0;
}
