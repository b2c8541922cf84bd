// SPDX-License-Identifier: Apache-2.0
// A context of all devices: a kernel runs on each in turn, and reads, writes and maps of each see the newest bytes.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8, COUNT = 1000, ROUNDS = 4 };

static const char *source =
    "kernel void step(global int *p, int k) { p[get_global_id(0)] = p[get_global_id(0)] * 3 + k; }";

static void must(const char *what, cl_int code) {
  if (code == CL_SUCCESS) return;
  printf("not ok %s: %d\n", what, code);
  exit(1);
}

static void compare(const char *what, const cl_int *got, const cl_int *wanted) {
  for (int i = 0; i < COUNT; i++)
    if (got[i] != wanted[i]) {
      printf("not ok %s: %d at %d instead of %d\n", what, got[i], i, wanted[i]);
      exit(1);
    }
}

int main(void) {
  cl_platform_id platform;
  cl_device_id devices[MOST];
  cl_uint count;
  must("platform", clGetPlatformIDs(1, &platform, NULL));
  must("devices", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count));
  cl_int code;
  cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
  must("context", code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must("build", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "step", &code);
  must("kernel", code);
  static cl_int model[COUNT], got[COUNT];
  for (int i = 0; i < COUNT; i++) model[i] = i;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof model, model, &code);
  must("buffer", code);
  must("argument", clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  cl_command_queue queues[MOST];
  for (cl_uint i = 0; i < count; i++) {
    char name[256];
    cl_device_type type;
    must("name", clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, NULL));
    must("type", clGetDeviceInfo(devices[i], CL_DEVICE_TYPE, sizeof type, &type, NULL));
    printf("device %s, %s\n", type == CL_DEVICE_TYPE_GPU ? "gpu" : "cpu", name);
    queues[i] = clCreateCommandQueue(context, devices[i], 0, &code);
    must("queue", code);
  }
  cl_event last = NULL;
  for (cl_int round = 0; round < ROUNDS * (cl_int)count; round++) {
    cl_command_queue queue = queues[round % count];
    cl_event done;
    size_t size = COUNT;
    must("argument", clSetKernelArg(kernel, 1, sizeof round, &round));
    cl_uint waits = last == NULL ? 0 : 1;
    must("launch",
         clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, waits, waits == 0 ? NULL : &last, &done));
    must("flush", clFlush(queue));
    last = done;
    for (int i = 0; i < COUNT; i++) model[i] = model[i] * 3 + round;
  }
  for (cl_uint i = 0; i < count; i++) {
    must("read", clEnqueueReadBuffer(queues[i], buffer, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
    compare("read", got, model);
    model[i] = -1 - (cl_int)i;
    must("write", clEnqueueWriteBuffer(queues[i], buffer, CL_TRUE, i * 4, 4, model + i, 0, NULL, NULL));
    cl_int *map =
        clEnqueueMapBuffer(queues[i], buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof got, 0, NULL, NULL, &code);
    must("map", code);
    compare("map", map, model);
    map[COUNT - 1 - i] = model[COUNT - 1 - i] = 7;
    must("unmap", clEnqueueUnmapMemObject(queues[i], buffer, map, 0, NULL, NULL));
    must("finish", clFinish(queues[i]));
  }
  printf("ok %u devices\n", count);
  return 0;
}
