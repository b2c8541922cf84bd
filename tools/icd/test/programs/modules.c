// SPDX-License-Identifier: Apache-2.0
// Programs in LLVM bitcode of SPIR 1.2 and in SPIR-V, through the loader. Words: a file of each. Each check prints
// `ok NAME` or `not ok NAME`.
/* cl_muxkit_program_spirv, which headers of Khronos do not have. */
#define CL_PROGRAM_BUILD_SPIRV_MUXKIT 0x7E20

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 4, COUNT = 5, MOST_BYTES = 1 << 20, MOST_TEXT = 1 << 12 };

// What the kernel of the bitcode takes by value.
struct pair {
  int first;
  float parts[3];
};

static int failures;
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  failures += !holds;
}

static size_t read_file(const char *path, unsigned char *bytes) {
  FILE *file = fopen(path, "rb");
  size_t length = file == NULL ? 0 : fread(bytes, 1, MOST_BYTES, file);
  if (file != NULL) fclose(file);
  check("a module is read", length > 0);
  return length;
}

static cl_program from_binary(const unsigned char *bytes, size_t length) {
  cl_int status, code;
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &length, &bytes, &status, &code);
  check("bitcode is taken as a binary", program != NULL && code == CL_SUCCESS && status == CL_SUCCESS);
  return program;
}

// What four work-items of `sums` leave, and their total behind it.
static void wanted_sums(int *wanted) {
  int sums[ITEMS], total = 0;
  for (int i = 0; i < ITEMS; i++) {
    sums[i] = 7;
    for (int k = 0; k < COUNT; k++) {
      if ((k & 3) == 0) sums[i] += i * 2;
      else sums[i] = ((k & 3) == 1 ? sums[i] - 2 : sums[i]) ^ k;
    }
  }
  for (int i = 0; i < ITEMS; i++) {
    const int more = i > 1 ? 3 : 4, x = sums[i ^ 1] + more;
    total += x;
    wanted[i] = x + (sums[i] + more) * 10 + (9 + more) * 100 + (i < 2) + more;
  }
  wanted[ITEMS] = total;
}

static bool sums_are_right(cl_program program) {
  int out[ITEMS + 1] = {0}, wanted[ITEMS + 1], count = COUNT;
  const struct pair value = {7, {0, 9.5F, 0}};
  const size_t items = ITEMS;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, NULL);
  cl_kernel kernel = clCreateKernel(program, "sums", NULL);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof value, &value);
  clSetKernelArg(kernel, 2, ITEMS * sizeof(int), NULL);
  clSetKernelArg(kernel, 3, sizeof count, &count);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
  clReleaseKernel(kernel);
  clReleaseMemObject(buffer);
  wanted_sums(wanted);
  return memcmp(out, wanted, sizeof out) == 0;
}

static bool log_says(cl_program program, const char *what) {
  char log[MOST_TEXT] = "";
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  return strstr(log, what) != NULL;
}

static void bitcode(const char *path) {
  static unsigned char bytes[MOST_BYTES];
  const size_t length = read_file(path, bytes);
  cl_int code;
  cl_program built = from_binary(bytes, length);
  check("a build takes -x spir -spir-std=1.2",
      clBuildProgram(built, 1, &device, "-x spir -spir-std=1.2", NULL, NULL) == CL_SUCCESS);
  check("bitcode that is built computes what its source says", sums_are_right(built));
  cl_program object = from_binary(bytes, length);
  check("bitcode is compiled to an object",
      clCompileProgram(object, 1, &device, "-x spir", 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
  cl_program linked = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &code);
  check("the object is linked", code == CL_SUCCESS);
  check("bitcode that is linked computes the same", sums_are_right(linked));
  cl_kernel kernel = clCreateKernel(linked, "sums", NULL);
  char name[MOST_TEXT] = "", type[MOST_TEXT] = "";
  clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
  clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
  check("arguments have the names and types of the metadata", strcmp(name, "n") == 0 && strcmp(type, "int*") == 0);
  cl_program cut = from_binary(bytes, 400);
  check("bitcode that ends too early fails to build, with the bit in the log",
      clBuildProgram(cut, 1, &device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE && log_says(cut, "bit "));
  clReleaseKernel(kernel);
  cl_program programs[] = {built, object, linked, cut};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) clReleaseProgram(programs[i]);
}

static bool scales_by(cl_program program, cl_uint factor) {
  cl_uint out[ITEMS] = {0}, bias = 100;
  const size_t items = ITEMS;
  bool same = true;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, NULL);
  cl_kernel kernel = clCreateKernel(program, "scale", NULL);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof bias, &bias);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
  for (cl_uint i = 0; i < ITEMS; i++) same = same && out[i] == i * factor + bias;
  clReleaseKernel(kernel);
  clReleaseMemObject(buffer);
  return same;
}

/* The SPIR-V of a program from source makes a program that computes the same. */
static void spirv_of_source(void) {
  static unsigned char bytes[MOST_BYTES];
  const char *source = "kernel void scale(global uint* out, uint bias) {"
                       "  out[get_global_id(0)] = get_global_id(0) * 6 + bias; }";
  size_t length = 0;
  cl_int code;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  check("a program from source gives its SPIR-V",
      clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_SPIRV_MUXKIT, sizeof bytes, bytes, &length) ==
              CL_SUCCESS &&
          length > 20);
  cl_program again = clCreateProgramWithIL(context, bytes, length, &code);
  check("which is built", code == CL_SUCCESS && clBuildProgram(again, 1, &device, "", NULL, NULL) == CL_SUCCESS);
  check("and computes the same", scales_by(program, 6) && scales_by(again, 6));
  clReleaseProgram(program);
  clReleaseProgram(again);
}

static bool argument_is(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, const char *wanted) {
  char text[MOST_TEXT] = "";
  return clGetKernelArgInfo(kernel, index, what, sizeof text, text, NULL) == CL_SUCCESS && strcmp(text, wanted) == 0;
}

static void arguments(cl_program program) {
  cl_kernel kernel = clCreateKernel(program, "scale", NULL);
  cl_kernel_arg_address_qualifier space = 0;
  cl_kernel_arg_type_qualifier qualifier = 0;
  check("arguments of a module have names",
      argument_is(kernel, 0, CL_KERNEL_ARG_NAME, "out") && argument_is(kernel, 1, CL_KERNEL_ARG_NAME, "bias"));
  check("arguments of a module have the types that its strings say",
      argument_is(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, "uint*") &&
          argument_is(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, "bias_t"));
  clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
  clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL);
  check("arguments of a module have address spaces and qualifiers",
      space == CL_KERNEL_ARG_ADDRESS_GLOBAL && qualifier == CL_KERNEL_ARG_TYPE_RESTRICT);
  clReleaseKernel(kernel);
}

static void module(const char *path) {
  static unsigned char bytes[MOST_BYTES], back[MOST_BYTES];
  const size_t length = read_file(path, bytes);
  const cl_uint factor = 3;
  size_t size = 0;
  cl_int code;
  cl_program program = clCreateProgramWithIL(context, bytes, length, &code);
  check("a module is taken", program != NULL && code == CL_SUCCESS);
  check("CL_PROGRAM_IL gives the module back",
      clGetProgramInfo(program, CL_PROGRAM_IL, sizeof back, back, &size) == CL_SUCCESS && size == length &&
          memcmp(bytes, back, length) == 0);
  check("a module is built", clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS);
  check("a specialization constant has the module's value", scales_by(program, 10));
  arguments(program);
  cl_program set = clCreateProgramWithIL(context, bytes, length, &code);
  check("a specialization constant is set",
      clSetProgramSpecializationConstant(set, 3, sizeof factor, &factor) == CL_SUCCESS);
  check("a constant that there is not is CL_INVALID_SPEC_ID",
      clSetProgramSpecializationConstant(set, 4, sizeof factor, &factor) == CL_INVALID_SPEC_ID);
  check("the module is built with the constant", clBuildProgram(set, 1, &device, "", NULL, NULL) == CL_SUCCESS);
  check("a specialization constant has the value that was set", scales_by(set, factor));
  clReleaseProgram(program);
  clReleaseProgram(set);
}

int main(int count, char **words) {
  cl_platform_id platform;
  if (count != 3 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 2;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  bitcode(words[1]);
  module(words[2]);
  spirv_of_source();
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failures != 0;
}
