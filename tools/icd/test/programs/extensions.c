// SPDX-License-Identifier: Apache-2.0
// What the driver lists, what it gives by name, and what the places of other extensions answer.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The loader has these, too.
void *clCreateFromGLBuffer(cl_context, cl_mem_flags, cl_uint, cl_int *);
void *clCreateFromGLTexture(cl_context, cl_mem_flags, cl_uint, cl_int, cl_uint, cl_int *);
void *clCreateFromGLTexture2D(cl_context, cl_mem_flags, cl_uint, cl_int, cl_uint, cl_int *);
void *clCreateFromGLRenderbuffer(cl_context, cl_mem_flags, cl_uint, cl_int *);
cl_int clGetGLObjectInfo(cl_mem, cl_uint *, cl_uint *);
cl_int clEnqueueAcquireGLObjects(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

static void print_list(const char *what, char *list) { printf("%s %s\n", what, list); }

int main(int count, char **words) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 1;
  static char text[8192];
  clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL);
  print_list("platform", text);
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL);
  print_list("device", text);
  static cl_name_version versions[256];
  size_t bytes = 0;
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &bytes);
  printf("versions");
  for (size_t i = 0; i < bytes / sizeof *versions; i++) printf(" %s", versions[i].name);
  printf("\n");
  for (int i = 1; i < count; i++)
    printf("%s %s\n", clGetExtensionFunctionAddressForPlatform(platform, words[i]) == NULL ? "lacks" : "has", words[i]);

  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, NULL);
  cl_int code[8] = {0};
  void *made[4] = {
      clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, 1, &code[0]),
      clCreateFromGLTexture(context, CL_MEM_READ_WRITE, 0xde1, 0, 1, &code[1]),
      clCreateFromGLTexture2D(context, CL_MEM_READ_WRITE, 0xde1, 0, 1, &code[2]),
      clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, 1, &code[3]),
  };
  for (int i = 0; i < 4; i++) printf("shared %s %d\n", made[i] == NULL ? "none" : "something", code[i]);
  printf("shared none %d\n", clGetGLObjectInfo(memory, NULL, NULL));
  printf("shared none %d\n", clEnqueueAcquireGLObjects(queue, 1, &memory, 0, NULL, NULL));
  // A function that was got by name does what it says.
  cl_command_queue (*create)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *) =
      clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR");
  cl_command_queue other = create == NULL ? NULL : create(context, device, NULL, &code[4]);
  printf("by name %s\n", other != NULL && code[4] == CL_SUCCESS && clFinish(other) == CL_SUCCESS ? "works" : "fails");
  return 0;
}
