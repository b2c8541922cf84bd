// SPDX-License-Identifier: Apache-2.0
// Loads a driver by its path as Khronos' loader does (extension cl_khr_icd), and unloads it while commands and a
// callback are under way: unload LIBRARY.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void CL_CALLBACK on_error(const char *sentence, const void *data, size_t bytes, void *user) {
  (void)sentence, (void)data, (void)bytes, (void)user;
  sleep(1);
}

int main(int argc, char **argv) {
  void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return printf("not ok %s\n", dlerror()), 1;
  cl_api_clGetExtensionFunctionAddress function =
      (cl_api_clGetExtensionFunctionAddress)dlsym(library, "clGetExtensionFunctionAddress");
  cl_api_clGetPlatformIDs platforms =
      function == NULL ? NULL : (cl_api_clGetPlatformIDs)function("clIcdGetPlatformIDsKHR");
  cl_uint count = 0;
  cl_platform_id platform;
  if (platforms == NULL || platforms(0, NULL, &count) != CL_SUCCESS || count != 1 ||
      platforms(1, &platform, NULL) != CL_SUCCESS)
    return printf("not ok there is no platform\n"), 1;
  const cl_icd_dispatch *table = *(const cl_icd_dispatch **)platform;
  char suffix[16] = "", extensions[4096] = "";
  table->clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
  table->clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof extensions, extensions, NULL);
  printf("%s a loader takes the platform\n",
      strcmp(suffix, "MUXKIT") == 0 && strstr(extensions, "cl_khr_icd") != NULL ? "ok" : "not ok");
  cl_device_id device;
  cl_int code;
  table->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = table->clCreateContext(NULL, 1, &device, on_error, NULL, &code);
  cl_command_queue queue = table->clCreateCommandQueueWithProperties(context, device, NULL, &code);
  cl_mem buffer = table->clCreateBuffer(context, 0, 1 << 24, NULL, &code);
  static char bytes[1 << 24];
  // A mistake, whose callback runs; a read that does not block.
  cl_int mistake = table->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 0, bytes, 0, NULL, NULL);
  code = table->clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL);
  printf(
      "%s commands by the driver's own table\n", mistake == CL_INVALID_VALUE && code == CL_SUCCESS ? "ok" : "not ok");
  dlclose(library);
  usleep(1500000);
  printf("ok the program goes on without the driver\n");
  return 0;
}
