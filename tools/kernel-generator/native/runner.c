// SPDX-License-Identifier: Apache-2.0
/* Runs generated kernels on the OpenCL implementation that is there: `runner CASE...`.
 * A case is a file of lines: `source FILE`, `options TEXT`, `kernel NAME`, `global N...`, `local N...`, `offset N...`,
 * and for each argument, in order, `value FILE`, `input FILE` or `output FILE RESULT`.
 * For each case one line is printed: `begin CASE` when it starts, then `done CASE` or `failed CASE: why`. A crash
 * leaves the `begin` alone. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32, MOST_LINE = 4096 };

typedef struct {
  char *bytes;
  size_t size;
} Bytes;

typedef struct {
  cl_mem buffer;
  size_t size;
  char result[MOST_LINE];
} Output;

static char why[65536];

static int fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why, sizeof why, format, list);
  va_end(list);
  for (char *at = why; *at; ++at) if (*at == '\n') *at = '|';
  return 0;
}

static Bytes read_file(const char *path) {
  Bytes all = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) return all;
  fseek(file, 0, SEEK_END);
  all.size = (size_t)ftell(file);
  rewind(file);
  all.bytes = calloc(1, all.size + 1);
  if (fread(all.bytes, 1, all.size, file) != all.size) all.size = 0;
  fclose(file);
  return all;
}

static cl_uint read_sizes(const char *text, size_t *sizes) {
  cl_uint count = 0;
  char *end;
  for (const char *at = text; count < 3; at = end) {
    size_t value = strtoull(at, &end, 10);
    if (end == at) break;
    sizes[count++] = value;
  }
  return count;
}

static int build(
    cl_context context, cl_device_id device, const char *source, const char *options, cl_program *program) {
  cl_int error;
  *program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if (error) return fail("clCreateProgramWithSource: %d", error);
  error = clBuildProgram(*program, 1, &device, options, NULL, NULL);
  if (!error) return 1;
  static char log[60000];
  clGetProgramBuildInfo(*program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  return fail("clBuildProgram: %d %s", error, log);
}

static int run(cl_context context, cl_device_id device, cl_command_queue queue, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return fail("it cannot be read");
  char line[MOST_LINE], options[MOST_LINE] = "", name[MOST_LINE] = "";
  Bytes source = {NULL, 0};
  size_t global[3], local[3], offset[3];
  cl_uint dimensions = 0, arguments = 0, outputs = 0;
  static struct { char kind; char first[MOST_LINE]; char second[MOST_LINE]; } list[MOST_ARGUMENTS];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *rest = strchr(line, ' ');
    if (!rest) continue;
    *rest++ = 0;
    if (!strcmp(line, "source")) source = read_file(rest);
    else if (!strcmp(line, "options")) strcpy(options, rest);
    else if (!strcmp(line, "kernel")) strcpy(name, rest);
    else if (!strcmp(line, "global")) dimensions = read_sizes(rest, global);
    else if (!strcmp(line, "local")) read_sizes(rest, local);
    else if (!strcmp(line, "offset")) read_sizes(rest, offset);
    else if (arguments < MOST_ARGUMENTS) {
      list[arguments].kind = line[0];
      sscanf(rest, "%4095s %4095s", list[arguments].first, list[arguments].second);
      arguments++;
    }
  }
  fclose(file);
  if (!source.bytes) return fail("there is no source");
  cl_int error;
  cl_program program;
  if (!build(context, device, source.bytes, options, &program)) return 0;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  if (error) return fail("clCreateKernel: %d", error);
  static Output results[MOST_ARGUMENTS];
  cl_mem buffers[MOST_ARGUMENTS] = {0};
  for (cl_uint i = 0; i < arguments; i++) {
    Bytes given = read_file(list[i].first);
    if (!given.bytes) return fail("%s cannot be read", list[i].first);
    if (list[i].kind == 'v') error = clSetKernelArg(kernel, i, given.size, given.bytes);
    else {
      buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, given.size, given.bytes, &error);
      if (error) return fail("clCreateBuffer: %d", error);
      error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
      if (list[i].kind == 'o') {
        results[outputs].buffer = buffers[i];
        results[outputs].size = given.size;
        strcpy(results[outputs++].result, list[i].second);
      }
    }
    free(given.bytes);
    if (error) return fail("clSetKernelArg %u: %d", i, error);
  }
  error = clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL);
  if (!error) error = clFinish(queue);
  if (error) return fail("clEnqueueNDRangeKernel: %d", error);
  for (cl_uint i = 0; i < outputs; i++) {
    char *bytes = malloc(results[i].size);
    error = clEnqueueReadBuffer(queue, results[i].buffer, CL_TRUE, 0, results[i].size, bytes, 0, NULL, NULL);
    if (error) return fail("clEnqueueReadBuffer: %d", error);
    FILE *to = fopen(results[i].result, "wb");
    if (!to || fwrite(bytes, 1, results[i].size, to) != results[i].size)
      return fail("%s cannot be written", results[i].result);
    fclose(to);
    free(bytes);
  }
  for (cl_uint i = 0; i < arguments; i++) if (buffers[i]) clReleaseMemObject(buffers[i]);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  free(source.bytes);
  return 1;
}

int main(int count, char **cases) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error = clGetPlatformIDs(1, &platform, NULL);
  if (!error) error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (error) return fprintf(stderr, "there is no OpenCL device: %d\n", error), 3;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  if (error) return fprintf(stderr, "there is no command queue: %d\n", error), 3;
  for (int i = 1; i < count; i++) {
    printf("begin %s\n", cases[i]);
    fflush(stdout);
    if (run(context, device, queue, cases[i])) printf("done %s\n", cases[i]);
    else printf("failed %s: %s\n", cases[i], why);
    fflush(stdout);
  }
  _Exit(0); /* Drivers may crash while they are torn down. */
}
