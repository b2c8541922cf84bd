// SPDX-License-Identifier: Apache-2.0
// Builds a file on the platform called "Portable Computing Language" and tells the processor seconds that it took:
//   build_program FILE OPTIONS      without arguments: only whether there is such a platform
// One line goes to standard output: "front end S, all S", from the start of the process, its children included. The
// front end is clBuildProgram with clCreateKernel of every kernel; PoCL then makes the functions of work-groups when a
// program's binaries are asked for, as it would at each kernel's first launch.
// Status 3: there is no such platform or it has no device. Status 1: the build failed; its log is on standard error.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BUILD_FAILED = 1, WRONG_USE = 2, NO_PLATFORM = 3, MAX_PLATFORMS = 64 };

static double seconds_of(int who) {
  struct rusage used;
  getrusage(who, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static double cpu_seconds(void) { return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN); }

static void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, status);
  exit(BUILD_FAILED);
}

static void *allocate(size_t size) {
  void *bytes = calloc(size + 1, 1);
  if (bytes == NULL) check(CL_OUT_OF_HOST_MEMORY, "calloc");
  return bytes;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(WRONG_USE);
  }
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = allocate(size);
  if (fread(text, 1, size, file) != size) {
    perror(path);
    exit(WRONG_USE);
  }
  fclose(file);
  return text;
}

static cl_device_id find_device(void) {
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint count = 0;
  if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
  for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
    char name[256] = "";
    cl_device_id device;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strcmp(name, "Portable Computing Language") == 0 &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
      return device;
  }
  fprintf(stderr, "there is no PoCL with a device of type CPU\n");
  exit(NO_PLATFORM);
}

static void tell_log(cl_program program, cl_device_id device) {
  size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = allocate(size);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  fprintf(stderr, "%s\n", log);
  free(log);
}

static void create_kernels(cl_program program) {
  cl_uint count = 0;
  cl_int status = clCreateKernelsInProgram(program, 0, NULL, &count);
  check(status, "clCreateKernelsInProgram");
  if (count == 0) return;
  cl_kernel *kernels = allocate(count * sizeof *kernels);
  check(clCreateKernelsInProgram(program, count, kernels, NULL), "clCreateKernelsInProgram");
  free(kernels);
}

static void make_binary(cl_program program) {
  size_t size = 0;
  check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "CL_PROGRAM_BINARY_SIZES");
  unsigned char *binary = allocate(size);
  check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "CL_PROGRAM_BINARIES");
  free(binary);
}

int main(int argc, char **argv) {
  if (argc != 1 && argc != 3) {
    fprintf(stderr, "build_program FILE OPTIONS\n");
    return WRONG_USE;
  }
  cl_device_id device = find_device();
  if (argc == 1) return 0;
  cl_int status;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  const char *text = read_file(argv[1]);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  check(status, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, argv[2], NULL, NULL) != CL_SUCCESS) {
    tell_log(program, device);
    return BUILD_FAILED;
  }
  create_kernels(program);
  double front_end = cpu_seconds();
  make_binary(program);
  printf("front end %.6f, all %.6f\n", front_end, cpu_seconds());
  return 0;
}
