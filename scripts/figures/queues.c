// SPDX-License-Identifier: Apache-2.0
/* queues - what command queues cost on a native OpenCL implementation, as JSON on one line:
 *   queues
 * The same steps as queues-run.ts, in the same order; each figure is the median of its repeats.
 * cc -O2 -o queues queues.c -lOpenCL */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL_LAUNCHES = 20000, CHAIN = 10000, REPEATS = 7, MAPS = 2000 };

static const char *SOURCE =
  "kernel void small(global int* data) { data[get_global_id(0)] += 1; }\n"
  "kernel void large(global int* data, int rounds) {\n"
  "  int x = data[get_global_id(0)];\n"
  "  for (int i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;\n"
  "  data[get_global_id(0)] = x;\n"
  "}\n";

static void ck(cl_int error, const char *what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s failed: %d\n", what, error);
  exit(1);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static cl_context context;
static cl_device_id device;

static cl_command_queue new_queue(cl_command_queue_properties properties) {
  cl_int error;
  cl_command_queue queue = clCreateCommandQueue(context, device, properties, &error);
  ck(error, "clCreateCommandQueue");
  return queue;
}

static cl_mem new_buffer(size_t bytes) {
  cl_int error;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
  ck(error, "clCreateBuffer");
  return buffer;
}

static void fill(cl_command_queue queue, cl_mem buffer, size_t bytes) {
  int zero = 0;
  ck(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL), "clEnqueueFillBuffer");
  ck(clFinish(queue), "clFinish");
}

/* Thousands of small launches and the wait for them, a second. */
static double enqueue_rate(cl_kernel kernel, cl_command_queue_properties properties) {
  cl_command_queue queue = new_queue(properties);
  cl_mem data = new_buffer(256);
  size_t size = 64;
  double rates[REPEATS];
  fill(queue, data, 256);
  ck(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
  for (int repeat = -2; repeat < REPEATS; repeat++) {
    double begin = now_ms();
    for (int i = 0; i < SMALL_LAUNCHES; i++)
      ck(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    ck(clFinish(queue), "clFinish");
    if (repeat >= 0) rates[repeat] = SMALL_LAUNCHES / (now_ms() - begin);
  }
  clReleaseMemObject(data);
  clReleaseCommandQueue(queue);
  return median(rates, REPEATS);
}

/* GB/s of blocking reads or writes of a whole buffer. */
static double bandwidth(size_t bytes, int writes) {
  cl_command_queue queue = new_queue(0);
  cl_mem buffer = new_buffer(bytes);
  unsigned char *array = malloc(bytes);
  int repeats = bytes > ((size_t)64 << 20) ? 5 : 25;
  double rates[25];
  memset(array, 1, bytes);
  fill(queue, buffer, bytes);
  for (int repeat = -1; repeat < repeats; repeat++) {
    double begin = now_ms();
    if (writes)
      ck(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, array, 0, NULL, NULL), "clEnqueueWriteBuffer");
    else ck(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, array, 0, NULL, NULL), "clEnqueueReadBuffer");
    if (repeat >= 0) rates[repeat] = bytes / (now_ms() - begin) / 1e6;
  }
  free(array);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return median(rates, repeats);
}

/* Microseconds of a map for reading and writing and the unmap. */
static double map_time(void) {
  cl_int error;
  cl_command_queue queue = new_queue(0);
  size_t bytes = 16 << 20;
  cl_mem buffer = new_buffer(bytes);
  double times[REPEATS];
  fill(queue, buffer, bytes);
  for (int repeat = -1; repeat < REPEATS; repeat++) {
    double begin = now_ms();
    for (int i = 0; i < MAPS; i++) {
      unsigned char *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                                 NULL, NULL, &error);
      ck(error, "clEnqueueMapBuffer");
      mapped[i]++;
      ck(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
      ck(clFinish(queue), "clFinish");
    }
    if (repeat >= 0) times[repeat] = (now_ms() - begin) * 1e3 / MAPS;
  }
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return median(times, REPEATS);
}

/* Microseconds a command of a chain of events from queue to queue and back. */
static double chain(cl_kernel kernel) {
  cl_command_queue queues[2] = {new_queue(0), new_queue(0)};
  cl_mem data = new_buffer(256);
  size_t size = 1;
  double times[REPEATS];
  fill(queues[0], data, 256);
  ck(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
  for (int repeat = -2; repeat < REPEATS; repeat++) {
    cl_event last = NULL;
    double begin = now_ms();
    for (int i = 0; i < CHAIN; i++) {
      cl_event next;
      ck(clEnqueueNDRangeKernel(queues[i % 2], kernel, 1, NULL, &size, &size, last ? 1 : 0, last ? &last : NULL, &next),
         "clEnqueueNDRangeKernel");
      if (last) clReleaseEvent(last);
      last = next;
    }
    for (int i = 0; i < 2; i++) ck(clFlush(queues[i]), "clFlush");
    ck(clWaitForEvents(1, &last), "clWaitForEvents");
    if (repeat >= 0) times[repeat] = (now_ms() - begin) * 1e3 / CHAIN;
    clReleaseEvent(last);
  }
  clReleaseMemObject(data);
  for (int i = 0; i < 2; i++) clReleaseCommandQueue(queues[i]);
  return median(times, REPEATS);
}

/* Time of two kernels that want half of the device each over the time of one: in one queue that may
   reorder, or in two that may not. */
static double both_over_one(cl_kernel kernel, int queue_count, int rounds) {
  cl_command_queue queues[2];
  cl_mem data[2] = {new_buffer(64), new_buffer(64)};
  cl_uint units = 2;
  double ratios[REPEATS];
  for (int i = 0; i < queue_count; i++)
    queues[i] = new_queue(queue_count == 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  ck(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "clGetDeviceInfo");
  size_t size = units > 1 ? units / 2 : 1, local = 1;
  for (int i = 0; i < 2; i++) fill(queues[0], data[i], 64);
  ck(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
  for (int repeat = -1; repeat < REPEATS; repeat++) {
    double times[2];
    for (int count = 1; count <= 2; count++) {
      double begin = now_ms();
      for (int i = 0; i < count; i++) {
        ck(clSetKernelArg(kernel, 0, sizeof data[i], &data[i]), "clSetKernelArg");
        ck(clEnqueueNDRangeKernel(queues[i % queue_count], kernel, 1, NULL, &size, &local, 0, NULL, NULL),
           "clEnqueueNDRangeKernel");
        ck(clFlush(queues[i % queue_count]), "clFlush");
      }
      for (int i = 0; i < queue_count; i++) ck(clFinish(queues[i]), "clFinish");
      times[count - 1] = now_ms() - begin;
    }
    if (repeat >= 0) ratios[repeat] = times[1] / times[0];
  }
  for (int i = 0; i < 2; i++) clReleaseMemObject(data[i]);
  for (int i = 0; i < queue_count; i++) clReleaseCommandQueue(queues[i]);
  return median(ratios, REPEATS);
}

int main(void) {
  cl_int error;
  cl_platform_id platform;
  ck(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  ck(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  ck(error, "clCreateContext");
  cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &error);
  ck(error, "clCreateProgramWithSource");
  ck(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  cl_kernel small = clCreateKernel(program, "small", &error);
  ck(error, "clCreateKernel");
  cl_kernel large = clCreateKernel(program, "large", &error);
  ck(error, "clCreateKernel");
  /* One statement each: the arguments of a call have no order. */
  printf("{\"rate\": %.3f", enqueue_rate(small, 0));
  printf(", \"rateOutOfOrder\": %.3f", enqueue_rate(small, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
  for (int mebibytes = 1; mebibytes <= 256; mebibytes *= 16) {
    printf(", \"write%d\": %.3f", mebibytes, bandwidth((size_t)mebibytes << 20, 1));
    printf(", \"read%d\": %.3f", mebibytes, bandwidth((size_t)mebibytes << 20, 0));
  }
  printf(", \"map\": %.3f", map_time());
  printf(", \"chain\": %.3f", chain(small));
  printf(", \"bothOutOfOrder\": %.3f", both_over_one(large, 1, 40000000));
  printf(", \"bothQueues\": %.3f}\n", both_over_one(large, 2, 40000000));
  return 0;
}
